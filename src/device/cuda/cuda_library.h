// CudaLibrary: NVIDIA's driver, run-time compiler and matrix library as tables of function pointers, loaded at run
// time. A process without a GPU loads nothing. Immutable after loading, so thread-safe; never unloaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/status.h"
#include "device/cuda/cuda_api.h"

namespace weir {

// The folders that hold NVIDIA's libraries, in search order: those of WEIR_CUDA_PATH (separated by colons), the
// loader's path (the empty string), /usr/local/cuda, and the folders of Python packages that pip installed.
std::vector<std::string> CudaLibraryFolders(Env& env);

// Returns whether this machine has an NVIDIA GPU with a driver: the file /dev/nvidiactl.
bool HasNvidiaDriver(Env& env);

class CudaDriver final : public cuda::DriverFunctions {
 public:
  // FailedPrecondition if libcuda.so.1 is missing or too old, Unavailable if the driver does not start.
  static Result<std::shared_ptr<const CudaDriver>> Load();
  // OK, or an Internal error that names the call and CUDA's error.
  Status Check(cuda::CUresult result, const char* call) const;
};

class NvrtcLibrary final : public cuda::NvrtcFunctions {
 public:
  static Result<std::shared_ptr<const NvrtcLibrary>> Load(const std::vector<std::string>& folders);
  int version = 0;  // 13000 is 13.0
};

class CublasLtLibrary final : public cuda::CublasLtFunctions {
 public:
  static Result<std::shared_ptr<const CublasLtLibrary>> Load(const std::vector<std::string>& folders);
  Status Check(cuda::cublasStatus_t status, const char* call) const;
};

// All libraries that a GPU needs.
struct CudaLibraries {
  std::shared_ptr<const CudaDriver> driver;
  std::shared_ptr<const NvrtcLibrary> compiler;
  std::shared_ptr<const CublasLtLibrary> products;
};

// FailedPrecondition on machines without a GPU, or if a library is missing; the message says how to install it.
Result<CudaLibraries> LoadCudaLibraries(Env& env);

}  // namespace weir
