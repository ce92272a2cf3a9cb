// UcxRuntime: the state that the channels and listeners of a UCX transport share. UCX is loaded for the first peer that
// uses it. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/alarms.h"
#include "base/thread_pool.h"
#include "cluster/link.h"
#include "cluster/resolve.h"
#include "cluster/ucx/ucx_link.h"
#include "session/cluster_spec.h"

namespace weir {

// The method that a caller calls over the other transport to ask the peer for a UCX connection. The response is an
// invitation.
inline constexpr char kUcxMethod[] = "/weir.Transport/Ucx";

// The port to connect to, and the number to send in kHello.
struct UcxInvitation {
  int port = 0;
  uint64_t number = 0;
  std::string ToString() const { return fmt::format("{} {}", port, number); }
  static Result<UcxInvitation> Parse(const std::string& text);
};

class UcxRuntime final {
 public:
  explicit UcxRuntime(const TransportSettings& settings);
  // Waits for scheduled work and stops UCX. REQUIRES: the listeners, the links and the other transport have ended.
  void Close();

  // Loads UCX on the first call, which may block for a while. FailedPrecondition if UCX cannot be used here.
  Result<UcxLink::Shared> Shared();
  // Registers a server. UCX listens at the addresses of servers only, or on all interfaces if there are none. Call it
  // before UCX is loaded, that is before the first Shared or Invite.
  void AddServer(const Address& address);
  // Makes an invitation for a peer of the server at `address`, whose calls belong to `calls`. Valid for one connection
  // and a limited time. May block for a while. FailedPrecondition if UCX cannot listen there.
  Result<UcxInvitation> Invite(const Address& address, const std::shared_ptr<IncomingLinkCalls>& calls);
  // Runs work that may block on a separate thread. Drops the work after Close.
  void Schedule(std::function<void()> work);
  // Log, once each, why UCX is not used and that it is used.
  void LogNotUsed(std::string_view peer, const Status& why);
  void LogUsed(std::string_view peer);
  const TransportSettings& settings() const { return settings_; }
  OutgoingLinks& callers() { return callers_; }
  int64_t connect_timeout_ms() const;

 private:
  Result<std::shared_ptr<UcxWorker>> MakeWorker();
  Result<int> Port(const Address& address, const SocketAddress& name);
  std::shared_ptr<IncomingLinkCalls> RedeemInvitation(uint64_t number);
  void DropExpiredInvitations();

  const TransportSettings settings_;
  std::atomic<bool> logged_not_used_{false};
  std::atomic<bool> logged_used_{false};
  OutgoingLinks callers_;
  std::mutex mu_;
  std::unique_ptr<EpollLoop> loop_;
  std::optional<Result<std::shared_ptr<UcxWorker>>> worker_;
  std::vector<std::string> server_hosts_;
  std::map<std::string, int> ports_;  // by host
  struct Invited {
    std::weak_ptr<IncomingLinkCalls> calls;
    int64_t end_nanos = 0;
  };
  std::mutex invited_mu_;
  std::condition_variable invitation_used_;
  std::map<uint64_t, Invited> invited_;
  std::unique_ptr<ElasticPool> pool_ = std::make_unique<ElasticPool>("weir_ucx");
  std::unique_ptr<ThreadAlarms> alarms_;  // created with the loop
};

}  // namespace weir
