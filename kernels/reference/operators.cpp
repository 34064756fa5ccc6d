#include "kernels/reference/operators.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace trefoil::reference {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

double sumOfSquares(const Matrix& x) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * v;
    return sum;
}

double exactSigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

Matrix matrixProduct(const Matrix& x, const Matrix& w, std::int64_t rows, std::int64_t outputs, std::int64_t inputs) {
    Matrix y(at(rows * outputs));
    for (std::int64_t t = 0; t < rows; ++t)
        for (std::int64_t n = 0; n < outputs; ++n) {
            double sum = 0;
            for (std::int64_t k = 0; k < inputs; ++k) sum += static_cast<double>(x[at(t * inputs + k)]) * w[at(n * inputs + k)];
            y[at(t * outputs + n)] = static_cast<float>(sum);
        }
    return y;
}

float sigmoid(float x) { return static_cast<float>(exactSigmoid(x)); }
float silu(float x) { return static_cast<float>(x * exactSigmoid(x)); }

Matrix rmsNorm(const Matrix& x, const Matrix& weight, float epsilon) {
    const double inverse = 1.0 / std::sqrt(sumOfSquares(x) / static_cast<double>(x.size()) + epsilon);
    Matrix out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(x[i] * inverse * weight[i]);
    return out;
}

Matrix gatedRmsNorm(const Matrix& x, const Matrix& gate, const Matrix& weight, float epsilon) {
    Matrix out = rmsNorm(x, weight, epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(out[i] * (gate[i] * exactSigmoid(gate[i])));
    return out;
}

float dequantised(float code, float zero, float scale, int bits, int leastExponent) {
    const float product = (code - zero) * scale;
    if (product == 0.0F) return product;
    const int exponent = std::max(std::ilogb(product), leastExponent);
    const double unit = std::ldexp(1.0, exponent + 1 - bits);
    return static_cast<float>(std::nearbyint(static_cast<double>(product) / unit) * unit);
}

Matrix l2Normalise(const Matrix& x, float scale) {
    const double factor = scale / std::sqrt(sumOfSquares(x) + 1e-6);
    Matrix out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(x[i] * factor);
    return out;
}

Matrix exponentials(const Matrix& x, float shift) {
    Matrix out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - shift));
    return out;
}

Matrix softmax(const Matrix& x) {
    const float most = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - most);
    Matrix out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(std::exp(static_cast<double>(x[i]) - most) / sum);
    return out;
}

Matrix sigmoidGate(const Matrix& x, const Matrix& gate) {
    Matrix out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = static_cast<float>(x[i] * exactSigmoid(gate[i]));
    return out;
}

Matrix convolveSilu(const Matrix& in, const Matrix& taps, std::int64_t tapCount, std::int64_t channels) {
    Matrix out(at(channels));
    for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::int64_t j = 0; j < tapCount; ++j)
            sum += static_cast<double>(in[at(j * channels + c)]) * taps[at(j * channels + c)];
        out[at(c)] = static_cast<float>(sum * exactSigmoid(sum));
    }
    return out;
}

Matrix rotate(const Matrix& x, std::int64_t position, std::int64_t rotaryDim, float theta) {
    Matrix out = x;
    const std::int64_t half = rotaryDim / 2;
    for (std::int64_t j = 0; j < half; ++j) {
        const double angle = static_cast<double>(position) *
                             std::pow(static_cast<double>(theta), -2.0 * static_cast<double>(j) / static_cast<double>(rotaryDim));
        const double a = x[at(j)];
        const double b = x[at(j + half)];
        out[at(j)] = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
        out[at(j + half)] = static_cast<float>(b * std::cos(angle) + a * std::sin(angle));
    }
    return out;
}

