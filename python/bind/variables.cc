#include "bind/variables.h"

#include "bind/collections.h"
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/operators.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/recursion.h"
#include "bind/scopes.h"
#include "bind/sparse.h"
#include "graph/build/array_ops.h"
#include "graph/build/state_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/variable_scope.h"
#include "graph/graph_keys.h"
#include "train/saver_graph.h"

namespace weir::python {
namespace {

// Converts the initial value of tf.Variable. A function is called inside the variable's scope.
Result<Output> CallInitialValue(const SharedPyObject& function, DType dtype, Graph& graph) {
  py::gil_scoped_acquire gil;
  return CatchExceptions([&]() -> Result<Output> {
    py::object value = function.get()();
    return ToOutput(graph, InputFrom(value), dtype, "initial_value");
  });
}

std::vector<std::string> Strings(py::handle list) {
  std::vector<std::string> result;
  if (!list.is_none())
    for (py::handle item : list) result.push_back(py::cast<std::string>(item));
  return result;
}

VariablePtr MakeVariable(py::object initial_value, py::object trainable, py::object collections, bool validate_shape,
                         py::object caching_device, const Name& name, py::object variable_def, DType dtype,
                         py::object use_resource, py::object constraint, py::object shape) {
  Graph& graph = DefaultGraphRef();
  if (!variable_def.is_none()) {
    const auto field = [&](const char* key) { return py::cast<std::string>(variable_def.attr(key)); };
    return Take(Variable::FromNodes(graph, field("variable_name"), field("initializer_name"), field("snapshot_name"),
                                    field("initial_value_name"), py::cast<bool>(variable_def.attr("trainable")),
                                    py::cast<bool>(variable_def.attr("is_resource"))));
  }
  if (initial_value.is_none()) RaiseValue("initial_value must be specified.");
  VariableOptions options;
  options.constraint = ConstraintFrom(std::move(constraint));
  options.name = name.text;
  options.dtype = dtype;
  options.trainable = trainable.is_none() || py::cast<bool>(trainable);
  options.collections = Strings(collections);
  options.use_default_collections = collections.is_none();
  options.validate_shape = validate_shape;
  options.use_resource = !use_resource.is_none() ? py::cast<bool>(use_resource)
                                                 : VariableScopeStack(graph).Current().settings.use_resource.value_or(
                                                       VariableStore::Of(graph)->resource_by_default);
  DeviceRequest cache;
  if (!caching_device.is_none()) {
    cache = DeviceRequestFrom(caching_device);
    options.caching_device = &cache;
  }
  if (!shape.is_none()) options.shape = ShapeFrom(shape);
  if (PyCallable_Check(initial_value.ptr()) != 0 && !IsTensor(initial_value) && !IsVariable(initial_value)) {
    SharedPyObject function(initial_value);
    return Take(Variable::MakeWith(
        graph, [&] { return CallInitialValue(function, dtype, graph); }, options));
  }
  return Take(Variable::Make(graph, InputFrom(initial_value), options));
}

py::object RunIn(py::object session, py::handle what, py::object feed_dict = py::none()) {
  if (session.is_none()) session = py::module_::import("weir._weir").attr("get_default_session")();
  if (session.is_none())
    RaiseValue(
        "Cannot evaluate a variable: no default session is registered. Use `with sess.as_default()` or pass an "
        "explicit session.");
  return session.attr("run")(what, feed_dict);
}

PartitionedVariable CapturedPartitions(PartitionedVariable v) {
  for (VariablePtr& part : v.parts) part = CapturedVariable(part);
  return v;
}

// A constraint implemented in Python.
struct PyConstraint {
  SharedPyObject function;
  Result<Output> operator()(const VariablePtr& variable) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<Output> {
      const py::object allowed = function.get()(py::cast(variable));
      return ToOutput(variable->graph(), InputFrom(allowed), variable->dtype(), "constraint");
    });
  }
};

py::list Wrapped(const std::vector<VariablePtr>& variables) {
  py::list list;
  for (const VariablePtr& v : variables) list.append(py::cast(v));
  return list;
}

void VisitGraphs(const Variable& v, GraphVisitor visit) { visit(v.graph()); }
void VisitGraphs(const PartitionedVariable& v, GraphVisitor visit) {
  for (const VariablePtr& part : v.parts) visit(part->graph());
}

// Variables of a collection, filtered by scope like tf.get_collection(key, scope).
py::list InCollection(const char* key, py::object scope) {
  return py::cast<py::list>(py::module_::import("weir._weir").attr("get_collection")(key, scope));
}

}  // namespace

