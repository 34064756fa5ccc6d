#include "engine/runtime/model_weights.h"

#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <new>
#include <utility>

namespace trefoil {
namespace {

using kernels::PackedMatrix;
using kernels::RowOrder;
using kernels::WeightFormat;

/// Bytes that are read at once: progress and cancel are as fine as this.
constexpr std::int64_t kPieceBytes = 4 << 20;
/// Of a piece, what one thread reads at least: less is not worth a system call.
constexpr std::int64_t kLeastBytes = 256 << 10;
/// Columns that one thread packs at a time: the piece of a panel that 32 rows share stays in the first cache.
constexpr std::int64_t kPackColumns = 64;

WeightFormat formatOf(DType type) {
    switch (type) {
        case DType::F32:
            return WeightFormat::F32;
        case DType::F16:
            return WeightFormat::F16;
        case DType::BF16:
            break;
    }
    return WeightFormat::BF16;
}

kernels::QuantisedLayout layoutOf(const QuantisedForm& form) {
    const bool fp8 = form.format == QuantisedFormat::Fp8Blocks;
    return {fp8 ? kernels::QuantisedCodes::Fp8 : kernels::QuantisedCodes::Int4, form.groupSize, formatOf(form.scaleType),
            form.hasZeroPoints};
}

std::int64_t storedRowBytes(const QuantisedForm& form) {
    return form.rowBytes() + form.groups() * static_cast<std::int64_t>(dtypeSize(form.scaleType));
}

/// One tensor that fills some rows of a packed matrix.
struct Part {
    std::string name;
    std::int64_t rows;
};

/// Rows [first, first + count) of tensors [items, rowsOfItem], cut at the items: visit(item, row in it, rows, rows before them).
template <class Visit>
void forRuns(std::int64_t first, std::int64_t count, std::int64_t rowsOfItem, Visit&& visit) {
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t row = (first + done) % rowsOfItem;
        const std::int64_t here = std::min(rowsOfItem - row, count - done);
        visit((first + done) / rowsOfItem, row, here, done);
        done += here;
    }
}

/// Goes through all tensors of a model: loads them, or (planning) only adds up what they will take.
/// The first error ends all further work.
class WeightLoader {
public:
    /// Without a pool it only plans.
    WeightLoader(const ModelConfig& config, const WeightSource& source, kernels::ThreadPool* pool, const LoadProgress* progress,
                 const CancelFlag* cancel)
        : m_config(config), m_source(source), m_pool(pool), m_progress(progress), m_cancel(cancel), m_planning(pool == nullptr) {}

