// Each call joins a list of waiting calls and then serves all calls that can proceed.
#include "ops/queue/queue.h"

#include <algorithm>
#include <limits>

#include "base/process_memory.h"

namespace weir::ops {
namespace {

std::unique_ptr<QueueOrder> MakeOrder(const QueueSpec& spec) {
  switch (spec.kind) {
    case QueueKind::kRandomShuffle:
      return MakeRandomOrder(spec.seed, spec.seed2);
    case QueueKind::kPriority:
      return MakePriorityOrder();
    case QueueKind::kFifo:
    case QueueKind::kPaddingFifo:
      break;
  }
  return MakeFifoOrder();
}

}  // namespace

const char* QueueKindName(QueueKind kind) {
  switch (kind) {
    case QueueKind::kFifo:
      return "FIFOQueue";
    case QueueKind::kRandomShuffle:
      return "RandomShuffleQueue";
    case QueueKind::kPaddingFifo:
      return "PaddingFIFOQueue";
    case QueueKind::kPriority:
      return "PriorityQueue";
  }
  return "";
}

QueueResource::QueueResource(QueueSpec spec)
    : spec_(std::move(spec)), order_(MakeOrder(spec_)), scheduler_(spec_.tokens_needed, spec_.members_expected) {}

void QueueResource::Enqueue(std::vector<QueueElement> elements, CancelToken& cancel, EnqueueDone done) {
  const size_t bytes = elements.size() * (sizeof(QueueElement) + spec_.types.size() * sizeof(Tensor));
  if (Status status = ProcessMemory::Get().ReserveKept(bytes); !status.ok()) return done(std::move(status));
  Call call;
  call.action = Call::Action::kEnqueue;
  call.elements = std::move(elements);
  call.enqueue_done = std::move(done);
  Wait(std::move(call), cancel);
}

void QueueResource::Dequeue(int64_t count, bool fewer_when_closed, const std::string& member, CancelToken& cancel,
                            DequeueDone done) {
  Call call;
  call.action = Call::Action::kDequeue;
  call.count = count;
  call.fewer_when_closed = fewer_when_closed;
  call.member = member;
  call.dequeue_done = std::move(done);
  Wait(std::move(call), cancel);
}

void QueueResource::Join(const std::string& member) {
  std::lock_guard lock(mu_);
  scheduler_.Join(member);
}

void QueueResource::Leave(const std::string& member) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const TokenScheduler::LeaveResult left = scheduler_.Leave(member);
    while (left.round_ends && order_->size() > 0) order_->Take();
    for (int64_t i = 0; i < left.tokens; ++i) order_->Add({token_, next_arrival_++});
    ServeLocked(ended);  // the others may have a larger share now
  });
}

void QueueResource::Close(bool cancel_pending_enqueues, CancelToken& cancel, EnqueueDone done) {
  if (!cancel_pending_enqueues) {
    Call call;
    call.action = Call::Action::kClose;
    call.enqueue_done = std::move(done);
    return Wait(std::move(call), cancel);
  }
  Waiters::Update(mu_, [&](Ended& ended) {
    closed_ = true;
    while (!enqueues_.empty()) enqueues_.End(enqueues_.begin(), Cancelled("Enqueue operation was cancelled"), ended);
    ServeLocked(ended);
  });
  done(OkStatus());
}

void QueueResource::AwaitDequeue(CancelToken& cancel, EnqueueDone done) {
  Call call;
  call.enqueue_done = std::move(done);
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = awaits_.Add(
        std::move(call), cancel, [&](uint64_t) { ServeLocked(ended); },
        [self = ResourcePtr<QueueResource>::Share(this)](uint64_t id) { self->CancelAwait(id); });
    if (it != awaits_.end()) awaits_.End(it, cancel.reason(), ended);
  });
}

void QueueResource::CancelAwait(uint64_t id) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = awaits_.Find(id);
    if (it != awaits_.end()) awaits_.End(it, Cancelled("The wait for a dequeue was cancelled"), ended);
  });
}

void QueueResource::Wait(Call call, CancelToken& cancel) {
  const bool dequeues = call.action == Call::Action::kDequeue;
  const std::string member = call.member;
  Waiters& waiters = dequeues ? dequeues_ : enqueues_;
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto serve = [&](uint64_t id) {
      ServeLocked(ended);
      if (!dequeues || !scheduler_.enabled() || waiters.Find(id) == waiters.end()) return;
      scheduler_.OnWaiting(member, WaitingLocked()[member]);
      ServeLocked(ended);  // the member counts as more replicas now, so it may take more
    };
    const auto it = waiters.Add(
        std::move(call), cancel, serve,
        [self = ResourcePtr<QueueResource>::Share(this), dequeues](uint64_t id) { self->CancelWaiter(id, dequeues); });
    if (it != waiters.end()) EndCancelledLocked(waiters, it, ended);
  });
}

void QueueResource::CancelWaiter(uint64_t id, bool dequeues) {
  Waiters& waiters = dequeues ? dequeues_ : enqueues_;
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters.Find(id);
    if (it != waiters.end()) EndCancelledLocked(waiters, it, ended);  // else it was served already
  });
}

