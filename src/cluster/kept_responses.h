// KeptResponses: the calls of one session that their caller may send again (CallSlots). The first copy of a call that
// arrives is run; later ones get its response. The response is kept until the caller's next call on the slot.
// Thread-safe.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/alarms.h"
#include "cluster/call_slots.h"
#include "cluster/services.h"
#include "cluster/transport_errors.h"
#include "runtime/first_answer.h"

namespace weir {

// The memory for the responses that a server keeps for one session. A response that does not fit is not kept.
inline constexpr size_t kKeptResponseBytes = size_t{16} << 20;

// The memory that a tensor, or a response, takes while it is kept.
size_t KeptBytes(const Tensor& tensor);
size_t KeptBytes(const google::protobuf::MessageLite& message, const std::vector<NamedTensor>& tensors);

template <class Response>
class KeptResponses final : public std::enable_shared_from_this<KeptResponses<Response>> {
 public:
  // A call that is running, or has run.
  struct Call {
    CancelToken cancel;  // cancelled when the caller has given up; not by a broken connection
    // Set it before End. A repeatable call changes nothing: it runs again instead of being kept.
    bool repeatable = false;

   private:
    friend class KeptResponses;
    CallNumber number;
    // Guarded by the lock of KeptResponses:
    bool ended = false;
    bool given_up = false;
    int breaks = 0;                            // number of broken connections
    std::optional<Result<Response>> response;  // once it has ended, if it is kept
    size_t bytes = 0;                          // of the response
    // One for each copy: which of their connections still work is not known.
    absl::InlinedVector<typename FirstAnswer<Result<Response>>::Ptr, 1> waiters;
  };
  using CallPtr = std::shared_ptr<Call>;

  struct Options {
    size_t max_bytes = kKeptResponseBytes;
    // A running call is cancelled when its connection broke so long ago and it was not sent again. Without alarms, the
    // owner of the session must end such calls. The alarms must outlive this object.
    Alarms* alarms = nullptr;
    int64_t resend_ms = 0;
  };
  explicit KeptResponses(const Options& options) : options_(options) {}

  // If this is the first copy of a call: returns the call. The caller runs it, stops when its token is cancelled, and
  // passes the response to End. Otherwise returns null: an earlier copy is running or has run, or its sender has given
  // up; then `done` has run, or will when the earlier copy ends. `connection` is cancelled when the response could not
  // be sent; may be null. REQUIRES: number.slot > 0.
  CallPtr Begin(CallNumber number, CancelToken* connection, Reply<Response> done);
  // Responds to a call that Begin has returned.
  void End(const CallPtr& call, Result<Response> response);
  // Cancels the call with that number and all earlier ones on its slot, also if they arrive later.
  void GiveUp(CallNumber number, const Status& reason);
  // From now on, a running call is cancelled as soon as all of its connections have broken.
  void EndOrphans();
  // The memory of the responses that are kept now.
  size_t bytes() const {
    std::lock_guard lock(mu_);
    return bytes_;
  }

 private:
  // The last call on a slot; may be null. REQUIRES: mu_ is held, and the slot is valid.
  CallPtr& LastOn(uint32_t slot) {
    if (slots_.size() < slot) slots_.resize(slot);
    return slots_[slot - 1];
  }
  // Replaces the last call on a slot by a new one, and frees its response. REQUIRES: mu_ is held.
  const CallPtr& Replace(CallPtr& last, CallNumber number) {
    if (last != nullptr) bytes_ -= last->bytes;
    last = std::make_shared<Call>();
    last->number = number;
    return last;
  }
  // Cancels a running call later, unless it is sent again.
  void WatchOrphan(CallNumber number);
  void EndOrphan(CallNumber number, int breaks);
  // True if no copy of the call has a connection. REQUIRES: mu_ is held.
  static bool IsOrphan(const Call& call) {
    return !call.ended &&
           std::all_of(call.waiters.begin(), call.waiters.end(), [](const auto& waiter) { return waiter->answered(); });
  }

