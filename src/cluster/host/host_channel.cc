#include "cluster/host/host_channel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>

#include "cluster/transport_errors.h"

namespace weir {
namespace {

// Names are only looked up where that does not ask the network.
std::vector<std::string> AddressesOnHost(const std::string& text) {
  const Result<Address> address = Address::Parse(text);
  if (!address.ok() || address->is_unix()) return {};
  char own[256] = "";
  gethostname(own, sizeof(own) - 1);
  in6_addr bytes{};
  const bool numeric =
      inet_pton(AF_INET, address->host.c_str(), &bytes) == 1 || inet_pton(AF_INET6, address->host.c_str(), &bytes) == 1;
  if (!numeric && address->host != "localhost" && address->host != own) return {};
  return NumericAddresses(*address);
}

}  // namespace

// ---- HostCaller ----

bool HostCaller::Call(const std::string& method, Rope& request, const CallOptions& options, Channel::Done& done) {
  const std::shared_ptr<HostLink> self = shared_from_this();
  uint64_t id = 0;
  Status cancelled;
  {
    std::lock_guard lock(mu_);
    if (lost_) return false;
    id = next_++;
    Open open{nullptr, options.cancel, 0, 0};
    std::weak_ptr<HostCaller> weak = std::static_pointer_cast<HostCaller>(self);
    if (options.cancel != nullptr) {
      open.registration = options.cancel->Register([weak, id, token = options.cancel] {
        if (const std::shared_ptr<HostCaller> alive = weak.lock()) alive->EndLater(id, token->reason());
      });
      if (open.registration == 0) cancelled = options.cancel->reason();
    }
    if (cancelled.ok()) {
      if (options.timeout_ms > 0) {
        open.alarm = shared_.alarms.After(options.timeout_ms * kNanosPerMilli, [weak, id] {
          if (const std::shared_ptr<HostCaller> alive = weak.lock())
            alive->EndLater(id, DeadlineExceeded("no answer came in time"));
        });
      }
      open.done = std::move(done);
      open_.emplace(id, std::move(open));
    }
  }
  if (!cancelled.ok()) {
    done(cancelled);
    return true;
  }
  BeginWait();
  Send({.kind = HostHead::kCall, .id = id}, method, std::move(request));  // where it fails all calls are told
  return true;
}

void HostCaller::Came(const HostHead& head, Result<Rope> payload) {
  if (head.kind == HostHead::kError && payload.ok())
    payload = MakeStatus(static_cast<StatusCode>(head.code), payload->Flatten());
  End(head.id, std::move(payload), /*tell_peer=*/false);
}

void HostCaller::End(uint64_t id, Result<Rope> result, bool tell_peer) {
  Open open;
  std::shared_ptr<void> counted;
  bool last = false;
  {
    std::lock_guard lock(mu_);
    auto it = open_.find(id);
    if (it == open_.end()) return;
    open = std::move(it->second);
    open_.erase(it);
    counted = ending_->Enter();
    last = left_ && open_.empty();
  }
  if (tell_peer) Send({.kind = HostHead::kCancel, .id = id}, "", Rope());
  Finish(std::move(open), std::move(result));
  if (last) Break(Cancelled("the channel has ended"));
}

// For who must not run what follows on the end of a call: it may be the end of the token that is being cancelled.
void HostCaller::EndLater(uint64_t id, Status reason) {
  shared_.loop.Post([self = std::static_pointer_cast<HostCaller>(shared_from_this()), id, reason = std::move(reason)] {
    self->End(id, reason, /*tell_peer=*/true);
  });
}

void HostCaller::Leave() {
  {
    std::lock_guard lock(mu_);
    left_ = true;
    if (!open_.empty()) return;
  }
  Break(Cancelled("the channel has ended"));
}

void HostCaller::Finish(Open open, Result<Rope> result) {
  EndWait();
  if (open.token != nullptr) open.token->Unregister(open.registration);
  if (open.alarm != 0) shared_.alarms.Drop(open.alarm);
  open.done(std::move(result));
}

void HostCaller::Broken(const Status& reason) {
  std::unordered_map<uint64_t, Open> open;
  {
    std::lock_guard lock(mu_);
    lost_ = true;
    open.swap(open_);
  }
  for (auto& [id, call] : open) Finish(std::move(call), reason);
  whole_ = nullptr;
}

// ---- HostCallers ----

std::shared_ptr<HostCaller> HostCallers::Connect(const std::vector<std::string>& addresses) {
  for (const std::string& address : addresses) {
    OwnedFd fd = ConnectOnHost(address);
    if (!fd.valid()) continue;
    std::shared_ptr<HostCaller> caller;
    {
      std::lock_guard lock(mu_);
      if (closed_) return nullptr;
      caller = std::make_shared<HostCaller>(shared_(), std::move(fd), ending_);
      std::erase_if(all_, [](const std::weak_ptr<HostCaller>& weak) { return weak.expired(); });
      all_.push_back(caller);
    }
    caller->Start();
    return caller;
  }
  return nullptr;
}

void HostCallers::Close() {
  std::vector<std::shared_ptr<HostCaller>> callers;
  {
    std::lock_guard lock(mu_);
    closed_ = true;
    for (const std::weak_ptr<HostCaller>& weak : all_) {
      if (std::shared_ptr<HostCaller> alive = weak.lock()) callers.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<HostCaller>& caller : callers) caller->Break(ProcessIsEnding());
  ending_->WaitForNone();
}

// ---- HostChannel ----

HostChannel::HostChannel(std::string address, std::shared_ptr<HostCallers> callers,
                         std::function<std::shared_ptr<Channel>()> other)
    : address_(std::move(address)),
      on_host_(AddressesOnHost(address_)),
      callers_(std::move(callers)),
      make_other_(std::move(other)) {}

HostChannel::~HostChannel() {
  if (caller_ != nullptr) caller_->Leave();
}

std::shared_ptr<HostCaller> HostChannel::Caller() {
  std::lock_guard lock(mu_);
  if (caller_ != nullptr && caller_->IsThere()) return caller_;
  if (caller_ != nullptr) caller_->Break(BrokenConnection("end of file"));
  caller_ = on_host_.empty() ? nullptr : callers_->Connect(on_host_);
  return caller_;
}

std::shared_ptr<Channel> HostChannel::Other() {
  std::lock_guard lock(mu_);
  if (other_ == nullptr) other_ = make_other_();
  return other_;
}

void HostChannel::Call(const std::string& method, Rope request, const CallOptions& options, Done done) {
  while (const std::shared_ptr<HostCaller> caller = Caller()) {
    if (caller->Call(method, request, options, done)) return;
  }
  const std::shared_ptr<Channel> other = callers_->closed() ? nullptr : Other();
  if (other == nullptr) return done(ProcessIsEnding());
  other->Call(method, std::move(request), options, std::move(done));
}

}  // namespace weir