void QueueResource::EndCancelledLocked(Waiters& waiters, Waiters::Iterator it, Ended& ended) {
  if (it->second.call.action == Call::Action::kDequeue) {
    FailDequeueLocked(it, Cancelled("Dequeue operation was cancelled"), ended);
  } else {
    waiters.End(it, Cancelled("Enqueue operation was cancelled"), ended);
  }
  ServeLocked(ended);
}

void QueueResource::FailDequeueLocked(Waiters::Iterator it, Status status, Ended& ended) {
  order_->PutBack(std::move(it->second.call.elements));
  dequeues_.End(it, std::move(status), ended);
}

void QueueResource::ServeLocked(Ended& ended) {
  bool changed = true;
  while (changed) {
    changed = ServeEnqueuesLocked(ended);
    changed = ServeDequeuesLocked(ended) || changed;
  }
  if (!closed_ && dequeues_.empty()) return;
  const Status status = closed_ ? Cancelled("{} '{}' is closed.", QueueKindName(spec_.kind), spec_.name) : OkStatus();
  while (!awaits_.empty()) awaits_.End(awaits_.begin(), status, ended);
}

bool QueueResource::ServeEnqueuesLocked(Ended& ended) {
  const int64_t capacity = spec_.capacity < 0 ? std::numeric_limits<int64_t>::max() : spec_.capacity;
  bool changed = false;
  while (!enqueues_.empty()) {
    const auto first = enqueues_.begin();
    Call& call = first->second.call;
    if (call.action == Call::Action::kClose) {
      const bool again = std::exchange(closed_, true);
      enqueues_.End(first, again ? Cancelled("Queue '{}' is already closed.", spec_.name) : OkStatus(), ended);
      changed = true;
      continue;
    }
    if (closed_) {
      enqueues_.End(first, Cancelled("{} '{}' is closed.", QueueKindName(spec_.kind), spec_.name), ended);
      changed = true;
      continue;
    }
    if (scheduler_.enabled() && call.next == 0 && !call.elements.empty()) {
      while (scheduler_.by_share() && order_->size() > 0) order_->Take();
      token_ = call.elements[0].components;
      scheduler_.BeginRound();
    }
    while (call.next < call.elements.size() && order_->size() < capacity) {
      QueueElement& element = call.elements[call.next++];
      element.arrival = next_arrival_++;
      order_->Add(std::move(element));
      has_received_ = true;
      changed = true;
    }
    if (call.next < call.elements.size()) break;
    enqueues_.End(first, OkStatus(), ended);
    changed = true;
  }
  return changed;
}

QueueResource::Waiters::Iterator QueueResource::NextDequeueLocked() {
  if (!scheduler_.by_share() || closed_) return dequeues_.begin();
  return std::find_if(dequeues_.begin(), dequeues_.end(),
                      [&](const auto& entry) { return scheduler_.MayTake(entry.second.call.member); });
}

bool QueueResource::ServeDequeuesLocked(Ended& ended) {
  bool changed = false;
  for (auto first = NextDequeueLocked(); first != dequeues_.end(); first = NextDequeueLocked()) {
    Call& call = first->second.call;
    const int64_t taken = static_cast<int64_t>(call.elements.size());
    const int64_t in_reach = taken + order_->size();
    if (closed_ && in_reach < call.count) {
      if (!call.fewer_when_closed || in_reach == 0) {
        const Status status =
            OutOfRange("{} '{}' is closed and has insufficient elements (requested {}, current size {})",
                       QueueKindName(spec_.kind), spec_.name, call.count, in_reach);
        FailDequeueLocked(first, status, ended);
        changed = true;
        continue;
      }
      call.count = in_reach;
    }
    int64_t take = std::min(call.count - taken, AvailableLocked());
    changed = changed || take > 0;
    for (; take > 0; --take) call.elements.push_back(order_->Take());
    if (static_cast<int64_t>(call.elements.size()) < call.count) break;
    scheduler_.RecordTake(call.member);
    dequeues_.End(first, OkStatus(), ended);
    changed = true;
  }
  return changed;
}

int64_t QueueResource::AvailableLocked() const {
  return closed_ ? order_->size() : std::max<int64_t>(0, order_->size() - spec_.min_after_dequeue);
}

void QueueResource::Call::Finish(Status status) {
  if (action != Action::kDequeue) {
    enqueue_done(std::move(status));
  } else if (status.ok()) {
    dequeue_done(std::move(elements));
  } else {
    dequeue_done(std::move(status));
  }
}

int64_t QueueResource::size() const {
  std::lock_guard lock(mu_);
  return order_->size();
}

bool QueueResource::has_received() const {
  std::lock_guard lock(mu_);
  return has_received_;
}

bool QueueResource::all_members_waiting() const {
  std::lock_guard lock(mu_);
  return scheduler_.enabled() && scheduler_.AllMembersWait(WaitingLocked());
}

std::map<std::string, int64_t> QueueResource::WaitingLocked() const {
  std::map<std::string, int64_t> waiting;
  for (const auto& [id, waiter] : dequeues_) ++waiting[waiter.call.member];
  return waiting;
}

bool QueueResource::is_closed() const {
  std::lock_guard lock(mu_);
  return closed_;
}

std::string QueueResource::DebugString() const {
  std::lock_guard lock(mu_);
  return fmt::format("{} '{}' with {} elements", QueueKindName(spec_.kind), spec_.name, order_->size());
}

}  // namespace weir::ops
