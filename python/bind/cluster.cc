// Binds tf.train.ClusterSpec.
#include "bind/cluster.h"

#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bind/errors.h"
#include "bind/messages.h"

namespace weir::python {

namespace {

using Tasks = ClusterSpec::Tasks;
constexpr auto kMayLackPort = ClusterSpec::Addresses::kMayLackPort;

// job_tasks returns an entry for every missing index, too: limit the size of its list.
constexpr int kMostListedTasks = 1 << 24;

std::string TextFrom(py::handle object, const char* what) {
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (!py::isinstance<py::bytes>(object)) RaiseType(fmt::format("{} {} must be bytes or unicode", what, Repr(object)));
  return object.attr("decode")().cast<std::string>();
}

int IndexFrom(py::handle object) {
  const py::int_ number = py::reinterpret_steal<py::int_>(PyNumber_Long(object.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long value = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || value != static_cast<int>(value))
    RaiseValue(fmt::format("Value out of range: {}", Repr(number)));
  return static_cast<int>(value);
}

Tasks TasksFrom(py::handle job, py::handle tasks) {
  Tasks found;
  const auto add = [&](int index, py::handle address) {
    if (!found.emplace(index, TextFrom(address, "Task address")).second)
      RaiseValue(fmt::format("duplicate task index {} in job {}", index, Repr(job)));
  };
  if (PyDict_Check(tasks.ptr())) {
    for (const auto& [index, address] : py::reinterpret_borrow<py::dict>(tasks)) add(IndexFrom(index), address);
  } else if (PyList_Check(tasks.ptr()) || PyTuple_Check(tasks.ptr())) {
    for (py::handle address : tasks) add(static_cast<int>(found.size()), address);
  } else {
    RaiseType(fmt::format("The tasks for job {} must be a list or a dictionary from integers to strings.", Repr(job)));
  }
  return found;
}

py::dict DictOfTasks(const Tasks& tasks) {
  py::dict dict;
  for (const auto& [task, address] : tasks) dict[py::int_(task)] = address;
  return dict;
}

// Tasks become a list if their indices are 0, 1, 2, ..., else a dict.
py::dict AsDict(const ClusterSpec& spec) {
  py::dict dict;
  for (const auto& [job, tasks] : spec.jobs()) {
    const bool has_list = !tasks.empty() && tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1;
    if (!has_list) {
      dict[py::str(job)] = DictOfTasks(tasks);
      continue;
    }
    py::list list;
    for (const auto& [task, address] : tasks) list.append(address);
    dict[py::str(job)] = list;
  }
  return dict;
}

bool IsEqual(const ClusterSpec& spec, py::handle other) {
  if (py::isinstance<ClusterSpec>(other)) return spec == other.cast<const ClusterSpec&>();
  // As in TensorFlow, a ClusterSpec equals a dict with its contents.
  py::dict dict;
  for (const auto& [job, tasks] : spec.jobs()) dict[py::str(job)] = DictOfTasks(tasks);
  return PyDict_Check(other.ptr()) && dict.equal(other);
}

const Tasks& TasksOf(const ClusterSpec& spec, py::handle job) {
  if (!py::isinstance<py::str>(job)) RaiseValue(fmt::format("No such job in cluster: {}", Repr(job)));
  const Result<const Tasks*> tasks = spec.TasksOf(job.cast<std::string>());
  if (!tasks.ok()) RaiseValue(std::string(tasks.status().message()));
  return **tasks;
}

std::string TaskAddress(const ClusterSpec& spec, py::handle job, py::handle index) {
  const Tasks& tasks = TasksOf(spec, job);
  const auto entry = PyIndex_Check(index.ptr()) ? tasks.find(IndexFrom(index)) : tasks.end();
  if (entry == tasks.end()) RaiseValue(fmt::format("No task with index {} in job {}", Repr(index), Repr(job)));
  return entry->second;
}

std::vector<std::optional<std::string>> JobTasks(const ClusterSpec& spec, py::handle job) {
  const Tasks& tasks = TasksOf(spec, job);
  if (tasks.empty()) return {};
  const int last = tasks.rbegin()->first;
  if (last >= kMostListedTasks)
    RaiseValue(fmt::format("job {} has task index {}, which is too large for a list: use as_dict()", Repr(job), last));
  std::vector<std::optional<std::string>> addresses(static_cast<size_t>(last) + 1);
  for (const auto& [task, address] : tasks) addresses[static_cast<size_t>(task)] = address;
  return addresses;
}

std::vector<int> TaskIndices(const ClusterSpec& spec, py::handle job) {
  std::vector<int> indices;
  for (const auto& [task, address] : TasksOf(spec, job)) indices.push_back(task);
  return indices;
}

}  // namespace

ClusterSpec ClusterSpecFrom(py::handle cluster) {
  if (py::isinstance<ClusterSpec>(cluster)) return cluster.cast<const ClusterSpec&>();
  if (IsMessage(cluster, "ClusterDef"))
    return Take(ClusterSpec::FromProto(MessageFrom<tensorflow::ClusterDef>(cluster), kMayLackPort));
  if (!PyDict_Check(cluster.ptr())) {
    RaiseType(
        "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
        "`ClusterDef` protocol buffer");
  }
  std::map<std::string, Tasks> jobs;
  for (const auto& [job, tasks] : py::reinterpret_borrow<py::dict>(cluster)) {
    Tasks converted = TasksFrom(job, tasks);
    if (!jobs.emplace(TextFrom(job, "Job name"), std::move(converted)).second)
      RaiseValue(fmt::format("duplicate job {} in the cluster", Repr(job)));
  }
  return Take(ClusterSpec::Make(std::move(jobs), kMayLackPort));
}

void BindCluster(py::module_& m) {
  using C = ClusterSpec;
  py::class_<C> cls(m, "ClusterSpec", "A cluster: its jobs and the addresses of their tasks.");
  cls.def(py::init([](py::handle cluster) { return ClusterSpecFrom(cluster); }), py::arg("cluster"))
      .def("__bool__", [](const C& c) { return !c.empty(); })
      .def("__nonzero__", [](const C& c) { return !c.empty(); })
      .def("__eq__", IsEqual, py::arg("other"))
      .def(
          "__ne__", [](const C& c, py::handle other) { return !IsEqual(c, other); }, py::arg("other"))
      .def("__repr__", [](const C& c) { return fmt::format("ClusterSpec({})", Repr(AsDict(c))); })
      .def("as_dict", AsDict)
      .def("as_cluster_def", [](const C& c) { return MessageToPython("ClusterDef", c.ToProto()); })
      .def_property_readonly("jobs",
                             [](const C& c) {
                               std::vector<std::string> names;
                               for (const auto& [job, tasks] : c.jobs()) names.push_back(job);
                               return names;
                             })
      .def(
          "num_tasks", [](const C& c, py::handle job) { return TasksOf(c, job).size(); }, py::arg("job_name"))
      .def("task_indices", TaskIndices, py::arg("job_name"))
      .def("task_address", TaskAddress, py::arg("job_name"), py::arg("task_index"))
      .def("job_tasks", JobTasks, py::arg("job_name"))
      .def(py::pickle([](const C& c) { return py::bytes(c.ToProto().SerializeAsString()); },
                      [](const py::bytes& state) {
                        return Take(C::FromProto(MessageFrom<tensorflow::ClusterDef>(state), kMayLackPort));
                      }));
  cls.attr("__hash__") = py::none();  // equality is by value
}

}  // namespace weir::python
