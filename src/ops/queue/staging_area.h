// StagingArea: a resource that holds tuples of tensors in the order in which they were put, limited by number and
// bytes. A step puts what a later step takes, for example the next batch while the current one is computed.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/waiter_list.h"
#include "tensor/tensor.h"

namespace weir::ops {

// Thread-safe. Waiting calls block no thread. Puts are served in the order of their calls, and so are takes; a peek is
// served when its element exists. Callbacks run without the lock, either on the caller's thread or on the thread that
// ends the wait.
class StagingArea final : public Resource {
 public:
  using Tuple = std::vector<Tensor>;
  using PutDone = std::function<void(Status)>;
  using TakeDone = std::function<void(Result<Tuple>)>;

  // Limits of zero mean: none.
  StagingArea(std::string name, int64_t capacity, int64_t memory_limit)
      : name_(std::move(name)), capacity_(capacity), memory_limit_(memory_limit) {}

  // Adds the tuple as soon as there is room. REQUIRES (also for Take and Peek): `cancel` lives until `done` is called.
  void Put(Tuple values, CancelToken& cancel, PutDone done);
  // Takes the oldest tuple as soon as there is one.
  void Take(CancelToken& cancel, TakeDone done);
  // A copy of the tuple at `index` (0: the oldest) as soon as there are that many.
  void Peek(int64_t index, CancelToken& cancel, TakeDone done);
  void Clear();
  int64_t size() const;
  std::string DebugString() const override;

 private:
  struct Call {
    enum class Action { kPut, kTake, kPeek };
    Action action = Action::kPut;
    Tuple values;  // of a put; the result of a take or peek
    int64_t index = 0;
    PutDone put_done;
    TakeDone take_done;

    void Finish(Status status);
  };
  using Waiters = WaiterList<Call>;
  using Ended = std::vector<Waiters::Ended>;

  void Wait(Call call, CancelToken& cancel);
  void CancelWaiter(uint64_t id);
  // Serves all calls that can proceed.
  void ServeLocked(Ended& ended);
  // Returns true if the call could be served.
  bool TryLocked(Call& call);
  // Ends a call and serves those that it has held back.
  void EndCancelledLocked(Waiters::Iterator it, Ended& ended);
  bool HasRoomLocked(const Tuple& values) const;

  const std::string name_;  // for error messages
  const int64_t capacity_;
  const int64_t memory_limit_;
  mutable std::mutex mu_;
  std::deque<Tuple> elements_;
  int64_t bytes_ = 0;
  Waiters waiters_;
};

}  // namespace weir::ops
