#include "cluster/server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "absl/strings/numbers.h"
#include "base/alarms.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/task.h"

namespace weir {
namespace {

constexpr char kBindVariable[] = "WEIR_BIND_ADDRESS";
constexpr char kUnclaimedVariable[] = "WEIR_UNCLAIMED_SESSION_SECONDS";

// Binds the port, or a free one into `*port` when that is 0, and lets go of it. Gives errno, or 0.
int TryPort(const addrinfo& address, int* port) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  sockaddr_storage name{};
  std::memcpy(&name, address.ai_addr, std::min<size_t>(address.ai_addrlen, sizeof(name)));
  in_port_t& own = name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                              : reinterpret_cast<sockaddr_in*>(&name)->sin_port;
  own = htons(static_cast<uint16_t>(*port));
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&name), address.ai_addrlen) == 0 && listen(fd, 1) == 0;
  const int error = bound ? 0 : errno;
  socklen_t size = sizeof(name);
  if (bound && getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0) *port = ntohs(own);
  close(fd);
  return error;
}

// Whether a server answers at the path of a socket. (What is left of one that has ended does not.)
bool IsTaken(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path)) return false;
  std::memcpy(name.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answered = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0;
  close(fd);
  return answered;
}

// Whether this process could listen there, said in words where it could not; for port 0 also which port is free. gRPC
// itself does not tell.
Result<int> ProbePort(const Address& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return UnknownError(
        "Could not start gRPC server: the name of the address {} cannot be resolved ({}). Where a task listens on "
        "another "
        "address than others reach it by, name that one with bind_address or {}",
        address.ToString(), gai_strerror(error), kBindVariable);
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard(found, freeaddrinfo);
  int error = EADDRNOTAVAIL;
  // A name may stand for several addresses, as localhost does: the port must be free at all that are this machine's.
  constexpr int kTries = 20;  // for a port that is free at the first, but taken at another
  for (int i = 0; i < kTries; ++i) {
    int chosen = address.port;
    error = EADDRNOTAVAIL;
    for (const addrinfo* a = found; a != nullptr && error != EADDRINUSE; a = a->ai_next) {
      const int bind_error = TryPort(*a, &chosen);
      if (bind_error == 0 || error != 0) error = bind_error;
      if (bind_error == EADDRINUSE) error = EADDRINUSE;
    }
    if (error == 0) return chosen;
    if (error != EADDRINUSE || address.port != 0) break;
  }
  if (error == EADDRINUSE) {
    return UnknownError("Could not start gRPC server: port {} is in use already (address {})", address.port,
                        address.ToString());
  }
  if (error == EADDRNOTAVAIL) {
    return UnknownError(
        "Could not start gRPC server: {} is not an address of this machine. Where a task listens on another address "
        "than "
        "others reach it by, name that one with bind_address or {}",
        address.ToString(), kBindVariable);
  }
  return UnknownError("Could not start gRPC server: cannot listen on {}: {}", address.ToString(), std::strerror(error));
}

// "host" or "host:port" in place of the address of the cluster.
Result<Address> BindAddress(const Address& own, std::string text) {
  if (text.empty()) {
    if (const char* variable = std::getenv(kBindVariable)) text = variable;
  }
  if (text.empty() || own.is_unix()) return own;
  Result<Address> parsed = Address::Parse(text);
  if (parsed.ok()) return parsed;
  Address address = own;
  address.host = text;
  Result<Address> checked = Address::Parse(address.ToString());
  if (!checked.ok()) return WithContext(checked.status(), fmt::format("bind address '{}'", text));
  return checked;
}

Result<int64_t> UnclaimedSessionMs(const std::optional<int64_t>& given) {
  if (given.has_value()) return *given;
  const char* text = std::getenv(kUnclaimedVariable);
  if (text == nullptr) return kUnclaimedSessionMs;
  constexpr double kMaxSeconds = 1e9;
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds >= 0 && seconds <= kMaxSeconds))
    return InvalidArgument("{} is a number of seconds, 0 for never, and not '{}'", kUnclaimedVariable, text);
  return std::llround(std::ceil(seconds * 1000));
}

}  // namespace

