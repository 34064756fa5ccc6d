#include "app/cli/recommend_section.h"

#include "app/cli/support.h"
#include "engine/runtime/card_estimate.h"
#include "engine/runtime/recommendation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;

const char* placementName(Placement placement) {
    switch (placement) {
        case Placement::AllOnCard:
            return "all_on_card";
        case Placement::ExpertsInMainMemory:
            return "experts_in_main_memory";
        case Placement::DoesNotFit:
            break;
    }
    return "does_not_fit";
}

Json rateJson(const Rate& rate) { return {{"bytes_per_second", rate.bytesPerSecond}, {"measured", rate.measured}}; }

Json formJson(const FormOnCard& form, bool recommended) {
    const MemoryPlan& plan = form.memory;
    return {{"form", formName(form.form)},
            {"as_is", form.asIs},
            {"can_be_made", form.canMake},
            {"file_bytes", form.fileBytes},
            {"placement", placementName(form.placement)},
            {"experts_on_card", form.expertsOnCard},
            {"needs_gpu_memory_limit", form.needsLimit},
            {"reason", form.problem},
            {"memory",
             {{"card", plan.total()}, {"main_memory", plan.host}, {"experts", plan.experts}, {"available", plan.available}}},
            {"pass_bytes", form.passBytes},
            {"missed_bytes", form.missedBytes},
            {"estimated_pass_ms", form.milliseconds},
            {"estimated_tokens_per_second", form.tokensPerSecond},
            {"recommended", recommended}};
}

/// A card that nobody has asked, by what the command line says of it.
Card describedCard(double gibibytes, double bandwidth) {
    Card card;
    char name[64];
    std::snprintf(name, sizeof name, "a card of %.10g GiB", gibibytes);
    card.name = name;
    card.memoryTotal = static_cast<std::uint64_t>(gibibytes * 1073741824.0);
    card.available = card.memoryTotal - std::min(card.memoryTotal, kCardContextBytes);
    if (bandwidth > 0.0) card.read = {bandwidth * 1e9, false};
    return card;
}

std::string real(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string rateText(const Json& rate, const char* otherwise) {
    return real(rate["bytes_per_second"].get<double>() / 1e9, 0) + " GB/s (" +
           (rate["measured"].get<bool>() ? "measured" : otherwise) + ")";
}

std::string formLine(const Json& form, std::int64_t experts) {
    std::ostringstream out;
    const std::string name = form["form"].get<std::string>() + (form["as_is"].get<bool>() ? " (as it is)" : "");
    char padded[32];
    std::snprintf(padded, sizeof padded, "%-18s", name.c_str());
    out << (form["recommended"].get<bool>() ? "  * " : "    ") << padded;
    const auto placement = form["placement"].get<std::string>();
    if (placement == "does_not_fit") {
        out << "does not fit: " << form["reason"].get<std::string>() << "\n";
        return out.str();
    }
    const Json& memory = form["memory"];
    if (placement == "all_on_card")
        out << "fits entirely: " << byteText(memory["card"].get<std::uint64_t>());
    else
        out << form["experts_on_card"].dump() << " of " << experts << " experts of each layer on the card; "
            << byteText(memory["main_memory"].get<std::uint64_t>()) << " of main memory";
    out << "; about " << real(form["estimated_pass_ms"].get<double>(), 1) << " ms a pass, "
        << real(form["estimated_tokens_per_second"].get<double>(), 0) << " tokens/s"
        << (form["needs_gpu_memory_limit"].get<bool>() ? ", with --gpu-memory\n" : "\n");
    return out.str();
}

}  // namespace

Json recommendationJson(const Checkpoint& checkpoint, double cardMemory, double bandwidth, std::int64_t context) {
    const EstimateConstants constants;
    std::vector<Card> cards;
    if (cardMemory > 0.0)
        cards.push_back(describedCard(cardMemory, bandwidth));
    else
        cards = cardsOfThisMachine({}, measureCards());
    Json out{{"estimate", true},
             {"tokens_per_pass_assumed", constants.tokensPerPass},
             {"latency_ms_assumed", constants.latency},
             {"experts", checkpoint.config().numExperts},
             {"experts_per_pass_assumed", expertsPerPass(checkpoint.config(), constants)},
             {"cards", Json::array()}};
    for (const CardRecommendation& one : recommend(checkpoint, cards, context, constants)) {
        Json card{{"id", one.card.id},
                  {"name", one.card.name},
                  {"memory_total", one.card.memoryTotal},
                  {"available", one.card.available},
                  {"memory_planned_exactly", one.exactMemory},
                  {"read", rateJson(one.card.read)},
                  {"bus", rateJson(one.card.bus)},
                  {"read_given", cardMemory > 0.0 && bandwidth > 0.0},
                  {"forms", Json::array()}};
        for (std::size_t i = 0; i < one.forms.size(); ++i)
            card["forms"].push_back(formJson(one.forms[i], static_cast<int>(i) == one.recommended));
        out["cards"].push_back(std::move(card));
    }
    if (cards.empty())
        for (const DeviceInfo& device : listDevices())
            if (device.id != "cpu" && !device.usable) out["no_card"] = device.reason;
    return out;
}

std::string recommendationText(const Json& recommendation) {
    std::ostringstream out;
    const auto experts = recommendation["experts"].get<std::int64_t>();
    out << "\nrecommendation (speeds are estimates)\n";
    if (recommendation["cards"].empty()) {
        out << "  no card: "
            << (recommendation.contains("no_card") ? recommendation["no_card"].get<std::string>() : "none was found")
            << "\n  --card-memory GIB recommends for a card that is not here\n";
        return out.str();
    }
    for (const Json& card : recommendation["cards"]) {
        const auto id = card["id"].get<std::string>();
        out << "  " << (id.empty() ? "" : id + ", ") << card["name"].get<std::string>() << ": a model may take "
            << byteText(card["available"].get<std::uint64_t>()) << "; reads "
            << rateText(card["read"], card["read_given"].get<bool>() ? "given" : "assumed") << ", bus "
            << rateText(card["bus"], "assumed") << (id.empty() ? "; memory estimated\n" : "\n");
        bool some = false;
        for (const Json& form : card["forms"]) {
            out << formLine(form, experts);
            some = some || form["recommended"].get<bool>();
        }
        out << (some ? "  * recommended\n" : "  none of these fits\n");
    }
    out << "  bytes of a pass of 32 rows over the bandwidth, plus " << real(recommendation["latency_ms_assumed"].get<double>(), 0)
        << " ms; " << real(recommendation["experts_per_pass_assumed"].get<double>(), 0) << " of " << experts
        << " experts a layer, " << real(recommendation["tokens_per_pass_assumed"].get<double>(), 0)
        << " tokens a pass are assumed;\n  experts in main memory cost the bus what they would if all were named alike; a "
           "router that repeats itself costs less\n";
    return out.str();
}

}  // namespace trefoil::cli