  const Options options_;
  mutable std::mutex mu_;
  std::vector<CallPtr> slots_;  // the last call, by slot - 1
  size_t bytes_ = 0;
  bool ends_orphans_ = false;
};

inline Status CallWasGivenUp() {
  return MarkDerived(
      MakeStatus(StatusCode::kAborted, "the caller has given up this call, or has its response already"));
}
inline Status TooManyCopies() { return ResourceExhausted("{} copies of this call wait for its response", kMaxCopies); }
// The error of a call whose response was lost.
Status ResponseNotKept(size_t max_bytes);

template <class Response>
typename KeptResponses<Response>::CallPtr KeptResponses<Response>::Begin(CallNumber number, CancelToken* connection,
                                                                         Reply<Response> done) {
  if (number.slot > kMaxCallSlots) {
    done(MakeStatus(StatusCode::kInvalidArgument, "the number of a call has a slot that is too large"));
    return nullptr;
  }
  auto waiter =
      FirstAnswer<Result<Response>>::Make(connection, std::move(done), [weak = this->weak_from_this(), number] {
        if (const std::shared_ptr<KeptResponses> self = weak.lock()) self->WatchOrphan(number);
      });
  std::optional<Result<Response>> known;
  CallPtr call;
  CallPtr given_up;
  {
    std::lock_guard lock(mu_);
    CallPtr& last = LastOn(number.slot);
    const bool is_new = last == nullptr || number.sequence > last->number.sequence;
    const bool is_copy = !is_new && number.sequence == last->number.sequence && !last->given_up;
    if (!is_new && !is_copy) {
      known = CallWasGivenUp();
    } else if (is_copy && !last->ended) {
      auto& waiters = last->waiters;
      waiters.erase(std::remove_if(waiters.begin(), waiters.end(), [](const auto& copy) { return copy->answered(); }),
                    waiters.end());
      if (waiters.size() >= kMaxCopies) {
        known = TooManyCopies();
      } else {
        waiters.push_back(waiter);
      }
    } else if (is_copy && last->response.has_value()) {
      known = last->response;
    } else if (is_copy && !last->repeatable) {
      known = ResponseNotKept(options_.max_bytes);
    } else if (!waiter->answered()) {  // else its connection has broken already, and another copy may arrive
      if (last != nullptr && !last->ended) given_up = last;
      call = Replace(last, number);
      call->waiters.push_back(waiter);
    }
  }
  if (given_up != nullptr) given_up->cancel.Cancel(CallWasGivenUp());
  if (known.has_value()) waiter->Give(*std::move(known));
  return call;
}

template <class Response>
void KeptResponses<Response>::End(const CallPtr& call, Result<Response> response) {
  decltype(call->waiters) waiters;
  {
    std::lock_guard lock(mu_);
    call->ended = true;
    waiters.swap(call->waiters);
    const bool is_last = LastOn(call->number.slot) == call;
    if (is_last && !call->given_up && !(call->repeatable && response.ok())) {
      const size_t bytes = response.ok() ? KeptBytes(response->message, response->tensors) : 0;
      if (bytes_ + bytes <= options_.max_bytes) {
        call->response = response;
        call->bytes = bytes;
        bytes_ += bytes;
      }
    }
  }
  for (size_t i = 1; i < waiters.size(); ++i) waiters[i]->Give(response);
  waiters[0]->Give(std::move(response));
}

template <class Response>
void KeptResponses<Response>::GiveUp(CallNumber number, const Status& reason) {
  if (number.slot == 0 || number.slot > kMaxCallSlots) return;
  CallPtr running;
  {
    std::lock_guard lock(mu_);
    CallPtr& last = LastOn(number.slot);
    if (last != nullptr && last->number.sequence > number.sequence) return;
    if (last != nullptr && !last->ended) running = last;
    if (last == nullptr || last->number.sequence < number.sequence) Replace(last, number)->ended = true;
    last->given_up = true;
    last->response = std::nullopt;
    bytes_ -= std::exchange(last->bytes, 0);
  }
  if (running != nullptr) running->cancel.Cancel(reason);
}

template <class Response>
void KeptResponses<Response>::WatchOrphan(CallNumber number) {
  int breaks = 0;
  CallPtr orphan;
  {
    std::lock_guard lock(mu_);
    const CallPtr& last = LastOn(number.slot);
    if (last == nullptr || last->number.sequence != number.sequence || last->ended) return;
    breaks = ++last->breaks;
    if (ends_orphans_ && IsOrphan(*last)) orphan = last;
  }
  if (orphan != nullptr) return orphan->cancel.Cancel(CallerIsGone());
  if (options_.alarms == nullptr) return;
  options_.alarms->After(options_.resend_ms * kNanosPerMilli, [weak = this->weak_from_this(), number, breaks] {
    if (const std::shared_ptr<KeptResponses> self = weak.lock()) self->EndOrphan(number, breaks);
  });
}

template <class Response>
void KeptResponses<Response>::EndOrphan(CallNumber number, int breaks) {
  CallPtr orphan;
  {
    std::lock_guard lock(mu_);
    const CallPtr& last = LastOn(number.slot);
    if (last == nullptr || last->number.sequence != number.sequence || last->breaks != breaks) return;
    if (IsOrphan(*last)) orphan = last;
  }
  if (orphan != nullptr) orphan->cancel.Cancel(CallerIsGone());
}

template <class Response>
void KeptResponses<Response>::EndOrphans() {
  std::vector<CallPtr> orphans;
  {
    std::lock_guard lock(mu_);
    ends_orphans_ = true;
    for (const CallPtr& last : slots_) {
      if (last != nullptr && IsOrphan(*last)) orphans.push_back(last);
    }
  }
  for (const CallPtr& orphan : orphans) orphan->cancel.Cancel(CallerIsGone());
}

}  // namespace weir
