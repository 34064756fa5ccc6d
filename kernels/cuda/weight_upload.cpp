#include "kernels/cuda/weight_upload.h"

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/pack.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace trefoil::cuda {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr int kReaders = 16;  ///< at most; eight read a RAM disk at 21 GB/s, less than half of what the bus takes

/// A piece of a tensor and where it goes; or (packed) some row blocks of an item, `first` and `count` being blocks.
struct Piece {
    std::size_t tensor = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::byte* destination = nullptr;
    bool toFloat = false;
    const PackedPlace* packed = nullptr;
    std::int64_t item = 0;
    std::vector<std::size_t> sources = {};
    std::uint64_t sourceBytes = 0;
};

/// Several threads that each read pieces into two pinned buffers in turn and copy them to the device.
class Uploader {
public:
    Uploader(const LoadRequest& request, int device, WeightFormat format, std::vector<Piece> pieces, const CancelFlag* cancel)
        : m_request(request), m_device(device), m_format(format), m_pieces(std::move(pieces)), m_cancel(cancel) {}

    Status run(const Progress& progress, std::uint64_t total) {
        const int readers = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kReaders);
        m_running = readers;
        std::vector<std::thread> threads;
        threads.reserve(static_cast<std::size_t>(readers));
        for (int i = 0; i < readers; ++i) threads.emplace_back([this] { work(); });
        {
            std::unique_lock lock(m_mutex);
            while (m_running > 0) {
                m_changed.wait_for(lock, std::chrono::milliseconds(20));
                lock.unlock();
                if (progress) progress(m_done.load(), total);
                lock.lock();
            }
        }
        for (std::thread& t : threads) t.join();
        if (m_error.has_value()) return *m_error;
        if (progress) progress(total, total);
        return {};
    }

private:
    struct Lane {
        PinnedBlock host;
        DeviceBlock staging;
        cudaEvent_t copied = nullptr;
    };

    void fail(Error error) {
        const std::lock_guard lock(m_mutex);
        if (!m_error.has_value()) m_error = std::move(error);
        m_stop = true;
    }

    void work() {
        cudaStream_t stream = nullptr;
        std::array<Lane, 2> lanes;
        cudaError_t e = cudaSetDevice(m_device);
        if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        for (Lane& lane : lanes) {
            if (e == cudaSuccess) e = lane.host.allocate(kPieceBytes);
            if (e == cudaSuccess) e = cudaEventCreateWithFlags(&lane.copied, cudaEventDisableTiming);
        }
        if (e == cudaSuccess) e = copyAll(stream, lanes);
        if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
        if (e != cudaSuccess) fail(cudaFailure(e, "uploading the weights"));
        for (Lane& lane : lanes)
            if (lane.copied != nullptr) cudaEventDestroy(lane.copied);
        if (stream != nullptr) cudaStreamDestroy(stream);
        const std::lock_guard lock(m_mutex);
        --m_running;
        m_changed.notify_all();
    }

    cudaError_t copyAll(cudaStream_t stream, std::array<Lane, 2>& lanes) {
        for (std::size_t turn = 0;; ++turn) {
            const std::size_t next = m_next.fetch_add(1);
            if (next >= m_pieces.size() || m_stop) return cudaSuccess;
            if (m_cancel != nullptr && m_cancel->requested()) {
                fail(makeError(ErrorKind::Cancelled, "loading was stopped"));
                return cudaSuccess;
            }
            Lane& lane = lanes[turn % 2];
            if (const cudaError_t e = cudaEventSynchronize(lane.copied); e != cudaSuccess) return e;
            const Piece& piece = m_pieces[next];
            if (piece.packed != nullptr) {
                if (const cudaError_t e = packPiece(stream, lane, piece); e != cudaSuccess || m_stop) return e;
                continue;
            }
            const TensorInfo& tensor = m_request.tensors[piece.tensor];
            const std::size_t bytes = static_cast<std::size_t>(piece.count) * dtypeSize(tensor.dtype);
            if (const Status s = m_request.read(piece.tensor, piece.first, piece.count, std::span(lane.host.data(), bytes));
                !s.ok()) {
                fail(s.error());
                return cudaSuccess;
            }
            if (const cudaError_t e = send(stream, lane, piece, tensor, bytes); e != cudaSuccess) return e;
            if (const cudaError_t e = cudaEventRecord(lane.copied, stream); e != cudaSuccess) return e;
            m_done += bytes;
        }
    }

    cudaError_t send(cudaStream_t stream, Lane& lane, const Piece& piece, const TensorInfo& tensor, std::size_t bytes) {
        const WeightFormat to = piece.toFloat ? WeightFormat::Float32 : m_format;
        const bool same = to == WeightFormat::BFloat16 ? tensor.dtype == DType::BF16 : tensor.dtype == DType::F32;
        if (same) return cudaMemcpyAsync(piece.destination, lane.host.data(), bytes, cudaMemcpyHostToDevice, stream);
        if (lane.staging.data() == nullptr)
            if (const cudaError_t e = lane.staging.allocate(kPieceBytes); e != cudaSuccess) return e;
        if (const cudaError_t e = cudaMemcpyAsync(lane.staging.data(), lane.host.data(), bytes, cudaMemcpyHostToDevice, stream);
            e != cudaSuccess)
            return e;
        return convert(stream, static_cast<SourceType>(tensor.dtype), lane.staging.data(), to, piece.destination, piece.count);
    }

    /// Packs on this thread, in main memory where the rows stay there.
    cudaError_t packPiece(cudaStream_t stream, Lane& lane, const Piece& piece) {
        const PackedPlace& place = *piece.packed;
        std::byte* to = place.inMainMemory ? piece.destination : lane.host.data();
        if (const Status s = readBlocks(m_request, place, piece.sources, piece.item, piece.first, piece.count, to); !s.ok()) {
            fail(s.error());
            return cudaSuccess;
        }
        m_done += piece.sourceBytes;
        if (place.inMainMemory) return cudaSuccess;
        const auto bytes = static_cast<std::size_t>(piece.count * rowBlockBytes(place.format, place.columns));
        if (const cudaError_t e = cudaMemcpyAsync(piece.destination, to, bytes, cudaMemcpyHostToDevice, stream); e != cudaSuccess)
            return e;
        return cudaEventRecord(lane.copied, stream);
    }

    const LoadRequest& m_request;
    int m_device;
    WeightFormat m_format;
    std::vector<Piece> m_pieces;
    const CancelFlag* m_cancel;
    std::atomic<std::size_t> m_next{0};
    std::atomic<std::uint64_t> m_done{0};
    std::atomic<bool> m_stop{false};
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_running = 0;
    std::optional<Error> m_error;
};

