// A message is a function that runs at the other end. Each end of a broken connection notices the break after a random
// delay, and behaves as before until then. Bytes are copied on arrival, as from a socket.
#include "cluster/sim/sim_network.h"

#include <algorithm>
#include <deque>

#include "base/alarms.h"
#include "cluster/transport_errors.h"

namespace weir {
namespace {

constexpr int64_t kMicro = 1'000;
constexpr int64_t kUsualDelay = 300 * kMicro;
constexpr int64_t kNotice = 5 * kNanosPerMilli;             // until an end notices that its connection is broken
constexpr int64_t kDispatch = 30 * kMicro;                  // until a thread handles what has arrived
constexpr int64_t kLateDispatch = 5 * kNanosPerMilli;       // occasionally
constexpr int64_t kShortestPing = 10'000 * kNanosPerMilli;  // timeout for a silent peer
constexpr int64_t kLongestPing = 20'000 * kNanosPerMilli;
constexpr int64_t kConnectTimeout = 1'000 * kNanosPerMilli;
constexpr int64_t kRetry = 20 * kNanosPerMilli;

std::string_view Short(std::string_view method) { return method.substr(method.rfind('/') + 1); }

}  // namespace

// One incarnation of a host. Previous ones are kept, because their tasks may still make calls, which fail.
class SimNetwork::Host final : public Transport, public std::enable_shared_from_this<Host> {
 public:
  Host(SimNetwork& network, std::string name, int incarnation)
      : network_(network), name_(std::move(name)), incarnation_(incarnation) {}

  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& /*task*/) override;
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override;

  SimNetwork& network() { return network_; }
  const std::string& name() const { return name_; }
  std::string label() const { return incarnation_ == 1 ? name_ : fmt::format("{}#{}", name_, incarnation_); }
  int incarnation() const { return incarnation_; }
  bool alive = true;
  std::map<std::string, CallHandler> listeners;  // by address

 private:
  SimNetwork& network_;
  const std::string name_;
  const int incarnation_;
};

struct SimNetwork::OutgoingCall {
  int number = 0;
  std::string method;
  Rope request;
  Channel::Done done;
  CancelToken* token = nullptr;
  CancelToken::Id registration = 0;
  SimWorld::EventId deadline = 0;
  bool wait_for_ready = false;
  bool ended = false;
  ConnectionPtr connection;  // once it is sent
};

struct SimNetwork::Connection {
  int number = 0;
  std::shared_ptr<Host> from;
  std::shared_ptr<Host> to;
  std::string address;
  bool open = true;
  std::deque<std::function<void()>> queue[2];  // request direction, response direction
  int64_t last[2] = {0, 0};                    // arrival time of the last message
  std::map<int, CallPtr> calls;                // without a response
  std::map<int, std::shared_ptr<IncomingEnd>> incoming;

  std::string label() const { return fmt::format("{}>{}/{}", from->label(), to->label(), number); }
};

struct SimNetwork::IncomingEnd final : public IncomingCall, public std::enable_shared_from_this<IncomingEnd> {
  const std::string& method() const override { return call->method; }
  const Rope& request() const override { return bytes; }
  CancelToken& cancel() override { return token; }
  void Respond(Result<Rope> response) override;

  SimNetwork* network = nullptr;
  ConnectionPtr connection;
  CallPtr call;
  Rope bytes;
  CancelToken token;
  bool responded = false;
};

class SimNetwork::SimListener final : public Listener {
 public:
  SimListener(std::shared_ptr<Host> host, std::string address) : host_(std::move(host)), address_(std::move(address)) {}
  ~SimListener() override { host_->listeners.erase(address_); }
  void Serve(CallHandler handler) override { host_->listeners[address_] = std::move(handler); }
  int port() const override { return -1; }

 private:
  const std::shared_ptr<Host> host_;
  const std::string address_;
};

