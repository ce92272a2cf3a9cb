#include "device/cuda/cuda_products.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdlib>
#include <cstring>

namespace weir {
namespace {

constexpr size_t kWorkspaceBytes = 32 << 20;  // what NVIDIA recommends for Hopper
constexpr int kCandidates = 8;
constexpr int kRepetitions = 3;

struct TypeCodes {
  int data;
  int compute;
  int scale;
};
Result<TypeCodes> CodesOf(DType type, bool tf32) {
  switch (type) {
    case kFloat:
      return TypeCodes{cuda::kReal32, tf32 ? cuda::kCompute32Tf32 : cuda::kCompute32, cuda::kReal32};
    case kHalf:
      return TypeCodes{cuda::kReal16, cuda::kCompute32, cuda::kReal32};
    case kBFloat16:
      return TypeCodes{cuda::kRealB16, cuda::kCompute32, cuda::kReal32};
    case kDouble:
      return TypeCodes{cuda::kReal64, cuda::kCompute64, cuda::kReal64};
    case kComplex64:
      return TypeCodes{cuda::kComplex32, tf32 ? cuda::kCompute32Tf32 : cuda::kCompute32, cuda::kComplex32};
    case kComplex128:
      return TypeCodes{cuda::kComplex64, cuda::kCompute64, cuda::kComplex64};
    default:
      return Unimplemented("matrix products of {} on a GPU", type);
  }
}

// The largest power of two up to 256 that the address is a multiple of.
uint32_t AlignmentOf(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  return static_cast<uint32_t>(std::min<uintptr_t>(address & (~address + 1), 256) | (address == 0 ? 256 : 0));
}

// A scalar in the form that cuBLAS reads: of the scale type.
struct Scalar {
  alignas(16) char bytes[16] = {};
  Scalar(DType type, double value) {
    const auto store = [this](auto x) { std::memcpy(bytes, &x, sizeof(x)); };
    if (type == kDouble) {
      store(value);
    } else if (type == kComplex128) {
      store(std::complex<double>(value));
    } else if (type == kComplex64) {
      store(std::complex<float>(static_cast<float>(value)));
    } else {
      store(static_cast<float>(value));
    }
  }
};

}  // namespace

// cuBLAS is column-major, so a plan computes the transposed product: transposed(c) = transposed(b) transposed(a).
struct CudaProducts::Plan {
  explicit Plan(const CublasLtLibrary& library) : library(library) {}
  ~Plan() {
    for (auto layout : {left, right, result}) {
      if (layout != nullptr) library.cublasLtMatrixLayoutDestroy(layout);
    }
    if (operation != nullptr) library.cublasLtMatmulDescDestroy(operation);
  }
  const CublasLtLibrary& library;
  std::mutex mutex;  // held while a product is enqueued, because `operation` stores the address of its bias
  cuda::cublasLtMatmulDesc_t operation = nullptr;
  cuda::cublasLtMatrixLayout_t left = nullptr;
  cuda::cublasLtMatrixLayout_t right = nullptr;
  cuda::cublasLtMatrixLayout_t result = nullptr;
  cuda::cublasLtMatmulAlgo_t algorithm = {};
  bool measured = false;
};

CudaProducts::~CudaProducts() {
  plans_.clear();
  if (handle_ != nullptr) library_->cublasLtDestroy(handle_);
}

Status CudaProducts::Open() {
  const char* tf32 = std::getenv("WEIR_TF32");
  tf32_ = tf32 == nullptr || std::strcmp(tf32, "0") != 0;
  WEIR_ASSIGN(workspace_, memory_.Allocate(kWorkspaceBytes));
  return library_->Check(library_->cublasLtCreate(&handle_), "cublasLtCreate");
}

Status CudaProducts::Run(const GpuMatMul& product, bool may_measure) {
  WEIR_ASSIGN(const std::shared_ptr<Plan> plan, PlanFor(product, may_measure));
  std::lock_guard lock(plan->mutex);
  return Enqueue(product, *plan, plan->algorithm, product.c);
}

Result<std::shared_ptr<CudaProducts::Plan>> CudaProducts::PlanFor(const GpuMatMul& p, bool may_measure) {
  const int64_t numbers[] = {
      p.type,           p.transpose_a,    p.transpose_b,   p.m,        p.n,         p.k,
      p.batch,          p.stride_a,       p.stride_b,      p.stride_c, p.beta == 0, int{static_cast<int>(p.epilogue)},
      AlignmentOf(p.a), AlignmentOf(p.b), AlignmentOf(p.c)};
  const std::string key(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  std::lock_guard lock(mutex_);
  std::shared_ptr<Plan>& plan = plans_[key];
  if (plan != nullptr && (plan->measured || !may_measure)) return plan;
  auto made = std::make_shared<Plan>(*library_);
  WEIR_TRY(Describe(p, *made));
  WEIR_TRY(Choose(p, may_measure, *made));
  plan = std::move(made);
  return plan;
}

Status CudaProducts::Describe(const GpuMatMul& p, Plan& plan) const {
  WEIR_ASSIGN(const TypeCodes codes, CodesOf(p.type, tf32_));
  WEIR_TRY(library_->Check(library_->cublasLtMatmulDescCreate(&plan.operation, codes.compute, codes.scale),
                           "cublasLtMatmulDescCreate"));
  const auto set = [&](int attribute, auto value) {
    return library_->Check(library_->cublasLtMatmulDescSetAttribute(plan.operation, attribute, &value, sizeof(value)),
                           "cublasLtMatmulDescSetAttribute");
  };
  WEIR_TRY(set(cuda::kMatmulTransA, p.transpose_b ? cuda::kOperationT : cuda::kOperationN));
  WEIR_TRY(set(cuda::kMatmulTransB, p.transpose_a ? cuda::kOperationT : cuda::kOperationN));
  constexpr int kEpilogues[] = {cuda::kEpilogueDefault, cuda::kEpilogueBias, cuda::kEpilogueRelu,
                                cuda::kEpilogueReluBias};
  WEIR_TRY(set(cuda::kMatmulEpilogue, kEpilogues[static_cast<int>(p.epilogue)]));
  if (p.bias != nullptr) WEIR_TRY(set(cuda::kMatmulBiasPointer, p.bias));
  const auto layout = [&](cuda::cublasLtMatrixLayout_t* to, int64_t rows, int64_t columns, int64_t stride) {
    WEIR_TRY(library_->Check(library_->cublasLtMatrixLayoutCreate(to, codes.data, static_cast<uint64_t>(rows),
                                                                  static_cast<uint64_t>(columns), rows),
                             "cublasLtMatrixLayoutCreate"));
    if (p.batch == 1) return OkStatus();
    const auto count = static_cast<int32_t>(p.batch);
    WEIR_TRY(
        library_->Check(library_->cublasLtMatrixLayoutSetAttribute(*to, cuda::kLayoutBatchCount, &count, sizeof(count)),
                        "batch count"));
    return library_->Check(
        library_->cublasLtMatrixLayoutSetAttribute(*to, cuda::kLayoutStridedBatchOffset, &stride, sizeof(stride)),
        "batch stride");
  };
  WEIR_TRY(p.transpose_b ? layout(&plan.left, p.k, p.n, p.stride_b) : layout(&plan.left, p.n, p.k, p.stride_b));
  WEIR_TRY(p.transpose_a ? layout(&plan.right, p.m, p.k, p.stride_a) : layout(&plan.right, p.k, p.m, p.stride_a));
  return layout(&plan.result, p.n, p.m, p.stride_c);
}

Status CudaProducts::Choose(const GpuMatMul& p, bool may_measure, Plan& plan) {
  cuda::cublasLtMatmulPreference_t preference = nullptr;
  WEIR_TRY(library_->Check(library_->cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"));
  const absl::Cleanup destroy = [&] { library_->cublasLtMatmulPreferenceDestroy(preference); };
  const auto set = [&](int attribute, auto value) {
    return library_->Check(library_->cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
                           "cublasLtMatmulPreferenceSetAttribute");
  };
  WEIR_TRY(set(cuda::kPreferenceMaxWorkspace, uint64_t{kWorkspaceBytes}));
  WEIR_TRY(set(cuda::kPreferenceAlignmentA, AlignmentOf(p.b)));
  WEIR_TRY(set(cuda::kPreferenceAlignmentB, AlignmentOf(p.a)));
  WEIR_TRY(set(cuda::kPreferenceAlignmentC, AlignmentOf(p.c)));
  WEIR_TRY(set(cuda::kPreferenceAlignmentD, AlignmentOf(p.c)));
  cuda::cublasLtMatmulHeuristicResult_t candidates[kCandidates] = {};
  int count = 0;
  const auto found =
      library_->cublasLtMatmulAlgoGetHeuristic(handle_, plan.operation, plan.left, plan.right, plan.result, plan.result,
                                               preference, kCandidates, candidates, &count);
  if (found != 0 || count == 0) {
    return Unimplemented("cuBLAS has no algorithm for the product [{},{}] x [{},{}] of {} (status {})", p.m, p.k, p.k,
                         p.n, p.type, found);
  }
  plan.algorithm = candidates[0].algo;
  if (!may_measure) return OkStatus();
  plan.measured = true;
  // With beta, each run of the product changes c, so the candidates write to scratch memory.
  void* scratch = nullptr;
  if (p.beta != 0) {
    const int64_t elements = std::max(p.stride_c * (p.batch - 1), int64_t{0}) + p.m * p.n;
    WEIR_ASSIGN(scratch, memory_.Allocate(static_cast<size_t>(elements) * ElementSize(p.type)));
  }
  const absl::Cleanup free = [&] { memory_.Free(scratch); };
  const cuda::DriverFunctions& driver = *context_.driver;
  cuda::CUevent begin = nullptr, end = nullptr;
  WEIR_TRY(context_.Check(driver.cuEventCreate(&begin, cuda::kEventDefault), "cuEventCreate"));
  WEIR_TRY(context_.Check(driver.cuEventCreate(&end, cuda::kEventDefault), "cuEventCreate"));
  const absl::Cleanup destroy_events = [&] { driver.cuEventDestroy_v2(begin), driver.cuEventDestroy_v2(end); };
  float best = -1;
  for (int i = 0; i < count; ++i) {
    void* const to = scratch == nullptr ? p.c : scratch;
    if (!Enqueue(p, plan, candidates[i].algo, to).ok()) continue;  // warm-up: loads the code
    driver.cuEventRecord(begin, context_.stream());
    for (int r = 0; r < kRepetitions; ++r) WEIR_TRY(Enqueue(p, plan, candidates[i].algo, to));
    driver.cuEventRecord(end, context_.stream());
    WEIR_TRY(context_.Check(driver.cuEventSynchronize(end), "timing matrix products"));
    float millis = 0;
    driver.cuEventElapsedTime(&millis, begin, end);
    if (best < 0 || millis < best) best = millis, plan.algorithm = candidates[i].algo;
  }
  return best < 0 ? Internal("none of {} algorithms for a matrix product runs", count) : OkStatus();
}

Status CudaProducts::Enqueue(const GpuMatMul& p, const Plan& plan, const cuda::cublasLtMatmulAlgo_t& algorithm,
                             void* c) {
  if (p.bias != nullptr) {
    WEIR_TRY(library_->Check(
        library_->cublasLtMatmulDescSetAttribute(plan.operation, cuda::kMatmulBiasPointer, &p.bias, sizeof(p.bias)),
        "cublasLtMatmulDescSetAttribute"));
  }
  const Scalar alpha(p.type, p.alpha);
  const Scalar beta(p.type, p.beta);
  const auto status =
      library_->cublasLtMatmul(handle_, plan.operation, alpha.bytes, p.b, plan.left, p.a, plan.right, beta.bytes, p.c,
                               plan.result, c, plan.result, &algorithm, workspace_, kWorkspaceBytes, context_.stream());
  return library_->Check(status, "cublasLtMatmul");
}

}  // namespace weir
