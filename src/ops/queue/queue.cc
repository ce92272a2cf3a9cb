// Each call adds a Waiter and then serves all waiters that can proceed; a call that still waits registers for
// cancellation. CancelToken::Unregister is never called with the queue's lock held: it blocks until a running cancel
// callback returns, and that callback takes the lock.
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

Queue::Queue(QueueSpec spec)
    : spec_(std::move(spec)), order_(MakeOrder(spec_)), scheduler_(spec_.tokens_needed, spec_.members_expected) {}

void Queue::Enqueue(std::vector<QueueElement> elements, CancelToken& cancel, EnqueueDone done) {
  const size_t bytes = elements.size() * (sizeof(QueueElement) + spec_.types.size() * sizeof(Tensor));
  if (Status status = ProcessMemory::Get().ReserveKept(bytes); !status.ok()) return done(std::move(status));
  Waiter waiter;
  waiter.action = Waiter::Action::kEnqueue;
  waiter.elements = std::move(elements);
  waiter.cancel = &cancel;
  waiter.enqueue_done = std::move(done);
  Wait(std::move(waiter));
}

void Queue::Dequeue(int64_t count, bool fewer_when_closed, const std::string& member, CancelToken& cancel,
                    DequeueDone done) {
  Waiter waiter;
  waiter.member = member;
  waiter.action = Waiter::Action::kDequeue;
  waiter.count = count;
  waiter.fewer_when_closed = fewer_when_closed;
  waiter.cancel = &cancel;
  waiter.dequeue_done = std::move(done);
  Wait(std::move(waiter));
}

void Queue::Join(const std::string& member) {
  std::lock_guard lock(mu_);
  scheduler_.Join(member);
}

void Queue::Leave(const std::string& member) {
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    const TokenScheduler::LeaveResult left = scheduler_.Leave(member);
    while (left.round_ends && order_->size() > 0) order_->Take();
    for (int64_t i = 0; i < left.tokens; ++i) order_->Add({token_, next_arrival_++});
    ServeLocked(ended);  // the others may have a larger share now
  }
  RunCallbacks(std::move(ended));
}

void Queue::Close(bool cancel_pending_enqueues, CancelToken& cancel, EnqueueDone done) {
  if (!cancel_pending_enqueues) {
    Waiter waiter;
    waiter.action = Waiter::Action::kClose;
    waiter.cancel = &cancel;
    waiter.enqueue_done = std::move(done);
    return Wait(std::move(waiter));
  }
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    while (!enqueues_.empty())
      EndLocked(enqueues_, enqueues_.begin(), Cancelled("Enqueue operation was cancelled"), ended);
    ServeLocked(ended);
  }
  RunCallbacks(std::move(ended));
  done(OkStatus());
}

void Queue::Wait(Waiter waiter) {
  const bool dequeues = waiter.action == Waiter::Action::kDequeue;
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    Waiters& waiters = dequeues ? dequeues_ : enqueues_;
    const uint64_t id = next_waiter_++;
    const bool too_late = waiter.cancel->cancelled();
    const std::string member = waiter.member;
    waiters.emplace_hint(waiters.end(), id, std::move(waiter));
    if (!too_late) ServeLocked(ended);
    if (dequeues && scheduler_.enabled() && waiters.contains(id)) {
      scheduler_.OnWaiting(member, WaitingLocked()[member]);
      ServeLocked(ended);  // the member counts as more replicas now, so it may take more
    }
    if (auto it = waiters.find(id); it != waiters.end()) {
      CancelToken& cancel = *it->second.cancel;
      if (!too_late) {
        it->second.cancel_id = cancel.Register(
            [self = ResourcePtr<Queue>::Share(this), id, dequeues] { self->CancelWaiter(id, dequeues); });
      }
      if (it->second.cancel_id == 0) {
        EndLocked(waiters, it, Cancelled("{} operation was cancelled", dequeues ? "Dequeue" : "Enqueue"), ended);
        ServeLocked(ended);
      }
    }
  }
  RunCallbacks(std::move(ended));
}

void Queue::CancelWaiter(uint64_t id, bool dequeues) {
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    Waiters& waiters = dequeues ? dequeues_ : enqueues_;
    auto it = waiters.find(id);
    if (it == waiters.end()) return;  // already served
    EndLocked(waiters, it, Cancelled("{} operation was cancelled", dequeues ? "Dequeue" : "Enqueue"), ended);
    ServeLocked(ended);
  }
  RunCallbacks(std::move(ended));
}

void Queue::ServeLocked(std::vector<CompletedWaiter>& ended) {
  bool changed = true;
  while (changed) {
    changed = ServeEnqueuesLocked(ended);
    changed = ServeDequeuesLocked(ended) || changed;
  }
}

