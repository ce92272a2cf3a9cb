#include "device/cpu/lapack.h"

#include <dlfcn.h>

#include <type_traits>

namespace weir {

Result<const Lapack*> Lapack::Load() {
  struct Loaded {
    Lapack lapack;
    Status status = lapack.Open();
  };
  static const Loaded loaded;
  WEIR_TRY(loaded.status);
  return &loaded.lapack;
}

Status Lapack::Open() {
  void* const handle = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    return Unimplemented("This op needs LAPACK: install liblapack3 or libopenblas0 ({})", dlerror());
  Status status;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && status.ok())
      status = Unimplemented("liblapack.so.3 has no function {}: install Debian's liblapack3 or libopenblas0", name);
  };
  find("dsytrd_", dsytrd_);
  find("zhetrd_", zhetrd_);
  find("dsterf_", dsterf_);
  find("dstedc_", dstedc_);
  find("dgebrd_", dgebrd_);
  find("zgebrd_", zgebrd_);
  find("dbdsdc_", dbdsdc_);
  find("zgees_", zgees_);
  WEIR_TRY(status);
  // dlsym also searches the libraries that this one depends on.
  get_threads_ = reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_num_threads"));
  set_threads_ = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
  return OkStatus();
}

LapackCall::LapackCall(const Lapack& lapack) : lapack_(lapack) {
  if (lapack_.get_threads_ == nullptr || lapack_.set_threads_ == nullptr) return;
  std::lock_guard lock(lapack_.mu_);
  if (lapack_.calls_++ > 0) return;
  lapack_.threads_before_ = lapack_.get_threads_();
  if (lapack_.threads_before_ != 1) lapack_.set_threads_(1);
}

LapackCall::~LapackCall() {
  if (lapack_.get_threads_ == nullptr || lapack_.set_threads_ == nullptr) return;
  std::lock_guard lock(lapack_.mu_);
  if (--lapack_.calls_ == 0 && lapack_.threads_before_ != 1) lapack_.set_threads_(lapack_.threads_before_);
}

Status FitsLapack(int64_t rows, int64_t cols) {
  // The largest workspace, that of dbdsdc, has fewer than 4 n^2 + 64 n elements, with n the smaller dimension.
  constexpr int64_t kMost = 2'000'000'000;
  const int64_t n = std::min(rows, cols);
  if (std::max(rows, cols) < kMost / 64 && n < 20'000) return OkStatus();
  return InvalidArgument("a matrix of [{},{}] is too large for LAPACK", rows, cols);
}

}  // namespace weir
