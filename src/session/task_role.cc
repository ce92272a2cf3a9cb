#include "session/task_role.h"

#include <cstdlib>
#include <vector>

#include "session/cluster_json.h"

namespace weir {
namespace {

using Json = nlohmann::json;

const char kChief[] = "chief";
const char kMasterJob[] = "master";
const char kPs[] = "ps";
const char kEvaluator[] = "evaluator";

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool Has(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

// One more than the largest index.
int CountTasks(const ClusterSpec& cluster, const std::string& job) {
  const auto found = cluster.jobs().find(job);
  return found == cluster.jobs().end() || found->second.empty() ? 0 : found->second.rbegin()->first + 1;
}

Status ReadRoleTask(const Json& task, TaskRole* role) {
  const char* missing = nullptr;
  if (!Has(task, "type")) missing = "type";
  if (missing == nullptr && !Has(task, "index")) missing = "index";
  if (missing != nullptr) return InvalidArgument("If \"cluster\" is set in TF_CONFIG, task {} must be set.", missing);
  role->task_type = TextOf(task, "type");
  role->task_id = IndexFrom(task["index"]);
  if (role->task_id < 0)
    return InvalidArgument("The index {} of the task in TF_CONFIG is not a non-negative number.", task["index"].dump());
  return OkStatus();
}

Status CheckChief(const ClusterSpec& cluster, const char* chief) {
  if (!cluster.jobs().contains(chief))
    return InvalidArgument("If \"cluster\" is set in TF_CONFIG, it must have one \"{}\" node.", chief);
  if (CountTasks(cluster, chief) != 1)
    return InvalidArgument("The \"cluster\" in TF_CONFIG must have only one \"{}\" node.", chief);
  return OkStatus();
}

// The chief has 0; then come all other jobs by name, and the parameter servers last.
int GlobalId(const TaskRole& role, const std::string& chief) {
  int before = 0;
  std::vector<std::string> order = {chief};
  for (const auto& [job, tasks] : role.cluster.jobs())
    if (job != chief && job != kPs) order.push_back(job);
  order.push_back(kPs);
  for (const std::string& job : order) {
    if (job == role.task_type) break;
    before += CountTasks(role.cluster, job);
  }
  return before + role.task_id;
}

Status ResolveInCluster(const Json& config, TaskRole* role) {
  const std::string chief = role->cluster.jobs().contains(kMasterJob) ? kMasterJob : kChief;
  WEIR_TRY(CheckChief(role->cluster, chief.c_str()));
  const auto task = config.find("task");
  WEIR_TRY(ReadRoleTask(task == config.end() ? Json::object() : *task, role));
  if (chief == kMasterJob && role->cluster.jobs().contains(kChief))
    return InvalidArgument("If `master` node exists in `cluster`, job `chief` is not supported.");
  if (role->task_type == kEvaluator) {
    if (chief == kMasterJob)
      return InvalidArgument("If `master` node exists in `cluster`, task_type `evaluator` is not supported.");
    role->cluster = {};
    role->global_id = std::nullopt;
    role->evaluation_master = TextOf(config, "eval_session_master");
    role->is_chief = false;
    role->num_worker_replicas = 0;
    return OkStatus();
  }
  if (!role->cluster.jobs().contains(role->task_type))
    return InvalidArgument("{} is not a valid task_type in the cluster of TF_CONFIG.", role->task_type);
  const Result<std::string> address = role->cluster.TaskAddress(role->task_type, role->task_id);
  if (!address.ok())
    return InvalidArgument("{} is not a valid task_id for task_type {} in the cluster of TF_CONFIG.", role->task_id,
                           role->task_type);
  role->is_chief = role->task_type == chief;
  role->num_ps_replicas = static_cast<int>(role->cluster.TasksOf(kPs).ok() ? role->cluster.jobs().at(kPs).size() : 0);
  const auto workers = role->cluster.jobs().find("worker");
  role->num_worker_replicas =
      1 + (workers == role->cluster.jobs().end() ? 0 : static_cast<int>(workers->second.size()));
  role->global_id = GlobalId(*role, chief);
  role->master = TextOf(config, "session_master");
  // A cluster of one task needs no server.
  if (role->master.empty() && role->cluster.jobs().size() > 1) role->master = "grpc://" + *address;
  return OkStatus();
}

Status ResolveAlone(const Json& config, TaskRole* role) {
  if (const auto task = config.find("task"); task != config.end() && !task->is_null()) {
    if (Has(*task, "type") && TextOf(*task, "type") != "worker")
      return InvalidArgument("If \"cluster\" is not set in TF_CONFIG, task type must be WORKER.");
    if (Has(*task, "index") && IndexFrom((*task)["index"]) != 0)
      return InvalidArgument("If \"cluster\" is not set in TF_CONFIG, task index must be 0.");
  }
  role->master = TextOf(config, "session_master");
  role->evaluation_master = TextOf(config, "eval_session_master");
  return OkStatus();
}

}  // namespace

Result<TaskRole> TaskRole::FromTfConfig(std::string_view json) {
  Result<Json> parsed = ParseJson(json);
  if (!parsed.ok()) return WithContext(parsed.status(), "TF_CONFIG");
  const Json& config = *parsed;
  if (!config.is_object()) return InvalidArgument("TF_CONFIG must be an object, not {}", KindOf(config));
  if (const auto task = config.find("task"); task != config.end() && !task->is_object() && !task->is_null())
    return InvalidArgument("\"task\" in TF_CONFIG must be an object, not {}", KindOf(*task));
  TaskRole role;
  if (Has(config, "model_dir")) {
    role.model_dir = TextOf(config, "model_dir");
    if (role.model_dir.empty()) return InvalidArgument("model_dir in TF_CONFIG should be non-empty.");
  }
  if (const auto service = config.find("service"); service != config.end() && !service->is_null()) {
    if (!service->is_object())
      return MarkTypeError(
          InvalidArgument("If \"service\" is set in TF_CONFIG, it must be a dict, not {}", KindOf(*service)));
    role.service = service->dump();
  }
  if (const auto cluster = config.find("cluster"); cluster != config.end()) {
    Result<ClusterSpec> spec = ClusterFrom(*cluster, ClusterSpec::Addresses::kMayLackPort);
    if (!spec.ok()) return MarkTypeError(WithContext(spec.status(), "\"cluster\" in TF_CONFIG"));
    role.cluster = *std::move(spec);
  }
  WEIR_TRY(role.cluster.empty() ? ResolveAlone(config, &role) : ResolveInCluster(config, &role));
  return role;
}

Result<TaskRole> TaskRole::FromEnvironment() {
  const char* text = std::getenv("TF_CONFIG");
  return FromTfConfig(text == nullptr ? "{}" : text);
}

}  // namespace weir