// Connects on first use and again when the connection is gone. Calls wait for the connection.
class SimNetwork::SimChannel final : public Channel, public std::enable_shared_from_this<SimChannel> {
 public:
  SimChannel(std::shared_ptr<Host> host, std::string address)
      : host_(std::move(host)), network_(host_->network()), address_(std::move(address)) {}

  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
    if (options.cancel != nullptr && options.cancel->cancelled()) return done(options.cancel->reason());
    auto call = std::make_shared<OutgoingCall>();
    call->number = network_.next_call_++;
    call->method = method;
    call->request = std::move(request);
    call->done = std::move(done);
    call->wait_for_ready = options.wait_for_ready;
    ++network_.open_calls_;
    SimWorld& world = network_.world_;
    world.Log(fmt::format("{} calls {} {} #{}, {} bytes", host_->label(), address_, Short(method), call->number,
                          call->request.size()));
    if (options.cancel != nullptr) {
      call->token = options.cancel;
      call->registration = options.cancel->Register([call, network = &network_] {
        // A real transport may answer at once or a little later: try both.
        const Status reason = call->token->reason();
        if (network->world_.Chance(0.5)) return network->GiveUp(call, reason);
        network->world_.After(network->Dispatch(), [network, call, reason] { network->GiveUp(call, reason); });
      });
    }
    if (options.timeout_ms > 0) {
      call->deadline = world.After(options.timeout_ms * kNanosPerMilli, [network = &network_, call] {
        network->GiveUp(call, DeadlineExceeded("Deadline Exceeded"));
      });
    }
    if (connection_ != nullptr && connection_->open) return network_.SendCall(connection_, call);
    waiting_.push_back(call);
    if (!connecting_) Connect();
  }
  const std::string& address() const override { return address_; }

 private:
  void Connect() {
    connecting_ = true;
    SimWorld& world = network_.world_;
    std::shared_ptr<Host> peer = network_.Listening(address_);
    const bool cut = peer != nullptr && network_.CutUntil(*host_, *peer) > 0;
    world.After(cut ? world.Between(kNanosPerMilli, kConnectTimeout) : 2 * network_.Delay(),
                [self = shared_from_this()] { self->Connected(); });
  }
  void Connected() {
    connecting_ = false;
    std::vector<CallPtr> calls;
    for (CallPtr& call : waiting_) {
      if (!call->ended) calls.push_back(std::move(call));
    }
    waiting_.clear();
    std::shared_ptr<Host> peer = network_.Listening(address_);
    if (host_->alive && peer != nullptr && network_.CutUntil(*host_, *peer) == 0) {
      connection_ = network_.Open(host_, peer, address_);
      for (const CallPtr& call : calls) network_.SendCall(connection_, call);
      return;
    }
    for (const CallPtr& call : calls) {
      if (call->wait_for_ready && host_->alive) {
        waiting_.push_back(call);
      } else {
        const bool cut = peer != nullptr && network_.CutUntil(*host_, *peer) > 0;
        const Status failed = Unavailable("failed to connect to {}", address_);
        network_.End(call, cut ? MarkInterruption(failed, Interruption::kUnreachable) : failed);
      }
    }
    if (waiting_.empty() || connecting_) return;
    connecting_ = true;
    network_.world_.After(kRetry, [self = shared_from_this()] { self->Connect(); });
  }

  const std::shared_ptr<Host> host_;
  SimNetwork& network_;
  const std::string address_;
  ConnectionPtr connection_;
  bool connecting_ = false;
  std::vector<CallPtr> waiting_;  // for a connection
};

std::shared_ptr<Channel> SimNetwork::Host::Connect(const std::string& address, const std::string& /*task*/) {
  return std::make_shared<SimChannel>(shared_from_this(), address);
}

Result<std::unique_ptr<Listener>> SimNetwork::Host::Listen(const std::string& address) {
  if (!alive) return Unavailable("{} has crashed", label());
  if (network_.Listening(address) != nullptr) return Unavailable("cannot listen on {}: it is in use", address);
  return std::unique_ptr<Listener>(std::make_unique<SimListener>(shared_from_this(), address));
}

SimNetwork::SimNetwork(SimWorld& world) : world_(world) {}
// Breaks reference cycles: messages in flight refer to their connection.
SimNetwork::~SimNetwork() {
  for (const auto& [number, connection] : connections_) {
    for (auto& queue : connection->queue) queue.clear();
    connection->calls.clear();
    connection->incoming.clear();
  }
}

