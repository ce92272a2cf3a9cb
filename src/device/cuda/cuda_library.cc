#include "device/cuda/cuda_library.h"

#include <absl/strings/str_split.h>
#include <dlfcn.h>

#include <cstdlib>

namespace weir {
namespace {

// Tries every name in every folder. The error is that of the last file that exists but does not load, or of the loader.
Result<void*> OpenLibrary(const std::vector<std::string>& folders, std::initializer_list<const char*> names) {
  std::string error;
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      const std::string path = folder.empty() ? name : JoinPath(folder, name);
      // Never unloaded: the libraries run threads of their own.
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); handle != nullptr) return handle;
      const char* reason = dlerror();
      if (error.empty() && reason != nullptr) error = reason;
    }
  }
  return FailedPrecondition("cannot load {}: {}", *names.begin(), error);
}

template <class Function>
Status Find(void* handle, const char* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  if (*function != nullptr) return OkStatus();
  return FailedPrecondition("the installed {} lacks the function {}: it is too old", library, name);
}

void AddMatches(Env& env, const std::string& pattern, std::vector<std::string>* folders) {
  if (const Result<std::vector<std::string>> found = env.Match(pattern); found.ok())
    folders->insert(folders->end(), found->begin(), found->end());
}

}  // namespace

std::vector<std::string> CudaLibraryFolders(Env& env) {
  std::vector<std::string> folders;
  if (const char* paths = std::getenv("WEIR_CUDA_PATH"); paths != nullptr) {
    const std::vector<std::string> given = absl::StrSplit(paths, ':', absl::SkipEmpty());
    for (const std::string& path : given) folders.insert(folders.end(), {path, path + "/lib64", path + "/lib"});
  }
  folders.emplace_back();
  folders.emplace_back("/usr/local/cuda/lib64");
  std::vector<std::string> packages;  // folders of Python packages
  if (const char* paths = std::getenv("PYTHONPATH"); paths != nullptr) {
    for (const absl::string_view path : absl::StrSplit(paths, ':', absl::SkipEmpty())) packages.emplace_back(path);
  }
  if (const char* venv = std::getenv("VIRTUAL_ENV"); venv != nullptr)
    packages.push_back(JoinPath(venv, "lib/python3*/site-packages"));
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    packages.push_back(JoinPath(home, ".local/share/weir/cuda"));  // where tools/install_deps cuda installs
    packages.push_back(JoinPath(home, ".local/lib/python3*/site-packages"));
  }
  packages.insert(packages.end(), {"/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages",
                                   "/usr/lib/python3/dist-packages"});
  for (const std::string& package : packages) AddMatches(env, JoinPath(package, "nvidia/*/lib"), &folders);
  return folders;
}

bool HasNvidiaDriver(Env& env) { return env.Exists("/dev/nvidiactl"); }

Result<std::shared_ptr<const CudaDriver>> CudaDriver::Load() {
  WEIR_ASSIGN(void* const handle, OpenLibrary({""}, {"libcuda.so.1"}));
  const auto driver = std::make_shared<CudaDriver>();
#define WEIR_FIND(name, ...) WEIR_TRY(Find(handle, "libcuda", #name, &driver->name));
  WEIR_CUDA_DRIVER_FUNCTIONS(WEIR_FIND)
#undef WEIR_FIND
  if (const cuda::CUresult result = driver->cuInit(0); result != cuda::kSuccess)
    return Unavailable("the NVIDIA driver does not start: {}", std::string(driver->Check(result, "cuInit").message()));
  return std::shared_ptr<const CudaDriver>(driver);
}

Status CudaDriver::Check(cuda::CUresult result, const char* call) const {
  if (result == cuda::kSuccess) return OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return Internal("{} failed: {} ({})", call, text == nullptr ? "unknown error" : text, name == nullptr ? "?" : name);
}

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcLibrary::Load(const std::vector<std::string>& folders) {
  WEIR_ASSIGN(void* const handle, OpenLibrary(folders, {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}));
  const auto library = std::make_shared<NvrtcLibrary>();
#define WEIR_FIND(name, ...) WEIR_TRY(Find(handle, "libnvrtc", #name, &library->name));
  WEIR_NVRTC_FUNCTIONS(WEIR_FIND)
#undef WEIR_FIND
  int major = 0, minor = 0;
  library->nvrtcVersion(&major, &minor);
  library->version = major * 1000 + minor * 10;
  return std::shared_ptr<const NvrtcLibrary>(library);
}

Result<std::shared_ptr<const CublasLtLibrary>> CublasLtLibrary::Load(const std::vector<std::string>& folders) {
  WEIR_ASSIGN(void* const handle, OpenLibrary(folders, {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}));
  const auto library = std::make_shared<CublasLtLibrary>();
#define WEIR_FIND(name, ...) WEIR_TRY(Find(handle, "libcublasLt", #name, &library->name));
  WEIR_CUBLASLT_FUNCTIONS(WEIR_FIND)
#undef WEIR_FIND
  return std::shared_ptr<const CublasLtLibrary>(library);
}

Status CublasLtLibrary::Check(cuda::cublasStatus_t status, const char* call) const {
  return status == 0 ? OkStatus() : Internal("{} failed with cuBLAS status {}", call, status);
}

Result<CudaLibraries> LoadCudaLibraries(Env& env) {
  if (!HasNvidiaDriver(env)) return FailedPrecondition("this machine has no NVIDIA GPU, or no driver for it");
  CudaLibraries libraries;
  WEIR_ASSIGN(libraries.driver, CudaDriver::Load());
  const std::vector<std::string> folders = CudaLibraryFolders(env);
  const auto missing = [](const Status& status) {
    return FailedPrecondition(
        "this machine has a GPU but not all of NVIDIA's libraries ({}): install them with `tools/install_deps cuda`, "
        "or "
        "name their folder in WEIR_CUDA_PATH",
        std::string(status.message()));
  };
  auto compiler = NvrtcLibrary::Load(folders);
  if (!compiler.ok()) return missing(compiler.status());
  auto products = CublasLtLibrary::Load(folders);
  if (!products.ok()) return missing(products.status());
  libraries.compiler = *std::move(compiler);
  libraries.products = *std::move(products);
  return libraries;
}

}  // namespace weir
