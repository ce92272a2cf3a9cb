#include "ops/data/iterator_resource.h"

#include <chrono>

#include "op/cancel_watch.h"
#include "op/joined_token.h"
#include "ops/data/background.h"

namespace weir::ops {

// The state of a pass. Shared with running calls and with the task that destroys the iterator.
class IteratorResource::PassState final : public std::enable_shared_from_this<PassState> {
 public:
  // A pass outlives the step, so it must not use the step's own resources.
  explicit PassState(const StepContext& step) : pass_(MakePassContext(step)) {
    pass_.cancel = &stop_;
    pass_.step_resources = nullptr;
    pass_.rendezvous = nullptr;
  }

  Status Begin(const DatasetValue& dataset) {
    WEIR_ASSIGN(iterator_, dataset.Iterate(pass_));
    return OkStatus();
  }

  Result<std::optional<Element>> GetNext(StepContext& step) {
    {
      CancelWatch watch(mu_, changed_, step.cancel);
      std::unique_lock lock(mu_);
      WEIR_TRY(watch.Wait(lock, [this] { return !busy_ || ended_; }));
      if (ended_)
        return FailedPrecondition(
            "The iterator was initialized by a session that is closed. Run its initializer in this session before "
            "getting the next element.");
      busy_ = true;
    }
    Result<std::optional<Element>> element = [&] {
      JoinedToken either{step.cancel, &stop_};
      StepContext call = pass_;
      call.cancel = either.get();
      return iterator_->GetNext(call);
    }();
    IteratorPtr ended;
    std::lock_guard lock(mu_);
    busy_ = false;
    if (element.ok() && element->has_value()) ++position_;
    if (ended_) ended = std::move(iterator_);
    changed_.notify_all();
    return element;
  }

  int64_t Position() {
    std::lock_guard lock(mu_);
    return position_;
  }

  void End() {
    stop_.Cancel(Cancelled("the pass over the dataset was ended"));
    IteratorPtr ended;
    {
      std::lock_guard lock(mu_);
      ended_ = true;
      changed_.notify_all();
      if (!busy_) ended = std::move(iterator_);
    }
    if (ended != nullptr) Drop(std::move(ended));
  }

 private:
  // Destroying an iterator blocks until its threads are done, and a thread may be in a call that does not return. So
  // destroy it on another thread, and wait for that only for a limited time.
  void Drop(IteratorPtr ended) {
    if (!HasThreads(pass_)) return;
    constexpr std::chrono::milliseconds kDestroyTimeout(500);
    struct Dropped {
      std::mutex mu;
      std::condition_variable changed;
      bool done = false;
    };
    auto dropped = std::make_shared<Dropped>();
    pass_.blocking_pool->Schedule(
        [self = shared_from_this(), ended = std::shared_ptr<ElementIterator>(std::move(ended)), dropped]() mutable {
          ended = nullptr;
          self = nullptr;
          std::lock_guard lock(dropped->mu);
          dropped->done = true;
          dropped->changed.notify_all();
        });
    std::unique_lock lock(dropped->mu);
    dropped->changed.wait_for(lock, kDestroyTimeout, [&] { return dropped->done; });
  }

