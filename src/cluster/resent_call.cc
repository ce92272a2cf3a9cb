#include "cluster/resent_call.h"

#include <algorithm>
#include <atomic>

#include "base/alarms.h"
#include "cluster/call_slots.h"
#include "cluster/transport_errors.h"
#include "runtime/first_answer.h"

namespace weir {
namespace {

constexpr int64_t kFirstResendPauseMs = 20;
constexpr int64_t kLongestResendPauseMs = 1'000;

class ResentCall final : public std::enable_shared_from_this<ResentCall> {
 public:
  ResentCall(std::shared_ptr<Channel> channel, const std::string& method, Rope request, const CallOptions& options,
             Channel::Done done)
      : channel_(std::move(channel)),
        method_(method),
        request_(std::move(request)),
        options_(options),
        done_(std::move(done)) {}

  void Send() {
    ++copies_;
    Rope copy;
    RopeReader(request_).Take(request_.size(), &copy);
    channel_->Call(method_, std::move(copy), options_,
                   [self = shared_from_this()](Result<Rope> response) { self->OnResponse(std::move(response)); });
  }

 private:
  void OnResponse(Result<Rope> response) {
    if (response.ok() || cancelled()) return End(std::move(response));
    const Interruption what = InterruptionOf(response.status());
    if (what == Interruption::kBroken) broke_ = response.status();
    if (what != Interruption::kNone && copies_ < kMaxCopies && !too_late_) {
      StartTimer();
      if (what == Interruption::kBroken) return Send();
      if (options_.resend_alarms != nullptr) return SendLater();
    }
    // Report how the connection broke. The last error only says that no new connection could be opened.
    if (response.status().code() == StatusCode::kUnavailable && !broke_.ok()) response = broke_;
    End(std::move(response));
  }

  bool cancelled() const { return options_.cancel != nullptr && options_.cancel->cancelled(); }

  void StartTimer() {
    if (options_.resend_alarms == nullptr || std::exchange(has_timer_, true)) return;
    options_.resend_alarms->After(options_.resend_ms * kNanosPerMilli, [weak = weak_from_this()] {
      if (const std::shared_ptr<ResentCall> self = weak.lock()) self->too_late_ = true;
    });
  }

  void SendLater() {
    const auto paused = FirstAnswer<Status>::Make(options_.cancel, [self = shared_from_this()](const Status& status) {
      if (status.ok()) return self->Send();
      self->End(status);
    });
    if (paused->answered()) return;
    options_.resend_alarms->After(pause_ms_ * kNanosPerMilli, [paused] { paused->Give(OkStatus()); });
    pause_ms_ = std::min(2 * pause_ms_, kLongestResendPauseMs);
  }

  void End(Result<Rope> response) {
    request_ = Rope();
    // Others may wait for the objects that it keeps alive.
    const Channel::Done done = std::move(done_);
    done(std::move(response));
  }

  const std::shared_ptr<Channel> channel_;
  const std::string method_;
  Rope request_;
  const CallOptions options_;
  Channel::Done done_;
  Status broke_;  // how the last connection broke
  int copies_ = 0;
  int64_t pause_ms_ = kFirstResendPauseMs;
  bool has_timer_ = false;
  std::atomic<bool> too_late_{false};
};

}  // namespace

void CallAndResend(std::shared_ptr<Channel> channel, const std::string& method, Rope request,
                   const CallOptions& options, Channel::Done done) {
  std::make_shared<ResentCall>(std::move(channel), method, std::move(request), options, std::move(done))->Send();
}

}  // namespace weir
