// UcxPlace: what the channels and listeners of a UCX transport share. UCX itself is there from the first peer on that
// wants it. Thread-safe.
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

// What a caller asks for over the other transport. The answer is an invitation.
inline constexpr char kUcxMethod[] = "/weir.Transport/Ucx";

// Where to connect to, and the number to greet with.
struct UcxInvitation {
  int port = 0;
  uint64_t number = 0;
  int version = 4;  // of IP: 4 or 6. The host may have addresses of both, of which one is listened at.
  std::string ToString() const { return fmt::format("{} {} {}", port, number, version); }
  static Result<UcxInvitation> Parse(const std::string& text);
};

class UcxPlace final {
 public:
  // `forced`: the user wants UCX, also on one host.
  UcxPlace(int64_t peer_timeout_ms, bool forced);
  // Waits for what is scheduled, and ends UCX. After the listeners, the links and the other transport.
  void Close();

  // FailedPrecondition where UCX cannot be used here. May take a while.
  Result<UcxLink::Shared> Shared();
  // A server listens at `address`. UCX listens at such addresses only: call it before UCX is there, which is from the
  // first Shared or Invite on. Without any server UCX takes all interfaces of the host.
  void AddServer(const Address& address);
  // For a peer of the server at `address` whose calls are to be `calls`. Good for one connection, for a while. May take
  // a while. FailedPrecondition where UCX cannot listen there.
  Result<UcxInvitation> Invite(const Address& address, const std::shared_ptr<LinkCalls>& calls);
  // Runs what may block.
  void Schedule(std::function<void()> work);
  // Says once why UCX is not used, and once that it is.
  void SayWhyNot(std::string_view whom, const Status& why);
  void SayItIsUsed(std::string_view whom);
  bool forced() const { return forced_; }
  LinkCallers& callers() { return callers_; }
  int64_t connect_timeout_ms() const;

 private:
  Result<std::shared_ptr<UcxWorker>> MakeWorker();
  void LookLater();
  Result<int> Port(const Address& address, const SocketAddress& name);
  std::shared_ptr<LinkCalls> Greeted(uint64_t number);
  void ForgetOld();

  const int64_t peer_timeout_ms_;
  const bool forced_;
  std::atomic<bool> said_why_not_{false};
  std::atomic<bool> said_it_is_{false};
  LinkCallers callers_;
  std::mutex mu_;
  std::unique_ptr<HostLoop> loop_;
  std::optional<Result<std::shared_ptr<UcxWorker>>> worker_;
  std::vector<std::string> server_hosts_;
  std::map<std::string, int> ports_;  // by host
  struct Invited {
    std::weak_ptr<LinkCalls> calls;
    int64_t end_nanos = 0;
  };
  std::mutex invited_mu_;
  std::condition_variable come_;
  std::map<uint64_t, Invited> invited_;
  std::unique_ptr<ElasticPool> pool_ = std::make_unique<ElasticPool>("weir_ucx");
  std::unique_ptr<ThreadAlarms> alarms_;  // with the loop
};

}  // namespace weir
