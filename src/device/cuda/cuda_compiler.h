// CudaCompiler: turns programs into machine code (cubins). Keeps them in memory and in a folder that processes share.
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/env.h"
#include "device/cuda/cuda_library.h"
#include "device/gpu_stream.h"

namespace weir {

using Cubin = std::shared_ptr<const std::string>;

class CudaCompiler final {
 public:
  // `folder` is created when the first program is stored; "" stores nothing. Incomplete or unknown files are replaced.
  CudaCompiler(std::shared_ptr<const NvrtcLibrary> library, Env& env, std::string folder)
      : library_(std::move(library)), env_(env), folder_(std::move(folder)) {}

  // The newest target that compiler and device share: "sm_90a" for compute capability 9.0.
  std::string TargetFor(int major, int minor) const;
  // Compiles for a target such as "sm_90a", or takes the result from memory or from the folder. InvalidArgument with
  // the compiler's messages if the source has errors.
  Result<Cubin> Compile(const GpuProgram& program, const std::string& target);

  struct Counts {
    int compiled = 0;
    int from_disk = 0;
    int from_memory = 0;
  };
  Counts counts() const;

 private:
  Result<std::string> RunCompiler(const GpuProgram& program, const std::string& source,
                                  const std::string& target) const;
  Cubin ReadStored(const std::string& path, const std::string& key) const;
  void Store(const std::string& path, const std::string& key, const std::string& code);

  const std::shared_ptr<const NvrtcLibrary> library_;
  Env& env_;
  const std::string folder_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Cubin> cubins_;
  Counts counts_;
};

// The source as the compiler gets it: common declarations (prelude.cu), macros, the source of the program.
std::string FullSource(const GpuProgram& program);

// WEIR_CACHE_DIR, or "weir" below the user's cache folder (XDG_CACHE_HOME or ~/.cache). "" if there is no home.
std::string CudaCacheFolder();

}  // namespace weir
