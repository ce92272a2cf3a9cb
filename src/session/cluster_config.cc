#include "session/cluster_config.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "session/cluster_json.h"

namespace weir {

using Json = nlohmann::json;

Result<Json> ParseJson(std::string_view text) {
  std::vector<std::set<std::string>> open_objects;
  std::optional<std::string> twice;
  const auto see = [&](int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) open_objects.pop_back();
    if (event == Json::parse_event_t::key && !open_objects.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), see);
    if (twice.has_value()) return InvalidArgument("duplicate key \"{}\"", *twice);
    return json;
  } catch (const Json::exception& error) {
    std::string_view what = error.what();
    if (const size_t end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    return InvalidArgument("invalid JSON: {}", what);
  }
}

std::string KindOf(const Json& value) {
  if (value.is_null()) return "null";
  return fmt::format("{} {}", value.is_array() || value.is_object() ? "an" : "a", value.type_name());
}

int IndexFrom(const Json& value) {
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<uint64_t>() > std::numeric_limits<int>::max()) return -1;
    const int64_t index = value.get<int64_t>();
    return index >= 0 && index <= std::numeric_limits<int>::max() ? static_cast<int>(index) : -1;
  }
  int index = -1;
  if (!value.is_string()) return -1;
  const std::string& text = value.get_ref<const std::string&>();
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number && absl::SimpleAtoi(text, &index) ? index : -1;
}

namespace {

Result<ClusterSpec::Tasks> TasksFrom(const Json& value) {
  ClusterSpec::Tasks tasks;
  const auto add = [&tasks](int index, const Json& address) -> Status {
    if (!address.is_string())
      return InvalidArgument("the address of task {} is {}, not a string", index, KindOf(address));
    if (!tasks.emplace(index, address.get<std::string>()).second) return InvalidArgument("duplicate task {}", index);
    return OkStatus();
  };
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) WEIR_TRY(add(static_cast<int>(i), value[i]));
    return tasks;
  }
  if (value.is_object()) {
    for (const auto& [key, address] : value.items()) {
      const int index = IndexFrom(Json(key));
      if (index < 0) return InvalidArgument("\"{}\" is not the index of a task", key);
      WEIR_TRY(add(index, address));
    }
    return tasks;
  }
  return InvalidArgument("tasks are a list of addresses or an object from index to address, not {}", KindOf(value));
}

}  // namespace

Result<ClusterSpec> ClusterFrom(const Json& value, ClusterSpec::Addresses addresses) {
  if (!value.is_object()) return InvalidArgument("it must be an object from job to tasks, not {}", KindOf(value));
  std::map<std::string, ClusterSpec::Tasks> jobs;
  for (const auto& [job, tasks] : value.items()) {
    Result<ClusterSpec::Tasks> converted = TasksFrom(tasks);
    if (!converted.ok()) return WithContext(converted.status(), fmt::format("job '{}'", job));
    jobs[job] = *std::move(converted);
  }
  return ClusterSpec::Make(std::move(jobs), addresses);
}

namespace {

Status ReadTask(const Json& value, ClusterConfig& config) {
  if (!value.is_object())
    return InvalidArgument("it must be an object with \"type\" and \"index\", not {}", KindOf(value));
  const auto type = value.find("type");
  if (type == value.end()) return InvalidArgument("there is no \"type\"");
  if (!type->is_string()) return InvalidArgument("\"type\" is {}, not the name of a job", KindOf(*type));
  const auto index = value.find("index");
  if (index == value.end()) return InvalidArgument("there is no \"index\"");
  config.job_name = type->get<std::string>();
  config.task_index = IndexFrom(*index);
  if (config.task_index < 0)
    return InvalidArgument("\"index\" is {}, not the index of a task",
                           index->dump(-1, ' ', false, Json::error_handler_t::replace));
  const Status found = config.cluster.TaskAddress(config.job_name, config.task_index).status();
  if (!found.ok()) return InvalidArgument("{}", std::string(found.message()));
  return OkStatus();
}

Result<ClusterConfig> ConfigFrom(std::string_view text) {
  WEIR_ASSIGN(const Json json, ParseJson(text));
  if (!json.is_object())
    return InvalidArgument("it must be an object with \"cluster\" and \"task\", not {}", KindOf(json));
  const auto cluster = json.find("cluster");
  if (cluster == json.end()) return InvalidArgument("there is no \"cluster\"");
  Result<ClusterSpec> spec = ClusterFrom(*cluster);
  if (!spec.ok()) return WithContext(spec.status(), "\"cluster\"");
  ClusterConfig config;
  config.cluster = *std::move(spec);
  if (const auto task = json.find("task"); task != json.end() && !task->is_null()) {
    const Status status = ReadTask(*task, config);
    if (!status.ok()) return WithContext(status, "\"task\"");
  }
  return config;
}

}  // namespace

Result<ClusterConfig> ClusterConfig::Parse(std::string_view json, std::string_view source) {
  Result<ClusterConfig> config = ConfigFrom(json);
  if (!config.ok()) return WithContext(config.status(), source);
  return config;
}

Result<ClusterConfig> ClusterConfig::ReadFile(Env& env, const std::string& path) {
  WEIR_ASSIGN(const std::string text, env.ReadFile(path));
  return Parse(text, path);
}

std::string ClusterConfig::ToJson() const {
  Json jobs = Json::object();
  for (const auto& [job, tasks] : cluster.jobs()) {
    const bool has_gaps = !tasks.empty() && tasks.rbegin()->first != static_cast<int>(tasks.size()) - 1;
    Json& entry = jobs[job] = has_gaps ? Json::object() : Json::array();
    for (const auto& [task, address] : tasks) {
      if (has_gaps) {
        entry[std::to_string(task)] = address;
      } else {
        entry.push_back(address);
      }
    }
  }
  Json json = {{"cluster", std::move(jobs)}};
  if (!job_name.empty()) json["task"] = {{"type", job_name}, {"index", task_index}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace weir
