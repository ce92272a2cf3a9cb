// tf.train.SyncReplicasOptimizer. weir/lib/sync_replicas.py adds the queue runner's threads and the hook.
#include "train/sync_replicas.h"

#include <pybind11/stl.h>

#include "bind/coordinator.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/queue_runner.h"
#include "bind/session.h"
#include "bind/train.h"
#include "bind/variables.h"

namespace weir::python {
namespace {

std::shared_ptr<SyncReplicasOptimizer> MakeSyncReplicas(std::shared_ptr<Optimizer> opt, int64_t replicas_to_aggregate,
                                                        std::optional<int64_t> total_num_replicas,
                                                        std::shared_ptr<ExponentialMovingAverage> variable_averages,
                                                        py::object variables_to_average, bool use_locking,
                                                        const std::string& name, double replica_wait_secs,
                                                        double chief_wait_secs) {
  SyncReplicasOptions options;
  options.replicas_to_aggregate = replicas_to_aggregate;
  options.total_num_replicas = total_num_replicas;
  options.variable_averages = std::move(variable_averages);
  if (!variables_to_average.is_none()) options.variables_to_average = VariablesFrom(variables_to_average);
  options.use_locking = use_locking;
  options.name = name;
  options.replica_wait_secs = replica_wait_secs;
  options.chief_wait_secs = chief_wait_secs;
  return std::make_shared<SyncReplicasOptimizer>(std::move(opt), std::move(options));
}

}  // namespace

void BindSyncReplicas(py::module_& m) {
  using S = SyncReplicasOptimizer;
  py::class_<S, Optimizer, std::shared_ptr<S>>(m, "SyncReplicasOptimizer", GarbageCollected<S>())
      .def(py::init(&MakeSyncReplicas), py::arg("opt"), py::arg("replicas_to_aggregate"),
           py::arg("total_num_replicas") = py::none(), py::arg("variable_averages") = py::none(),
           py::arg("variables_to_average") = py::none(), py::arg("use_locking") = false,
           py::arg("name") = "sync_replicas", py::arg("replica_wait_secs") = 60.0, py::arg("chief_wait_secs") = 600.0,
           KeepArgumentsAlive())
      .def("_applied",
           [](S& self, Node* train) {
             RecordOrigins(train->graph());
             return Output(train, 0);
           })
      .def(
          "get_init_tokens_op",
          [](S& self, int64_t num_tokens) {
            Node* node = Take(self.GetInitTokensOp(num_tokens));
            RecordOrigins(node->graph());
            return node;
          },
          py::arg("num_tokens") = -1)
      .def("_chief_runner", [](const S& self) { return RunnerHandle{Take(self.GetChiefQueueRunner())}; })
      .def("_watch_chief",
           [](const S& self, py::object session, py::object coord) {
             const std::shared_ptr<Session> watched = SessionOf(session);
             const std::shared_ptr<Coordinator> coordinator = CoordinatorOf(coord);
             Status status;
             {
               ReleaseGil waiting;
               status = self.WatchChief(*watched, *coordinator);
             }
             if (!status.ok()) RaiseRunError(status, nullptr);
           })
      .def("_token_queue",
           [](const S& self) { return std::make_pair(self.token_queue().dtypes(), self.token_queue().queue_ref()); })
      .def_property_readonly("chief_init_op", [](const S& self) { return self.chief_init_op(); })
      .def_property_readonly("local_step_init_op",
                             [](const S& self) -> Output {
                               Node* node = self.local_step_init_op();
                               return node == nullptr ? Output() : Output(node, 0);
                             })
      .def_property_readonly("ready_for_local_init_op", [](const S& self) { return self.ready_for_local_init_op(); })
      .def_property_readonly("_gradients_applied", [](const S& self) { return self.gradients_applied(); })
      .def_property_readonly("_replicas_to_aggregate", [](const S& self) { return self.replicas_to_aggregate(); })
      .def_property_readonly("_total_num_replicas", [](const S& self) { return self.total_num_replicas(); })
      .def_property_readonly("_tokens_per_step", [](const S& self) { return self.tokens_per_step(); })
      .def_property_readonly("_opt", [](const S& self) { return self.optimizer(); });
}

}  // namespace weir::python
