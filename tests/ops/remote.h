// RemoteCluster: two servers, one in this process and one in a process of its own, over gRPC; the cases' nodes run in
// the other one.
#ifndef WEIR_TESTS_OPS_REMOTE_H_
#define WEIR_TESTS_OPS_REMOTE_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "cluster/remote_session.h"
#include "cluster/server.h"
#include "tests/ops/scope.h"

namespace weir::optest {

// Sessions on the master that `find` gives, every node on /job:ps/task:0.
RunMode OnAnotherTask(std::string name, std::string target,
                      std::function<Result<std::shared_ptr<MasterService>>()> find);

class RemoteCluster final {
 public:
  // `program` is this program: it is started again as the other server.
  RemoteCluster(const OpRegistry& registry, const std::string& program);
  ~RemoteCluster();
  // Sessions on this process's server, every node on the other one.
  RunMode Mode();

 private:
  ThreadPool pool_{"optest_remote", 2};
  ElasticPool blocking_pool_{"optest_remote_blocking"};
  Network network_;
  std::unique_ptr<Server> server_;
  pid_t other_ = 0;
};

// What the other process does: serves until its standard input ends.
int ServeOther(const std::string& own_address, const std::string& other_address);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_REMOTE_H_
