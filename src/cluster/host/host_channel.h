// HostChannel: calls to an address that go to a process of this host where one listens there, and to another transport
// otherwise. Each call looks anew.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/host/host_link.h"
#include "cluster/in_flight.h"
#include "cluster/transport.h"

namespace weir {

// The end of a connection that calls go out from.
class HostCaller final : public HostLink {
 public:
  HostCaller(const Shared& shared, OwnedFd fd, std::shared_ptr<InFlight> ending)
      : HostLink(shared, std::move(fd)), shared_(shared), ending_(std::move(ending)), whole_(ending_->Enter()) {}
  // As Channel::Call. False, with nothing done, where the connection was lost before anything was sent.
  bool Call(const std::string& method, Rope& request, const CallOptions& options, Channel::Done& done);
  // No more calls will come: it ends with the last.
  void Leave();

 private:
  struct Open {
    Channel::Done done;
    CancelToken* token = nullptr;
    CancelToken::Id registration = 0;
    Alarms::Id alarm = 0;
  };
  void Began(const HostHead&, std::string) override {}
  void Came(const HostHead& head, Result<Rope> payload) override;
  void Broken(const Status& reason) override;
  // Ends the call, if it still is open; the peer is told where it does not know.
  void End(uint64_t id, Result<Rope> result, bool tell_peer);
  void EndLater(uint64_t id, Status reason);
  void Finish(Open open, Result<Rope> result);

  const Shared shared_;
  const std::shared_ptr<InFlight> ending_;
  std::shared_ptr<void> whole_;  // until it is broken and everybody told
  std::mutex mu_;
  uint64_t next_ = 1;
  bool lost_ = false;
  bool left_ = false;
  std::unordered_map<uint64_t, Open> open_;
};

// The connections of a transport, so that it can end them. Thread-safe.
class HostCallers final {
 public:
  explicit HostCallers(std::function<HostLink::Shared()> shared) : shared_(std::move(shared)) {}
  // Null where nobody listens.
  std::shared_ptr<HostCaller> Connect(const std::vector<std::string>& addresses);
  // Ends what is open, as Cancelled, waits for its end, and connects no more.
  void Close();
  bool closed() const {
    std::lock_guard lock(mu_);
    return closed_;
  }

 private:
  const std::function<HostLink::Shared()> shared_;
  const std::shared_ptr<InFlight> ending_ = std::make_shared<InFlight>();
  mutable std::mutex mu_;
  bool closed_ = false;
  std::vector<std::weak_ptr<HostCaller>> all_;
};

class HostChannel final : public Channel {
 public:
  // `other` makes the channel of the other transport, when it is first needed; null when there is none any more.
  HostChannel(std::string address, std::shared_ptr<HostCallers> callers,
              std::function<std::shared_ptr<Channel>()> other);
  ~HostChannel() override;
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

 private:
  std::shared_ptr<HostCaller> Caller();
  std::shared_ptr<Channel> Other();

  const std::string address_;
  const std::vector<std::string> on_host_;
  const std::shared_ptr<HostCallers> callers_;
  const std::function<std::shared_ptr<Channel>()> make_other_;
  std::mutex mu_;
  std::shared_ptr<HostCaller> caller_;
  std::shared_ptr<Channel> other_;
};

}  // namespace weir
