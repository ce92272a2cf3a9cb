// SessionMembership: membership of a session in a resource that many sessions share. It lasts as long as the kernel
// that owns it: until the session is closed, or its lease ends.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "op/kernel.h"
#include "op/resource.h"

namespace weir::ops {

// Thread-safe. `R` has the methods Join(member) and Leave(member).
template <class R>
class SessionMembership final {
 public:
  SessionMembership() = default;
  ~SessionMembership() {
    if (resource_) resource_->Leave(member_);
  }
  SessionMembership(const SessionMembership&) = delete;
  SessionMembership& operator=(const SessionMembership&) = delete;

  // Joins `resource` if needed and returns the session's name as a member.
  std::string In(R& resource, const KernelContext& ctx) {
    const std::string name = ctx.step().session_handle == nullptr ? "" : *ctx.step().session_handle;
    ResourcePtr<R> before;
    std::string name_before;
    {
      std::lock_guard lock(mu_);
      if (resource_.get() == &resource) return member_;
      before = std::exchange(resource_, ResourcePtr<R>::Share(&resource));
      name_before = std::exchange(member_, name);
      resource_->Join(name);
    }
    if (before) before->Leave(name_before);  // without the lock: Leave may run the callbacks of waiting steps
    return name;
  }

 private:
  std::mutex mu_;
  ResourcePtr<R> resource_;
  std::string member_;
};

}  // namespace weir::ops
