#include "device/cuda/cuda_compiler.h"

#include <absl/cleanup/cleanup.h>

#include <cstdlib>
#include <vector>

#include "base/log.h"
#include "base/md5.h"
#include "device/cuda/cuda_sources.h"

namespace weir {
namespace {

constexpr const char* kFlags[] = {"--std=c++17", "--restrict", "--fmad=true", "--device-as-default-execution-space"};
// A stored file: this line, the key, the digest of the code, the code. Change it when the format changes.
constexpr std::string_view kMagic = "weir cubin 1\n";

std::string Digest(std::string_view text) {
  std::string hex;
  for (const uint8_t byte : Md5(text)) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

std::string FullSource(const GpuProgram& program) {
  std::string source(CudaSource("prelude"));
  source += fmt::format("#define KERNEL_{}\n", program.function);  // excludes the other functions of the file
  for (const auto& [name, value] : program.types) source += fmt::format("#define {} {}\n", name, value);
  source += program.source;
  return source;
}

std::string CudaCacheFolder() {
  if (const char* folder = std::getenv("WEIR_CACHE_DIR"); folder != nullptr) return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/')
    return JoinPath(folder, "weir");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return JoinPath(home, ".cache/weir");
  return "";
}

std::string CudaCompiler::TargetFor(int major, int minor) const {
  const int wanted = major * 10 + minor;
  int count = 0;
  library_->nvrtcGetNumSupportedArchs(&count);
  std::vector<int> known(static_cast<size_t>(count));
  library_->nvrtcGetSupportedArchs(known.data());
  int best = wanted;
  bool found = false;
  for (const int one : known) {  // ascending
    if (one / 10 == major && one <= wanted) best = one, found = true;
  }
  // Code for an architecture with suffix "a" runs on exactly that architecture.
  const bool specific = found && best == wanted && wanted >= 90;
  return fmt::format("sm_{}{}", best, specific ? "a" : "");
}

CudaCompiler::Counts CudaCompiler::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

Result<Cubin> CudaCompiler::Compile(const GpuProgram& program, const std::string& target) {
  const std::string source = FullSource(program);
  std::string inputs = fmt::format("{}\n{}\n", library_->version, target);
  for (const char* flag : kFlags) inputs += fmt::format("{}\n", flag);
  const std::string key = Digest(inputs + source);
  {
    std::lock_guard lock(mutex_);
    if (const auto found = cubins_.find(key); found != cubins_.end()) {
      ++counts_.from_memory;
      return found->second;
    }
  }
  const std::string path = folder_.empty() ? "" : JoinPath(folder_, key + ".cubin");
  Cubin cubin = path.empty() ? nullptr : ReadStored(path, key);
  const bool stored = cubin != nullptr;
  if (!stored) {
    WEIR_ASSIGN(std::string code, RunCompiler(program, source, target));
    if (!path.empty()) Store(path, key, code);
    cubin = std::make_shared<const std::string>(std::move(code));
  }
  std::lock_guard lock(mutex_);
  ++(stored ? counts_.from_disk : counts_.compiled);
  return cubins_.emplace(key, std::move(cubin)).first->second;
}

Result<std::string> CudaCompiler::RunCompiler(const GpuProgram& program, const std::string& source,
                                              const std::string& target) const {
  const auto failed = [&](cuda::nvrtcResult result, const char* call) {
    return Internal("compiling '{}': {} failed: {}", program.name, call, library_->nvrtcGetErrorString(result));
  };
  cuda::nvrtcProgram handle = nullptr;
  if (const auto result = library_->nvrtcCreateProgram(&handle, source.c_str(), (program.function + ".cu").c_str(), 0,
                                                       nullptr, nullptr);
      result != 0)
    return failed(result, "nvrtcCreateProgram");
  const absl::Cleanup destroy = [&] { library_->nvrtcDestroyProgram(&handle); };
  const std::string architecture = "--gpu-architecture=" + target;
  std::vector<const char*> flags(std::begin(kFlags), std::end(kFlags));
  flags.push_back(architecture.c_str());
  if (library_->nvrtcCompileProgram(handle, static_cast<int>(flags.size()), flags.data()) != 0) {
    size_t size = 0;
    library_->nvrtcGetProgramLogSize(handle, &size);
    std::string log(size, '\0');
    if (size > 0) library_->nvrtcGetProgramLog(handle, log.data());
    return InvalidArgument("the kernel '{}' does not compile for {}:\n{}", program.name, target, log.c_str());
  }
  size_t size = 0;
  if (const auto result = library_->nvrtcGetCUBINSize(handle, &size); result != 0)
    return failed(result, "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  if (const auto result = library_->nvrtcGetCUBIN(handle, code.data()); result != 0)
    return failed(result, "nvrtcGetCUBIN");
  return code;
}

Cubin CudaCompiler::ReadStored(const std::string& path, const std::string& key) const {
  const Result<std::string> file = env_.ReadFile(path);
  if (!file.ok()) return nullptr;
  const size_t head = kMagic.size() + key.size() + 32;
  if (file->size() <= head || !file->starts_with(kMagic) || file->compare(kMagic.size(), key.size(), key) != 0)
    return nullptr;
  std::string code = file->substr(head);
  if (file->compare(kMagic.size() + key.size(), 32, Digest(code)) != 0) return nullptr;
  return std::make_shared<const std::string>(std::move(code));
}

void CudaCompiler::Store(const std::string& path, const std::string& key, const std::string& code) {
  Status status = env_.MakeDirectories(folder_);
  if (status.ok()) status = env_.ReplaceFile(path, fmt::format("{}{}{}{}", kMagic, key, Digest(code), code));
  if (!status.ok()) LogWarning("compiled kernels are not kept in {}: {}", folder_, std::string(status.message()));
}

}  // namespace weir