/// Rows [first, first + count) of an item, which lie one after the other in it, go to consecutive rows of row blocks `step`
/// blocks apart; `row`: of the first one in out, whose blocks they begin.
struct RowRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::byte* out = nullptr;
    std::int64_t step = 1;
};

/// Reads a part of a run from one tensor and packs it. `at`: rows of the run before it.
Status packRows(const LoadRequest& request, const PackedPlace& place, std::size_t tensorIndex, std::int64_t row,
                std::int64_t count, const RowRun& run, std::int64_t at) {
    const TensorInfo& tensor = request.tensors[tensorIndex];
    const std::int64_t blockBytes = rowBlockBytes(place.format, place.columns);
    QuantisedRows rows;
    PackRow source;
    std::int64_t codeStep = 0;
    std::int64_t scaleStep = 0;
    std::int64_t zeroStep = 0;
    if (place.format == PackFormat::BFloat16) {
        std::vector<std::byte> values(static_cast<std::size_t>(count * place.columns) * dtypeSize(tensor.dtype));
        if (const Status s = request.read(tensorIndex, row * place.columns, count * place.columns, values); !s.ok()) return s;
        rows.codes.resize(static_cast<std::size_t>(count * place.columns) * 2);
        toBf16(tensor.dtype, values.data(), count * place.columns, rows.codes.data());
        codeStep = place.columns * 2;
    } else {
        if (!tensor.quantised || !request.readRows)
            return makeError(ErrorKind::Internal, tensor.name + " cannot be read as it is quantised");
        if (const Status s = request.readRows(tensorIndex, row, count, rows); !s.ok()) return s;
        const QuantisedForm& form = *tensor.quantised;
        source.scaleType = form.scaleType;
        source.groupSize = form.groupSize;
        codeStep = form.rowBytes();
        scaleStep = form.groups() * static_cast<std::int64_t>(dtypeSize(form.scaleType));
        zeroStep = form.hasZeroPoints ? form.groups() : 0;
    }
    if (static_cast<std::int64_t>(rows.codes.size()) < count * codeStep ||
        static_cast<std::int64_t>(rows.scales.size()) < count * scaleStep ||
        static_cast<std::int64_t>(rows.zeroPoints.size()) < count * zeroStep)
        return makeError(ErrorKind::Internal, tensor.name + ": fewer rows were read than were asked for");
    for (std::int64_t r = 0; r < count; ++r) {
        source.codes = rows.codes.data() + r * codeStep;
        source.scales = rows.scales.data() + r * scaleStep;
        source.zeroPoints = zeroStep > 0 ? rows.zeroPoints.data() + r * zeroStep : nullptr;
        packRow(place.format, place.columns, static_cast<int>((at + r) % kUnitRows), source,
                run.out + (at + r) / kUnitRows * run.step * blockBytes);
    }
    return {};
}

