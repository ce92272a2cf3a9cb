#include "runtime/partial_step.h"

#include <algorithm>
#include <utility>

#include "runtime/step.h"

namespace weir {

// Collects the values of a piece. The last one completes it.
struct PartialStep::Piece {
  std::mutex mu;
  std::vector<Tensor> values;
  Status status;
  size_t left = 0;
  Done done;
  CancelToken* cancel = nullptr;
  CancelToken::Id registration = 0;

  void Finish(const Status& failed) {
    {
      std::lock_guard lock(mu);
      if (status.ok()) status = failed;
      if (--left > 0) return;
    }
    if (registration != 0) cancel->Unregister(registration);
    if (!status.ok()) return done(status);
    done(std::move(values));
  }
};

PartialStep::PartialStep(std::shared_ptr<Executor> executor)
    : executor_(std::move(executor)), fed_(executor_->plan().feeds.size()) {}

PartialStep::~PartialStep() {
  if (step_ != nullptr) step_->Unref();
}

void PartialStep::Start(const StepArgs& args, std::function<void()> ended) {
  Step* const step = executor_->StartPartial(
      args, [self = shared_from_this(), ended = std::move(ended)](const Result<std::vector<Tensor>>& result) {
        self->OnEnd(result.status());
        ended();
      });
  std::vector<std::function<void()>> queued;
  {
    std::lock_guard lock(mu_);
    step_ = step;
    started_ = true;
    queued.swap(queued_);
  }
  for (const std::function<void()>& piece : queued) piece();
}

void PartialStep::OnEnd(const Status& status) {
  std::vector<std::shared_ptr<Piece>> waiting;
  {
    std::lock_guard lock(mu_);
    ended_ = true;
    status_ = status;
    waiting.swap(when_ended_);
  }
  for (const std::shared_ptr<Piece>& piece : waiting) piece->Finish(status);
}

// REQUIRES: mu_ is held.
Status PartialStep::TakeFeeds(const std::vector<PieceFeed>& feeds) {
  if (step_ == nullptr) return status_;
  std::vector<bool> fed = fed_;
  for (const PieceFeed& feed : feeds) {
    if (fed[feed.number])
      return InvalidArgument("The feed {} has already been fed.", plan().feeds[feed.number].what.name);
    fed[feed.number] = true;
  }
  fed_ = std::move(fed);
  return OkStatus();
}

void PartialStep::RunPiece(std::vector<PieceFeed> feeds, std::vector<int> fetches, bool last, CancelToken* cancel,
                           Done done) {
  Status taken;
  {
    std::lock_guard lock(mu_);
    if (!started_) {
      queued_.push_back([this, feeds = std::move(feeds), fetches = std::move(fetches), last, cancel,
                         done = std::move(done)] { RunPiece(feeds, fetches, last, cancel, done); });
      return;
    }
    taken = TakeFeeds(feeds);
  }
  if (!taken.ok()) return done(taken);
  auto piece = std::make_shared<Piece>();
  piece->left = fetches.size() + 1;
  piece->values.resize(fetches.size());
  piece->done = std::move(done);
  if (cancel != nullptr) {
    piece->cancel = cancel;
    piece->registration =
        cancel->Register([self = shared_from_this(), cancel] { self->step_->Cancel(cancel->reason()); });
    if (piece->registration == 0) step_->Cancel(cancel->reason());
  }
  for (PieceFeed& feed : feeds) step_->DeliverFeed(feed.number, std::move(feed.value));
  for (size_t i = 0; i < fetches.size(); ++i) {
    step_->Fetch(fetches[i], [piece, i](Result<Tensor> value) {
      if (value.ok()) piece->values[i] = *std::move(value);
      piece->Finish(value.status());
    });
  }
  Status status = step_->status();
  if (last) {
    std::lock_guard lock(mu_);
    if (!ended_) {
      when_ended_.push_back(std::move(piece));
      return;
    }
    status = status_;
  }
  piece->Finish(status);
}

void PartialStep::Cancel(Status reason) {
  if (step_ != nullptr) step_->Cancel(std::move(reason));
}

Status PartialRunProgress::Take(const std::vector<Item>& feeds, const std::vector<Item>& fetches,
                                const std::vector<std::vector<bool>>& feeds_of_fetch) {
  std::vector<bool> fed = fed_;
  std::vector<bool> fetched = fetched_;
  for (const Item& feed : feeds) {
    if (feed.number < 0) return InvalidArgument("The feed {} was not specified in partial_run_setup.", feed.name);
    if (fed[feed.number]) return InvalidArgument("The feed {} has already been fed.", feed.name);
    fed[feed.number] = true;
  }
  for (const Item& fetch : fetches) {
    if (fetch.number < 0) return InvalidArgument("The fetch {} was not specified in partial_run_setup.", fetch.name);
    if (fetched[fetch.number]) return InvalidArgument("The fetch {} has already been fetched.", fetch.name);
    for (size_t f = 0; f < fed.size(); ++f) {
      if (feeds_of_fetch[fetch.number][f] && !fed[f])
        return InvalidArgument("Fetch {} can't be computed from the feeds that have been fed so far.", fetch.name);
    }
    fetched[fetch.number] = true;
  }
  fed_ = std::move(fed);
  fetched_ = std::move(fetched);
  return OkStatus();
}

bool PartialRunProgress::complete() const {
  return std::find(fed_.begin(), fed_.end(), false) == fed_.end() &&
         std::find(fetched_.begin(), fetched_.end(), false) == fetched_.end();
}

}  // namespace weir