    Status run(ModelWeights& weights) {
        if (!m_planning) {
            // A first round without reading gives the total for the progress.
            WeightLoader plan(m_config, m_source, nullptr, nullptr, nullptr);
            ModelWeights nothing;
            if (const Status s = plan.run(nothing); !s.ok()) return s;
            m_total = plan.m_sourceBytes;
        }
        const std::int64_t V = m_config.vocabSize;
        const std::int64_t D = m_config.hiddenSize;
        if (!m_config.tieWordEmbeddings) embedding(weights, V * D);
        weights.layers.resize(m_config.layers.size());
        for (std::size_t i = 0; i < weights.layers.size() && m_status.ok(); ++i)
            layer(weights.layers[i], m_config.layers[i], "model.layers." + std::to_string(i) + ".");
        weights.finalNorm = norm("model.norm.weight", D);
        weights.head = matrix({{m_config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight", V}}, 1, D);
        return m_status;
    }

    [[nodiscard]] WeightBytes plannedBytes() const { return m_memory; }

private:
    enum class Kept : std::uint8_t { Yes, No };

    void layer(LayerWeights& layer, LayerKind kind, const std::string& prefix) {
        const std::int64_t D = m_config.hiddenSize;
        layer.kind = kind;
        layer.inputNorm = norm(prefix + "input_layernorm.weight", D);
        layer.postMixerNorm = norm(prefix + "post_attention_layernorm.weight", D);
        if (kind == LayerKind::GatedDeltaNet)
            gatedDeltaNet(layer.gdn, prefix + "linear_attn.");
        else
            attention(layer.attention, prefix + "self_attn.");
        mixture(layer.mixture, prefix + "mlp.");
    }

    void gatedDeltaNet(GatedDeltaNetWeights& w, const std::string& prefix) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t Hv = m_config.linearNumValueHeads;
        const std::int64_t C = m_config.convChannels();
        const std::int64_t K = m_config.linearConvKernelDim;
        w.qkv = matrix({{prefix + "in_proj_qkv.weight", C}}, 1, D);
        w.z = matrix({{prefix + "in_proj_z.weight", m_config.valueDim()}}, 1, D);
        w.b = matrix({{prefix + "in_proj_b.weight", Hv}}, 1, D);
        w.a = matrix({{prefix + "in_proj_a.weight", Hv}}, 1, D);
        w.out = matrix({{prefix + "out_proj.weight", D}}, 1, m_config.valueDim());
        const FloatArray left = vector(prefix + "conv1d.weight", C * K, Kept::No);
        const FloatArray right = vector(prefix + "conv_right_weight", C * (K - 1), Kept::No);
        w.taps = array((2 * K - 1) * C);
        for (std::int64_t c = 0; c < C && w.taps.size() > 0 && m_status.ok(); ++c) {
            for (std::int64_t j = 0; j < K; ++j) w.taps[j * C + c] = left[c * K + j];
            for (std::int64_t j = 0; j < K - 1; ++j) w.taps[(K + j) * C + c] = right[c * (K - 1) + j];
        }
        w.negativeRate = vector(prefix + "A_log", Hv);
        for (float& v : w.negativeRate.span()) v = -std::exp(v);
        w.timeBias = vector(prefix + "dt_bias", Hv);
        w.norm = vector(prefix + "norm.weight", m_config.linearValueHeadDim);
        w.logitScale = vector(prefix + "bd_softmax_logit_scale", Hv);
        w.historyBias = vector(prefix + "bd_softmax_history_bias", Hv);
        w.historyCoefficient = vector(prefix + "bd_softmax_history_c", Hv);
    }

    void attention(AttentionWeights& w, const std::string& prefix) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t Dh = m_config.headDim;
        w.q = matrix({{prefix + "q_proj.weight", m_config.numAttentionHeads * 2 * Dh}}, 1, D);
        w.k = matrix({{prefix + "k_proj.weight", m_config.numKeyValueHeads * Dh}}, 1, D);
        w.v = matrix({{prefix + "v_proj.weight", m_config.numKeyValueHeads * Dh}}, 1, D);
        w.out = matrix({{prefix + "o_proj.weight", D}}, 1, m_config.numAttentionHeads * Dh);
        w.qNorm = norm(prefix + "q_norm.weight", Dh);
        w.kNorm = norm(prefix + "k_norm.weight", Dh);
    }

    void mixture(MixtureWeights& w, const std::string& prefix) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t E = m_config.numExperts;
        const std::int64_t I = m_config.moeIntermediateSize;
        const std::int64_t S = m_config.sharedExpertIntermediateSize;
        w.router = matrix({{prefix + "gate.weight", E}}, 1, D);
        const std::uint64_t before = m_memory.all;
        w.gateUp = matrix({{prefix + "experts.gate_up_proj", 2 * I}}, E, D, RowOrder::Paired);
        w.down = matrix({{prefix + "experts.down_proj", D}}, E, I);
        m_memory.experts += m_memory.all - before;
        w.sharedGateUp = matrix({{prefix + "shared_expert.gate_proj.weight", S}, {prefix + "shared_expert.up_proj.weight", S}}, 1,
                                D, RowOrder::Paired);
        w.sharedDown = matrix({{prefix + "shared_expert.down_proj.weight", D}}, 1, S);
        w.sharedGate = vector(prefix + "shared_expert_gate.weight", D);
    }

    /// An array that counts towards the plan; empty while planning.
    FloatArray array(std::int64_t elements) {
        m_memory.all += static_cast<std::uint64_t>(elements) * sizeof(float);
        return m_planning || !m_status.ok() ? FloatArray() : FloatArray(elements);
    }

    FloatArray norm(const std::string& name, std::int64_t elements) {
        FloatArray w = vector(name, elements);
        if (m_config.compatibility.zeroCentredNorms)
            for (float& v : w.span()) v += 1.0F;
        return w;
    }

    /// A tensor in float32. Kept::No: only needed while loading, so it does not count towards the plan.
    FloatArray vector(const std::string& name, std::int64_t elements, Kept kept = Kept::Yes) {
        if (kept == Kept::Yes) m_memory.all += static_cast<std::uint64_t>(elements) * sizeof(float);
        FloatArray out;
        const WeightFormat format = formatOfTensor(name, elements);
        if (m_planning || !m_status.ok()) return out;
        out = FloatArray(elements);
        const std::int64_t most = kPieceBytes / kernels::formatBytes(format);
        for (std::int64_t done = 0; done < elements && m_status.ok();) {
            const std::int64_t count = std::min(most, elements - done);
            if (const std::byte* piece = readPiece(name, done, count, format))
                kernels::widen(piece, format, count, out.data() + done);
            done += count;
        }
        return out;
    }

