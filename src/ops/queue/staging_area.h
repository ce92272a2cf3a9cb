// StagingArea: a resource that holds tuples of tensors in the order in which they were put, limited by number and
// bytes. A step puts what a later step takes, for example the next batch while the current one is computed.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "op/cancel.h"
#include "op/resource.h"
#include "tensor/tensor.h"

namespace weir::ops {

// Thread-safe. Waiting calls block no thread. Puts are served in the order of their calls, and so are takes; peeks are
// served when their element is there. Callbacks run without the lock, either on the caller's thread or on the thread
// that ends the wait.
class StagingArea final : public Resource {
 public:
  using Tuple = std::vector<Tensor>;
  using PutDone = std::function<void(Status)>;
  using TakeDone = std::function<void(Result<Tuple>)>;

  // Limits of zero mean: none.
  StagingArea(std::string name, int64_t capacity, int64_t memory_limit)
      : name_(std::move(name)), capacity_(capacity), memory_limit_(memory_limit) {}

  // Adds the tuple as soon as there is room. REQUIRES: `cancel` lives until `done` is called; so for Take and Peek.
  void Put(Tuple values, CancelToken& cancel, PutDone done);
  // Takes the oldest tuple as soon as there is one.
  void Take(CancelToken& cancel, TakeDone done);
  // A copy of the tuple at `index` (0: the oldest) as soon as there are that many.
  void Peek(int64_t index, CancelToken& cancel, TakeDone done);
  void Clear();
  int64_t size() const;
  std::string DebugString() const override;

 private:
  struct Waiter {
    enum class Action { kPut, kTake, kPeek };
    Action action = Action::kPut;
    Tuple values;  // of a put
    int64_t index = 0;
    CancelToken* cancel = nullptr;
    CancelToken::Id cancel_id = 0;
    PutDone put_done;
    TakeDone take_done;
  };
  using Waiters = std::map<uint64_t, Waiter>;  // by order of arrival
  struct Ended {
    Waiter waiter;
    Result<Tuple> result;
  };

  void Wait(Waiter waiter);
  void CancelWaiter(uint64_t id);
  // Serves all waiters that can proceed.
  void ServeLocked(std::vector<Ended>& ended);
  // Whether the waiter could be served; its result is in `result`.
  bool TryLocked(Waiter& waiter, Tuple& result);
  bool HasRoomLocked(const Tuple& values) const;
  static void RunCallbacks(std::vector<Ended> ended);

  const std::string name_;  // for error messages
  const int64_t capacity_;
  const int64_t memory_limit_;
  mutable std::mutex mu_;
  std::deque<Tuple> elements_;
  int64_t bytes_ = 0;
  uint64_t next_waiter_ = 0;
  Waiters waiters_;
};

}  // namespace weir::ops
