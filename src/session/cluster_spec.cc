#include "session/cluster_spec.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace weir {

namespace {

Status BadAddress(std::string_view text, std::string_view why) {
  return InvalidArgument("address '{}': {}", text, why);
}

Result<int> ParsePort(std::string_view text, std::string_view port) {
  if (port.empty()) return BadAddress(text, "the port is missing");
  if (!std::all_of(port.begin(), port.end(), [](char c) { return absl::ascii_isdigit(c); }))
    return BadAddress(text, fmt::format("the port '{}' is not a number", port));
  int number = 0;
  for (const char digit : port) {
    number = number * 10 + (digit - '0');
    if (number > 65535) return BadAddress(text, fmt::format("the port {} is greater than 65535", port));
  }
  return number;
}

Result<Address> ParseUnix(std::string_view text, std::string_view path) {
  // unix:///a/b is unix:/a/b written as a URI.
  if (path.starts_with("//")) path.remove_prefix(2);
  if (path.empty()) return BadAddress(text, "the path of the unix socket is missing");
  if (path.find('\0') != std::string_view::npos) return BadAddress(text, "the path contains a zero byte");
  constexpr size_t kLimit = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > kLimit)
    return BadAddress(text, fmt::format("the path has {} bytes, a unix socket can have {}", path.size(), kLimit));
  Address address;
  address.path = std::string(path);
  return address;
}

Status CheckIpv6(std::string_view text, std::string_view host) {
  const std::string number(host.substr(0, host.find('%')));  // '%' starts the zone (interface name)
  in6_addr parsed;
  if (number.find('\0') != std::string::npos || inet_pton(AF_INET6, number.c_str(), &parsed) != 1)
    return BadAddress(text, fmt::format("'{}' is not an IPv6 address", host));
  return OkStatus();
}

Status CheckHost(std::string_view text, std::string_view host) {
  if (host.empty()) return BadAddress(text, "the host is missing");
  if (host.find(':') != std::string_view::npos)
    return BadAddress(text, "there are too many colons; an IPv6 address is written in brackets, as in [::1]:2222");
  const auto bad = std::find_if(host.begin(), host.end(), [](unsigned char c) {
    return c <= ' ' || c == 0x7f || std::string_view("/\\@?#[]%\"'<>").find(char(c)) != std::string_view::npos;
  });
  if (bad == host.end()) return OkStatus();
  if (absl::ascii_isprint(*bad)) return BadAddress(text, fmt::format("the host must not contain '{}'", *bad));
  return BadAddress(text, "the host must not contain control characters");
}

bool LacksPort(std::string_view address) {
  return std::all_of(address.begin(), address.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_'; });
}

std::string TaskText(const std::string& job, int task) { return fmt::format("task {} of job '{}'", task, job); }

}  // namespace

bool IsJobName(std::string_view name) {
  return !name.empty() && absl::ascii_isalpha(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

Result<Address> Address::Parse(std::string_view text) {
  if (text.empty()) return InvalidArgument("the address is empty");
  if (text.starts_with("unix:")) return ParseUnix(text, text.substr(5));
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos)
    return BadAddress(text, fmt::format("write host:port, without '{}'", text.substr(0, scheme + 3)));
  if (text.find(',') != std::string_view::npos) return BadAddress(text, "this is a list; every task has one address");
  Address address;
  std::string_view rest = text;
  if (text.front() == '[') {
    rest.remove_prefix(1);
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return BadAddress(text, "the closing bracket is missing");
    address.host = std::string(rest.substr(0, end));
    WEIR_TRY(CheckIpv6(text, address.host));
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() != ':') return BadAddress(text, "only a colon and a port may follow the bracket");
    if (!rest.empty()) rest.remove_prefix(1);
  } else {
    const size_t colon = rest.rfind(':');
    address.host = std::string(rest.substr(0, colon));
    WEIR_TRY(CheckHost(text, address.host));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  WEIR_ASSIGN(address.port, ParsePort(text, rest));
  return address;
}

std::string Address::ToString() const {
  if (is_unix()) return "unix:" + path;
  if (host.find(':') != std::string::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

Result<ClusterSpec> ClusterSpec::Make(std::map<std::string, Tasks> jobs, Addresses addresses) {
  std::map<std::string, std::string> taken;  // address -> task
  for (const auto& [job, tasks] : jobs) {
    if (!IsJobName(job))
      return InvalidArgument("'{}' is not a job name: it is a letter, then letters, digits and underscores", job);
    for (const auto& [task, text] : tasks) {
      const std::string where = TaskText(job, task);
      if (task < 0) return InvalidArgument("{}: the index of a task must not be negative", where);
      if (addresses == Addresses::kMayLackPort && LacksPort(text)) continue;
      Result<Address> address = Address::Parse(text);
      if (!address.ok()) return WithContext(address.status(), where);
      if (!address->is_unix() && address->port == 0) continue;
      const auto [other, is_new] = taken.emplace(address->ToString(), where);
      if (!is_new) return InvalidArgument("{} and {} have the same address, {}", other->second, where, text);
    }
  }
  ClusterSpec spec;
  spec.jobs_ = std::move(jobs);
  return spec;
}

Result<ClusterSpec> ClusterSpec::FromProto(const tensorflow::ClusterDef& def, Addresses addresses) {
  std::map<std::string, Tasks> jobs;
  for (const tensorflow::JobDef& job : def.job()) {
    const auto [entry, is_new] = jobs.emplace(job.name(), Tasks(job.tasks().begin(), job.tasks().end()));
    if (!is_new) return InvalidArgument("duplicate job '{}' in the cluster", job.name());
  }
  return Make(std::move(jobs), addresses);
}

tensorflow::ClusterDef ClusterSpec::ToProto() const {
  tensorflow::ClusterDef def;
  for (const auto& [name, tasks] : jobs_) {
    tensorflow::JobDef* job = def.add_job();
    job->set_name(name);
    for (const auto& [task, address] : tasks) (*job->mutable_tasks())[task] = address;
  }
  return def;
}

Result<const ClusterSpec::Tasks*> ClusterSpec::TasksOf(const std::string& job) const {
  const auto entry = jobs_.find(job);
  if (entry == jobs_.end()) {
    std::string known;
    for (const auto& [name, tasks] : jobs_) known += (known.empty() ? "" : ", ") + name;
    return NotFound("No such job in cluster: '{}'; it has {}", job, known.empty() ? "none" : known);
  }
  return &entry->second;
}

Result<std::string> ClusterSpec::TaskAddress(const std::string& job, int task) const {
  WEIR_ASSIGN(const Tasks* tasks, TasksOf(job));
  const auto entry = tasks->find(task);
  if (entry == tasks->end()) {
    const std::string known = tasks->empty() ? "none"
                              : tasks->size() == 1
                                  ? std::to_string(tasks->begin()->first)
                                  : fmt::format("{} to {}", tasks->begin()->first, tasks->rbegin()->first);
    return NotFound("No task with index {} in job '{}'; it has {}", task, job, known);
  }
  return entry->second;
}

}  // namespace weir
