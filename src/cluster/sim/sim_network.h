// SimNetwork: a network inside a simulation, with one Transport per host. Messages of one connection arrive in the
// order they were sent, in each direction; everything else is up to the seed: how long they take, and with it who comes
// first. Connections can be dropped, pairs of hosts cut off from each other, hosts crash. Not thread-safe.
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
  // How likely a message is late, and by how much at most.
  struct Weather {
    double slow = 0.02;
    int64_t slow_nanos = 20'000'000;
    double very_slow = 0;
    int64_t very_slow_nanos = 15'000'000'000;
  };

  explicit SimNetwork(SimWorld& world);
  ~SimNetwork();

  void set_weather(const Weather& weather) { weather_ = weather; }
  // A new host, or the next life of one that has crashed. What it calls it calls through its transport, which lives as
  // long as the network.
  Transport& StartHost(const std::string& name);
  // Its connections break and nobody listens there any more. What is left of it can talk to nobody.
  void Crash(const std::string& name);
  // For that time nothing passes between the two, in either direction.
  void Cut(const std::string& a, const std::string& b, int64_t nanos);
  // Breaks one of the connections that are open; does nothing where there is none.
  void DropAConnection();
  // `seen` runs whenever a host sends an answer, with the host's name and the method: faults can wait for their moment.
  void WatchAnswers(std::function<void(const std::string& host, std::string_view method)> seen) {
    seen_ = std::move(seen);
  }
  // Calls that have no answer yet.
  int num_open_calls() const { return open_calls_; }

 private:
  class Host;
  class Link;
  class ChannelEnd;
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
  // Puts a message on its way; `arrive` runs at the other end, unless the connection breaks before.
  void Send(const ConnectionPtr& connection, int direction, std::function<void()> arrive);
  void Arrive(const ConnectionPtr& connection, int direction);
  void SendCall(const ConnectionPtr& connection, const CallPtr& call);
  void TakeCall(const ConnectionPtr& connection, const CallPtr& call, Rope request);
  void Break(const ConnectionPtr& connection, const std::string& why);
  void BreakIfStillCut(const ConnectionPtr& connection);
  void End(const CallPtr& call, Result<Rope> result);
  void GiveUp(const CallPtr& call, const Status& why);

  SimWorld& world_;
  Weather weather_;
  std::function<void(const std::string&, std::string_view)> seen_;
  int next_call_ = 1;
  int next_connection_ = 1;
  int open_calls_ = 0;
  std::map<std::string, std::shared_ptr<Host>> hosts_;           // the present life of each
  std::vector<std::shared_ptr<Host>> all_hosts_;                 // former lives too
  std::map<int, ConnectionPtr> connections_;                     // that are open
  std::map<std::pair<std::string, std::string>, int64_t> cuts_;  // until when
};

}  // namespace weir
