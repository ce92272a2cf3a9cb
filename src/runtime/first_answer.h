// FirstAnswer: runs a callback once, with whichever comes first: an answer, or the cancellation of a token. Later ones
// are ignored. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "op/cancel.h"

namespace weir {

// `Answer` can be made from a Status: it is a Status or a Result.
template <class Answer>
class FirstAnswer final {
 public:
  using Done = std::function<void(Answer)>;
  using Ptr = std::shared_ptr<FirstAnswer>;

  // If `cancel` is cancelled first, `on_cancel` runs, and then `done` with the reason; both in Make if it is cancelled
  // already. `cancel` may be null. REQUIRES: `cancel` lives until `done` runs.
  template <class OnCancel>
  static Ptr Make(CancelToken* cancel, Done done, OnCancel on_cancel) {
    auto first = std::make_shared<FirstAnswer>(cancel, std::move(done));
    if (cancel == nullptr) return first;
    first->registration_ = cancel->Register([first, on_cancel] {
      if (first->answered_.exchange(true)) return;
      on_cancel();
      first->Finish(first->cancel_->reason());
    });
    if (first->registration_ == 0) {  // no other thread knows of it yet
      first->answered_ = true;
      on_cancel();
      first->Finish(cancel->reason());
    }
    return first;
  }
  static Ptr Make(CancelToken* cancel, Done done) {
    return Make(cancel, std::move(done), [] {});
  }
  // For Make.
  FirstAnswer(CancelToken* cancel, Done done) : cancel_(cancel), done_(std::move(done)) {}
  FirstAnswer(const FirstAnswer&) = delete;
  FirstAnswer& operator=(const FirstAnswer&) = delete;

  // Gives the answer. Returns false and does nothing if there was an answer or a cancellation before.
  bool Give(Answer answer) {
    if (!Claim()) return false;
    Finish(std::move(answer));
    return true;
  }
  // Give in two parts, for a caller that does work between them. Claim returns true to one caller only,
  // which must call Finish once. If Claim returns true, `on_cancel` is not running and will not run.
  bool Claim() {
    if (answered_.exchange(true)) return false;
    if (cancel_ != nullptr) cancel_->Unregister(registration_);
    return true;
  }
  // Destroys `done` after the call: others may wait for the objects that it keeps alive.
  void Finish(Answer answer) { std::exchange(done_, nullptr)(std::move(answer)); }
  // True once there is an answer or a cancellation; `done` may not have run yet.
  bool answered() const { return answered_; }

 private:
  CancelToken* const cancel_;
  CancelToken::Id registration_ = 0;
  std::atomic<bool> answered_{false};
  Done done_;
};

}  // namespace weir