    void embedding(ModelWeights& weights, std::int64_t elements) {
        const std::string name = "model.embed_tokens.weight";
        const WeightFormat format = formatOfTensor(name, elements);
        const std::int64_t size = kernels::formatBytes(format);
        m_memory.all += static_cast<std::uint64_t>(elements * size);
        weights.embeddingFormat = format;
        if (m_planning || !m_status.ok()) return;
        weights.embedding = kernels::AlignedArray<std::byte>(elements * size);
        for (std::int64_t done = 0; done < elements && m_status.ok();) {
            const std::int64_t count = std::min(kPieceBytes / size, elements - done);
            const auto destination =
                weights.embedding.span().subspan(static_cast<std::size_t>(done * size), static_cast<std::size_t>(count * size));
            note(read(name, done, count, size, destination), count * size);
            done += count;
        }
    }

    /// Tensors [items, rows of the part, columns], one below the other, as one packed matrix: quantised where all of them are in
    /// one way, otherwise in their common type (F32 if they have none).
    PackedMatrix matrix(std::initializer_list<Part> parts, std::int64_t items, std::int64_t columns,
                        RowOrder order = RowOrder::Plain) {
        if (const auto form = commonForm(parts)) return quantisedMatrix(*form, parts, items, columns, order);
        std::int64_t rows = 0;
        WeightFormat common = WeightFormat::F32;
        bool first = true;
        for (const Part& part : parts) {
            const WeightFormat format = formatOfTensor(part.name, items * part.rows * columns);
            common = first || format == common ? format : WeightFormat::F32;
            first = false;
            rows += part.rows;
        }
        m_memory.all += PackedMatrix::plannedBytes(common, items, rows, columns, order);
        if (m_planning || !m_status.ok()) return {};
        PackedMatrix out(common, items, rows, columns, order);
        std::int64_t firstRow = 0;
        for (const Part& part : parts) {
            packPart(out, part, firstRow);
            firstRow += part.rows;
        }
        return out;
    }

    [[nodiscard]] std::optional<QuantisedForm> commonForm(std::initializer_list<Part> parts) const {
        const auto form = m_source.quantised(parts.begin()->name);
        for (const Part& part : parts)
            if (m_source.quantised(part.name) != form) return std::nullopt;
        return form;
    }

    /// Stays as it is stored; the kernels widen it.
    PackedMatrix quantisedMatrix(const QuantisedForm& form, std::initializer_list<Part> parts, std::int64_t items,
                                 std::int64_t columns, RowOrder order) {
        std::int64_t rows = 0;
        for (const Part& part : parts) rows += part.rows;
        const kernels::QuantisedLayout layout = layoutOf(form);
        m_memory.all += PackedMatrix::plannedBytes(layout, items, rows, columns, order);
        if (m_planning) m_sourceBytes += static_cast<std::uint64_t>(items * rows * storedRowBytes(form));
        if (m_planning || !m_status.ok()) return {};
        PackedMatrix out(layout, items, rows, columns, order);
        std::int64_t firstRow = 0;
        for (const Part& part : parts) {
            packQuantisedPart(out, part, firstRow, form);
            firstRow += part.rows;
        }
        return out;
    }

    void packQuantisedPart(PackedMatrix& out, const Part& part, std::int64_t firstRow, const QuantisedForm& form) {
        const std::int64_t most = std::max<std::int64_t>(1, kPieceBytes / storedRowBytes(form));
        const std::int64_t total = out.items() * part.rows;
        const std::int64_t scaleBytes = form.groups() * static_cast<std::int64_t>(dtypeSize(form.scaleType));
        for (std::int64_t done = 0; done < total && m_status.ok();) {
            const std::int64_t count = std::min(most, total - done);
            note(m_source.readRows(part.name, done, count, m_rows), count * storedRowBytes(form));
            if (!m_status.ok()) return;
            forRuns(done, count, part.rows, [&](std::int64_t item, std::int64_t row, std::int64_t rows, std::int64_t before) {
                out.packQuantised(item, firstRow + row, rows, m_rows.codes.data() + before * form.rowBytes(),
                                  m_rows.scales.data() + before * scaleBytes,
                                  form.hasZeroPoints ? m_rows.zeroPoints.data() + before * form.groups() : nullptr);
            });
            done += count;
        }
    }

