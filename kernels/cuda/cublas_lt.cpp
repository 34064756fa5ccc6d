#include "kernels/cuda/cublas_lt.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <vector>

namespace trefoil::cuda {
namespace {

/// Name of the library for the toolkit that this was built with, e.g. libcublasLt.so.13.
std::string libraryName() { return "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR); }

void* openLibrary() { return dlopen(libraryName().c_str(), RTLD_NOW | RTLD_LOCAL); }

}  // namespace

struct CublasLt::Impl {
    void* library = nullptr;
    cublasLtHandle_t handle = nullptr;
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtDestroy) destroy = nullptr;
    decltype(&cublasLtMatmul) matmul = nullptr;
    decltype(&cublasLtMatmulDescCreate) descCreate = nullptr;
    decltype(&cublasLtMatmulDescDestroy) descDestroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) descSet = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) layoutCreate = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) layoutDestroy = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) preferenceCreate = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) preferenceDestroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preferenceSet = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;

    /// A product of one size, ready to run.
    struct Plan {
        cublasLtMatmulDesc_t desc = nullptr;
        cublasLtMatrixLayout_t w = nullptr;
        cublasLtMatrixLayout_t x = nullptr;
        cublasLtMatrixLayout_t out = nullptr;
        cublasLtMatmulAlgo_t algo{};
        bool usable = false;
    };
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>, Plan> plans;

    template <class F>
    bool find(F& function, const char* name) {
        function = reinterpret_cast<F>(dlsym(library, name));
        return function != nullptr;
    }
    bool findAll() {
        return find(create, "cublasLtCreate") && find(destroy, "cublasLtDestroy") && find(matmul, "cublasLtMatmul") &&
               find(descCreate, "cublasLtMatmulDescCreate") && find(descDestroy, "cublasLtMatmulDescDestroy") &&
               find(descSet, "cublasLtMatmulDescSetAttribute") && find(layoutCreate, "cublasLtMatrixLayoutCreate") &&
               find(layoutDestroy, "cublasLtMatrixLayoutDestroy") && find(preferenceCreate, "cublasLtMatmulPreferenceCreate") &&
               find(preferenceDestroy, "cublasLtMatmulPreferenceDestroy") &&
               find(preferenceSet, "cublasLtMatmulPreferenceSetAttribute") && find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    }

    /// Column-major for the library: out^T [M, T] = op(w) · x^T, w seen as [K, M], x as [K, T].
    Plan makePlan(std::int64_t m, std::int64_t k, std::int64_t t, bool outFloat) {
        Plan plan;
        const cublasOperation_t transposed = CUBLAS_OP_T;
        const cudaDataType_t outType = outFloat ? CUDA_R_32F : CUDA_R_16BF;
        if (descCreate(&plan.desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS ||
            descSet(plan.desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)) != CUBLAS_STATUS_SUCCESS ||
            layoutCreate(&plan.w, CUDA_R_16BF, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(m), k) !=
                CUBLAS_STATUS_SUCCESS ||
            layoutCreate(&plan.x, CUDA_R_16BF, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t), k) !=
                CUBLAS_STATUS_SUCCESS ||
            layoutCreate(&plan.out, outType, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(t), m) !=
                CUBLAS_STATUS_SUCCESS)
            return plan;
        cublasLtMatmulPreference_t preference = nullptr;
        if (preferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return plan;
        const std::size_t bytes = kWorkspaceBytes;
        preferenceSet(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes));
        cublasLtMatmulHeuristicResult_t result{};
        int found = 0;
        const cublasStatus_t status =
            heuristic(handle, plan.desc, plan.w, plan.x, plan.out, plan.out, preference, 1, &result, &found);
        preferenceDestroy(preference);
        plan.algo = result.algo;
        plan.usable = status == CUBLAS_STATUS_SUCCESS && found > 0;
        return plan;
    }
};

CublasLt::CublasLt(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

CublasLt::~CublasLt() {
    for (auto& entry : m_impl->plans) {
        Impl::Plan& plan = entry.second;
        if (plan.desc != nullptr) m_impl->descDestroy(plan.desc);
        for (cublasLtMatrixLayout_t layout : {plan.w, plan.x, plan.out})
            if (layout != nullptr) m_impl->layoutDestroy(layout);
    }
    if (m_impl->handle != nullptr) m_impl->destroy(m_impl->handle);
    dlclose(m_impl->library);
}

std::string CublasLt::missing() {
    if (void* library = openLibrary(); library != nullptr) {
        dlclose(library);
        return {};
    }
    return libraryName() + " is missing, so prompts are read more slowly; NVIDIA's package libcublas-" +
           std::to_string(CUBLAS_VER_MAJOR) + "-" + std::to_string(CUBLAS_VER_MINOR) + " has it";
}

std::unique_ptr<CublasLt> CublasLt::open(std::string& message) {
    auto impl = std::make_unique<Impl>();
    impl->library = openLibrary();
    if (impl->library == nullptr) {
        message = missing();
        return nullptr;
    }
    auto opened = std::unique_ptr<CublasLt>(new CublasLt(std::move(impl)));  // NOLINT: private constructor
    if (!opened->m_impl->findAll() || opened->m_impl->create(&opened->m_impl->handle) != CUBLAS_STATUS_SUCCESS) {
        message = libraryName() + " cannot be used";
        opened->m_impl->handle = nullptr;
        return nullptr;
    }
    return opened;
}

bool CublasLt::gemm(cudaStream_t stream, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t, void* out,
                    bool outFloat, void* workspace) {
    const auto key = std::make_tuple(m, k, t, outFloat);
    auto found = m_impl->plans.find(key);
    if (found == m_impl->plans.end()) found = m_impl->plans.emplace(key, m_impl->makePlan(m, k, t, outFloat)).first;
    const Impl::Plan& plan = found->second;
    if (!plan.usable) return false;
    const float one = 1.0F;
    const float zero = 0.0F;
    return m_impl->matmul(m_impl->handle, plan.desc, &one, w, plan.w, x, plan.x, &zero, out, plan.out, out, plan.out, &plan.algo,
                          workspace, kWorkspaceBytes, stream) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace trefoil::cuda
