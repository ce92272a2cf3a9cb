#include "ops/data/iterator_resource.h"

#include "op/joined_token.h"
#include "ops/data/waiting.h"

namespace weir::ops {

class IteratorResource::Pass final {
 public:
  // What a step has for its own time alone, the pass does without.
  Pass(const StepContext& step, const KernelLife& life) : home_(step), life_end_(life.end()) {
    home_.cancel = &stop_;
    home_.step_resources = nullptr;
    home_.rendezvous = nullptr;
  }
  ~Pass() {
    if (tie_ != 0) life_end_->Unregister(tie_);
    End();
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  Status Begin(const Dataset& dataset) {
    WEIR_ASSIGN(elements_, dataset.Iterate(home_));
    tie_ = life_end_->Register([this] { End(); });
    return tie_ == 0 ? life_end_->reason() : OkStatus();
  }

  Result<std::optional<Element>> GetNext(StepContext& step) {
    {
      CancelWatch watch(mu_, changed_, step.cancel);
      std::unique_lock lock(mu_);
      WEIR_TRY(watch.Wait(lock, [this] { return !busy_ || ended_; }));
      if (ended_)
        return FailedPrecondition(
            "The iterator was made by a session that has ended: run its initializer in this one before getting the "
            "next element.");
      busy_ = true;
    }
    Result<std::optional<Element>> element = [&] {
      JoinedToken either{step.cancel, &stop_};
      StepContext call = home_;
      call.cancel = either.get();
      return elements_->GetNext(call);
    }();
    std::lock_guard lock(mu_);
    busy_ = false;
    changed_.notify_all();
    return element;
  }

 private:
  void End() {
    stop_.Cancel(Cancelled("the iterator has ended"));
    std::unique_lock lock(mu_);
    ended_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !busy_; });
    elements_ = nullptr;
  }

  CancelToken stop_;
  StepContext home_;
  const std::shared_ptr<CancelToken> life_end_;
  CancelToken::Id tie_ = 0;
  std::mutex mu_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool ended_ = false;
  IteratorPtr elements_;
};

IteratorResource::~IteratorResource() = default;

Status IteratorResource::Start(const DatasetPtr& dataset, StepContext& step, const KernelLife& life) {
  WEIR_TRY(CheckSpec(dataset->spec(), spec_));
  auto pass = std::make_shared<Pass>(step, life);
  WEIR_TRY(pass->Begin(*dataset));
  std::lock_guard lock(mu_);
  pass_.swap(pass);  // the old one goes after the lock
  return OkStatus();
}

Status IteratorResource::StartOnce(StepContext& step, const KernelLife& life, FunctionRef<Result<DatasetPtr>()> make) {
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
  // A step that was cancelled says nothing about the dataset.
  once_ = status.code() == StatusCode::kCancelled ? Once::kNever : Once::kStarted;
  if (once_ == Once::kStarted) once_failed_ = status;
  changed_.notify_all();
  return status;
}

Result<std::optional<Element>> IteratorResource::GetNext(StepContext& step) {
  std::shared_ptr<Pass> pass;
  {
    std::lock_guard lock(mu_);
    pass = pass_;
  }
  if (pass == nullptr)
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer "
        "operation for this iterator before getting the next element.");
  return pass->GetNext(step);
}

}  // namespace weir::ops
