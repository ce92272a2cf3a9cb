#include "cluster/resent_call.h"

#include "cluster/transport_errors.h"

namespace weir {
namespace {

// A request that itself breaks each connection must end.
constexpr int kMaxCopies = 100;

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
    if (!response.ok() && (options_.cancel == nullptr || !options_.cancel->cancelled())) {
      const std::optional<int64_t> silent_ms = SilenceBeforeBreak(response.status());
      silent_ms_ += silent_ms.value_or(0);
      // After a longer silence the callee does not know the caller any more.
      if (silent_ms.has_value() && silent_ms_ < options_.resend_ms && copies_ < kMaxCopies) {
        broke_ = response.status();
        return Send();
      }
      if (response.status().code() == StatusCode::kUnavailable && !broke_.ok()) response = broke_;
    }
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
  int64_t silent_ms_ = 0;  // in all
  int copies_ = 0;
};

}  // namespace

void CallAndResend(std::shared_ptr<Channel> channel, const std::string& method, Rope request,
                   const CallOptions& options, Channel::Done done) {
  std::make_shared<ResentCall>(std::move(channel), method, std::move(request), options, std::move(done))->Send();
}

}  // namespace weir
