// The functions, types and constants of NVIDIA's libraries that Weir uses, declared here so that the build needs no
// CUDA package. cuda_api_test.cc compares them with NVIDIA's headers where they are installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::cuda {

// ---- driver (libcuda.so.1) ----
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;  // NOLINT: as NVIDIA declares it
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kOutOfMemory = 2;
inline constexpr CUresult kNoDevice = 100;
inline constexpr CUresult kNotReady = 600;
// Errors after which the context is unusable.
inline constexpr CUresult kSticky[] = {
    214,  // uncorrectable memory error
    700,  // illegal address
    702,  // launch timeout
    709,  // context destroyed
    710,  // device assertion
    714,  // hardware stack error
    715,  // illegal instruction
    716,  // misaligned address
    717,  // invalid address space
    718,  // invalid program counter
    719,  // launch failed
};
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeMajor = 75;
inline constexpr int kAttributeMinor = 76;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr int kCaptureRelaxed = 2;

#define WEIR_CUDA_DRIVER_FUNCTIONS(F)                                                                          \
  F(cuInit, CUresult(unsigned))                                                                                \
  F(cuDriverGetVersion, CUresult(int*))                                                                        \
  F(cuDeviceGetCount, CUresult(int*))                                                                          \
  F(cuDeviceGet, CUresult(CUdevice*, int))                                                                     \
  F(cuDeviceGetName, CUresult(char*, int, CUdevice))                                                           \
  F(cuDeviceGetPCIBusId, CUresult(char*, int, CUdevice))                                                       \
  F(cuDeviceTotalMem_v2, CUresult(size_t*, CUdevice))                                                          \
  F(cuDeviceGetAttribute, CUresult(int*, int, CUdevice))                                                       \
  F(cuDevicePrimaryCtxRetain, CUresult(CUcontext*, CUdevice))                                                  \
  F(cuDevicePrimaryCtxRelease_v2, CUresult(CUdevice))                                                          \
  F(cuCtxSetCurrent, CUresult(CUcontext))                                                                      \
  F(cuGetErrorName, CUresult(CUresult, const char**))                                                          \
  F(cuGetErrorString, CUresult(CUresult, const char**))                                                        \
  F(cuMemGetInfo_v2, CUresult(size_t*, size_t*))                                                               \
  F(cuMemAlloc_v2, CUresult(CUdeviceptr*, size_t))                                                             \
  F(cuMemFree_v2, CUresult(CUdeviceptr))                                                                       \
  F(cuMemHostAlloc, CUresult(void**, size_t, unsigned))                                                        \
  F(cuMemFreeHost, CUresult(void*))                                                                            \
  F(cuMemcpyHtoDAsync_v2, CUresult(CUdeviceptr, const void*, size_t, CUstream))                                \
  F(cuMemcpyDtoHAsync_v2, CUresult(void*, CUdeviceptr, size_t, CUstream))                                      \
  F(cuMemcpyDtoDAsync_v2, CUresult(CUdeviceptr, CUdeviceptr, size_t, CUstream))                                \
  F(cuMemsetD8Async, CUresult(CUdeviceptr, unsigned char, size_t, CUstream))                                   \
  F(cuMemsetD16Async, CUresult(CUdeviceptr, unsigned short, size_t, CUstream))                                 \
  F(cuMemsetD32Async, CUresult(CUdeviceptr, unsigned, size_t, CUstream))                                       \
  F(cuStreamCreate, CUresult(CUstream*, unsigned))                                                             \
  F(cuStreamDestroy_v2, CUresult(CUstream))                                                                    \
  F(cuStreamSynchronize, CUresult(CUstream))                                                                   \
  F(cuStreamBeginCapture_v2, CUresult(CUstream, int))                                                          \
  F(cuStreamEndCapture, CUresult(CUstream, CUgraph*))                                                          \
  F(cuGraphInstantiateWithFlags, CUresult(CUgraphExec*, CUgraph, unsigned long long))                          \
  F(cuGraphLaunch, CUresult(CUgraphExec, CUstream))                                                            \
  F(cuGraphUpload, CUresult(CUgraphExec, CUstream))                                                            \
  F(cuGraphExecDestroy, CUresult(CUgraphExec))                                                                 \
  F(cuGraphDestroy, CUresult(CUgraph))                                                                         \
  F(cuEventCreate, CUresult(CUevent*, unsigned))                                                               \
  F(cuEventDestroy_v2, CUresult(CUevent))                                                                      \
  F(cuEventRecord, CUresult(CUevent, CUstream))                                                                \
  F(cuEventQuery, CUresult(CUevent))                                                                           \
  F(cuEventSynchronize, CUresult(CUevent))                                                                     \
  F(cuEventElapsedTime, CUresult(float*, CUevent, CUevent))                                                    \
  F(cuModuleLoadData, CUresult(CUmodule*, const void*))                                                        \
  F(cuModuleUnload, CUresult(CUmodule))                                                                        \
  F(cuModuleGetFunction, CUresult(CUfunction*, CUmodule, const char*))                                         \
  F(cuFuncSetAttribute, CUresult(CUfunction, int, int))                                                        \
  F(cuLaunchKernel, CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                             CUstream, void**, void**))

// ---- run-time compiler (libnvrtc) ----
using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;

