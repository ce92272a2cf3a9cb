#include "cluster/ucx/ucx_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace weir {
namespace {

// Settings that UCX reads only while it is loaded. They keep UCX from changing the signal handlers and memory functions
// of the process and from writing to standard error.
constexpr std::pair<const char*, const char*> kLoadSettings[] = {
    {"UCX_HANDLE_ERRORS", "none"},
    {"UCX_ERROR_SIGNALS", ""},
    {"UCX_VFS_ENABLE", "n"},
    {"UCX_LOG_LEVEL", "fatal"},
    {"UCX_MEM_EVENTS", "n"},
    {"UCX_MEM_MALLOC_HOOKS", "n"},
    {"UCX_MEM_MMAP_HOOK_MODE", "none"},
    {"UCX_MEM_CUDA_HOOK_MODE", "none"},
    {"UCX_WARN_UNUSED_ENV_VARS", "n"},
};

}  // namespace

Result<std::shared_ptr<const UcxLibrary>> UcxLibrary::Load() {
  const std::shared_ptr<UcxLibrary> library(new UcxLibrary());
  WEIR_TRY(library->Open());
  return std::shared_ptr<const UcxLibrary>(library);
}

Status UcxLibrary::Open() {
  for (const auto& [name, value] : kLoadSettings) {
    if (std::getenv(name) == nullptr) settings_.push_back(fmt::format("{}={}", name, value));
  }
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    environment_.push_back(*variable);
  for (std::string& setting : settings_) environment_.push_back(setting.data());
  environment_.push_back(nullptr);
  // Use another environment while loading: the real one may be in use by other threads, and children must not inherit
  // this.
  char** const before = environ;
  environ = environment_.data();
  // Never unloaded, because UCX runs a thread.
  void* const handle = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (environ == environment_.data()) environ = before;
  if (handle == nullptr) return FailedPrecondition("cannot load UCX (Debian package libucx0): {}", dlerror());
  const auto find = [handle](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(handle, name));
    return *function == nullptr ? FailedPrecondition("the installed UCX lacks the function {}: it is too old", name)
                                : OkStatus();
  };
#define WEIR_UCX_FIND(name) WEIR_TRY(find(#name, &name));
  WEIR_UCX_FUNCTIONS(WEIR_UCX_FIND)
#undef WEIR_UCX_FIND
  return OkStatus();
}

}  // namespace weir