// The variables of `var_list`, or if it is None, all global and local variables.
static std::vector<VariablePtr> GivenOrAllVariables(py::handle var_list) {
  if (!var_list.is_none()) return VariablesFrom(py::reinterpret_borrow<py::object>(var_list));
  std::vector<VariablePtr> variables = VariablesFrom(InCollection(graph_keys::kGlobalVariables, py::none()));
  for (const VariablePtr& v : VariablesFrom(InCollection(graph_keys::kLocalVariables, py::none())))
    variables.push_back(v);
  return variables;
}

bool IsVariable(py::handle object) { return py::isinstance<Variable>(object); }

VariablePtr VariableFrom(py::handle object) {
  if (IsVariable(object)) return py::cast<VariablePtr>(object);
  if (py::hasattr(object, "_variable_object")) return py::cast<VariablePtr>(object.attr("_variable_object"));
  RaiseMissingAttribute(object, "initializer", Repr(object) + " is not a variable");
}

VariablePtr CapturedVariable(const VariablePtr& variable) {
  if (functions_being_traced == 0) return variable;
  const Output handle = Captured(variable->handle());
  return handle == variable->handle() ? variable : variable->WithHandle(handle);
}

VariablePtr OptionalVariableFrom(py::handle object) { return object.is_none() ? nullptr : VariableFrom(object); }

std::vector<VariablePtr> VariablesFrom(py::handle list) {
  std::vector<VariablePtr> result;
  for (py::handle item : list) {
    if (py::isinstance<PartitionedVariable>(item)) {
      for (const VariablePtr& part : py::cast<PartitionedVariable&>(item).parts) result.push_back(part);
    } else {
      result.push_back(VariableFrom(item));
    }
  }
  return result;
}

Constraint ConstraintFrom(py::object function) {
  if (function.is_none()) return {};
  if (PyCallable_Check(function.ptr()) == 0) RaiseValue("The `constraint` argument must be a callable.");
  return PyConstraint{SharedPyObject(std::move(function))};
}

const SharedPyObject* ConstraintFunction(const Constraint& constraint) {
  const auto* own = constraint.target<PyConstraint>();
  return own == nullptr ? nullptr : &own->function;
}

py::object ConstraintObject(const Constraint& constraint) {
  const SharedPyObject* function = ConstraintFunction(constraint);
  return function == nullptr ? py::none() : function->get();
}