Transport& SimNetwork::StartHost(const std::string& name) {
  std::shared_ptr<Host>& present = hosts_[name];
  present = std::make_shared<Host>(*this, name, present == nullptr ? 1 : present->incarnation() + 1);
  all_hosts_.push_back(present);
  world_.Log(fmt::format("{} starts", present->label()));
  return *present;
}

void SimNetwork::Crash(const std::string& name) {
  Host& host = *hosts_.at(name);
  world_.Log(fmt::format("{} crashes", host.label()));
  host.alive = false;
  host.listeners.clear();
  const std::map<int, ConnectionPtr> connections = connections_;
  for (const auto& [number, connection] : connections) {
    if (connection->from.get() == &host || connection->to.get() == &host)
      Break(connection, fmt::format("{} has crashed", host.label()));
  }
}

void SimNetwork::PartitionHosts(const std::string& a, const std::string& b, int64_t nanos) {
  int64_t& until = partitions_[std::minmax(a, b)];
  until = std::max(until, world_.now() + nanos);
  world_.Log(fmt::format("{} and {} are cut off from each other for {} ms", a, b, nanos / kNanosPerMilli));
  for (const auto& [number, connection] : connections_) {
    if (std::minmax(a, b) != std::minmax(connection->from->name(), connection->to->name())) continue;
    world_.After(world_.Between(kShortestPing, kLongestPing),
                 [this, connection = connection] { BreakIfStillCut(connection); });
  }
}

void SimNetwork::BreakIfStillCut(const ConnectionPtr& connection) {
  if (connection->open && CutUntil(*connection->from, *connection->to) > 0) Break(connection, "no answer to pings");
}

void SimNetwork::DropAConnection() {
  if (connections_.empty()) return;
  auto it = connections_.begin();
  std::advance(it, world_.rng().Below(connections_.size()));
  const ConnectionPtr connection = it->second;
  Break(connection, "dropped");
}

void SimNetwork::DropConnections(const std::string& a, const std::string& b) {
  const std::map<int, ConnectionPtr> connections = connections_;
  for (const auto& [number, connection] : connections) {
    if (std::minmax(a, b) == std::minmax(connection->from->name(), connection->to->name()))
      Break(connection, "dropped");
  }
}

int64_t SimNetwork::Delay() {
  if (weather_.very_slow > 0 && world_.Chance(weather_.very_slow)) return world_.Between(0, weather_.very_slow_nanos);
  return world_.Between(kMicro, world_.Chance(weather_.slow) ? weather_.slow_nanos : kUsualDelay);
}

int64_t SimNetwork::Dispatch() { return world_.Between(0, world_.Chance(0.02) ? kLateDispatch : kDispatch); }

int64_t SimNetwork::CutUntil(const Host& a, const Host& b) const {
  auto it = partitions_.find(std::minmax(a.name(), b.name()));
  return it != partitions_.end() && it->second > world_.now() ? it->second : 0;
}

std::shared_ptr<SimNetwork::Host> SimNetwork::Listening(const std::string& address) const {
  for (const auto& [name, host] : hosts_) {
    if (host->alive && host->listeners.contains(address)) return host;
  }
  return nullptr;
}

SimNetwork::ConnectionPtr SimNetwork::Open(const std::shared_ptr<Host>& from, const std::shared_ptr<Host>& to,
                                           const std::string& address) {
  auto connection = std::make_shared<Connection>();
  connection->number = next_connection_++;
  connection->from = from;
  connection->to = to;
  connection->address = address;
  connections_.emplace(connection->number, connection);
  world_.Log(fmt::format("{} opens", connection->label()));
  return connection;
}

void SimNetwork::Send(const ConnectionPtr& connection, int direction, std::function<void()> arrive) {
  connection->queue[direction].push_back(std::move(arrive));
  int64_t& last = connection->last[direction];
  last = std::max(last, world_.now() + Delay());
  world_.After(last - world_.now(), [this, connection, direction] { Arrive(connection, direction); });
}