Status readRun(const LoadRequest& request, const PackedPlace& place, const std::vector<std::size_t>& tensors, std::int64_t item,
               const RowRun& run) {
    std::int64_t begin = 0;  // of a source, in rows of the item
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::int64_t end = begin + place.sources[i].rows;
        const std::int64_t from = std::max(begin, run.first);
        const std::int64_t to = std::min(end, run.first + run.count);
        if (from < to)
            if (const Status s =
                    packRows(request, place, tensors[i], item * place.rows + from - begin, to - from, run, from - run.first);
                !s.ok())
                return s;
        begin = end;
    }
    return {};
}

Result<std::vector<std::size_t>> sourcesOf(const PackedPlace& place, const std::map<std::string_view, std::size_t>& index) {
    std::vector<std::size_t> tensors;
    for (const PackedPlace::Source& source : place.sources) {
        const auto found = index.find(source.name);
        if (found == index.end()) return makeError(ErrorKind::Internal, "the checkpoint's catalogue has no " + source.name);
        tensors.push_back(found->second);
    }
    return tensors;
}

std::map<std::string_view, std::size_t> indexOf(const LoadRequest& request) {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < request.tensors.size(); ++i) index.emplace(request.tensors[i].name, i);
    return index;
}

/// Bytes of the values in row blocks [first, first + count) of an item.
std::uint64_t valueBytes(const LoadRequest& request, const PackedPlace& place, const std::vector<std::size_t>& tensors,
                         std::int64_t first, std::int64_t count) {
    std::int64_t rows = 0;
    for (std::int64_t block = first; block < first + count; ++block) {
        const std::int64_t all = place.paired ? place.rows / 2 : place.rows;
        rows += std::min<std::int64_t>(kUnitRows, all - (place.paired ? block / 2 : block) * kUnitRows);
    }
    return static_cast<std::uint64_t>(rows * place.columns) * dtypeSize(request.tensors[tensors.front()].dtype);
}