namespace {
using VariableClass = py::class_<Variable, VariablePtr>;
using V = const VariablePtr&;

void BindSaveSlice(py::module_& m) {
  py::class_<SaveSlice>(m, "SaveSliceInfo")
      .def(py::init([](std::string full_name, std::vector<int64_t> full_shape, std::vector<int64_t> var_offset,
                       std::vector<int64_t> var_shape) {
             return SaveSlice{std::move(full_name), std::move(full_shape), std::move(var_offset), std::move(var_shape)};
           }),
           py::arg("full_name"), py::arg("full_shape"), py::arg("var_offset"), py::arg("var_shape"))
      .def_readonly("full_name", &SaveSlice::full_name)
      .def_readonly("full_shape", &SaveSlice::full_shape)
      .def_readonly("var_offset", &SaveSlice::offset)
      .def_readonly("var_shape", &SaveSlice::shape)
      .def_property_readonly("spec", &SliceSpec);
}

void BindConstructor(VariableClass& cls) {
  cls.def(py::init([](py::object initial_value, py::object trainable, py::object collections, bool validate_shape,
                      py::object caching_device, const Name& name, py::object variable_def, DType dtype,
                      py::object /*expected_shape*/, py::object, py::object constraint, py::object use_resource,
                      py::object, py::object, py::object shape) {
            VariablePtr made = MakeVariable(std::move(initial_value), std::move(trainable), std::move(collections),
                                            validate_shape, std::move(caching_device), name, std::move(variable_def),
                                            dtype, std::move(use_resource), std::move(constraint), std::move(shape));
            RecordOrigins(made->graph());
            return made;
          }),
          py::arg("initial_value") = py::none(), py::arg("trainable") = py::none(), py::arg("collections") = py::none(),
          py::arg("validate_shape") = true, py::arg("caching_device") = py::none(), py::arg("name") = py::none(),
          py::arg("variable_def") = py::none(), py::arg("dtype") = py::none(), py::arg("expected_shape") = py::none(),
          py::arg("import_scope") = py::none(), py::arg("constraint") = py::none(),
          py::arg("use_resource") = py::none(), py::arg("synchronization") = py::none(),
          py::arg("aggregation") = py::none(), py::arg("shape") = py::none());
}

// Everything but updates and messages.
void BindReads(VariableClass& cls) {
  cls.def_property_readonly("name", [](V v) { return v->name(); })
      .def_property_readonly("_shared_name", [](V v) { return v->op_name(); })
      .def_property_readonly("op", [](V v) { return v->handle().node; })
      .def_property_readonly("dtype", [](V v) { return v->is_resource() ? v->dtype() : RefType(v->dtype()); })
      .def_property_readonly("shape", [](V v) { return v->shape(); })
      .def("get_shape", [](V v) { return v->shape(); })
      .def_property_readonly("graph", [](V v) { return GraphOf(v->graph()); })
      .def_property_readonly("device", [](V v) { return v->device(); })
      .def_property_readonly("trainable", [](V v) { return v->trainable(); })
      .def_property_readonly("initializer", [](V v) { return v->initializer(); })
      .def_property_readonly("initial_value", [](V v) { return v->initial_value(); })
      .def_property_readonly("handle", [](V v) { return v->handle(); })
      .def_property_readonly("constraint", [](V v) { return ConstraintObject(v->constraint()); })
      // Weir does not make copies of variables that would need these.
      .def_property_readonly(
          "synchronization",
          [](V) { return py::module_::import("weir.lib.modes").attr("VariableSynchronization").attr("AUTO"); })
      .def_property_readonly(
          "aggregation",
          [](V) { return py::module_::import("weir.lib.modes").attr("VariableAggregation").attr("NONE"); })
      .def("value",
           [](V v) { return v->is_resource() && !v->is_cached() ? CapturedVariable(v)->ReadValue() : v->value(); })
      .def("read_value", [](V v) { return CapturedVariable(v)->ReadValue(); })
      .def("_ref", [](V v) { return v->handle(); })
      .def("_as_graph_element", [](V v) { return v->value(); })
      .def("initialized_value",
           [](V v) {
             Output value = v->InitializedValue();
             Check(v->graph().TakeError());
             return value;
           })
      .def(
          "eval", [](py::object self, py::object session) { return RunIn(std::move(session), self); },
          py::arg("session") = py::none())
      .def(
          "load",
          [](V v, py::object value, py::object session) {
            py::dict feed;
            feed[Wrap(v->assigned_initial_value())] = value;
            RunIn(std::move(session), Wrap(v->initializer()), feed);
          },
          py::arg("value"), py::arg("session") = py::none())
      .def(
          "sparse_read",
          [](V variable, const Input& indices, const Name& name) {
            const VariablePtr v = CapturedVariable(variable);
            // A captured handle does not carry the variable's type.
            const Output table = !v->is_resource() ? Captured(v->value())
                                 : v == variable   ? v->handle()
                                                   : v->ReadValue();
            const Output rows = ComposeGatherRows(v->graph(), table, indices, {}, 0, name.text);
            Check(v->graph().TakeError());
            return rows;
          },
          py::arg("indices"), py::arg("name") = py::none())
      .def(
          "gather_nd",
          [](V variable, const Input& indices, const Name& name) {
            const VariablePtr v = CapturedVariable(variable);
            const Output rows = GatherNd(v->graph(), v->value(), indices, {.name = name.text});
            Check(v->graph().TakeError());
            return rows;
          },
          py::arg("indices"), py::arg("name") = py::none())
      .def("set_shape", [](V v, const PartialShape& shape) {
        Check(v->graph().SetShape(v->is_resource() ? v->value() : v->handle(), shape));
      });
}

// The position of a partition, and VariableDef messages.
void BindVariableMessages(VariableClass& cls) {
  cls.def("_get_save_slice_info",
          [](V v) -> py::object { return v->slice.has_value() ? py::cast(*v->slice) : py::none(); })
      .def("_set_save_slice_info",
           [](V v, py::object info) {
             if (info.is_none())
               v->slice.reset();
             else
               v->slice = py::cast<SaveSlice>(info);
           })
      .def_property_readonly("_save_slice_info",
                             [](V v) -> py::object { return v->slice.has_value() ? py::cast(*v->slice) : py::none(); })
      .def(
          "to_proto",
          [](V v, py::object export_scope) -> py::object {
            py::object def = py::module_::import("weir.proto").attr("message_class")("VariableDef")();
            def.attr("variable_name") = v->name();
            def.attr("initializer_name") = v->initializer()->name();
            def.attr("snapshot_name") = v->value().name();
            if (v->initial_value().valid()) def.attr("initial_value_name") = v->initial_value().name();
            def.attr("is_resource") = v->is_resource();
            def.attr("trainable") = v->trainable();
            if (v->slice.has_value()) {
              py::object info = def.attr("save_slice_info_def");
              info.attr("full_name") = v->slice->full_name;
              info.attr("full_shape").attr("extend")(v->slice->full_shape);
              info.attr("var_offset").attr("extend")(v->slice->offset);
              info.attr("var_shape").attr("extend")(v->slice->shape);
            }
            return def;
          },
          py::arg("export_scope") = py::none())
      .def_static(
          "from_proto",
          [](py::object def, py::object) {
            return MakeVariable(py::none(), py::none(), py::none(), true, py::none(), Name{}, def, kInvalidType,
                                py::none(), py::none(), py::none());
          },
          py::arg("variable_def"), py::arg("import_scope") = py::none());
}

void BindIdentity(VariableClass& cls) {
  cls.def("__repr__",
          [](V v) {
            return fmt::format("<tf.Variable '{}' shape={} dtype={}>", v->name(), Str(py::cast(v).attr("shape")),
                               DTypeName(v->is_resource() ? v->dtype() : RefType(v->dtype())));
          })
      .def("__hash__", [](V v) { return static_cast<Py_ssize_t>(reinterpret_cast<uintptr_t>(v.get()) >> 4); })
      .def("__eq__", [](V v, py::handle other) { return IsVariable(other) && py::cast<VariablePtr>(other) == v; })
      .def("__ne__", [](V v, py::handle other) { return !IsVariable(other) || py::cast<VariablePtr>(other) != v; })
      .def("__iter__", [](V) { RaiseType("'Variable' object is not iterable."); });
}

void BindPartitionedVariable(py::module_& m) {
  py::class_<PartitionedVariable, std::shared_ptr<PartitionedVariable>> pieces(m, "PartitionedVariable",
                                                                               GarbageCollected<PartitionedVariable>());
  HoldGraphsOf<PartitionedVariable, VisitGraphs>(pieces);
  pieces.def_property_readonly("name", [](const PartitionedVariable& v) { return v.name; })
      .def_property_readonly("dtype", [](const PartitionedVariable& v) { return v.dtype; })
      .def_property_readonly("shape", [](const PartitionedVariable& v) { return v.shape; })
      .def("get_shape", [](const PartitionedVariable& v) { return v.shape; })
      .def("as_tensor", [](const PartitionedVariable& v) { return CapturedPartitions(v).AsInput(); })
      .def("_get_variable_list", [](const PartitionedVariable& v) { return Wrapped(v.parts); })
      .def("_get_partitions", [](const PartitionedVariable& v) { return v.partitions; })
      .def("__len__", [](const PartitionedVariable& v) { return v.parts.size(); })
      .def("__iter__", [](const PartitionedVariable& v) { return py::iter(Wrapped(v.parts)); })
      .def(
          "assign",
          [](const PartitionedVariable& v, const Input& value, bool use_locking) {
            Graph& graph = v.parts.at(0)->graph();
            const int axis = v.axis();
            const Output whole = Take(ToOutput(graph, value, v.dtype));
            py::list result;
            for (const VariablePtr& part : v.parts) {
              std::vector<int64_t> size(part->slice->shape);
              Output piece = Output(
                  Take(NodeBuilder(graph, "Slice").In(whole).In(Input(part->slice->offset)).In(Input(size)).Build()),
                  0);
              result.append(Wrap(part->Assign(piece, use_locking)));
            }
            (void)axis;
            Check(graph.TakeError());
            return result;
          },
          py::arg("value"), py::arg("use_locking") = false);
  AddOperators(pieces);
  RegisterOutputConverter(pieces, [](py::handle value, Graph&, DType, bool) -> Result<Output> {
    return CapturedPartitions(py::cast<PartitionedVariable&>(value)).AsInput();
  });
}

// Functions of lists of variables: those of a collection, and their initialization.
void BindVariableLists(py::module_& m) {
  const auto collection = [&m](const char* name, const char* key) {
    m.def(
        name, [key](py::object scope) { return InCollection(key, std::move(scope)); }, py::arg("scope") = py::none());
  };
  collection("global_variables", graph_keys::kGlobalVariables);
  collection("local_variables", graph_keys::kLocalVariables);
  collection("trainable_variables", graph_keys::kTrainableVariables);
  collection("model_variables", graph_keys::kModelVariables);
  collection("moving_average_variables", graph_keys::kMovingAverageVariables);
  const auto initializer = [](py::handle list, const std::string& name) {
    const std::vector<VariablePtr> variables = VariablesFrom(list);
    Graph& graph = variables.empty() ? DefaultGraphRef() : variables[0]->graph();
    Node* node = InitializeVariables(graph, variables, name);
    Check(graph.TakeError());
    return node;
  };
  m.def("variables_initializer", initializer, py::arg("var_list"), py::arg("name") = "init");
  m.def("global_variables_initializer",
        [initializer] { return initializer(InCollection(graph_keys::kGlobalVariables, py::none()), "init"); });
  m.def("local_variables_initializer",
        [initializer] { return initializer(InCollection(graph_keys::kLocalVariables, py::none()), "init"); });
  m.def(
      "report_uninitialized_variables",
      [](py::object var_list, const std::string& name) {
        const std::vector<VariablePtr> variables = GivenOrAllVariables(var_list);
        Graph& graph = variables.empty() ? DefaultGraphRef() : variables[0]->graph();
        Output names = ReportUninitialized(graph, variables, name);
        Check(graph.TakeError());
        return names;
      },
      py::arg("var_list") = py::none(), py::arg("name") = "report_uninitialized_variables");
  m.def(
      "assert_variables_initialized",
      [](py::object var_list) -> py::object {
        const std::vector<VariablePtr> variables = GivenOrAllVariables(var_list);
        if (variables.empty()) return py::none();
        Graph& graph = variables[0]->graph();
        Output initialized = AssertInitialized(graph, variables);
        Check(graph.TakeError());
        return Wrap(initialized);
      },
      py::arg("var_list") = py::none());
}

void BindGroup(py::module_& m) {
  m.def("group", [](const py::args& inputs, const py::kwargs& kwargs) {
    std::vector<Node*> nodes;
    std::function<void(py::handle)> add = [&](py::handle item) {
      const RecursionGuard guard(" while reading the inputs of a group");
      if (py::isinstance<py::list>(item) || py::isinstance<py::tuple>(item)) {
        for (py::handle inner : item) add(inner);
      } else if (item.is_none()) {
        RaiseType("'inputs' should be zero or more (nested) Tensors. Received 'None' with type '<class 'NoneType'>'.");
      } else {
        nodes.push_back(NodeFrom(item));
      }
      if (!nodes.empty() && &nodes.back()->graph() != &nodes.front()->graph())
        RaiseValue(fmt::format("{} must be from the same graph as {}.", nodes.back()->name(), nodes.front()->name()));
    };
    for (py::handle item : inputs) add(item);
    for (const auto& [key, value] : kwargs)
      if (Str(key) != "name") RaiseValue(fmt::format("Unknown keyword arguments: {}", Str(key)));
    std::string name;
    if (kwargs.contains("name") && !kwargs["name"].is_none()) name = py::cast<std::string>(kwargs["name"]);
    Graph& graph = nodes.empty() ? DefaultGraphRef() : nodes[0]->graph();
    Node* node = Group(graph, nodes, name);
    Check(graph.TakeError());
    return node;
  });
}
}  // namespace