    void packPart(PackedMatrix& out, const Part& part, std::int64_t firstRow) {
        const auto type = m_source.dtype(part.name);
        if (!type.ok()) return;  // reported by formatOfTensor
        const WeightFormat format = formatOf(*type);
        const std::int64_t columns = out.columns();
        const std::int64_t most = std::max<std::int64_t>(1, kPieceBytes / (columns * kernels::formatBytes(format)));
        const std::int64_t total = out.items() * part.rows;
        // Pieces may span items: small experts are read many at a time.
        for (std::int64_t done = 0; done < total && m_status.ok();) {
            const std::int64_t count = std::min(most, total - done);
            const std::byte* piece = readPiece(part.name, done * columns, count * columns, format);
            if (piece == nullptr) return;
            m_pool->run((columns + kPackColumns - 1) / kPackColumns, [&](std::int64_t tile, int /*worker*/) {
                const std::int64_t first = tile * kPackColumns;
                forRuns(done, count, part.rows, [&](std::int64_t item, std::int64_t row, std::int64_t rows, std::int64_t before) {
                    out.pack(item, firstRow + row, rows, piece + before * columns * kernels::formatBytes(format), format, first,
                             std::min(kPackColumns, columns - first));
                });
            });
            done += count;
        }
    }

    WeightFormat formatOfTensor(const std::string& name, std::int64_t elements) {
        const auto type = m_source.dtype(name);
        if (!type.ok()) {
            if (m_status.ok()) m_status = type.error();
            return WeightFormat::F32;
        }
        if (m_planning) m_sourceBytes += static_cast<std::uint64_t>(elements) * dtypeSize(*type);
        return formatOf(*type);
    }

    /// Elements in the reading buffer, or nullptr after an error.
    const std::byte* readPiece(const std::string& name, std::int64_t first, std::int64_t count, WeightFormat format) {
        const auto bytes = static_cast<std::size_t>(count * kernels::formatBytes(format));
        if (m_piece.size() < bytes) m_piece.resize(bytes);
        note(read(name, first, count, kernels::formatBytes(format), {m_piece.data(), bytes}), static_cast<std::int64_t>(bytes));
        return m_status.ok() ? m_piece.data() : nullptr;
    }

    /// Elements [first, first + count) of `size` bytes each, every thread some of them. Of several errors the first by place.
    Status read(const std::string& name, std::int64_t first, std::int64_t count, std::int64_t size,
                std::span<std::byte> destination) {
        const std::int64_t tasks = std::clamp<std::int64_t>(count * size / kLeastBytes, 1, m_pool->threads());
        m_read.assign(static_cast<std::size_t>(tasks), Status());
        m_pool->run(tasks, [&](std::int64_t task, int /*worker*/) {
            const std::int64_t begin = count * task / tasks;
            const std::int64_t end = count * (task + 1) / tasks;
            const auto part =
                destination.subspan(static_cast<std::size_t>(begin * size), static_cast<std::size_t>((end - begin) * size));
            Status& status = m_read[static_cast<std::size_t>(task)];
            try {
                status = m_source.read(name, first + begin, end - begin, part);
            } catch (const std::bad_alloc&) {  // none may leave a task
                status = makeError(ErrorKind::OutOfMemory, "there is not enough memory to read " + name,
                                   "close other programs or choose a smaller model");
            }
        });
        for (Status& status : m_read)
            if (!status.ok()) return std::move(status);
        return {};
    }

    /// After each piece: the error, if any; progress; cancel.
    void note(const Status& status, std::int64_t bytes) {
        if (!status.ok()) {
            m_status = status;
            return;
        }
        m_done += static_cast<std::uint64_t>(bytes);
        if (m_cancel != nullptr && m_cancel->requested()) {
            m_status = makeError(ErrorKind::Cancelled, "loading was cancelled");
            return;
        }
        if (m_progress == nullptr || !*m_progress) return;
        if (m_done - m_reported < static_cast<std::uint64_t>(kPieceBytes) && m_done != m_total) return;
        m_reported = m_done;
        (*m_progress)(m_done, m_total);
    }

