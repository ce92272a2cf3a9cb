// tf.train.replica_device_setter and its strategies for choosing a task.
#include "bind/device_setter.h"

#include <pybind11/stl.h>

#include "bind/cluster.h"
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "train/device_setter.h"

namespace weir::python {
namespace {

// A built-in strategy. Callable from Python, too.
struct StrategyObject {
  PsStrategy choose;
};

LoadFn LoadFrom(py::object function) {
  if (PyCallable_Check(function.ptr()) == 0) RaiseType(fmt::format("load_fn must be callable, not {}", Repr(function)));
  return [item = SharedPyObject(std::move(function))](Node& node) -> Result<double> {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<double> { return py::float_(item.get()(Wrap(&node))).cast<double>(); });
  };
}

PsStrategy StrategyFrom(py::object strategy) {
  if (strategy.is_none()) return {};
  if (py::isinstance<StrategyObject>(strategy)) return strategy.cast<const StrategyObject&>().choose;
  if (PyCallable_Check(strategy.ptr()) == 0) RaiseType("ps_strategy must be callable");
  return [item = SharedPyObject(std::move(strategy))](Node& node) -> Result<std::optional<int64_t>> {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<std::optional<int64_t>> {
      const py::object task = item.get()(Wrap(&node));
      if (task.is_none()) return std::optional<int64_t>();
      const py::object number = py::reinterpret_steal<py::object>(PyNumber_Long(task.ptr()));
      if (!number) throw py::error_already_set();
      const int64_t value = PyLong_AsLongLong(number.ptr());
      if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      return std::optional<int64_t>(value);
    });
  };
}

py::object ReplicaDeviceSetterOf(int64_t ps_tasks, std::optional<std::string> ps_device,
                                 std::optional<std::string> worker_device, bool merge_devices, py::object cluster,
                                 std::optional<std::vector<std::string>> ps_ops, py::object ps_strategy) {
  ReplicaDeviceOptions options;
  options.ps_tasks = ps_tasks;
  options.ps_device = ps_device.value_or("");
  options.worker_device = worker_device.value_or("");
  options.merge_devices = merge_devices;
  if (!cluster.is_none()) options.cluster = ClusterSpecFrom(cluster);
  if (ps_ops) options.ps_ops = *std::move(ps_ops);
  options.ps_strategy = StrategyFrom(std::move(ps_strategy));
  DeviceRequest request = Take(ReplicaDeviceSetter(std::move(options)));
  if (!request.choose) return py::none();
  return py::cast(DeviceFunction{std::move(request.choose)});
}

}  // namespace

void BindDeviceSetter(py::module_& m) {
  py::class_<DeviceFunction>(m, "DeviceFunction", "A device function for tf.device: returns the device of an op.")
      .def(
          "__call__", [](const DeviceFunction& f, Node* op) { return Take(f.choose(*op)); }, py::arg("op"));
  m.def("replica_device_setter", &ReplicaDeviceSetterOf, py::arg("ps_tasks") = 0, py::arg("ps_device") = "/job:ps",
        py::arg("worker_device") = "/job:worker", py::arg("merge_devices") = true, py::arg("cluster") = py::none(),
        py::arg("ps_ops") = py::none(), py::arg("ps_strategy") = py::none());

  py::class_<StrategyObject> strategy(m, "PsStrategy", "Chooses the parameter server task of an op.");
  strategy.def(
      "__call__", [](const StrategyObject& s, Node* op) { return Take(s.choose(*op)); }, py::arg("op"));
  struct Greedy : StrategyObject {};
  struct Random : StrategyObject {};
  py::class_<Greedy, StrategyObject>(m, "GreedyLoadBalancingStrategy",
                                     "Chooses the task with the smallest total load; load_fn(op) is the load of an op.")
      .def(py::init([](int64_t num_tasks, py::object load_fn) {
             return Greedy{{Take(GreedyLoadBalancingStrategy(num_tasks, LoadFrom(std::move(load_fn))))}};
           }),
           py::arg("num_tasks"), py::arg("load_fn"));
  py::class_<Random, StrategyObject>(m, "RandomStrategy", "Chooses a task by hashing the op's name and a seed.")
      .def(py::init(
               [](int64_t num_ps_tasks, int64_t seed) { return Random{{Take(RandomStrategy(num_ps_tasks, seed))}}; }),
           py::arg("num_ps_tasks"), py::arg("seed") = 0);
  m.def(
      "byte_size_load_fn",
      [](Node* op) {
        const double bytes = Take(ByteSizeLoad(*op));
        return static_cast<int64_t>(bytes);
      },
      py::arg("op"));
}

}  // namespace weir::python
