// SimulatedCluster: three tasks on a simulated network; the cases' nodes run on those that are not the master. While a
// session waits for an answer, its thread runs the world: nothing here has threads or sockets.
#ifndef WEIR_TESTS_OPS_SIMULATED_H_
#define WEIR_TESTS_OPS_SIMULATED_H_

#include "cluster/sim/sim_cluster.h"
#include "tests/ops/scope.h"

namespace weir::optest {

class SimulatedCluster final {
 public:
  SimulatedCluster(const OpRegistry& registry, uint64_t seed);
  // Fails when a task then still holds something.
  ~SimulatedCluster();
  // Sessions on the worker: every node on one ps, and nodes on two of them in turn.
  std::vector<RunMode> Modes();

 private:
  SimWorld world_;
  SimNetwork network_;
  SimCluster cluster_;
  Transport& client_;
};

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_SIMULATED_H_
