// QueueResource: a resource that holds elements (tuples of tensors) between steps. Waiting enqueues and dequeues block
// no thread and are each served in FIFO order, except that a queue of tokens skips members that have had their share
// (token_scheduler.h). No element is lost or duplicated: a dequeue that is cancelled or cannot be completed returns the
// elements it has taken. The exception: leftover shared tokens are dropped when the next batch of tokens arrives.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/queue_order.h"
#include "ops/queue/token_scheduler.h"
#include "ops/queue/waiter_list.h"

namespace weir::ops {

enum class QueueKind { kFifo, kRandomShuffle, kPaddingFifo, kPriority };
const char* QueueKindName(QueueKind kind);  // TensorFlow's name, e.g. "FIFOQueue"

struct QueueSpec {
  QueueKind kind = QueueKind::kFifo;
  std::string name;       // for error messages
  int64_t capacity = -1;  // negative: unbounded
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // of the components; empty: any shape, and batches cannot be dequeued
  int64_t min_after_dequeue = 0;     // an open queue keeps at least this many elements
  int64_t seed = 0;
  int64_t seed2 = 0;
  // If positive, the elements are tokens that members take (token_scheduler.h). The next batch of tokens arrives after
  // this many tokens were used.
  int64_t tokens_needed = 0;
  int64_t members_expected = 0;
};

// Thread-safe. Callbacks run without the queue's lock, either on the caller's thread or on the thread that ends the
// wait.
class QueueResource final : public Resource {
 public:
  explicit QueueResource(QueueSpec spec);
  const QueueSpec& spec() const { return spec_; }

  using EnqueueDone = std::function<void(Status)>;
  using DequeueDone = std::function<void(Result<std::vector<QueueElement>>)>;

  // Adds the elements in order, each as soon as there is room. If the queue is closed or the step cancelled meanwhile,
  // `done` gets an error and the elements added so far stay in the queue. REQUIRES: `cancel` lives until `done` is
  // called.
  void Enqueue(std::vector<QueueElement> elements, CancelToken& cancel, EnqueueDone done);
  // Takes `count` elements as soon as they are available. If the queue is closed and has fewer, takes what is left,
  // provided that `fewer_when_closed` is set and at least one is left. A waiting dequeue already removes elements from
  // the queue, so `count` may exceed the capacity.
  void Dequeue(int64_t count, bool fewer_when_closed, CancelToken& cancel, DequeueDone done) {
    Dequeue(count, fewer_when_closed, "", cancel, std::move(done));
  }
  // The same for a member of a queue of tokens.
  void Dequeue(int64_t count, bool fewer_when_closed, const std::string& member, CancelToken& cancel, DequeueDone done);
  // Membership in a queue of tokens. REQUIRES: one call of Leave per call of Join. The tokens of a member that leaves
  // return to the queue.
  void Join(const std::string& member);
  void Leave(const std::string& member);
  // A closed queue accepts no more elements but still serves dequeues. Close waits for the pending enqueues, or ends
  // them with Cancelled if `cancel_pending_enqueues` is set.
  void Close(bool cancel_pending_enqueues, CancelToken& cancel, EnqueueDone done);

  // Calls `done` as soon as a dequeue waits, so that an element can be made when it is needed. Cancelled if the queue
  // is closed. REQUIRES: `cancel` lives until `done` is called.
  void AwaitDequeue(CancelToken& cancel, EnqueueDone done);

  int64_t size() const;
  bool has_received() const;         // an element was added at least once
  bool all_members_waiting() const;  // all members wait for a token and no further member is expected
  bool is_closed() const;
  std::string DebugString() const override;

 private:
  // A pending call. `elements`: for an enqueue the elements still to be added, for a dequeue the elements taken so far.
  struct Call {
    enum class Action { kEnqueue, kClose, kDequeue };
    Action action = Action::kEnqueue;
    std::vector<QueueElement> elements;
    size_t next = 0;  // enqueue: index of the first element not yet added
    int64_t count = 0;
    bool fewer_when_closed = false;
    std::string member;  // dequeue from a queue of tokens: the member that takes it
    EnqueueDone enqueue_done;
    DequeueDone dequeue_done;

    void Finish(Status status);
  };
  using Waiters = WaiterList<Call>;
  using Ended = std::vector<Waiters::Ended>;

  void Wait(Call call, CancelToken& cancel);
  void CancelWaiter(uint64_t id, bool dequeues);
  void CancelAwait(uint64_t id);
  // Serves all pending calls that can proceed, in order.
  void ServeLocked(Ended& ended);
  bool ServeEnqueuesLocked(Ended& ended);
  bool ServeDequeuesLocked(Ended& ended);
  // Returns the first dequeue that may take an element.
  Waiters::Iterator NextDequeueLocked();
  // Returns the number of waiting dequeues per member.
  std::map<std::string, int64_t> WaitingLocked() const;
  // Ends a call and serves those that it has held back.
  void EndCancelledLocked(Waiters& waiters, Waiters::Iterator it, Ended& ended);
  // Ends a dequeue with an error and puts the elements back that it has taken.
  void FailDequeueLocked(Waiters::Iterator it, Status status, Ended& ended);
  int64_t AvailableLocked() const;

  const QueueSpec spec_;
  mutable std::mutex mu_;
  const std::unique_ptr<QueueOrder> order_;
  TokenScheduler scheduler_;
  std::vector<Tensor> token_;  // of this round; all tokens of a round are equal
  bool closed_ = false;
  bool has_received_ = false;
  uint64_t next_arrival_ = 0;
  Waiters enqueues_;
  Waiters dequeues_;
  Waiters awaits_;  // calls of AwaitDequeue
};

}  // namespace weir::ops
