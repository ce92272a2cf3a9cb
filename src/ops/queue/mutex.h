// Mutex: the lock behind MutexLock, which kernels acquire without blocking a thread. MutexHold: ownership of the lock,
// which is released when the last reference to the MutexHold is dropped.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "op/resource.h"
#include "ops/queue/waiter_list.h"
#include "tensor/variant.h"

namespace weir::ops {

// Thread-safe. Waiting calls get the lock in the order of their arrival.
class Mutex final : public Resource {
 public:
  using AcquireDone = std::function<void(Result<Tensor>)>;
  explicit Mutex(std::string name) : name_(std::move(name)) {}

  // Calls `done` with a MutexHold as soon as the lock is free. REQUIRES: `cancel` lives until `done` is called.
  void Acquire(CancelToken& cancel, AcquireDone done);
  std::string DebugString() const override { return "mutex " + name_; }

 private:
  friend class MutexHold;
  struct Call {
    Mutex* mutex = nullptr;
    AcquireDone done;
    void Finish(Status status);
  };
  using Waiters = WaiterList<Call>;
  void Release();
  void CancelWaiter(uint64_t id);

  const std::string name_;  // for error messages
  std::mutex mu_;
  bool held_ = false;
  Waiters waiters_;
};

class MutexHold final : public VariantValue {
 public:
  explicit MutexHold(ResourcePtr<Mutex> mutex) : mutex_(std::move(mutex)) {}
  ~MutexHold() override { mutex_->Release(); }
  std::string DebugString() const override { return "a lock of " + mutex_->DebugString(); }

 private:
  const ResourcePtr<Mutex> mutex_;
};

}  // namespace weir::ops
