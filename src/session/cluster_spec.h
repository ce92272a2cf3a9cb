// ClusterSpec: which jobs there are, which tasks each has, and at which addresses they listen. A value.
// Invariant: job names and indices fit into device names, and no two tasks have one address.
#ifndef WEIR_SESSION_CLUSTER_SPEC_H_
#define WEIR_SESSION_CLUSTER_SPEC_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "proto/cluster.pb.h"

namespace weir {

class ClusterSpec final {
 public:
  using Tasks = std::map<int, std::string>;  // address by index; indices may have gaps
  // Programs name a cluster also where they only place a graph: then an address may be a bare name ("ps0") or empty.
  // A server, and a session with a cluster of its own, take only complete ones.
  enum class Addresses { kComplete, kMayLackPort };

  ClusterSpec() = default;
  // Job names, indices and addresses are checked; errors (InvalidArgument) name the job and the task.
  static Result<ClusterSpec> Make(std::map<std::string, Tasks> jobs, Addresses addresses = Addresses::kComplete);
  // Also an error: a job that is there twice.
  static Result<ClusterSpec> FromProto(const tensorflow::ClusterDef& def, Addresses addresses = Addresses::kComplete);
  tensorflow::ClusterDef ToProto() const;  // jobs by name

  const std::map<std::string, Tasks>& jobs() const { return jobs_; }
  bool empty() const { return jobs_.empty(); }
  // The tasks of a job. NotFound where there is no such job; TaskAddress also where it has no such task.
  Result<const Tasks*> TasksOf(const std::string& job) const;
  Result<std::string> TaskAddress(const std::string& job, int task) const;
  bool operator==(const ClusterSpec& other) const { return jobs_ == other.jobs_; }

 private:
  std::map<std::string, Tasks> jobs_;
};

// A letter, then letters, digits and underscores.
bool IsJobName(std::string_view name);

// Where a task listens: "host:port", "[ipv6]:port" or "unix:path".
struct Address {
  std::string host;  // without brackets; empty for a path
  int port = 0;      // 0: any free one
  std::string path;  // of a unix socket
  bool is_unix() const { return !path.empty(); }
  std::string ToString() const;
  bool operator==(const Address& other) const = default;
  // InvalidArgument says what is wrong with the text.
  static Result<Address> Parse(std::string_view text);
};

}  // namespace weir

#endif  // WEIR_SESSION_CLUSTER_SPEC_H_
