// CudaProducts: matrix products with cuBLASLt. The first product of a shape times the candidates that the library
// proposes and remembers the fastest. float uses TF32 unless WEIR_TF32=0. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "device/cuda/cuda_library.h"
#include "device/cuda/cuda_stream.h"

namespace weir {

class CudaProducts final {
 public:
  CudaProducts(CudaContext& context, std::shared_ptr<const CublasLtLibrary> library, GpuBlockCache& memory)
      : context_(context), library_(std::move(library)), memory_(memory) {}
  ~CudaProducts();
  Status Open();
  // REQUIRES: m, n, k and batch are positive. Without `may_measure` (during a capture), a new shape uses the first
  // candidate.
  Status Run(const GpuMatMul& product, bool may_measure);

 private:
  struct Plan;
  Result<std::shared_ptr<Plan>> PlanFor(const GpuMatMul& product, bool may_measure);
  Status Describe(const GpuMatMul& product, Plan& plan) const;
  Status Choose(const GpuMatMul& product, bool may_measure, Plan& plan);
  Status Enqueue(const GpuMatMul& product, const Plan& plan, const cuda::cublasLtMatmulAlgo_t& algorithm, void* c);

  CudaContext& context_;
  const std::shared_ptr<const CublasLtLibrary> library_;
  GpuBlockCache& memory_;
  cuda::cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  bool tf32_ = true;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Plan>> plans_;
};

}  // namespace weir
