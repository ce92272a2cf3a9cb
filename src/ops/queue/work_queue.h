// WorkQueue: a resource that hands out slices of work (files, or parts of them) to many sessions, each slice once per
// epoch. A session holds the slice that it took last until it takes another. If the session ends before that, another
// session gets the slice, but only once: a slice that ends its sessions cannot end all of them. A take that finds no
// slice waits while other sessions hold some.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/waiter_list.h"
#include "tensor/tensor.h"

namespace weir::ops {

struct WorkQueueSpec {
  Tensor works;  // a vector of strings
  int64_t num_epochs = 1;
  bool shuffle = true;  // in another order in every epoch
  // The seeds of the shuffled order. If both are 0, each run draws its own.
  int64_t seed = 0;
  int64_t seed2 = 0;
  // The number of slices of an epoch. 0: every work is a slice. Else the works are cut into that many slices, named
  // "<work>?slice_id=<index>&slice_count=<slices of this work>".
  int64_t num_slices = 0;
};

// Thread-safe. Callbacks run without the lock, either on the caller's thread or on the thread that ends the wait.
class WorkQueue final : public Resource {
 public:
  static constexpr int64_t kMaxSlices = 1 << 24;

  explicit WorkQueue(std::string name) : name_(std::move(name)) {}

  // Starts again with the first epoch and forgets which slices were handed out. Returns the number of slices of an
  // epoch. InvalidArgument if there is no work, or if there are fewer slices than works.
  Result<int64_t> Fill(WorkQueueSpec spec);
  // What is left: the slices of this epoch that are not done, and what determines the later epochs.
  struct State {
    std::vector<std::string> works;
    int64_t epoch = 0;  // 1 is the first
    int64_t seed = 0;
    int64_t seed2 = 0;
  };
  Result<State> Save() const;
  // Continues at `state`. The later epochs are those of `spec`, in the order of the state's seeds.
  Status Restore(WorkQueueSpec spec, State state);

  // Membership. REQUIRES: one call of Leave per call of Join.
  void Join(const std::string& member);
  void Leave(const std::string& member);
  // Takes the next slice. The slice that the member took before is done. OutOfRange if all epochs are done,
  // FailedPrecondition if there was no call of Fill or Restore. REQUIRES: `cancel` lives until `done` is called.
  using TakeDone = std::function<void(Result<std::string>)>;
  void Take(const std::string& member, CancelToken& cancel, TakeDone done);

  // The number of slices of this epoch and later ones that nobody has taken.
  Result<int64_t> size() const;
  std::string DebugString() const override;

 private:
  struct Slice {
    std::string work;
    bool is_repeated = false;  // a session that held it has ended
  };
  struct Member {
    int joined = 0;
    std::optional<Slice> held;
  };
  struct Call {
    std::string member;
    std::string work;
    TakeDone done;
    void Finish(Status status);
  };
  using Waiters = WaiterList<Call>;
  using Ended = std::vector<Waiters::Ended>;

  Status NotFilled() const;
  Status StartLocked(WorkQueueSpec spec);
  Status BeginEpochLocked();
  std::string WorkOfLocked(int64_t number) const;
  Result<std::optional<Slice>> NextLocked();
  void ServeLocked(Ended& ended);
  void CancelWaiter(uint64_t id);

  const std::string name_;
  mutable std::mutex mu_;
  std::optional<WorkQueueSpec> spec_;  // with seeds that are not both 0
  int64_t slices_ = 0;                 // of an epoch
  int64_t epoch_ = 0;                  // that has begun
  // The slices of this epoch in their order, and the next one. -1 and lower: an element of restored_, from its start.
  std::vector<int64_t> order_;
  size_t next_ = 0;
  std::vector<std::string> restored_;
  std::vector<Slice> returned_;  // their sessions have ended; handed out before others
  std::map<std::string, Member> members_;
  Waiters waiters_;
  bool has_told_end_ = false;  // a log line says that the end waits for sessions that hold slices
};

}  // namespace weir::ops