void addPacked(const LoadRequest& request, const PackedPlace& place, const std::vector<std::size_t>& tensors,
               std::vector<Piece>& pieces) {
    const std::int64_t blockBytes = rowBlockBytes(place.format, place.columns);
    const std::int64_t most = std::max<std::int64_t>(2, static_cast<std::int64_t>(kPieceBytes) / blockBytes / 2 * 2);
    for (std::int64_t item = 0; item < place.items; ++item)
        for (std::int64_t first = 0; first < place.blocks(); first += most) {
            Piece piece;
            piece.packed = &place;
            piece.sources = tensors;
            piece.item = item;
            piece.first = first;
            piece.count = std::min(most, place.blocks() - first);
            piece.destination = place.destination + item * place.itemStride + first * blockBytes;
            piece.sourceBytes = valueBytes(request, place, tensors, first, piece.count);
            pieces.push_back(std::move(piece));
        }
}

}  // namespace

static_assert(static_cast<int>(DType::F32) == static_cast<int>(SourceType::F32) &&
              static_cast<int>(DType::F16) == static_cast<int>(SourceType::F16) &&
              static_cast<int>(DType::BF16) == static_cast<int>(SourceType::BFloat16));

Status readBlocks(const LoadRequest& request, const PackedPlace& place, const std::vector<std::size_t>& tensors,
                  std::int64_t item, std::int64_t first, std::int64_t count, std::byte* out) {
    const std::int64_t blockBytes = rowBlockBytes(place.format, place.columns);
    std::memset(out, 0, static_cast<std::size_t>(count * blockBytes));
    if (!place.paired) {
        const std::int64_t from = first * kUnitRows;
        return readRun(request, place, tensors, item, {from, std::min(place.rows, (first + count) * kUnitRows) - from, out, 1});
    }
    const std::int64_t width = place.rows / 2;
    const std::int64_t from = first / 2 * kUnitRows;
    const std::int64_t rows = std::min(width, (first + count) / 2 * kUnitRows) - from;
    if (const Status s = readRun(request, place, tensors, item, {from, rows, out, 2}); !s.ok()) return s;
    return readRun(request, place, tensors, item, {width + from, rows, out + blockBytes, 2});
}

Result<std::uint64_t> sourceBytes(const LoadRequest& request, const UploadPlan& plan) {
    const auto index = indexOf(request);
    std::uint64_t total = 0;
    const auto add = [&](const std::string& name) {
        const auto found = index.find(name);
        if (found != index.end()) total += request.tensors[found->second].bytes();
        return found != index.end();
    };
    for (const PlainPlace& place : plan.plain)
        if (!add(place.name)) return makeError(ErrorKind::Internal, "the checkpoint's catalogue has no " + place.name);
    for (const PackedPlace& place : plan.packed)
        for (const PackedPlace::Source& source : place.sources)
            if (!add(source.name)) return makeError(ErrorKind::Internal, "the checkpoint's catalogue has no " + source.name);
    return total;
}

Status uploadWeights(const LoadRequest& request, int device, WeightFormat format, const UploadPlan& plan,
                     const Progress& progress, const CancelFlag* cancel) {
    const auto total = sourceBytes(request, plan);
    if (!total.ok()) return total.error();
    const auto index = indexOf(request);
    std::vector<Piece> pieces;
    for (const PlainPlace& place : plan.plain) {
        const std::size_t at = index.find(place.name)->second;
        const TensorInfo& tensor = request.tensors[at];
        const std::size_t size = place.vector || format == WeightFormat::Float32 ? sizeof(float) : sizeof(Bf16);
        const auto step = static_cast<std::int64_t>(kPieceBytes / dtypeSize(tensor.dtype));
        for (std::int64_t first = 0; first < tensor.elements; first += step) {
            Piece piece;
            piece.tensor = at;
            piece.first = first;
            piece.count = std::min(step, tensor.elements - first);
            piece.destination = place.destination + static_cast<std::size_t>(first) * size;
            piece.toFloat = place.vector;
            pieces.push_back(std::move(piece));
        }
    }
    for (const PackedPlace& place : plan.packed) {
        const auto tensors = sourcesOf(place, index);
        if (!tensors.ok()) return tensors.error();
        addPacked(request, place, *tensors, pieces);
    }
    return Uploader(request, device, format, std::move(pieces), cancel).run(progress, *total);
}

}  // namespace trefoil::cuda
