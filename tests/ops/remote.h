// RemoteCluster: two servers over gRPC, one in this process and one in another. The nodes of the cases run on the other
// one.
#ifndef WEIR_TESTS_OPS_REMOTE_H_
#define WEIR_TESTS_OPS_REMOTE_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "cluster/remote_session.h"
#include "cluster/server.h"
#include "tests/ops/scope.h"

namespace weir::optest {

// Opens sessions on the master that `find` returns, with every node on /job:ps/task:0.
RunMode OnAnotherTask(std::string name, std::string target,
                      std::function<Result<std::shared_ptr<MasterService>>()> find);

class RemoteCluster final {
 public:
  // `program` is the path of this program, which is started again as the other server.
  RemoteCluster(const OpRegistry& registry, const std::string& program);
  ~RemoteCluster();
  // Opens sessions on the server of this process, with every node on the other server.
  RunMode Mode();

 private:
  ThreadPool pool_{"optest_remote", 2};
  ElasticPool blocking_pool_{"optest_remote_blocking"};
  Network network_{RealEnv()};
  std::unique_ptr<Server> server_;
  pid_t other_ = 0;
};

// The main function of the other process: serves until its standard input is closed.
int ServeOther(const std::string& own_address, const std::string& other_address);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_REMOTE_H_
