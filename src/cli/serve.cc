#include "cli/serve.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/exit_deadline.h"
#include "base/thread_pool.h"
#include "cluster/join_until_signal.h"
#include "cluster/network.h"
#include "cluster/server.h"
#include "ops/register.h"

namespace weir::cli {
namespace {

using Jobs = std::map<std::string, ClusterSpec::Tasks>;

ClusterSpec::Tasks TasksOf(const std::string& addresses) {
  const std::vector<std::string> list = absl::StrSplit(addresses, ',');
  ClusterSpec::Tasks tasks;
  for (size_t i = 0; i < list.size(); ++i) tasks[static_cast<int>(i)] = list[i];
  return tasks;
}

// "ps=a:1,b:1;worker=c:1"
Result<ClusterSpec> ParseCluster(const std::string& text) {
  Jobs jobs;
  const std::vector<std::string> list = absl::StrSplit(text, ';', absl::SkipWhitespace());
  for (const std::string& job : list) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(job, absl::MaxSplits('=', 1));
    if (parts.second.empty())
      return InvalidArgument("--cluster: cannot parse '{}'; expected \"ps=host:port,host:port;worker=host:port\"", job);
    if (!jobs.emplace(parts.first, TasksOf(parts.second)).second)
      return InvalidArgument("--cluster has job '{}' twice", parts.first);
  }
  Result<ClusterSpec> cluster = ClusterSpec::Make(std::move(jobs));
  if (!cluster.ok()) return WithContext(cluster.status(), "--cluster");
  return cluster;
}

Result<ClusterSpec> ClusterOfHosts(const ServeOptions& options) {
  Jobs jobs;
  if (!options.ps_hosts.empty()) jobs["ps"] = TasksOf(options.ps_hosts);
  if (!options.worker_hosts.empty()) jobs["worker"] = TasksOf(options.worker_hosts);
  Result<ClusterSpec> cluster = ClusterSpec::Make(std::move(jobs));
  if (!cluster.ok()) return WithContext(cluster.status(), "--ps_hosts and --worker_hosts");
  return cluster;
}

}  // namespace

Result<ClusterConfig> ClusterOf(const ServeOptions& options, const char* tf_config, Env& env) {
  const bool has_hosts = !options.ps_hosts.empty() || !options.worker_hosts.empty();
  if (int{!options.cluster.empty()} + int{has_hosts} + int{!options.config_file.empty()} > 1)
    return InvalidArgument("give only one of: --cluster; --ps_hosts and --worker_hosts; --config");
  ClusterConfig config;
  if (!options.cluster.empty()) {
    WEIR_ASSIGN(config.cluster, ParseCluster(options.cluster));
    return config;
  }
  if (has_hosts) {
    WEIR_ASSIGN(config.cluster, ClusterOfHosts(options));
    return config;
  }
  if (!options.config_file.empty()) return ClusterConfig::ReadFile(env, options.config_file);
  if (tf_config != nullptr && *tf_config != '\0') return ClusterConfig::Parse(tf_config, "TF_CONFIG");
  return InvalidArgument("no cluster given: use --cluster, --ps_hosts and --worker_hosts, --config or TF_CONFIG");
}

Result<ClusterConfig> ServedTask(const ServeOptions& options, const char* tf_config, Env& env) {
  WEIR_ASSIGN(ClusterConfig config, ClusterOf(options, tf_config, env));
  const bool has_task = !config.job_name.empty();
  if (!options.job_name.empty()) {
    if (config.job_name != options.job_name) config.task_index = -1;
    config.job_name = options.job_name;
  } else if (!has_task) {
    if (config.cluster.jobs().size() != 1)
      return InvalidArgument("the cluster has several jobs: name the job of this task with --job_name");
    config.job_name = config.cluster.jobs().begin()->first;
  }
  if (options.task_index >= 0) {
    config.task_index = options.task_index;
  } else if (!has_task || config.task_index < 0) {
    Result<const ClusterSpec::Tasks*> tasks = config.cluster.TasksOf(config.job_name);
    if (tasks.ok() && (*tasks)->size() != 1)
      return InvalidArgument("job '{}' has {} tasks: name this one with --task_index", config.job_name,
                             (*tasks)->size());
    config.task_index = tasks.ok() ? (*tasks)->begin()->first : 0;
  }
  const Status found = config.cluster.TaskAddress(config.job_name, config.task_index).status();
  if (!found.ok())
    return InvalidArgument("{}. The cluster is {}", std::string(found.message()),
                           ClusterConfig{config.cluster}.ToJson());
  return config;
}

Status Serve(const ServeOptions& options) {
  WEIR_ASSIGN(const ClusterConfig config, ServedTask(options, std::getenv("TF_CONFIG"), RealEnv()));
  auto signals = std::make_unique<ShutdownSignals>();
  std::optional<ExitDeadline> deadline;  // declared first, destroyed last: covers the shutdown of everything below
  OpRegistry registry;
  ops::RegisterAllOps(registry);
  ThreadPool pool("weir", 0);
  ElasticPool blocking_pool("weir-io");
  Network network(RealEnv(), options.credentials, options.limits);
  tensorflow::ServerDef def;
  *def.mutable_cluster() = config.cluster.ToProto();
  def.set_job_name(config.job_name);
  def.set_task_index(config.task_index);
  def.set_protocol("grpc");
  WEIR_ASSIGN(const std::unique_ptr<Server> server,
              Server::Make(def,
                           Server::Options{.bind_address = options.bind_address,
                                           .unclaimed_session_ms = {},
                                           .end_with = options.end_with,
                                           .files = options.files,
                                           .when_open = options.insecure ? Server::Options::WhenOpen::kAllow
                                                                         : Server::Options::WhenOpen::kRefuse},
                           ProcessParts{registry, pool, blocking_pool, RealEnv()}, network));
  WEIR_TRY(server->Start());
  if (JoinUntilSignal(*server, std::llround(options.grace_seconds * 1000), std::move(signals)))
    deadline.emplace(std::chrono::seconds(1));
  return OkStatus();
}

}  // namespace weir::cli
