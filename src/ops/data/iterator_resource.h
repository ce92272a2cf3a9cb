// IteratorResource: a graph's iterator and its current pass over a dataset. A pass ends when the next one starts or
// when the resource is destroyed. Without a shared_name it also ends with the kernel that started it, and so with the
// session. Ending a pass cancels its work and drops its elements; calls that cannot be interrupted continue with their
// own references. Thread-safe: calls of GetNext are serialized.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "base/function_ref.h"
#include "op/cancel.h"
#include "op/resource.h"
#include "ops/data/dataset.h"

namespace weir::ops {

// The lifetime of a kernel that starts passes. Destruction ends the passes.
class KernelLifetime final {
 public:
  KernelLifetime() = default;
  ~KernelLifetime() { end_->Cancel(Cancelled("the session that initialized the iterator was closed")); }
  KernelLifetime(const KernelLifetime&) = delete;
  KernelLifetime& operator=(const KernelLifetime&) = delete;
  const std::shared_ptr<CancelToken>& end() const { return end_; }

 private:
  const std::shared_ptr<CancelToken> end_ = std::make_shared<CancelToken>();
};

class IteratorResource final : public Resource {
 public:
  IteratorResource(ElementSpec spec, bool is_shared) : spec_(std::move(spec)), is_shared_(is_shared) {}

  const ElementSpec& spec() const { return spec_; }
  // Starts a new pass, which runs its functions in the context of `step`.
  Status Start(const DatasetPtr& dataset, StepContext& step, const KernelLifetime& life);
  // Starts a pass over the dataset that `make` returns; a no-op after the first time.
  Status StartOnce(StepContext& step, const KernelLifetime& life, FunctionRef<Result<DatasetPtr>()> make);
  // Returns nullopt at the end. FailedPrecondition before the first pass.
  Result<std::optional<Element>> GetNext(StepContext& step);
  // The number of elements that the current pass has returned. FailedPrecondition before the first pass.
  Result<int64_t> Position();
  // Starts a new pass over the same dataset and skips `position` elements. FailedPrecondition before the first pass.
  Status Restore(StepContext& step, int64_t position);
  std::string DebugString() const override { return "iterator over a dataset"; }

 private:
  class Pass;
  class PassState;
  enum class Once { kNever, kStarting, kStarted };
  ~IteratorResource() override;
  // The current pass and its dataset. FailedPrecondition before the first pass; `call` names the caller in the error.
  Result<std::pair<std::shared_ptr<Pass>, DatasetPtr>> Current(const char* call, const char* before);
  Result<std::shared_ptr<Pass>> Begin(const DatasetPtr& dataset, StepContext& step, std::shared_ptr<CancelToken> end);
  void Replace(std::shared_ptr<Pass> pass, const DatasetPtr& dataset);

  const ElementSpec spec_;
  const bool is_shared_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::shared_ptr<Pass> pass_;
  DatasetPtr dataset_;  // of the pass
  Once once_ = Once::kNever;
  Status once_failed_;
};

}  // namespace weir::ops
