// MatrixProduct: y = x · Wᵀ for rows of float32 activations and packed weights (model-contract.md, sections 2 to 5).
#pragma once

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace trefoil::kernels {

/// What becomes of the 32 products of a row with a panel.
enum class Epilogue : std::uint8_t {
    Store,     ///< y[0…31] = product
    Add,       ///< y[0…31] += product
    SiluPair,  ///< y[0…15] = silu(product of the left half) · product of the right half; for RowOrder::Paired
};

/// Products of `rows` rows x[r] [columns] with one panel [columns][32] into y[r]. Each element is summed in float32 over
/// ascending columns, one after the other, so that neither the number of rows nor the thread changes it. y[r] must have room for
/// 32 floats (16 for SiluPair), whatever the matrix's own number of rows. Twin: reference::matrixProduct, tolerance 1e-6
/// relative.
void panelProduct(WeightFormat format, const std::byte* panel, std::int64_t columns, const float* const* x, float* const* y,
                  std::int64_t rows, Epilogue epilogue);

/// The same with panel `panel` of a matrix in any form. A quantised one is widened a tile of columns at a time, to the values
/// that QuantisedLayout says: results are those of the widened matrix, bit for bit.
void panelProduct(const PackedMatrix& weights, std::int64_t item, std::int64_t panel, const float* const* x, float* const* y,
                  std::int64_t rows, Epilogue epilogue);

/// Rows that meet a quantised tile at once.
inline constexpr std::int64_t kProductRows = 44;

/// One product of a batch. Row r of the input is x[r], of the output y[r]; the output rows must have room for panels() · 32
/// floats (· 16 for SiluPair). Nothing is owned.
struct ProductJob {
    const PackedMatrix* weights = nullptr;
    std::int64_t item = 0;
    std::int64_t rows = 0;
    const float* const* x = nullptr;
    float* const* y = nullptr;
    Epilogue epilogue = Epilogue::Store;
    std::int64_t firstTask = 0;  ///< set by matrixProducts
};

/// Runs all jobs, spread over the pool's threads. Their outputs must not overlap; a job of no rows is fine.
void matrixProducts(ThreadPool& pool, std::span<ProductJob> jobs);

}  // namespace trefoil::kernels
