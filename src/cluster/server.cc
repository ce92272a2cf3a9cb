#include "cluster/server.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>

#include "absl/strings/str_split.h"
#include "base/alarms.h"
#include "base/clock.h"
#include "base/confined_env.h"
#include "base/environment.h"
#include "base/log.h"
#include "cluster/job_watch.h"
#include "cluster/resolve.h"
#include "cluster/task.h"

namespace weir {
namespace {

constexpr char kBindVariable[] = "WEIR_BIND_ADDRESS";
constexpr int64_t kEndWithGraceMs = 1000;
constexpr char kLeaseVariable[] = "WEIR_SESSION_LEASE_MS";
constexpr char kKeptResponsesVariable[] = "WEIR_KEPT_RESPONSES_MB";
constexpr char kAllowAbortVariable[] = "WEIR_ALLOW_ABORT";
constexpr char kFilesVariable[] = "WEIR_FILES";
constexpr char kRequireTlsVariable[] = "WEIR_REQUIRE_TLS";
constexpr char kUnclaimedVariable[] = "WEIR_UNCLAIMED_SESSION_SECONDS";
constexpr char kIdleVariable[] = "WEIR_IDLE_SESSION_SECONDS";

// True if the environment says NAME=1.
bool IsSet(const char* name) {
  const char* variable = std::getenv(name);
  return variable != nullptr && std::string_view(variable) == "1";
}

// For what protects: only no text or "0" switches it off, so that a typing error does not.
bool IsRequired(const char* name) {
  const char* variable = std::getenv(name);
  return variable != nullptr && *variable != '\0' && std::string_view(variable) != "0";
}

// Why a server cannot listen. If the address does not belong to this machine, the message says how
// to set another one.
Status CannotListen(const Status& why) {
  std::string text = fmt::format("Could not start gRPC server: {}", std::string(why.message()));
  if (why.code() == StatusCode::kInvalidArgument) {
    text += fmt::format(
        ". If this task must listen on another address than the one in the cluster, set --bind_address of "
        "`weir serve`, bind_address of tf.train.Server, or {} in the environment",
        kBindVariable);
  }
  return MakeStatus(StatusCode::kUnknown, text);
}

// `text` is "host" or "host:port", and replaces the address in the cluster.
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

Result<int64_t> MillisOf(const char* variable, int64_t otherwise) {
  constexpr double kMaxSeconds = 1e9;
  WEIR_ASSIGN(const std::optional<double> seconds,
              ReadEnvironment(EnvironmentNumber<double>{variable, "seconds", 0, kMaxSeconds}));
  if (!seconds.has_value()) return otherwise;
  return std::llround(std::ceil(*seconds * 1000));
}

Result<size_t> KeptResponseBytes() {
  constexpr int64_t kLargestMb = int64_t{1} << 20;
  WEIR_ASSIGN(const std::optional<int64_t> megabytes,
              ReadEnvironment(EnvironmentNumber<int64_t>{kKeptResponsesVariable, "megabytes", 0, kLargestMb}));
  return megabytes.has_value() ? static_cast<size_t>(*megabytes) << 20 : kKeptResponseBytes;
}

bool OnlyThisHostReaches(const Address& bind) {
  if (bind.is_unix() || IsLoopback(bind.host)) return true;
  const Result<std::vector<SocketAddress>> found = Resolve(bind.host, bind.port);
  return found.ok() && !found->empty() && std::all_of(found->begin(), found->end(), [](const SocketAddress& address) {
           return IsLoopback(address.Host());
         });
}

Status CheckExposure(const Address& bind, Server::Options::WhenOpen when_open, Network& network) {
  if (OnlyThisHostReaches(bind)) return OkStatus();
  const Credentials credentials = network.credentials();
  const bool required = IsRequired(kRequireTlsVariable);
  if (required && !credentials.uses_tls() && credentials.authenticates()) {
    return MakeStatus(StatusCode::kPermissionDenied,
                      fmt::format("{} is set, but tokens would cross the network to {} in clear text: give the server "
                                  "a certificate (weir certs make; WEIR_TLS_CERT, WEIR_TLS_KEY, WEIR_TLS_CA)",
                                  kRequireTlsVariable, bind.ToString()));
  }
  if (credentials.authenticates()) {
    if (!credentials.uses_tls() && network.FirstWarningOfExposure())
      LogWarning(
          "tokens cross the network to {} in clear text: everybody who can read its traffic can use them. See "
          "docs/security.md",
          bind.ToString());
    return OkStatus();
  }
  if (!required && when_open == Server::Options::WhenOpen::kAllow) return OkStatus();
  const std::string text = fmt::format(
      "everybody who can connect to {} can run graphs there: read and write files, and change variables. Give the "
      "cluster certificates (weir certs make; WEIR_TLS_CERT, WEIR_TLS_KEY, WEIR_TLS_CA)",
      bind.ToString());
  if (required)
    return MakeStatus(StatusCode::kPermissionDenied, fmt::format("{} is set: {}", kRequireTlsVariable, text));
  if (when_open == Server::Options::WhenOpen::kRefuse) {
    return MakeStatus(StatusCode::kPermissionDenied,
                      fmt::format("{}, or use --insecure if everybody in the network is trusted", text));
  }
  if (network.FirstWarningOfExposure()) LogWarning("{}. See docs/security.md", text);
  return OkStatus();
}

// The files that kernels may use: `all`, or those in the returned Env.
Result<std::unique_ptr<Env>> FilesOf(const Server::Options& options, const Credentials& credentials, Env& all) {
  std::optional<std::vector<std::string>> folders = options.files;
  if (!folders.has_value()) {
    if (const char* variable = std::getenv(kFilesVariable)) folders = absl::StrSplit(variable, ':', absl::SkipEmpty());
  }
  if (!folders.has_value() && !credentials.authenticates()) return std::unique_ptr<Env>();
  WEIR_ASSIGN(std::unique_ptr<ConfinedEnv> confined,
              ConfinedEnv::Make(all, folders.value_or(std::vector<std::string>())));
  return std::unique_ptr<Env>(std::move(confined));
}

}  // namespace

// The objects that serve calls. Sessions in this process hold references to it: it outlives the server while they use
// it.
struct Server::Core final {
  struct Times {
    int64_t unclaimed_session_ms = 0;
    int64_t idle_session_ms = 0;
    int64_t session_lease_ms = 0;
  };
  Core(const tensorflow::ServerDef& def, const std::string& name, const ClusterSpec& cluster, const Times& times,
       size_t kept_response_bytes, const Limits& limits, const ProcessParts& parts, std::unique_ptr<Env> some_files,
       Network& shared_network)
      : network(shared_network),
        files(std::move(some_files)),
        alarms(RealClock()),
        task(name, cluster, def.default_session_config(),
             Task::Dependencies{
                 .parts = {parts.registry, parts.pool, parts.blocking_pool, files == nullptr ? parts.env : *files,
                           parts.py_functions, IsSet(kAllowAbortVariable)},
                 .transport = network.transport(),
                 .clock = RealClock(),
                 .alarms = alarms,
                 .rng = RealRng(),
                 .unclaimed_session_ms = times.unclaimed_session_ms,
                 .session_lease_ms = times.session_lease_ms,
                 .kept_response_bytes = kept_response_bytes,
                 .idle_session_ms = times.idle_session_ms,
                 .limits = limits}) {}

