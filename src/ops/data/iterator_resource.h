// IteratorResource: an iterator of a graph, and the pass over a dataset that it is in. A pass ends with the resource
// and with the next pass; that of an iterator without a shared name also ends with the kernel that began it, and so
// with its session. The end of a pass cancels what it does and drops its elements. What cannot be interrupted goes on
// with its own references. Thread-safe: calls are served one by one.
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

// The life of a kernel that begins passes.
class KernelLife final {
 public:
  KernelLife() = default;
  ~KernelLife() { end_->Cancel(Cancelled("the session of the iterator's functions has ended")); }
  KernelLife(const KernelLife&) = delete;
  KernelLife& operator=(const KernelLife&) = delete;
  const std::shared_ptr<CancelToken>& end() const { return end_; }

 private:
  const std::shared_ptr<CancelToken> end_ = std::make_shared<CancelToken>();
};

class IteratorResource final : public Resource {
 public:
  IteratorResource(ElementSpec spec, bool is_shared) : spec_(std::move(spec)), is_shared_(is_shared) {}

  const ElementSpec& spec() const { return spec_; }
  // Begins a new pass, in what the step gives its functions.
  Status Start(const DatasetPtr& dataset, StepContext& step, const KernelLife& life);
  // The same with the dataset that `make` gives, the first time only.
  Status StartOnce(StepContext& step, const KernelLife& life, FunctionRef<Result<DatasetPtr>()> make);
  // Nothing at the end. FailedPrecondition before the first pass.
  Result<std::optional<Element>> GetNext(StepContext& step);
  std::string DebugString() const override { return "iterator over a dataset"; }

 private:
  class Pass;
  enum class Once { kNever, kStarting, kStarted };
  ~IteratorResource() override;

  const ElementSpec spec_;
  const bool is_shared_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::shared_ptr<Pass> pass_;
  Once once_ = Once::kNever;
  Status once_failed_;
};

}  // namespace weir::ops
