// Compares cuda_api.h with NVIDIA's headers, and tests the search for NVIDIA's libraries.
#include "device/cuda/cuda_api.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <type_traits>

#include "base/env_fake.h"
#include "device/cuda/cuda_library.h"

// Where NVIDIA's headers are not installed there is nothing to compare with.
#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>) && __has_include(<cublasLt.h>)
#define WEIR_HAVE_CUDA_HEADERS
#include <cublasLt.h>
#include <cuda.h>
#include <nvrtc.h>
// The header declares only the second version of this function.
#undef cuEventElapsedTime
extern "C" CUresult cuEventElapsedTime(float*, CUevent, CUevent);
#endif

namespace weir {
namespace {

#ifdef WEIR_HAVE_CUDA_HEADERS
template <class A, class B>
constexpr bool SameParameter() {
  return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
}
template <class A, class B>
struct SameFunction : std::false_type {};
template <class R, class... A, class Q, class... B>
struct SameFunction<R(A...), Q(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return SameParameter<R, Q>() && (SameParameter<A, B>() && ...);
  }();
};
template <class Table, class Mine, class Theirs>
constexpr bool Same(Mine* Table::*, Theirs*) {
  return SameFunction<Mine, Theirs>::value;
}
#define WEIR_SAME(name, ...) \
  static_assert(Same(&Table::name, &::name), #name " is declared differently in NVIDIA's header");
namespace driver {
using Table = cuda::DriverFunctions;
WEIR_CUDA_DRIVER_FUNCTIONS(WEIR_SAME)
}  // namespace driver
namespace compiler {
using Table = cuda::NvrtcFunctions;
WEIR_NVRTC_FUNCTIONS(WEIR_SAME)
}  // namespace compiler
namespace products {
using Table = cuda::CublasLtFunctions;
WEIR_CUBLASLT_FUNCTIONS(WEIR_SAME)
}  // namespace products
#undef WEIR_SAME
static_assert(sizeof(cuda::cublasLtMatmulAlgo_t) == sizeof(::cublasLtMatmulAlgo_t));
static_assert(sizeof(cuda::cublasLtMatmulHeuristicResult_t) == sizeof(::cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(cuda::cublasLtMatmulHeuristicResult_t, state) ==
              offsetof(::cublasLtMatmulHeuristicResult_t, state));

TEST(CudaApi, ConstantsMatchTheHeaders) {
  using namespace cuda;  // NOLINT: the constants below
  const std::pair<int, int> constants[] = {
      {kSuccess, CUDA_SUCCESS},
      {kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY},
      {kNoDevice, CUDA_ERROR_NO_DEVICE},
      {kNotReady, CUDA_ERROR_NOT_READY},
      {kSticky[0], CUDA_ERROR_ECC_UNCORRECTABLE},
      {kSticky[1], CUDA_ERROR_ILLEGAL_ADDRESS},
      {kSticky[2], CUDA_ERROR_LAUNCH_TIMEOUT},
      {kSticky[3], CUDA_ERROR_CONTEXT_IS_DESTROYED},
      {kSticky[4], CUDA_ERROR_ASSERT},
      {kSticky[5], CUDA_ERROR_HARDWARE_STACK_ERROR},
      {kSticky[6], CUDA_ERROR_ILLEGAL_INSTRUCTION},
      {kSticky[7], CUDA_ERROR_MISALIGNED_ADDRESS},
      {kSticky[8], CUDA_ERROR_INVALID_ADDRESS_SPACE},
      {kSticky[9], CUDA_ERROR_INVALID_PC},
      {kSticky[10], CUDA_ERROR_LAUNCH_FAILED},
      {kAttributeMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {kAttributeL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {kAttributeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {kAttributeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {kFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
      {kStreamNonBlocking, CU_STREAM_NON_BLOCKING},
      {kEventDefault, CU_EVENT_DEFAULT},
      {kEventBlockingSync, CU_EVENT_BLOCKING_SYNC},
      {kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE},
      {kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED},
      {kReal32, CUDA_R_32F},
      {kReal64, CUDA_R_64F},
      {kReal16, CUDA_R_16F},
      {kComplex32, CUDA_C_32F},
      {kComplex64, CUDA_C_64F},
      {kRealB16, CUDA_R_16BF},
      {kCompute32, CUBLAS_COMPUTE_32F},
      {kCompute64, CUBLAS_COMPUTE_64F},
      {kCompute32Tf32, CUBLAS_COMPUTE_32F_FAST_TF32},
      {kMatmulTransA, CUBLASLT_MATMUL_DESC_TRANSA},
      {kMatmulTransB, CUBLASLT_MATMUL_DESC_TRANSB},
      {kMatmulEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE},
      {kMatmulBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER},
      {kOperationN, CUBLAS_OP_N},
      {kOperationT, CUBLAS_OP_T},
      {kEpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT},
      {kEpilogueRelu, CUBLASLT_EPILOGUE_RELU},
      {kEpilogueBias, CUBLASLT_EPILOGUE_BIAS},
      {kEpilogueReluBias, CUBLASLT_EPILOGUE_RELU_BIAS},
      {kLayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT},
      {kLayoutStridedBatchOffset, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET},
      {kPreferenceMaxWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES},
      {kPreferenceAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES},
      {kPreferenceAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES},
      {kPreferenceAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES},
      {kPreferenceAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES},
  };
  for (size_t i = 0; i < std::size(constants); ++i) EXPECT_EQ(constants[i].first, constants[i].second) << "row " << i;
}
#else
TEST(CudaApi, ConstantsMatchTheHeaders) { GTEST_SKIP() << "NVIDIA's headers are not installed"; }
#endif

TEST(CudaLibraryFolders, TakesTheEnvironmentFirstAndThenPythonPackages) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/py/nvidia/cu13/lib").ok());
  setenv("WEIR_CUDA_PATH", "/a:/b", 1);
  setenv("PYTHONPATH", "/py", 1);
  const std::vector<std::string> folders = CudaLibraryFolders(env);
  unsetenv("WEIR_CUDA_PATH");
  unsetenv("PYTHONPATH");
  const std::vector<std::string> wanted = {
      "/a", "/a/lib64", "/a/lib", "/b", "/b/lib64", "/b/lib", "", "/usr/local/cuda/lib64", "/py/nvidia/cu13/lib"};
  EXPECT_EQ(folders, wanted);
  EXPECT_FALSE(HasNvidiaDriver(env));
  EXPECT_EQ(LoadCudaLibraries(env).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace weir