  Network& network;
  const std::unique_ptr<Env> files;  // null: all files of the process's Env
  ThreadAlarms alarms;
  Task task;
};

Result<std::unique_ptr<Server>> Server::Make(const tensorflow::ServerDef& def, const Options& options,
                                             const ProcessParts& parts, Network& network) {
  if (!def.protocol().empty() && def.protocol() != "grpc")
    return Unimplemented("unsupported server protocol \"{}\": only \"grpc\" is supported", def.protocol());
  WEIR_ASSIGN(ClusterSpec cluster, ClusterSpec::FromProto(def.cluster()));
  Result<std::string> text = cluster.TaskAddress(def.job_name(), def.task_index());
  if (!text.ok()) return InvalidArgument("{}", std::string(text.status().message()));
  WEIR_ASSIGN(Address own, Address::Parse(*text));
  WEIR_ASSIGN(Address bind, BindAddress(own, options.bind_address));
  WEIR_TRY(network.limits().status());
  Core::Times times;
  WEIR_ASSIGN(times.unclaimed_session_ms, options.unclaimed_session_ms.has_value()
                                              ? Result<int64_t>(*options.unclaimed_session_ms)
                                              : MillisOf(kUnclaimedVariable, kUnclaimedSessionMs));
  WEIR_ASSIGN(times.idle_session_ms, MillisOf(kIdleVariable, 0));
  constexpr int64_t kLongestLeaseMs = int64_t{1'000'000} * 1000;
  const EnvironmentNumber<int64_t> lease{kLeaseVariable, "milliseconds", 0, kLongestLeaseMs};
  WEIR_ASSIGN(const std::optional<int64_t> session_lease_ms, ReadEnvironment(lease));
  times.session_lease_ms = session_lease_ms.value_or(kSessionLeaseMs);
  WEIR_ASSIGN(const size_t kept_response_bytes, KeptResponseBytes());
  WEIR_TRY(CheckExposure(bind, options.when_open, network));
  WEIR_ASSIGN(std::unique_ptr<Env> files, FilesOf(options, network.credentials(), parts.env));
  Result<std::unique_ptr<Listener>> listener = network.transport().Listen(bind.ToString());
  if (!listener.ok()) return CannotListen(listener.status());
  if (own.port == 0 && !own.is_unix()) {
    // Tell other tasks the port that was chosen.
    own.port = (*listener)->port();
    std::map<std::string, ClusterSpec::Tasks> jobs = cluster.jobs();
    jobs[def.job_name()][def.task_index()] = own.ToString();
    WEIR_ASSIGN(cluster, ClusterSpec::Make(std::move(jobs)));
  }
  auto core = std::make_shared<Core>(def, TaskName(def.job_name(), def.task_index()), cluster, times,
                                     kept_response_bytes, *network.limits(), parts, std::move(files), network);
  std::unique_ptr<Server> server(new Server(def, own.ToString(), std::move(core), *std::move(listener)));
  if (!options.end_with.empty()) WEIR_TRY(server->WatchJobs(options.end_with, cluster));
  return server;
}

Status Server::WatchJobs(const std::string& jobs, const ClusterSpec& cluster) {
  const std::string own = TaskName(def_->job_name(), def_->task_index());
  const auto peers = std::make_shared<Peers>(cluster, core_->network.transport(), own, &core_->task.worker());
  WEIR_ASSIGN(watch_, JobWatch::Make(jobs, peers, core_->alarms, [this, jobs] {
                LogInfo("All tasks of job {} have ended: stopping the server at {}", jobs, address_);
                std::lock_guard lock(mu_);
                job_has_ended_ = true;
                ended_.notify_all();
              }));
  return OkStatus();
}

Server::Server(tensorflow::ServerDef def, std::string address, std::shared_ptr<Core> core,
               std::unique_ptr<Listener> listener)
    : def_(std::make_shared<const tensorflow::ServerDef>(std::move(def))),
      address_(std::move(address)),
      core_(std::move(core)),
      listener_(std::move(listener)) {}

Server::~Server() { Stop(); }

std::string Server::target() const { return "grpc://" + address_; }

Status Server::Start() {
  std::lock_guard lock(mu_);
  if (stopped_) return FailedPrecondition("the server at {} has been stopped and cannot be started again", address_);
  if (started_) return OkStatus();
  listener_->Serve(core_->task.Handler());
  started_ = true;
  if (watch_ != nullptr) watch_->Start();
  core_->network.AddMaster(address_, std::shared_ptr<MasterService>(core_, &core_->task.master()));
  LogInfo("Started server with target: {}", target());
  return OkStatus();
}

void Server::Stop(int64_t grace_ms, bool will_return) {
  std::unique_ptr<Listener> listener;
  {
    std::unique_lock lock(mu_);
    if (stopped_) return ended_.wait(lock, [&] { return has_ended_; });
    stopped_ = true;
    listener = std::move(listener_);
  }
  core_->network.RemoveMaster(address_);
  if (watch_ != nullptr) watch_->Stop();
  if (grace_ms > 0) {
    // Drain the master before the worker, because the master's steps start new steps on the worker.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
    core_->task.master().Drain(grace_ms);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    core_->task.worker().Drain(std::max<int64_t>(0, left));
  }
  core_->task.worker().AnnounceEnd(will_return ? Unavailable("the program at {} has failed", address_) : OkStatus());
  core_->task.End();
  listener = nullptr;
  std::lock_guard lock(mu_);
  has_ended_ = true;
  ended_.notify_all();
}

void Server::Join(const std::function<bool()>& until) {
  std::unique_lock lock(mu_);
  while (!has_ended_) {
    if (job_has_ended_ && !stopped_) {
      lock.unlock();
      return Stop(kEndWithGraceMs);
    }
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
