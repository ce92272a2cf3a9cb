// ClusterSpec: the jobs of a cluster, their tasks, and the address of each task. A value type.
// Invariant: job names and task indices are valid in device names, and no two tasks have the same address.
#ifndef WEIR_SESSION_CLUSTER_SPEC_H_
#define WEIR_SESSION_CLUSTER_SPEC_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/status.h"
#include "weir/proto/messages.h"

namespace weir {

class ClusterSpec final {
 public:
  using Tasks = std::map<int, std::string>;  // address by index; indices may have gaps
  // kMayLackPort: an address may be a bare name ("ps0") or empty, for programs that use a cluster only to place a
  // graph. Servers, and sessions with their own cluster, need kComplete.
  enum class Addresses { kComplete, kMayLackPort };

  ClusterSpec() = default;
  // Checks job names, indices and addresses. Errors (InvalidArgument) name the job and the task.
  static Result<ClusterSpec> Make(std::map<std::string, Tasks> jobs, Addresses addresses = Addresses::kComplete);
  // Also fails if a job occurs twice.
  static Result<ClusterSpec> FromProto(const tensorflow::ClusterDef& def, Addresses addresses = Addresses::kComplete);
  tensorflow::ClusterDef ToProto() const;  // jobs sorted by name

  const std::map<std::string, Tasks>& jobs() const { return jobs_; }
  bool empty() const { return jobs_.empty(); }
  // NotFound if there is no such job, or the job has no such task.
  Result<const Tasks*> TasksOf(const std::string& job) const;
  Result<std::string> TaskAddress(const std::string& job, int task) const;
  bool operator==(const ClusterSpec& other) const { return jobs_ == other.jobs_; }

 private:
  std::map<std::string, Tasks> jobs_;
};

// A letter, then letters, digits and underscores.
bool IsJobName(std::string_view name);

// The address that a task listens on: "host:port", "[ipv6]:port" or "unix:path".
struct Address {
  std::string host;  // without brackets; empty for a unix socket
  int port = 0;      // 0: any free port
  std::string path;  // of a unix socket
  bool is_unix() const { return !path.empty(); }
  std::string ToString() const;
  bool operator==(const Address& other) const = default;
  // InvalidArgument with the reason if `text` is malformed.
  static Result<Address> Parse(std::string_view text);
};

}  // namespace weir

#endif  // WEIR_SESSION_CLUSTER_SPEC_H_
