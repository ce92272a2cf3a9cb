// SimulatedCluster: three tasks on a simulated network. The nodes of the cases run on the tasks that are not the
// master. There are no threads and no sockets: while a session waits for an answer, its thread runs the simulation.
#ifndef WEIR_TESTS_OPS_SIMULATED_H_
#define WEIR_TESTS_OPS_SIMULATED_H_

#include "cluster/sim/sim_cluster.h"
#include "tests/ops/scope.h"

namespace weir::optest {

class SimulatedCluster final {
 public:
  SimulatedCluster(const OpRegistry& registry, uint64_t seed);
  // Fails the test if a task still holds a session, graph, step or call.
  ~SimulatedCluster();
  // Two modes with sessions on the worker: all nodes on one ps, and nodes alternating between two ps tasks.
  std::vector<RunMode> Modes();

 private:
  SimWorld world_;
  SimNetwork network_;
  SimCluster cluster_;
  Transport& client_;
};

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_SIMULATED_H_
