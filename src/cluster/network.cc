#include "cluster/network.h"

#include <unistd.h>

#include <cstdlib>

#include "base/environment.h"
#include "base/log.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_transport.h"
#include "cluster/remote_session.h"
#include "cluster/transport_errors.h"
#include "cluster/ucx/ucx_transport.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

constexpr std::string_view kScheme = "grpc://";
constexpr char kTimeoutVariable[] = "WEIR_PEER_TIMEOUT_MS";
constexpr char kTransportVariable[] = "WEIR_TRANSPORT";

TransportSettings ReadSettings(const Credentials& credentials, const Limits& limits, Env& env) {
  TransportSettings settings;
  constexpr int64_t kMost = int64_t{1} << 40;  // in nanoseconds it still fits into 64 bits
  settings.peer_timeout_ms = ReadEnvironmentOr({kTimeoutVariable, "milliseconds", 1, kMost}, settings.peer_timeout_ms);
  settings.credentials = credentials;
  settings.env = &env;
  settings.limits = limits;
  return settings;
}

std::unique_ptr<Transport> MakeTransport(const Credentials& credentials, const Limits& limits, Env& env) {
  TransportSettings settings = ReadSettings(credentials, limits, env);
  std::unique_ptr<Transport> grpc = MakeGrpcTransport(settings);
  const char* variable = std::getenv(kTransportVariable);
  const std::string_view text = variable == nullptr ? "auto" : variable;
  if (text == "grpc") return grpc;
  // Only gRPC proves who the peers are.
  if (credentials.any()) {
    if (text == "ucx" || text == "auto+ucx")
      LogWarning("{}={} is ignored, because UCX cannot prove who its peers are: gRPC is used", kTransportVariable,
                 text);
    return grpc;
  }
  // UCX is opt-in: it may crash when an unrelated program sends random bytes to its ports.
  settings.force_ucx = text == "ucx";
  if (text == "ucx") return MakeUcxTransport(std::move(grpc), settings);
  if (text == "auto+ucx") return MakeHostTransport(MakeUcxTransport(std::move(grpc), settings), settings);
  if (text != "auto" && !text.empty())
    LogWarning("{}='{}' is not one of auto, grpc, ucx, auto+ucx: using auto", kTransportVariable, text);
  return MakeHostTransport(std::move(grpc), settings);
}

}  // namespace

Network::Network(std::function<std::unique_ptr<Transport>(const Credentials&)> make, Credentials credentials,
                 Result<Limits> limits)
    : make_(std::move(make)), limits_(std::move(limits)), credentials_(std::move(credentials)) {}
Network::Network(Env& env, const Credentials& credentials, const Limits::Settings& limits)
    : Network(
          [this, &env](const Credentials& used) {
            // Clients have no limits, and Server::Make reports a bad one.
            return MakeTransport(used, limits_.ok() ? *limits_ : Limits(), env);
          },
          credentials.OrElse(Credentials::FromEnvironment()), Limits::FromEnvironment(limits)) {}
Network::~Network() = default;

Transport& Network::transport() {
  std::lock_guard lock(mu_);
  if (transport_ == nullptr) {
    transport_ = make_(credentials_);
    process_ = getpid();
  }
  return *transport_;
}

Credentials Network::credentials() {
  std::lock_guard lock(mu_);
  return credentials_;
}

Status Network::UseCredentials(const Credentials& credentials) {
  std::lock_guard lock(mu_);
  Credentials wanted = credentials.OrElse(credentials_);
  if (wanted == credentials_) return OkStatus();
  if (transport_ != nullptr)
    return FailedPrecondition(
        "this process has already connected or listened with other credentials: give all servers and sessions of a "
        "process the same ones");
  credentials_ = std::move(wanted);
  return OkStatus();
}

void Network::AddMaster(const std::string& address, std::shared_ptr<MasterService> master) {
  std::lock_guard lock(mu_);
  masters_[address] = master;
}

void Network::RemoveMaster(const std::string& address) {
  std::lock_guard lock(mu_);
  masters_.erase(address);
}

Result<std::shared_ptr<MasterService>> Network::FindMaster(const std::string& target) {
  if (!target.starts_with(kScheme)) {
    return NotFound(
        "no session factory is registered for the target '{}': use an empty target for this process, or "
        "\"grpc://host:port\"",
        target);
  }
  const std::string address = target.substr(kScheme.size());
  {
    std::lock_guard lock(mu_);
    if (transport_ != nullptr && getpid() != process_) return CannotCallAfterFork("servers");
    if (auto it = masters_.find(address); it != masters_.end()) {
      if (std::shared_ptr<MasterService> master = it->second.lock()) return master;
    }
  }
  Result<Address> parsed = Address::Parse(address);
  if (!parsed.ok()) return WithContext(parsed.status(), fmt::format("target '{}'", target));
  WEIR_TRY(transport().CheckCredentials());
  return MakeRemoteMaster(transport().Connect(address));
}

Result<std::shared_ptr<Session>> Network::NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                                     const tensorflow::ConfigProto& config) {
  WEIR_ASSIGN(std::shared_ptr<MasterService> master, FindMaster(target));
  return std::shared_ptr<Session>(
      std::make_shared<RemoteSession>(std::move(graph), std::move(master), config, target, transport().event_poller()));
}

}  // namespace weir
