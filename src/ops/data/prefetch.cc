// PrefetchDataset: produces elements in the background while the step works on the current one.
#include "ops/data/prefetch.h"

#include <deque>

#include "base/out_of_memory.h"
#include "op/cancel_watch.h"
#include "op/joined_token.h"
#include "ops/data/background.h"
#include "ops/data/cardinality.h"

namespace weir::ops {
namespace {

constexpr int64_t kAutomaticSize = 16;

class Prefetch final : public ElementIterator {
 public:
  Prefetch(PassContext& pass, IteratorPtr input, size_t size, bool eager, std::function<void()> on_change)
      : stop_{pass.cancel},
        pass_(pass),
        input_(std::move(input)),
        size_(size),
        on_change_(std::move(on_change)),
        task_(*pass.blocking_pool, [this] { Fill(); }) {
    pass_.cancel = stop_.get();
    if (eager) task_.Wake();
  }
  ~Prefetch() override { stop_.get()->Cancel(Cancelled("the iterator was destroyed")); }

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    CancelWatch watch(mu_, changed_, step.cancel);
    std::unique_lock lock(mu_);
    if (ready_.size() < size_ && !ended_) task_.Wake();
    WEIR_TRY(watch.Wait(lock, [this] { return HasNext(); }));
    if (ready_.empty() && !lost_.ok()) {
      task_.Wake();
      return std::exchange(lost_, OkStatus());
    }
    if (ready_.empty()) return std::nullopt;
    Result<std::optional<Element>> element = std::move(ready_.front());
    ready_.pop_front();
    if (!ended_) task_.Wake();
    return element;
  }

  bool IsReady() const override {
    std::lock_guard lock(mu_);
    return HasNext();
  }

 private:
  // REQUIRES: the lock is held.
  bool HasNext() const { return !ready_.empty() || ended_ || !lost_.ok(); }

  void Fill() {
    while (!pass_.cancel->cancelled()) {
      {
        std::lock_guard lock(mu_);
        if (ended_ || !lost_.ok() || ready_.size() >= size_) return;
      }
      Result<std::optional<Element>> element =
          CatchOutOfMemory("a prefetched dataset", [this] { return input_->GetNext(pass_); });
      // Stop after an error or if memory does not suffice; GetNext wakes the task again after it has taken an element.
      const bool goes_on = element.ok() && element->has_value() && ReserveElement(**element).ok();
      {
        std::lock_guard lock(mu_);
        if (element.ok() && !element->has_value()) {
          ended_ = true;
        } else if (element.ok() || !pass_.cancel->cancelled()) {
          lost_ = CatchOutOfMemory("a prefetched dataset", [&] {
            ready_.push_back(std::move(element));
            return OkStatus();
          });
        }
        changed_.notify_all();
      }
      if (on_change_) on_change_();
      if (!goes_on) return;
    }
  }

  JoinedToken stop_;
  StepContext pass_;
  const IteratorPtr input_;  // used only by task_
  const size_t size_;
  const std::function<void()> on_change_;
  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<Result<std::optional<Element>>> ready_;
  Status lost_;  // why the element after ready_ was lost: out of memory
  bool ended_ = false;
  BackgroundTask task_;  // the last member: destroyed, and so stopped, before the members that it uses
};

Result<DatasetValue::MakeFn> MakePrefetch(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(int64_t size, ScalarInt(ctx, 1, "buffer_size"));
  if (size < -1) return InvalidArgument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  if (size == -1) size = kAutomaticSize;
  return [input, size](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    if (size == 0) return elements;
    return MakePrefetchIterator(pass, std::move(elements), static_cast<size_t>(size), /*eager=*/false);
  };
}

}  // namespace

IteratorPtr MakePrefetchIterator(PassContext& pass, IteratorPtr input, size_t size, bool eager,
                                 std::function<void()> on_change) {
  if (!HasThreads(pass)) return input;
  return std::make_unique<Prefetch>(pass, std::move(input), size, eager, std::move(on_change));
}

void RegisterPrefetchDataset(OpRegistry& registry) {
  AddDataset(registry, {"PrefetchDataset",
                        "input_dataset: variant, buffer_size: int64",
                        {"slack_period: int = 0", "legacy_autotune: bool = true"},
                        MakePrefetch,
                        false,
                        true,
                        SameCardinality});
}

}  // namespace weir::ops
