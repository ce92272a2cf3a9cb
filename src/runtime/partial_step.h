// PartialStep: a step whose feeds and fetches come in pieces. Used by local sessions and by workers. Thread-safe;
// pieces may overlap.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/executor.h"

namespace weir {

class PartialStep final : public std::enable_shared_from_this<PartialStep> {
 public:
  using Done = std::function<void(Result<std::vector<Tensor>>)>;
  struct PieceFeed {
    int number = 0;  // of the feed in the plan
    Tensor value;
  };

  // REQUIRES: the plan has late feeds.
  explicit PartialStep(std::shared_ptr<Executor> executor);
  ~PartialStep();
  PartialStep(const PartialStep&) = delete;
  PartialStep& operator=(const PartialStep&) = delete;

  const Plan& plan() const { return executor_->plan(); }
  // Starts the step. `ended` runs once, when the step has ended; the step does not end before it has all its feeds, or
  // has failed. Call Start once. REQUIRES: args.pool is not null.
  void Start(const StepArgs& args, std::function<void()> ended);
  // Delivers feeds and calls `done` with the values of `fetches` when they are available. If `last` is set, `done` also
  // waits for the end of the step. An error of the step fails all pieces. A piece that comes before Start waits for it.
  // If `cancel` (may be null; must live until `done` runs) is cancelled, the step fails. REQUIRES: the values have the
  // types of the feeds.
  void RunPiece(std::vector<PieceFeed> feeds, std::vector<int> fetches, bool last, CancelToken* cancel, Done done);
  // Fails the step: pieces fail, and missing feeds no longer keep it from ending. REQUIRES: Start has returned.
  void Cancel(Status reason);

 private:
  struct Piece;
  Status TakeFeeds(const std::vector<PieceFeed>& feeds);
  void OnEnd(const Status& status);

  const std::shared_ptr<Executor> executor_;
  std::mutex mu_;
  Step* step_ = nullptr;                       // holds a reference; null before Start, and if the step did not start
  bool started_ = false;                       // Start has returned
  std::vector<std::function<void()>> queued_;  // pieces that came before `started_` was set
  std::vector<bool> fed_;
  bool ended_ = false;
  Status status_;  // of the step, if it has ended
  std::vector<std::shared_ptr<Piece>> when_ended_;
};

// Which feeds and fetches of a partial run were used. For the calls of clients, with the same error messages in local
// sessions and masters. A value type; not thread-safe.
class PartialRunProgress final {
 public:
  PartialRunProgress(size_t feeds, size_t fetches) : fed_(feeds), fetched_(fetches) {}

  // A feed or fetch as the client names it, and its number in the plan (-1: the plan does not have it).
  struct Item {
    int number = -1;
    std::string name;
  };
  // Marks the feeds and fetches of a piece as used. Changes nothing if that is an error. `feeds_of_fetch` is that of
  // the plan.
  Status Take(const std::vector<Item>& feeds, const std::vector<Item>& fetches,
              const std::vector<std::vector<bool>>& feeds_of_fetch);
  // Whether all feeds and fetches were used.
  bool complete() const;

 private:
  std::vector<bool> fed_;
  std::vector<bool> fetched_;
};

}  // namespace weir