  CancelToken stop_;
  PassContext pass_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool ended_ = false;
  int64_t position_ = 0;  // the number of elements returned
  IteratorPtr iterator_;
};

class IteratorResource::Pass final {
 public:
  // The pass ends when `lifetime_end` is cancelled. Null: it is not tied to a kernel.
  Pass(const StepContext& step, std::shared_ptr<CancelToken> lifetime_end)
      : elements_(std::make_shared<PassState>(step)), lifetime_end_(std::move(lifetime_end)) {}
  ~Pass() {
    if (registration_ != 0) lifetime_end_->Unregister(registration_);
    End();
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  Status Begin(const DatasetValue& dataset) {
    WEIR_TRY(elements_->Begin(dataset));
    if (lifetime_end_ == nullptr) return OkStatus();
    registration_ = lifetime_end_->Register([elements = elements_] { elements->End(); });
    return registration_ == 0 ? lifetime_end_->reason() : OkStatus();
  }
  Result<std::optional<Element>> GetNext(StepContext& step) const { return elements_->GetNext(step); }
  int64_t Position() const { return elements_->Position(); }
  const std::shared_ptr<CancelToken>& lifetime_end() const { return lifetime_end_; }
  void End() const { elements_->End(); }

 private:
  const std::shared_ptr<PassState> elements_;
  const std::shared_ptr<CancelToken> lifetime_end_;
  CancelToken::Id registration_ = 0;
};

IteratorResource::~IteratorResource() = default;

Status IteratorResource::Start(const DatasetPtr& dataset, StepContext& step, const KernelLifetime& life) {
  WEIR_TRY(CheckSpec(dataset->spec(), spec_));
  WEIR_ASSIGN(std::shared_ptr<Pass> pass, Begin(dataset, step, is_shared_ ? nullptr : life.end()));
  Replace(std::move(pass), dataset);
  return OkStatus();
}

Result<std::shared_ptr<IteratorResource::Pass>> IteratorResource::Begin(const DatasetPtr& dataset, StepContext& step,
                                                                        std::shared_ptr<CancelToken> end) {
  auto pass = std::make_shared<Pass>(step, std::move(end));
  WEIR_TRY(pass->Begin(*dataset));
  return pass;
}

void IteratorResource::Replace(std::shared_ptr<Pass> pass, const DatasetPtr& dataset) {
  {
    std::lock_guard lock(mu_);
    pass_.swap(pass);
    dataset_ = dataset;
  }
  if (pass != nullptr) pass->End();  // a waiting GetNext may hold another reference
}

Result<std::pair<std::shared_ptr<IteratorResource::Pass>, DatasetPtr>> IteratorResource::Current(const char* call,
                                                                                                 const char* before) {
  std::lock_guard lock(mu_);
  if (pass_ == nullptr)
    return FailedPrecondition(
        "{}() failed because the iterator has not been initialized. Ensure that you have run the initializer operation "
        "for this iterator before {}.",
        call, before);
  return std::pair(pass_, dataset_);
}

Result<int64_t> IteratorResource::Position() {
  WEIR_ASSIGN(const auto current, Current("Save", "saving it"));
  return current.first->Position();
}

Status IteratorResource::Restore(StepContext& step, int64_t position) {
  WEIR_ASSIGN(const auto current, Current("Restore", "restoring it"));
  WEIR_ASSIGN(std::shared_ptr<Pass> pass, Begin(current.second, step, current.first->lifetime_end()));
  for (int64_t i = 0; i < position; ++i) {
    WEIR_ASSIGN(const std::optional<Element> skipped, pass->GetNext(step));
    if (!skipped.has_value()) break;
  }
  Replace(std::move(pass), current.second);
  return OkStatus();
}

Status IteratorResource::StartOnce(StepContext& step, const KernelLifetime& life,
                                   FunctionRef<Result<DatasetPtr>()> make) {
  {
    CancelWatch watch(mu_, changed_, step.cancel);
    std::unique_lock lock(mu_);
    WEIR_TRY(watch.Wait(lock, [this] { return once_ != Once::kStarting; }));
    if (once_ == Once::kStarted) return once_failed_;
    once_ = Once::kStarting;
  }
  Status status;
  Result<DatasetPtr> dataset = make();
  status = dataset.ok() ? Start(*dataset, step, life) : dataset.status();
  std::lock_guard lock(mu_);
  // A cancelled step says nothing about the dataset, so the next call tries again.
  once_ = status.code() == StatusCode::kCancelled ? Once::kNever : Once::kStarted;
  if (once_ == Once::kStarted) once_failed_ = status;
  changed_.notify_all();
  return status;
}

Result<std::optional<Element>> IteratorResource::GetNext(StepContext& step) {
  WEIR_ASSIGN(const auto current, Current("GetNext", "getting the next element"));
  return current.first->GetNext(step);
}

}  // namespace weir::ops
