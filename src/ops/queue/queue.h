// Queue: a resource that holds elements (tuples of tensors) between steps. Waiting dequeues and enqueues are each
// served strictly in the order of arrival and hold no thread meanwhile. A queue of tokens passes over dequeues of
// members that have had their share (turns.h). No element is lost or doubled: what a dequeue had taken when it is
// cancelled, or cannot be filled any more, goes back. Only shared tokens of an earlier batch are dropped when the next
// batch comes.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/queue_order.h"
#include "ops/queue/turns.h"

namespace weir::ops {

enum class QueueKind { kFifo, kRandomShuffle, kPaddingFifo, kPriority };
const char* QueueKindName(QueueKind kind);  // TensorFlow's: "FIFOQueue"

struct QueueSpec {
  QueueKind kind = QueueKind::kFifo;
  std::string name;       // for messages
  int64_t capacity = -1;  // negative: no bound
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // of the components; none: anything, and no batches come out
  int64_t min_after_dequeue = 0;     // so many stay in an open queue
  int64_t seed = 0;
  int64_t seed2 = 0;
  // Above 0: elements are tokens that members take (turns.h); this many used tokens make the next batch come.
  int64_t tokens_needed = 0;
  int64_t members_expected = 0;
};

// Thread-safe. Callbacks run without the queue's lock, on the thread that makes the wait end or on the caller's.
class Queue final : public Resource {
 public:
  explicit Queue(QueueSpec spec);
  const QueueSpec& spec() const { return spec_; }

  using EnqueueDone = std::function<void(Status)>;
  using DequeueDone = std::function<void(Result<std::vector<QueueElement>>)>;

  // Adds elements, all of them in order, as soon as there is room for each. An error (the queue is closed, the step is
  // cancelled) leaves those in the queue that had room. `cancel` outlives the call of `done`.
  void Enqueue(std::vector<QueueElement> elements, CancelToken& cancel, EnqueueDone done);
  // Takes `count` elements as soon as they are there; of a closed queue what is left, if `fewer_when_closed` and
  // anything is. Takes what there is while it waits, so `count` may be over the capacity.
  void Dequeue(int64_t count, bool fewer_when_closed, CancelToken& cancel, DequeueDone done) {
    Dequeue(count, fewer_when_closed, "", cancel, std::move(done));
  }
  // The same for a member of a queue of tokens.
  void Dequeue(int64_t count, bool fewer_when_closed, const std::string& member, CancelToken& cancel, DequeueDone done);
  // Who takes turns. One call of Leave for each of Join; the tokens of who has left go back.
  void Join(const std::string& member);
  void Leave(const std::string& member);
  // Closed, a queue takes nothing more and gives out what it has. Waits for the enqueues before it, or ends all that
  // wait with Cancelled.
  void Close(bool cancel_pending_enqueues, CancelToken& cancel, EnqueueDone done);

  int64_t size() const;
  bool everyone_waits() const;  // every member for a token, and none is expected beside them
  bool is_closed() const;
  std::string DebugString() const override;

 private:
  // Someone who waits. Of an enqueue `elements` are what is still to go in, of a dequeue what it has got.
  struct Waiter {
    enum class Action { kEnqueue, kClose, kDequeue };
    Action action = Action::kEnqueue;
    std::vector<QueueElement> elements;
    size_t next = 0;  // of an enqueue: the first element that is not in yet
    int64_t count = 0;
    bool fewer_when_closed = false;
    std::string member;  // of a dequeue that takes turns
    CancelToken* cancel = nullptr;
    CancelToken::Id cancel_id = 0;
    EnqueueDone enqueue_done;
    DequeueDone dequeue_done;
  };
  using Waiters = std::map<uint64_t, Waiter>;  // by order of arrival
  struct Ended {
    Waiter waiter;
    Status status;
  };

  void Wait(Waiter waiter);
  void CancelWaiter(uint64_t id, bool dequeues);
  // Serves who can be served now, in order.
  void ServeLocked(std::vector<Ended>& ended);
  bool ServeEnqueuesLocked(std::vector<Ended>& ended);
  bool ServeDequeuesLocked(std::vector<Ended>& ended);
  // The first dequeue whose turn it is.
  Waiters::iterator NextDequeueLocked();
  // How many dequeues of each member wait.
  std::map<std::string, int64_t> WaitingLocked() const;
  void EndLocked(Waiters& waiters, Waiters::iterator it, Status status, std::vector<Ended>& ended);
  int64_t AvailableLocked() const;
  static void Report(std::vector<Ended> ended);

  const QueueSpec spec_;
  mutable std::mutex mu_;
  const std::unique_ptr<QueueOrder> order_;
  Turns turns_;
  std::vector<Tensor> token_;  // of this round; all are alike
  bool closed_ = false;
  uint64_t next_arrival_ = 0;
  uint64_t next_waiter_ = 0;
  Waiters enqueues_;
  Waiters dequeues_;
};

}  // namespace weir::ops
