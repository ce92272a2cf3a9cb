// The scopes of graph building as context managers: graphs, names, devices, control dependencies and others.
#include "bind/scopes.h"

#include "bind/attr.h"
#include "bind/device_setter.h"
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "graph/flow_context.h"

namespace weir::python {
namespace {

using G = GraphObject;

template <class S, class... Args>
std::shared_ptr<void> Hold(Args&&... args) {
  return std::make_shared<S>(std::forward<Args>(args)...);
}

// Reverts a change of the calling thread's build state on destruction.
class Undo {
 public:
  explicit Undo(std::function<void()> undo) : undo_(std::move(undo)) {}
  ~Undo() { undo_(); }

 private:
  std::function<void()> undo_;
};

std::shared_ptr<Graph> Shared(py::handle graph) { return GraphObjectOf(graph).graph; }

std::shared_ptr<Scope> NameScopeOf(py::object graph, py::object name) {
  return std::make_shared<Scope>(graph, [name](Scope& scope, const py::object& graph) -> py::object {
    std::shared_ptr<Graph> g = Shared(graph);
    const std::string text = name.is_none() ? std::string() : py::cast<std::string>(name);
    if (text.starts_with('_') && g->build().name_scope.empty())
      RaiseValue(fmt::format("'{}' is not a valid scope name", text));
    auto opened = std::make_shared<NameScope>(*g, text);
    scope.Add(opened);
    Check(g->TakeError());
    return py::str(opened->name().empty() ? std::string() : opened->name() + "/");
  });
}

struct PyDeviceFunction {
  SharedPyObject function;
  Result<std::string> operator()(Node& node) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<std::string> {
      py::object chosen = function.get()(Wrap(&node));
      if (chosen.is_none()) return std::string();
      if (!PyUnicode_Check(chosen.ptr()) && py::hasattr(chosen, "to_string")) chosen = chosen.attr("to_string")();
      if (!PyUnicode_Check(chosen.ptr()))
        RaiseType(fmt::format("a device function must return a string, got {}", Repr(chosen)));
      return py::cast<std::string>(chosen);
    });
  }
};

}  // namespace

DeviceRequest DeviceRequestFrom(py::object device) {
  if (device.is_none()) return {.name = "", .choose = {}, .ignore_outer = true};
  if (!PyUnicode_Check(device.ptr()) && py::hasattr(device, "to_string")) device = device.attr("to_string")();
  if (PyUnicode_Check(device.ptr())) {
    const std::string name = py::cast<std::string>(device);
    Take(DeviceName::Parse(name));
    return {.name = name, .choose = {}, .ignore_outer = false};
  }
  if (py::isinstance<DeviceFunction>(device))
    return {.name = "", .choose = device.cast<const DeviceFunction&>().choose, .ignore_outer = false};
  if (PyCallable_Check(device.ptr()) == 0)
    RaiseType(fmt::format("expected a device string, a device function or None, got {}", Repr(device)));
  return {.name = "", .choose = PyDeviceFunction{SharedPyObject(device)}, .ignore_outer = false};
}

py::object DeviceObject(const DeviceRequest& request) {
  if (request.choose == nullptr) return request.ignore_outer ? py::object(py::none()) : py::str(request.name);
  const auto* const own = request.choose.target<PyDeviceFunction>();
  return own == nullptr ? py::none() : own->function.get();
}