// The event may have been scheduled for another message: the first one in the queue arrives.
void SimNetwork::Arrive(const ConnectionPtr& connection, int direction) {
  if (!connection->open) return;
  if (const int64_t until = CutUntil(*connection->from, *connection->to); until > 0) {
    world_.After(until - world_.now(), [this, connection, direction] { Arrive(connection, direction); });
    return;
  }
  const std::function<void()> arrive = std::move(connection->queue[direction].front());
  connection->queue[direction].pop_front();
  arrive();
}

void SimNetwork::SendCall(const ConnectionPtr& connection, const CallPtr& call) {
  call->connection = connection;
  connection->calls.emplace(call->number, call);
  Send(connection, 0, [this, connection, call] {
    const Rope request = std::move(call->request);
    TakeCall(connection, call, Rope(request.Flatten()));
  });
}

void SimNetwork::TakeCall(const ConnectionPtr& connection, const CallPtr& call, Rope request) {
  auto incoming = std::make_shared<IncomingEnd>();
  incoming->network = this;
  incoming->connection = connection;
  incoming->call = call;
  incoming->bytes = std::move(request);
  connection->incoming.emplace(call->number, incoming);
  // Handlers run on any thread: calls that arrived in order may start in any order.
  world_.After(Dispatch(), [this, connection, incoming] {
    const auto it = connection->to->listeners.find(connection->address);
    if (it == connection->to->listeners.end()) return incoming->Respond(Unavailable("the listener has ended"));
    world_.Log(fmt::format("{} serves {} #{}", connection->to->label(), Short(incoming->call->method),
                           incoming->call->number));
    const CallHandler handler = it->second;
    handler(incoming);
  });
}

void SimNetwork::IncomingEnd::Respond(Result<Rope> response) {
  if (std::exchange(responded, true)) return;
  const std::shared_ptr<IncomingEnd> self = shared_from_this();
  connection->incoming.erase(call->number);
  if (!connection->open) return;
  auto sent = std::make_shared<const Result<Rope>>(std::move(response));
  network->Send(connection, 1, [network = network, call = call, sent] {
    if (!sent->ok()) return network->End(call, sent->status());
    network->End(call, Rope((*sent)->Flatten()));
  });
  if (network->seen_) network->seen_(connection->to->name(), Short(call->method));
}

void SimNetwork::End(const CallPtr& call, Result<Rope> result) {
  if (std::exchange(call->ended, true)) return;
  --open_calls_;
  world_.Log(fmt::format(
      "{} #{} ends: {}", Short(call->method), call->number,
      result.ok() ? fmt::format("{} bytes", result->size()) : absl::StatusCodeToString(result.status().code())));
  if (call->deadline != 0) world_.Cancel(call->deadline);
  if (call->token != nullptr) call->token->Unregister(call->registration);
  if (call->connection != nullptr) call->connection->calls.erase(call->number);
  const Channel::Done done = std::move(call->done);
  call->done = nullptr;
  done(std::move(result));
}

// Ends a call on this side and tells the other side.
void SimNetwork::GiveUp(const CallPtr& call, const Status& why) {
  if (call->ended) return;
  if (const ConnectionPtr connection = call->connection; connection != nullptr && connection->open) {
    Send(connection, 0, [this, connection, number = call->number] {
      auto it = connection->incoming.find(number);
      if (it == connection->incoming.end()) return;
      const std::shared_ptr<IncomingEnd> incoming = it->second;
      world_.After(Dispatch(), [incoming] { incoming->token.Cancel(CallerIsGone()); });
    });
  }
  End(call, why);
}

void SimNetwork::Break(const ConnectionPtr& connection, const std::string& why) {
  if (!std::exchange(connection->open, false)) return;
  world_.Log(fmt::format("{} breaks: {}", connection->label(), why));
  connections_.erase(connection->number);
  for (auto& queue : connection->queue) queue.clear();
  world_.After(world_.Between(0, kNotice), [this, connection, why] {
    const std::map<int, CallPtr> calls = connection->calls;
    for (const auto& [number, call] : calls) End(call, BrokenConnection(why));
  });
  world_.After(world_.Between(0, kNotice), [connection] {
    const auto incoming = std::exchange(connection->incoming, {});
    for (const auto& [number, call] : incoming) call->token.Cancel(CallerIsGone());
  });
}

}  // namespace weir