#define WEIR_NVRTC_FUNCTIONS(F)                                                                        \
  F(nvrtcVersion, nvrtcResult(int*, int*))                                                             \
  F(nvrtcGetErrorString, const char*(nvrtcResult))                                                     \
  F(nvrtcCreateProgram,                                                                                \
    nvrtcResult(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  F(nvrtcDestroyProgram, nvrtcResult(nvrtcProgram*))                                                   \
  F(nvrtcCompileProgram, nvrtcResult(nvrtcProgram, int, const char* const*))                           \
  F(nvrtcGetCUBINSize, nvrtcResult(nvrtcProgram, size_t*))                                             \
  F(nvrtcGetCUBIN, nvrtcResult(nvrtcProgram, char*))                                                   \
  F(nvrtcGetProgramLogSize, nvrtcResult(nvrtcProgram, size_t*))                                        \
  F(nvrtcGetProgramLog, nvrtcResult(nvrtcProgram, char*))                                              \
  F(nvrtcGetNumSupportedArchs, nvrtcResult(int*))                                                      \
  F(nvrtcGetSupportedArchs, nvrtcResult(int*))

// ---- matrix products (libcublasLt) ----
using cublasStatus_t = int;
using cublasLtHandle_t = struct cublasLtContext*;
// NVIDIA's descriptors are structures behind pointers.
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque*;
struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

inline constexpr int kReal32 = 0;  // cudaDataType_t
inline constexpr int kReal64 = 1;
inline constexpr int kReal16 = 2;
inline constexpr int kComplex32 = 4;
inline constexpr int kComplex64 = 5;
inline constexpr int kRealB16 = 14;
inline constexpr int kCompute32 = 68;  // cublasComputeType_t
inline constexpr int kCompute64 = 70;
inline constexpr int kCompute32Tf32 = 77;
inline constexpr int kMatmulTransA = 3;  // cublasLtMatmulDescAttributes_t
inline constexpr int kMatmulTransB = 4;
inline constexpr int kMatmulEpilogue = 7;
inline constexpr int kMatmulBiasPointer = 8;
inline constexpr int kOperationN = 0;  // cublasOperation_t
inline constexpr int kOperationT = 1;
inline constexpr int kEpilogueDefault = 1;  // cublasLtEpilogue_t
inline constexpr int kEpilogueRelu = 2;
inline constexpr int kEpilogueBias = 4;
inline constexpr int kEpilogueReluBias = 6;
inline constexpr int kLayoutBatchCount = 5;  // cublasLtMatrixLayoutAttribute_t
inline constexpr int kLayoutStridedBatchOffset = 6;
inline constexpr int kPreferenceMaxWorkspace = 1;  // cublasLtMatmulPreferenceAttributes_t
inline constexpr int kPreferenceAlignmentA = 5;
inline constexpr int kPreferenceAlignmentB = 6;
inline constexpr int kPreferenceAlignmentC = 7;
inline constexpr int kPreferenceAlignmentD = 8;

#define WEIR_CUBLASLT_FUNCTIONS(F)                                                                               \
  F(cublasLtGetVersion, size_t())                                                                                \
  F(cublasLtCreate, cublasStatus_t(cublasLtHandle_t*))                                                           \
  F(cublasLtDestroy, cublasStatus_t(cublasLtHandle_t))                                                           \
  F(cublasLtMatmulDescCreate, cublasStatus_t(cublasLtMatmulDesc_t*, int, int))                                   \
  F(cublasLtMatmulDescDestroy, cublasStatus_t(cublasLtMatmulDesc_t))                                             \
  F(cublasLtMatmulDescSetAttribute, cublasStatus_t(cublasLtMatmulDesc_t, int, const void*, size_t))              \
  F(cublasLtMatrixLayoutCreate, cublasStatus_t(cublasLtMatrixLayout_t*, int, uint64_t, uint64_t, int64_t))       \
  F(cublasLtMatrixLayoutDestroy, cublasStatus_t(cublasLtMatrixLayout_t))                                         \
  F(cublasLtMatrixLayoutSetAttribute, cublasStatus_t(cublasLtMatrixLayout_t, int, const void*, size_t))          \
  F(cublasLtMatmulPreferenceCreate, cublasStatus_t(cublasLtMatmulPreference_t*))                                 \
  F(cublasLtMatmulPreferenceDestroy, cublasStatus_t(cublasLtMatmulPreference_t))                                 \
  F(cublasLtMatmulPreferenceSetAttribute, cublasStatus_t(cublasLtMatmulPreference_t, int, const void*, size_t))  \
  F(cublasLtMatmulAlgoGetHeuristic,                                                                              \
    cublasStatus_t(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,       \
                   cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,              \
                   cublasLtMatmulHeuristicResult_t*, int*))                                                      \
  F(cublasLtMatmul,                                                                                              \
    cublasStatus_t(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t,     \
                   const void*, cublasLtMatrixLayout_t, const void*, const void*, cublasLtMatrixLayout_t, void*, \
                   cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*, size_t, CUstream))

// The tables. Null until a library is loaded.
#define WEIR_CUDA_MEMBER(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
struct DriverFunctions {
  WEIR_CUDA_DRIVER_FUNCTIONS(WEIR_CUDA_MEMBER)
};
struct NvrtcFunctions {
  WEIR_NVRTC_FUNCTIONS(WEIR_CUDA_MEMBER)
};
struct CublasLtFunctions {
  WEIR_CUBLASLT_FUNCTIONS(WEIR_CUDA_MEMBER)
};
#undef WEIR_CUDA_MEMBER

}  // namespace weir::cuda