namespace {

std::shared_ptr<Scope> DeviceScopeOf(py::object graph, py::object device) {
  DeviceRequest request = DeviceRequestFrom(std::move(device));
  return std::make_shared<Scope>(graph, [request](Scope& scope, const py::object& graph) -> py::object {
    scope.Add(Hold<DeviceScope>(*Shared(graph), request));
    return py::none();
  });
}

std::shared_ptr<Scope> ControlScopeOf(py::object graph, py::object inputs) {
  std::optional<std::vector<Node*>> nodes;
  if (!inputs.is_none()) {
    nodes.emplace();
    for (py::handle item : py::iter(inputs)) {
      Node* node = NodeFrom(item);
      if (&node->graph() != GraphObjectOf(graph).graph.get())
        RaiseValue(fmt::format("Operation '{}' is not an element of this graph.", node->name()));
      if (std::find(nodes->begin(), nodes->end(), node) == nodes->end()) nodes->push_back(node);
    }
  }
  return std::make_shared<Scope>(graph, [nodes](Scope& scope, const py::object& graph) -> py::object {
    Graph& g = *Shared(graph);
    if (nodes)
      scope.Add(Hold<ControlDependencies>(g, *nodes));
    else
      scope.Add(std::shared_ptr<void>(new ControlDependencies(ControlDependencies::Cleared(g)),
                                      [](void* p) { delete static_cast<ControlDependencies*>(p); }));
    return py::none();
  });
}

std::shared_ptr<Scope> ColocationScopeOf(py::object graph, py::object with, bool ignore_existing) {
  Node* node = with.is_none() ? nullptr : NodeFrom(with);
  if (node == nullptr && !ignore_existing)
    RaiseValue("Trying to reset colocation (op is None) but ignore_existing is not True");
  // The node may belong to another graph, e.g. in the body of a function.
  const py::object both = py::make_tuple(graph, with);
  return std::make_shared<Scope>(both, [node, ignore_existing](Scope& scope, const py::object& both) -> py::object {
    scope.Add(Hold<ColocationScope>(*Shared(both[py::int_(0)]), node, ignore_existing));
    return py::none();
  });
}

std::shared_ptr<Scope> ContainerScopeOf(py::object graph, std::string name) {
  return std::make_shared<Scope>(graph, [name](Scope& scope, const py::object& graph) -> py::object {
    std::shared_ptr<Graph> g = Shared(graph);
    std::string saved = std::exchange(g->build().container, name);
    scope.Add(Hold<Undo>([g, saved] { g->build().container = saved; }));
    return py::str(name);
  });
}

std::shared_ptr<Scope> GradientMapScopeOf(py::object graph, const py::dict& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (auto item : map) {
    if (!PyUnicode_Check(item.first.ptr()) || !PyUnicode_Check(item.second.ptr()))
      RaiseType("op_type_map must map strings to strings");
    entries.emplace_back(py::cast<std::string>(item.first), py::cast<std::string>(item.second));
  }
  return std::make_shared<Scope>(graph, [entries](Scope& scope, const py::object& graph) -> py::object {
    std::shared_ptr<Graph> g = Shared(graph);
    auto saved = g->build().gradient_map;
    for (const auto& entry : entries) g->build().gradient_map.push_back(entry);
    scope.Add(Hold<Undo>([g, saved] { g->build().gradient_map = saved; }));
    return py::none();
  });
}

std::shared_ptr<Scope> AttrScopeOf(py::object graph, const py::dict& map) {
  std::vector<std::pair<std::string, std::optional<AttrValue>>> entries;
  for (auto item : map) {
    std::optional<AttrValue> value;
    if (!item.second.is_none()) value = AttrFromAny(item.second);
    entries.emplace_back(py::cast<std::string>(item.first), std::move(value));
  }
  return std::make_shared<Scope>(graph, [entries](Scope& scope, const py::object& graph) -> py::object {
    std::shared_ptr<Graph> g = Shared(graph);
    auto saved = g->build().attrs;
    for (const auto& entry : entries) {
      std::erase_if(g->build().attrs, [&](const auto& attr) { return attr.first == entry.first; });
      if (entry.second) g->build().attrs.emplace_back(entry.first, *entry.second);
    }
    scope.Add(Hold<Undo>([g, saved] { g->build().attrs = saved; }));
    return py::none();
  });
}

// tf.name_scope: also makes the graph of `values` the default graph.
std::shared_ptr<Scope> TopNameScope(py::object name, py::object default_name, py::object values) {
  py::object graph = DefaultGraph();
  if (!values.is_none()) {
    for (py::handle value : py::iter(values))
      if (IsTensor(value) || IsOperation(value)) {
        graph = GraphOf(NodeFrom(value)->graph());
        break;
      }
  }
  py::object used = name.is_none() ? default_name : name;
  if (used.is_none() && !values.is_none()) RaiseValue("At least one of name and default_name must be provided.");
  if (!used.is_none() && !PyUnicode_Check(used.ptr()))
    RaiseType(fmt::format("name for name_scope must be a string, not {}", Repr(used)));
  std::shared_ptr<Scope> inner = NameScopeOf(graph, used);
  return std::make_shared<Scope>(graph, [inner](Scope& scope, const py::object& graph) -> py::object {
    EnterGraph(graph)->Enter(&scope);
    return inner->Enter(&scope);
  });
}

}  // namespace

Scope::~Scope() {
  while (!levels_.empty()) Exit();
}

py::object Scope::Enter(Scope* into) { return enter_(*into, of_); }

py::object Scope::EnterOnce() {
  levels_.push_back({});
  try {
    return enter_(*this, of_);
  } catch (...) {
    Exit();
    throw;
  }
}

void Scope::Exit() {
  if (levels_.empty()) RaiseRuntime("__exit__ of a scope that was not entered");
  std::vector<std::shared_ptr<void>> held = std::move(levels_.back());
  levels_.pop_back();
  while (!held.empty()) held.pop_back();
}