Matrix deltaRule(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& decay, const Matrix& beta, std::int64_t tokens,
                 std::int64_t keyDim, std::int64_t valueDim, Matrix& state) {
    std::vector<double> s(state.begin(), state.end());
    Matrix out(at(tokens * valueDim));
    for (std::int64_t t = 0; t < tokens; ++t) {
        for (double& value : s) value *= decay[at(t)];
        for (std::int64_t e = 0; e < valueDim; ++e) {
            double seen = 0;
            for (std::int64_t d = 0; d < keyDim; ++d) seen += s[at(d * valueDim + e)] * k[at(t * keyDim + d)];
            const double delta = beta[at(t)] * (v[at(t * valueDim + e)] - seen);
            double read = 0;
            for (std::int64_t d = 0; d < keyDim; ++d) {
                s[at(d * valueDim + e)] += k[at(t * keyDim + d)] * delta;
                read += s[at(d * valueDim + e)] * q[at(t * keyDim + d)];
            }
            out[at(t * valueDim + e)] = static_cast<float>(read);
        }
    }
    std::transform(s.begin(), s.end(), state.begin(), [](double value) { return static_cast<float>(value); });
    return out;
}

Matrix blockMix(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& state, std::int64_t rows, std::int64_t keyDim,
                std::int64_t valueDim, float logitScale, float historyLogit, float readScale) {
    Matrix out(at(rows * valueDim));
    for (std::int64_t i = 0; i < rows; ++i) {
        Matrix logits;
        for (std::int64_t j = 0; j < rows; ++j) {
            double sum = 0;
            for (std::int64_t d = 0; d < keyDim; ++d) sum += static_cast<double>(q[at(i * keyDim + d)]) * k[at(j * keyDim + d)];
            logits.push_back(static_cast<float>(logitScale * sum));
        }
        logits.push_back(historyLogit);
        const Matrix p = softmax(logits);
        for (std::int64_t e = 0; e < valueDim; ++e) {
            double sum = 0;
            for (std::int64_t j = 0; j < rows; ++j) sum += static_cast<double>(p[at(j)]) * v[at(j * valueDim + e)];
            double read = 0;
            for (std::int64_t d = 0; d < keyDim; ++d)
                read += static_cast<double>(state[at(d * valueDim + e)]) * q[at(i * keyDim + d)];
            out[at(i * valueDim + e)] = static_cast<float>(sum + p[at(rows)] * readScale * read);
        }
    }
    return out;
}

Matrix attention(const Matrix& query, const Matrix& keys, const Matrix& values, std::int64_t visible, std::int64_t headDim) {
    Matrix scores;
    for (std::int64_t s = 0; s < visible; ++s) {
        double sum = 0;
        for (std::int64_t d = 0; d < headDim; ++d) sum += static_cast<double>(query[at(d)]) * keys[at(s * headDim + d)];
        scores.push_back(static_cast<float>(sum));
    }
    const Matrix p = softmax(scores);
    Matrix out(at(headDim));
    for (std::int64_t d = 0; d < headDim; ++d) {
        double sum = 0;
        for (std::int64_t s = 0; s < visible; ++s) sum += static_cast<double>(p[at(s)]) * values[at(s * headDim + d)];
        out[at(d)] = static_cast<float>(sum);
    }
    return out;
}

std::vector<std::int32_t> topExperts(const Matrix& probabilities, const std::vector<std::uint8_t>& allowed, std::int64_t k) {
    std::vector<std::int32_t> ids;
    for (std::size_t e = 0; e < probabilities.size(); ++e)
        if (allowed.empty() || allowed[e] != 0) ids.push_back(static_cast<std::int32_t>(e));
    std::stable_sort(ids.begin(), ids.end(), [&](std::int32_t a, std::int32_t b) {
        return probabilities[static_cast<std::size_t>(a)] > probabilities[static_cast<std::size_t>(b)];
    });
    ids.resize(at(k));
    return ids;
}

std::vector<std::int32_t> chooseCoreset(const std::vector<std::int32_t>& ids, const Matrix& masses, std::int64_t experts,
                                        std::int64_t k, float topP) {
    Matrix mass(at(experts), 0.0F);
    for (std::size_t i = 0; i < ids.size(); ++i) mass[static_cast<std::size_t>(ids[i])] += masses[i];
    std::vector<std::int32_t> order(mass.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return mass[static_cast<std::size_t>(a)] > mass[static_cast<std::size_t>(b)];
    });
    float total = 0;
    for (const float m : mass) total += m;
    std::size_t count = 1;
    for (float covered = mass[static_cast<std::size_t>(order[0])]; covered < topP * total && count < order.size(); ++count)
        covered += mass[static_cast<std::size_t>(order[count])];
    order.resize(std::max(count, at(k)));
    return order;
}

}  // namespace trefoil::reference
