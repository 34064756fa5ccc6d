// Importance: how much each column of a model's matrices matters, as the mean square of the inputs that it met on a text.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// Values are finite and not negative. Matrices are named as in Checkpoint's catalogue; fused experts have an item for each
/// expert, every other matrix one.
class Importance {
public:
    /// Reads what write() wrote. NotFound, Io; Format when it is no such file or holds other values than those above.
    static Result<Importance> read(const std::filesystem::path& file);
    /// Writes a safetensors file: F32 [items, columns] under each name. InvalidArgument when the file is there already.
    Status write(const std::filesystem::path& file) const;

    /// `values`: [items, columns].
    void set(const std::string& name, std::int64_t columns, std::vector<float> values);
    /// Of one item of a matrix, [columns]. Format error when nothing, or something of another size, is known of it: the file is
    /// of another model.
    [[nodiscard]] Result<std::span<const float>> of(const std::string& name, std::int64_t item, std::int64_t columns) const;

    [[nodiscard]] std::size_t matrices() const { return m_matrices.size(); }
    /// Differs where any name or value does.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    struct Matrix {
        std::int64_t columns = 0;
        std::vector<float> values;
    };
    std::map<std::string, Matrix> m_matrices;
    std::string m_source = "the importance file";  ///< for messages
};

}  // namespace trefoil