    const ModelConfig& m_config;
    const WeightSource& m_source;
    kernels::ThreadPool* m_pool;
    const LoadProgress* m_progress;
    const CancelFlag* m_cancel;
    const bool m_planning;
    Status m_status;
    std::vector<std::byte> m_piece;
    std::vector<Status> m_read;  ///< of each thread's part of a piece
    QuantisedRows m_rows;
    WeightBytes m_memory;
    std::uint64_t m_sourceBytes = 0;
    std::uint64_t m_done = 0;
    std::uint64_t m_reported = 0;
    std::uint64_t m_total = 0;
};

}  // namespace

Status WeightSource::readRows(const std::string& name, std::int64_t /*first*/, std::int64_t /*count*/,
                              QuantisedRows& /*rows*/) const {
    return makeError(ErrorKind::InvalidArgument, name + " is not quantised");
}

Result<DType> CheckpointSource::dtype(const std::string& name) const {
    const TensorInfo* info = m_checkpoint.find(name);
    if (info == nullptr) return makeError(ErrorKind::Format, "the checkpoint has no tensor " + name);
    return info->dtype;
}

Status CheckpointSource::read(const std::string& name, std::int64_t first, std::int64_t count,
                              std::span<std::byte> destination) const {
    const TensorInfo* info = m_checkpoint.find(name);
    if (info == nullptr) return makeError(ErrorKind::Format, "the checkpoint has no tensor " + name);
    return m_checkpoint.read(*info, first, count, destination);
}

std::optional<QuantisedForm> CheckpointSource::quantised(const std::string& name) const {
    const TensorInfo* info = m_checkpoint.find(name);
    return info == nullptr ? std::nullopt : info->quantised;
}

Status CheckpointSource::readRows(const std::string& name, std::int64_t first, std::int64_t count, QuantisedRows& rows) const {
    const TensorInfo* info = m_checkpoint.find(name);
    if (info == nullptr) return makeError(ErrorKind::Format, "the checkpoint has no tensor " + name);
    return m_checkpoint.readRows(*info, first, count, rows);
}

void ModelWeights::embed(TokenId id, std::int64_t hiddenSize, float* out) const {
    if (embedding.size() == 0) return head.unpack(0, id, out);
    const std::int64_t rowBytes = hiddenSize * kernels::formatBytes(embeddingFormat);
    kernels::widen(embedding.data() + id * rowBytes, embeddingFormat, hiddenSize, out);
}

std::uint64_t ModelWeights::bytes() const {
    std::uint64_t sum = embedding.bytes() + finalNorm.bytes() + head.bytes();
    for (const LayerWeights& l : layers) {
        sum += l.inputNorm.bytes() + l.postMixerNorm.bytes();
        const GatedDeltaNetWeights& g = l.gdn;
        sum += g.qkv.bytes() + g.z.bytes() + g.b.bytes() + g.a.bytes() + g.out.bytes() + g.taps.bytes() + g.negativeRate.bytes() +
               g.timeBias.bytes() + g.norm.bytes() + g.logitScale.bytes() + g.historyBias.bytes() + g.historyCoefficient.bytes();
        const AttentionWeights& a = l.attention;
        sum += a.q.bytes() + a.k.bytes() + a.v.bytes() + a.out.bytes() + a.qNorm.bytes() + a.kNorm.bytes();
        const MixtureWeights& m = l.mixture;
        sum += m.router.bytes() + m.gateUp.bytes() + m.down.bytes() + m.sharedGateUp.bytes() + m.sharedDown.bytes() +
               m.sharedGate.bytes();
    }
    return sum;
}

std::uint64_t ModelWeights::expertBytes() const {
    std::uint64_t sum = 0;
    for (const LayerWeights& l : layers) sum += l.mixture.gateUp.bytes() + l.mixture.down.bytes();
    return sum;
}

Result<ModelWeights> loadModelWeights(const ModelConfig& config, const WeightSource& source, int threads,
                                      const LoadProgress& progress, const CancelFlag* cancel) {
    try {
        ModelWeights weights;
        kernels::ThreadPool pool(threads);
        WeightLoader loader(config, source, &pool, &progress, cancel);
        if (const Status s = loader.run(weights); !s.ok()) return s.error();
        return weights;
    } catch (const std::bad_alloc&) {
        return makeError(ErrorKind::OutOfMemory, "there is not enough memory for the model's weights",
                         "close other programs or choose a smaller model");
    }
}

Result<WeightBytes> plannedWeightBytes(const ModelConfig& config, const WeightSource& source) {
    ModelWeights nothing;
    WeightLoader loader(config, source, nullptr, nullptr, nullptr);
    if (const Status s = loader.run(nothing); !s.ok()) return s.error();
    return loader.plannedBytes();
}

}  // namespace trefoil