bool Queue::ServeEnqueuesLocked(std::vector<CompletedWaiter>& ended) {
  const int64_t capacity = spec_.capacity < 0 ? std::numeric_limits<int64_t>::max() : spec_.capacity;
  bool changed = false;
  while (!enqueues_.empty()) {
    const auto first = enqueues_.begin();
    Waiter& waiter = first->second;
    if (waiter.action == Waiter::Action::kClose) {
      const bool again = std::exchange(closed_, true);
      EndLocked(enqueues_, first, again ? Cancelled("Queue '{}' is already closed.", spec_.name) : OkStatus(), ended);
      changed = true;
      continue;
    }
    if (closed_) {
      EndLocked(enqueues_, first, Cancelled("{} '{}' is closed.", QueueKindName(spec_.kind), spec_.name), ended);
      changed = true;
      continue;
    }
    if (scheduler_.enabled() && waiter.next == 0 && !waiter.elements.empty()) {
      while (scheduler_.by_share() && order_->size() > 0) order_->Take();
      token_ = waiter.elements[0].components;
      scheduler_.BeginRound();
    }
    while (waiter.next < waiter.elements.size() && order_->size() < capacity) {
      QueueElement& element = waiter.elements[waiter.next++];
      element.arrival = next_arrival_++;
      order_->Add(std::move(element));
      changed = true;
    }
    if (waiter.next < waiter.elements.size()) break;
    EndLocked(enqueues_, first, OkStatus(), ended);
    changed = true;
  }
  return changed;
}

Queue::Waiters::iterator Queue::NextDequeueLocked() {
  if (!scheduler_.by_share() || closed_) return dequeues_.begin();
  return std::find_if(dequeues_.begin(), dequeues_.end(),
                      [&](const auto& entry) { return scheduler_.MayTake(entry.second.member); });
}

bool Queue::ServeDequeuesLocked(std::vector<CompletedWaiter>& ended) {
  bool changed = false;
  for (auto first = NextDequeueLocked(); first != dequeues_.end(); first = NextDequeueLocked()) {
    Waiter& waiter = first->second;
    const int64_t taken = static_cast<int64_t>(waiter.elements.size());
    const int64_t in_reach = taken + order_->size();
    if (closed_ && in_reach < waiter.count) {
      if (!waiter.fewer_when_closed || in_reach == 0) {
        const Status status =
            OutOfRange("{} '{}' is closed and has insufficient elements (requested {}, current size {})",
                       QueueKindName(spec_.kind), spec_.name, waiter.count, in_reach);
        EndLocked(dequeues_, first, status, ended);
        changed = true;
        continue;
      }
      waiter.count = in_reach;
    }
    int64_t take = std::min(waiter.count - taken, AvailableLocked());
    changed = changed || take > 0;
    for (; take > 0; --take) waiter.elements.push_back(order_->Take());
    if (static_cast<int64_t>(waiter.elements.size()) < waiter.count) break;
    scheduler_.RecordTake(waiter.member);
    EndLocked(dequeues_, first, OkStatus(), ended);
    changed = true;
  }
  return changed;
}

void Queue::EndLocked(Waiters& waiters, Waiters::iterator it, Status status, std::vector<CompletedWaiter>& ended) {
  Waiter& waiter = it->second;
  if (waiter.action == Waiter::Action::kDequeue && !status.ok()) {
    order_->PutBack(std::move(waiter.elements));
    waiter.elements.clear();
  }
  ended.push_back({std::move(waiter), std::move(status)});
  waiters.erase(it);
}

int64_t Queue::AvailableLocked() const {
  return closed_ ? order_->size() : std::max<int64_t>(0, order_->size() - spec_.min_after_dequeue);
}

void Queue::RunCallbacks(std::vector<CompletedWaiter> ended) {
  for (auto& [waiter, status] : ended) {
    if (waiter.cancel_id != 0) waiter.cancel->Unregister(waiter.cancel_id);
    if (waiter.action != Waiter::Action::kDequeue) {
      waiter.enqueue_done(std::move(status));
    } else if (status.ok()) {
      waiter.dequeue_done(std::move(waiter.elements));
    } else {
      waiter.dequeue_done(std::move(status));
    }
  }
}

int64_t Queue::size() const {
  std::lock_guard lock(mu_);
  return order_->size();
}

bool Queue::all_members_waiting() const {
  std::lock_guard lock(mu_);
  return scheduler_.enabled() && scheduler_.AllMembersWait(WaitingLocked());
}

std::map<std::string, int64_t> Queue::WaitingLocked() const {
  std::map<std::string, int64_t> waiting;
  for (const auto& [id, waiter] : dequeues_) ++waiting[waiter.member];
  return waiting;
}

bool Queue::is_closed() const {
  std::lock_guard lock(mu_);
  return closed_;
}

std::string Queue::DebugString() const {
  std::lock_guard lock(mu_);
  return fmt::format("{} '{}' with {} elements", QueueKindName(spec_.kind), spec_.name, order_->size());
}

}  // namespace weir::ops
