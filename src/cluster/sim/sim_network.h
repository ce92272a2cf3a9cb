// SimNetwork: a simulated network, with one Transport per host. Messages in one direction of a connection arrive in
// order. Everything else depends on the seed: how long messages take, and so which one arrives first. Connections can
// be dropped, pairs of hosts partitioned, and hosts crashed. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/sim/sim_world.h"
#include "cluster/transport.h"

namespace weir {

class SimNetwork final {
 public:
  // The probability that a message is late, and by how much at most.
  struct DelayModel {
    double slow = 0.02;
    int64_t slow_nanos = 20'000'000;
    double very_slow = 0;
    int64_t very_slow_nanos = 15'000'000'000;
  };

  explicit SimNetwork(SimWorld& world);
  ~SimNetwork();

  void set_delays(const DelayModel& weather) { weather_ = weather; }
  // Starts a new host, or restarts one that has crashed. The returned transport lives as long as the network.
  Transport& StartHost(const std::string& name);
  // Breaks the host's connections and removes its listeners. Code that still runs on it cannot reach any host.
  void Crash(const std::string& name);
  // Blocks all messages between the two, in both directions, for `nanos`.
  void PartitionHosts(const std::string& a, const std::string& b, int64_t nanos);
  // Breaks a random open connection. A no-op if there is none.
  void DropAConnection();
  // Breaks all open connections between the two, with all messages that are under way.
  void DropConnections(const std::string& a, const std::string& b);
  // `seen` runs whenever a host sends a response, with the names of host and method. Tests use it to time faults.
  void WatchAnswers(std::function<void(const std::string& host, std::string_view method)> seen) {
    seen_ = std::move(seen);
  }
  // Calls without a response.
  int num_open_calls() const { return open_calls_; }

 private:
  class Host;
  class SimListener;
  class SimChannel;
  struct Connection;
  struct OutgoingCall;
  struct IncomingEnd;
  using CallPtr = std::shared_ptr<OutgoingCall>;
  using ConnectionPtr = std::shared_ptr<Connection>;

  int64_t Delay();
  int64_t Dispatch();
  int64_t CutUntil(const Host& a, const Host& b) const;  // 0: not cut
  std::shared_ptr<Host> Listening(const std::string& address) const;
  ConnectionPtr Open(const std::shared_ptr<Host>& from, const std::shared_ptr<Host>& to, const std::string& address);
  // Sends a message: `arrive` runs at the other end, unless the connection breaks first.
  void Send(const ConnectionPtr& connection, int direction, std::function<void()> arrive);
  void Arrive(const ConnectionPtr& connection, int direction);
  void SendCall(const ConnectionPtr& connection, const CallPtr& call);
  void TakeCall(const ConnectionPtr& connection, const CallPtr& call, Rope request);
  void Break(const ConnectionPtr& connection, const std::string& why);
  void BreakIfStillCut(const ConnectionPtr& connection);
  void End(const CallPtr& call, Result<Rope> result);
  void GiveUp(const CallPtr& call, const Status& why);

  SimWorld& world_;
  DelayModel weather_;
  std::function<void(const std::string&, std::string_view)> seen_;
  int next_call_ = 1;
  int next_connection_ = 1;
  int open_calls_ = 0;
  std::map<std::string, std::shared_ptr<Host>> hosts_;                 // the current incarnation of each
  std::vector<std::shared_ptr<Host>> all_hosts_;                       // with previous incarnations
  std::map<int, ConnectionPtr> connections_;                           // the open ones
  std::map<std::pair<std::string, std::string>, int64_t> partitions_;  // end of each partition
};

}  // namespace weir