std::shared_ptr<Scope> EnterGraph(py::object graph) {
  return std::make_shared<Scope>(graph, [](Scope& scope, const py::object& graph) -> py::object {
    Stacks().graphs.push_back(graph);
    scope.Add(Hold<Undo>([graph] {
      auto& stack = Stacks().graphs;
      for (size_t i = stack.size(); i-- > 0;)
        if (stack[i].is(graph)) {
          stack.erase(stack.begin() + static_cast<int64_t>(i));
          break;
        }
    }));
    return graph;
  });
}

namespace {

int VisitScope(Scope& scope, visitproc visit, void* arg) {
  Py_VISIT(scope.of().ptr());
  return 0;
}

}  // namespace

void BindScopes(py::class_<GraphObject>& cls, py::module_& m) {
  py::class_<Scope, std::shared_ptr<Scope>>(m, "Scope", GarbageCollected<Scope, VisitScope>())
      .def("__enter__", &Scope::EnterOnce)
      .def("__exit__", [](Scope& s, const py::args&) { s.Exit(); });

  cls.def("as_default", [](py::object g) { return EnterGraph(std::move(g)); })
      // Scopes are always per thread.
      .def("switch_to_thread_local", [](py::object) {})
      .def("name_scope", &NameScopeOf, py::arg("name"))
      .def("device", &DeviceScopeOf, py::arg("device_name_or_function"))
      .def("control_dependencies", &ControlScopeOf, py::arg("control_inputs"))
      .def("colocate_with", &ColocationScopeOf, py::arg("op"), py::arg("ignore_existing") = false)
      .def("container", &ContainerScopeOf, py::arg("container_name"))
      .def("gradient_override_map", &GradientMapScopeOf, py::arg("op_type_map"))
      .def("_attr_scope", &AttrScopeOf, py::arg("attr_map"));

  m.def("name_scope", &TopNameScope, py::arg("name"), py::arg("default_name") = py::none(),
        py::arg("values") = py::none());
  m.def(
      "device", [](py::object device) { return DeviceScopeOf(DefaultGraph(), std::move(device)); },
      py::arg("device_name_or_function"));
  m.def(
      "control_dependencies", [](py::object inputs) { return ControlScopeOf(DefaultGraph(), std::move(inputs)); },
      py::arg("control_inputs"));
  m.def(
      "colocate_with",
      [](py::object op, bool ignore) { return ColocationScopeOf(DefaultGraph(), std::move(op), ignore); },
      py::arg("op"), py::arg("ignore_existing") = false);
  m.def(
      "container", [](std::string name) { return ContainerScopeOf(DefaultGraph(), std::move(name)); },
      py::arg("container_name"));

  using D = DeviceName;
  py::class_<D>(m, "DeviceSpec")
      .def(py::init([](std::optional<std::string> job, std::optional<int> replica, std::optional<int> task,
                       std::optional<std::string> device_type, std::optional<int> device_index) {
             if (device_type) std::transform(device_type->begin(), device_type->end(), device_type->begin(), ::toupper);
             return new D{std::move(job), replica, task, std::move(device_type), device_index};
           }),
           py::arg("job") = py::none(), py::arg("replica") = py::none(), py::arg("task") = py::none(),
           py::arg("device_type") = py::none(), py::arg("device_index") = py::none())
      .def_static(
          "from_string", [](const std::string& text) { return Take(D::Parse(text)); }, py::arg("spec"))
      .def(
          "parse_from_string",
          [](D& d, const std::string& text) {
            d = Take(D::Parse(text));
            return d;
          },
          py::arg("spec"))
      .def(
          "merge_from", [](D& d, const D& other) { d = d.MergedWith(other); }, py::arg("dev"))
      .def("make_merged_spec", &D::MergedWith, py::arg("dev"))
      .def("replace",
           [](py::object self, const py::kwargs& changes) {
             py::dict parts;
             for (const char* name : {"job", "replica", "task", "device_type", "device_index"})
               parts[name] = changes.contains(name) ? py::object(changes[name]) : py::object(self.attr(name));
             for (auto [name, value] : changes)
               if (!parts.contains(name))
                 RaiseType(fmt::format("replace() got an unexpected keyword argument '{}'", Str(name)));
             return py::type::of(self)(**parts);
           })
      .def("to_string", &D::ToString)
      .def("__str__", &D::ToString)
      .def("__repr__", [](const D& d) { return fmt::format("DeviceSpec('{}')", d.ToString()); })
      .def("__eq__",
           [](const D& d, py::handle other) { return py::isinstance<D>(other) && other.cast<const D&>() == d; })
      .def("__hash__", [](const D& d) { return py::hash(py::str(d.ToString())); })
      .def_readwrite("job", &D::job)
      .def_readwrite("replica", &D::replica)
      .def_readwrite("task", &D::task)
      .def_readwrite("device_type", &D::type)
      .def_readwrite("device_index", &D::index);
}

}  // namespace weir::python