// What answers calls. Sessions in this process hold on to it, so that it outlives a server that they still talk to.
struct Server::Core final {
  Core(const tensorflow::ServerDef& def, const std::string& name, const ClusterSpec& cluster,
       int64_t unclaimed_session_ms, const Dependencies& dependencies)
      : network(dependencies.network),
        alarms(RealClock()),
        task(name, cluster, def.default_session_config(),
             Task::Dependencies{dependencies.registry, dependencies.pool, dependencies.blocking_pool,
                                network.transport(), RealClock(), alarms, RealRng(), dependencies.py_functions,
                                kChunkBytes, unclaimed_session_ms}) {}

  Network& network;
  ThreadAlarms alarms;
  Task task;
};

Result<std::unique_ptr<Server>> Server::Make(const tensorflow::ServerDef& def, const Options& options,
                                             const Dependencies& dependencies) {
  if (!def.protocol().empty() && def.protocol() != "grpc")
    return Unimplemented("the protocol of a server is \"grpc\", not \"{}\"", def.protocol());
  WEIR_ASSIGN(ClusterSpec cluster, ClusterSpec::FromProto(def.cluster()));
  Result<std::string> text = cluster.TaskAddress(def.job_name(), def.task_index());
  if (!text.ok()) return InvalidArgument("{}", std::string(text.status().message()));
  WEIR_ASSIGN(Address own, Address::Parse(*text));
  WEIR_ASSIGN(Address bind, BindAddress(own, options.bind_address));
  if (bind.is_unix()) {
    if (IsTaken(bind.path))
      return UnknownError("Could not start gRPC server: another one listens at {} already", bind.ToString());
  } else {
    WEIR_ASSIGN(const int port, ProbePort(bind));
    bind.port = port;
    if (own.port == 0) {
      // Others are told the port that was found.
      own.port = port;
      std::map<std::string, ClusterSpec::Tasks> jobs = cluster.jobs();
      jobs[def.job_name()][def.task_index()] = own.ToString();
      WEIR_ASSIGN(cluster, ClusterSpec::Make(std::move(jobs)));
    }
  }
  WEIR_ASSIGN(const int64_t unclaimed_session_ms, UnclaimedSessionMs(options.unclaimed_session_ms));
  auto core = std::make_shared<Core>(def, TaskName(def.job_name(), def.task_index()), cluster, unclaimed_session_ms,
                                     dependencies);
  return std::unique_ptr<Server>(new Server(def, own.ToString(), bind.ToString(), std::move(core)));
}

Server::Server(tensorflow::ServerDef def, std::string address, std::string bind_address, std::shared_ptr<Core> core)
    : def_(std::move(def)),
      address_(std::move(address)),
      bind_address_(std::move(bind_address)),
      core_(std::move(core)) {}

Server::~Server() { Stop(); }

std::string Server::target() const { return "grpc://" + address_; }

Status Server::Start() {
  std::lock_guard lock(mu_);
  if (stopped_) return FailedPrecondition("the server at {} has been stopped and cannot be started again", address_);
  if (started_) return OkStatus();
  Result<std::unique_ptr<Listener>> listener = core_->network.transport().Listen(bind_address_, core_->task.Handler());
  if (!listener.ok()) return UnknownError("Could not start gRPC server: {}", std::string(listener.status().message()));
  listener_ = *std::move(listener);
  started_ = true;
  core_->network.AddMaster(address_, std::shared_ptr<MasterService>(core_, &core_->task.master()));
  LogInfo("Started server with target: {}", target());
  return OkStatus();
}

void Server::Stop(int64_t grace_ms) {
  std::unique_ptr<Listener> listener;
  {
    std::unique_lock lock(mu_);
    if (stopped_) return ended_.wait(lock, [&] { return has_ended_; });
    stopped_ = true;
    listener = std::move(listener_);
  }
  core_->network.RemoveMaster(address_);
  if (grace_ms > 0) {
    // Steps of the own master first: they are new steps of the worker.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
    core_->task.master().Drain(grace_ms);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    core_->task.worker().Drain(std::max<int64_t>(0, left));
  }
  core_->task.End();
  listener = nullptr;
  std::lock_guard lock(mu_);
  has_ended_ = true;
  ended_.notify_all();
}

void Server::Join(const std::function<bool()>& until) {
  std::unique_lock lock(mu_);
  while (!has_ended_) {
    if (!until) {
      ended_.wait(lock);
      continue;
    }
    ended_.wait_for(lock, std::chrono::milliseconds(100));
    lock.unlock();
    const bool enough = until();
    lock.lock();
    if (enough) return;
  }
}

bool Server::stopped() const {
  std::lock_guard lock(mu_);
  return stopped_;
}

}  // namespace weir