void BindVariables(py::module_& m) {
  BindSaveSlice(m);
  py::class_<Variable, VariablePtr> cls(m, "Variable", GarbageCollected<Variable>());
  HoldGraphsOf<Variable, VisitGraphs>(cls);
  BindConstructor(cls);
  BindReads(cls);
  BindVariableMessages(cls);
  BindIdentity(cls);
  BindVariableUpdates(m, cls);
  cls.attr("__array_priority__") = 100;
  cls.attr("SaveSliceInfo") = m.attr("SaveSliceInfo");
  AddOperators(cls);
  RegisterOutputConverter(cls, [](py::handle value, Graph&, DType, bool as_ref) -> Result<Output> {
    const VariablePtr outer = py::cast<VariablePtr>(value);
    if (!as_ref && !outer->is_resource()) return outer->AsInput();  // a function captures the value, not the reference
    const VariablePtr v = CapturedVariable(outer);
    return as_ref ? v->handle() : v->AsInput();
  });
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const VariablePtr* v = std::any_cast<VariablePtr>(&item);
        return v == nullptr ? py::object() : py::cast(*v);
      },
      .from_python = [](py::handle object) -> std::any {
        return IsVariable(object) ? std::any(py::cast<VariablePtr>(object)) : std::any();
      },
  });
  BindPartitionedVariable(m);
  BindVariableLists(m);
  BindGroup(m);
}

}  // namespace weir::python
