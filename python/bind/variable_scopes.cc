// tf.variable_scope and tf.get_variable: converts arguments for the C++ variable store. Initializers, regularizers,
// partitioners and custom getters may be Python functions; their exceptions reach the caller unchanged.
#include "bind/variable_scopes.h"
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/scopes.h"
#include "bind/variables.h"
#include "graph/compose/variable_scope.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

std::optional<Reuse> ReuseFrom(py::handle reuse) {
  if (reuse.is_none()) return std::nullopt;
  if (py::isinstance<Reuse>(reuse)) return py::cast<Reuse>(reuse);
  if (PyBool_Check(reuse.ptr())) return py::cast<bool>(reuse) ? Reuse::kYes : Reuse::kNo;
  RaiseValue("The reuse parameter must be True or False or None.");
}

py::object ReuseObject(Reuse reuse) {
  if (reuse == Reuse::kAuto) return py::cast(Reuse::kAuto);
  return py::bool_(reuse == Reuse::kYes);
}

py::list DimsOf(const PartialShape& shape) {
  py::list dims;
  for (int64_t d : shape.dims()) dims.append(d < 0 ? py::object(py::none()) : py::int_(d));
  return dims;
}

// Whether the function has required parameters.
bool NeedsArguments(py::handle function) {
  py::object parameter = py::module_::import("inspect").attr("Parameter");
  py::object signature = py::module_::import("inspect").attr("signature")(function);
  for (py::handle item : signature.attr("parameters").attr("values")()) {
    const bool variadic = item.attr("kind").equal(parameter.attr("VAR_POSITIONAL")) ||
                          item.attr("kind").equal(parameter.attr("VAR_KEYWORD"));
    if (!variadic && item.attr("default").is(parameter.attr("empty"))) return true;
  }
  return false;
}

// A Python initializer: an object or a class, called with the shape, the type and, if it accepts it, the partition.
struct PyInitializer {
  SharedPyObject function;
  Result<Output> operator()(Graph& graph, const PartialShape& shape, DType dtype,
                            const PartitionInfo* partition) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<Output> {
      py::object call = function.get();
      if (PyType_Check(call.ptr())) call = call();
      if (!shape.fully_defined()) {
        if (NeedsArguments(call))
          return InvalidArgument(
              "The initializer passed is not valid. It should be a callable with no arguments and the shape should not "
              "be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined.");
        return ToOutput(graph, InputFrom(call()), kInvalidType, "initial_value");
      }
      py::dict kwargs;
      kwargs["dtype"] = DTypeObjectOf(dtype);
      if (partition != nullptr) kwargs["partition_info"] = py::cast(*partition);
      py::object value;
      try {
        value = call(DimsOf(shape), **kwargs);
      } catch (py::error_already_set& error) {
        // An initializer without partition_info gets the shape of the part only.
        if (partition == nullptr || !error.matches(PyExc_TypeError)) throw;
        kwargs.attr("pop")("partition_info");
        value = call(DimsOf(shape), **kwargs);
      }
      return ToOutput(graph, InputFrom(value), dtype, "initial_value");
    });
  }
};

// The axis along which the part is a slice of the variable; nullopt if it is the whole variable.
std::optional<int> SingleSliceDim(const PartitionInfo& info, const PartialShape& shape) {
  if (shape.rank() != static_cast<int>(info.full_shape.size()))
    RaiseValue(fmt::format("Expected equal length, but received shape={} of length {} while self.full_shape has {}",
                           ShapeText(shape), shape.rank(), info.full_shape.size()));
  std::optional<int> axis;
  for (int i = 0; i < shape.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (info.offset[at] + shape[i] > info.full_shape[at])
      RaiseValue(fmt::format("With self.var_offset and shape={}, a piece ends behind the variable", ShapeText(shape)));
    if (shape[i] == info.full_shape[at]) continue;
    if (axis.has_value())
      RaiseValue(
          fmt::format("Cannot use single_slice_dim() with shape={}: more than one axis is cut", ShapeText(shape)));
    axis = i;
  }
  return axis;
}

struct PyRegularizer {
  SharedPyObject function;
  Result<Output> operator()(Output value) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<Output> {
      py::object loss = function.get()(Wrap(value));
      if (loss.is_none()) return Output();
      return ToOutput(value.graph(), InputFrom(loss), kInvalidType, "loss");
    });
  }
};

std::shared_ptr<const Regularizer> RegularizerFrom(py::object function) {
  if (function.is_none()) return nullptr;
  return std::make_shared<const Regularizer>(PyRegularizer{SharedPyObject(function)});
}

struct PyPartitioner {
  SharedPyObject function;
  Result<std::vector<int>> operator()(const PartialShape& shape, DType dtype) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<std::vector<int>> {
      py::object counts =
          function.get()(py::arg("shape") = ShapeObjectOf(shape), py::arg("dtype") = DTypeObjectOf(dtype));
      if (!py::isinstance<py::sequence>(counts))
        RaiseValue(fmt::format("Partitioner must return a sequence, but saw: {}", Repr(counts)));
      return py::cast<std::vector<int>>(py::list(counts));
    });
  }
};

std::shared_ptr<const Partitioner> PartitionerFrom(py::object function) {
  if (function.is_none()) return nullptr;
  if (PyCallable_Check(function.ptr()) == 0)
    RaiseValue(fmt::format("Partitioner must be callable, but received: {}", Repr(function)));
  return std::make_shared<const Partitioner>(PyPartitioner{SharedPyObject(function)});
}

// The Python function in a setting of a scope; None if the setting was not made in Python.
template <class Setting, class Function>
py::object FunctionIn(const std::shared_ptr<const Function>& setting) {
  const Setting* const held = setting == nullptr ? nullptr : setting->template target<Setting>();
  return held == nullptr ? py::none() : held->function.get();
}

bool IsInitialValue(py::handle initializer) {
  return !initializer.is_none() &&
         (PyCallable_Check(initializer.ptr()) == 0 || IsTensor(initializer) || IsVariable(initializer));
}

py::object FoundObject(const FoundVariable& found) {
  if (found.whole != nullptr) return py::cast(found.whole);
  if (found.pieces != nullptr) return py::cast(found.pieces);
  return Wrap(found.value);
}

FoundVariable FoundFrom(py::handle object) {
  if (IsVariable(object)) return {py::cast<VariablePtr>(object), nullptr, Output()};
  if (py::isinstance<PartitionedVariable>(object))
    return {nullptr, py::cast<std::shared_ptr<PartitionedVariable>>(object), Output()};
  if (IsTensor(object)) return {nullptr, nullptr, OutputOf(object)};
  RaiseType(fmt::format("a custom getter must return a variable or a tensor, not {}", Repr(object)));
}

std::shared_ptr<const CustomGetter> CustomGetterFrom(py::object function);

// Converts the keyword arguments of get_variable, in both directions.
VariableRequest RequestFrom(const std::string& name, const py::kwargs& kwargs) {
  VariableRequest request;
  request.name = name;
  const auto take = [&](const char* key) -> py::object {
    return kwargs.contains(key) ? py::reinterpret_borrow<py::object>(kwargs[key]) : py::none();
  };
  if (!take("shape").is_none()) request.shape = ShapeFrom(take("shape"));
  if (!take("dtype").is_none()) request.dtype = AsDType(take("dtype"));
  if (py::object initializer = take("initializer"); IsInitialValue(initializer)) {
    request.initial_value = InputFrom(initializer);
  } else {
    request.initializer = InitializerFrom(initializer);
  }
  request.regularizer = RegularizerFrom(take("regularizer"));
  if (!take("trainable").is_none()) request.trainable = py::cast<bool>(take("trainable"));
  if (!take("collections").is_none())
    for (py::handle item : take("collections")) request.collections.push_back(py::cast<std::string>(item));
  if (!take("caching_device").is_none())
    request.caching_device = std::make_shared<const DeviceRequest>(DeviceRequestFrom(take("caching_device")));
  request.partitioner = PartitionerFrom(take("partitioner"));
  if (!take("validate_shape").is_none()) request.validate_shape = py::cast<bool>(take("validate_shape"));
  if (!take("use_resource").is_none()) request.use_resource = py::cast<bool>(take("use_resource"));
  request.custom_getter = CustomGetterFrom(take("custom_getter"));
  request.reuse = ReuseFrom(take("reuse"));
  request.constraint = ConstraintFrom(take("constraint"));
  return request;
}

py::dict KwargsOf(const VariableRequest& request) {
  py::dict kwargs;
  kwargs["shape"] = request.shape.has_value() ? ShapeObjectOf(*request.shape) : py::none();
  kwargs["dtype"] = DTypeObjectOf(request.dtype);
  kwargs["initializer"] = py::none();
  if (request.initializer != nullptr) {
    if (const auto* own = request.initializer->target<PyInitializer>()) kwargs["initializer"] = own->function.get();
  }
  kwargs["regularizer"] = py::none();
  kwargs["trainable"] = request.trainable.value_or(true);
  kwargs["collections"] = request.collections.empty() ? py::object(py::none()) : py::cast(request.collections);
  kwargs["caching_device"] = py::none();
  kwargs["partitioner"] = py::none();
  kwargs["validate_shape"] = request.validate_shape;
  kwargs["use_resource"] = request.use_resource.has_value() ? py::object(py::bool_(*request.use_resource)) : py::none();
  kwargs["constraint"] = ConstraintObject(request.constraint);
  kwargs["reuse"] = ReuseObject(request.reuse.value_or(Reuse::kNo));
  return kwargs;
}

struct PyCustomGetter {
  SharedPyObject function;
  Result<FoundVariable> operator()(const VariableGetter& getter, const VariableRequest& request) const {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<FoundVariable> {
      // Arguments that the custom getter does not pass keep the scope's values. The program may keep `inner`, so it
      // must not hold the custom getter.
      VariableRequest decided = request;
      decided.custom_getter = nullptr;
      py::cpp_function inner([getter, request = std::move(decided), graph = DefaultGraph()](const py::args& args,
                                                                                            const py::kwargs& given) {
        py::kwargs kwargs = given;
        const char* positional[] = {"name",           "shape",       "dtype",          "initializer",
                                    "regularizer",    "reuse",       "trainable",      "collections",
                                    "caching_device", "partitioner", "validate_shape", "use_resource"};
        for (size_t i = 0; i < args.size() && i < std::size(positional); ++i) kwargs[positional[i]] = args[i];
        if (!kwargs.contains("name")) RaiseType("the getter of a variable needs its name");
        VariableRequest changed = RequestFrom(py::cast<std::string>(kwargs["name"]), kwargs);
        if (changed.dtype == kInvalidType) changed.dtype = request.dtype;
        if (!changed.use_resource.has_value()) changed.use_resource = request.use_resource;
        if (changed.initializer == nullptr && !changed.initial_value.has_value()) {
          changed.initializer = request.initializer;
          changed.initial_value = request.initial_value;
        }
        if (changed.regularizer == nullptr) changed.regularizer = request.regularizer;
        if (changed.partitioner == nullptr) changed.partitioner = request.partitioner;
        if (changed.caching_device == nullptr) changed.caching_device = request.caching_device;
        if (!changed.reuse.has_value()) changed.reuse = Reuse::kAuto;  // as in TensorFlow: existing or new
        return FoundObject(Take(getter(changed)));
      });
      // As in TensorFlow, the name is a keyword argument: some functions take it from **kwargs.
      return FoundFrom(function.get()(inner, py::arg("name") = request.name, **KwargsOf(request)));
    });
  }
};

std::shared_ptr<const CustomGetter> CustomGetterFrom(py::object function) {
  if (function.is_none()) return nullptr;
  return std::make_shared<const CustomGetter>(PyCustomGetter{SharedPyObject(function)});
}

VariableScopeSettings SettingsFrom(py::object initializer, py::object regularizer, py::object caching_device,
                                   py::object partitioner, py::object custom_getter, DType dtype,
                                   py::object use_resource, py::object constraint) {
  VariableScopeSettings settings;
  settings.constraint = ConstraintFrom(std::move(constraint));
  settings.initializer = InitializerFrom(std::move(initializer));
  settings.regularizer = RegularizerFrom(std::move(regularizer));
  if (!caching_device.is_none())
    settings.caching_device = std::make_shared<const DeviceRequest>(DeviceRequestFrom(std::move(caching_device)));
  settings.partitioner = PartitionerFrom(std::move(partitioner));
  settings.custom_getter = CustomGetterFrom(std::move(custom_getter));
  if (dtype != kInvalidType) settings.dtype = dtype;
  if (!use_resource.is_none()) settings.use_resource = py::cast<bool>(use_resource);
  return settings;
}

// Python's copy of a scope, from when it was entered. Changes to it apply to the actual scope while that is the
// innermost.
struct ScopeObject {
  VariableScope scope;
  py::object graph;

  void Changed() {
    VariableScopeStack scopes(*GraphObjectOf(graph).graph);
    if (scopes.Current().name == scope.name) scopes.SetCurrent(scope);
  }
};

// The graph that owns variables: the one outside of all functions being traced.
py::object GraphOfVariables() {
  py::object graph = DefaultGraph();
  const FunctionCaptures* captures = GraphObjectOf(graph).captures;
  return captures == nullptr ? graph : GraphOf(*captures->outside);
}

// Calls `make` with that graph as the default graph.
template <class F>
py::object Outside(F make) {
  if (functions_being_traced == 0) return make();
  const py::object scope = GraphOfVariables().attr("as_default")();
  scope.attr("__enter__")();
  const std::shared_ptr<void> entered(nullptr,
                                      [&scope](void*) { scope.attr("__exit__")(py::none(), py::none(), py::none()); });
  return make();
}

// Pops the scope that an entered `with tf.variable_scope` pushed.
struct Pushed {
  explicit Pushed(Graph& g) : graph(g) {}
  ~Pushed() { VariableScopeStack(graph).Pop(); }
  Graph& graph;
};

std::shared_ptr<Scope> VariableScopeContext(py::object name_or_scope, py::object default_name, py::object values,
                                            const VariableScopeSettings& settings, std::optional<Reuse> reuse,
                                            bool auxiliary_name_scope) {
  if (name_or_scope.is_none() && default_name.is_none())
    RaiseValue("If default_name is None then name_or_scope is required");
  // The graph is determined on entry. Until then, the arguments may refer to a graph.
  const py::object arguments = py::make_tuple(name_or_scope, values);
  return std::make_shared<Scope>(arguments, [=](Scope& scope, const py::object& arguments) -> py::object {
    const py::object name_or_scope = arguments[py::int_(0)];
    const py::object values = arguments[py::int_(1)];
    py::object graph_object = GraphOfVariables();
    if (!values.is_none())
      for (py::handle value : values)
        if (IsTensor(value)) {
          graph_object = value.attr("graph");
          break;
        }
    Graph* const graph = GraphObjectOf(graph_object).graph.get();
    scope.Add(std::make_shared<SharedPyObject>(graph_object));
    VariableScopeStack scopes(*graph);
    const auto open_names = [&](const std::string& name) -> std::string {
      if (!auxiliary_name_scope) return graph->build().name_scope.empty() ? "" : graph->build().name_scope + "/";
      auto names = std::make_shared<NameScope>(*graph, name);
      scope.Add(names);
      Check(graph->TakeError());
      return names->name() + "/";
    };
    VariableScope entered;
    if (!name_or_scope.is_none() && !PyUnicode_Check(name_or_scope.ptr())) {
      if (!py::isinstance<ScopeObject>(name_or_scope))
        RaiseType("VariableScope: name_or_scope must be a string or VariableScope.");
      const VariableScope& given = py::cast<ScopeObject&>(name_or_scope).scope;
      const size_t slash = given.name.rfind('/');
      const std::string last = slash == std::string::npos ? given.name : given.name.substr(slash + 1);
      if (!last.empty()) open_names(last);
      entered = scopes.Reopened(given, reuse, settings);
    } else {
      if (name_or_scope.is_none() && reuse.value_or(Reuse::kNo) == Reuse::kYes)
        RaiseValue("reuse=True cannot be used without a name_or_scope");
      const std::string name = name_or_scope.is_none() ? scopes.UniqueScopeName(py::cast<std::string>(default_name))
                                                       : py::cast<std::string>(name_or_scope);
      if (name.empty()) {
        entered = scopes.Reopened(scopes.Current(), reuse, settings);
      } else {
        const std::string original = open_names(name_or_scope.is_none() ? py::cast<std::string>(default_name) : name);
        entered = scopes.Opened(name, reuse, settings);
        entered.original_name_scope = original;
      }
    }
    scopes.Push(entered);
    scope.Add(std::make_shared<Pushed>(*graph));
    return py::cast(ScopeObject{entered, graph_object});
  });
}

py::object GetVariableIn(const VariableScope* scope, const std::string& name, const py::kwargs& kwargs) {
  const py::object graph = DefaultGraph();
  VariableScopeStack scopes(*GraphObjectOf(graph).graph);
  VariableRequest request = RequestFrom(name, kwargs);
  Result<FoundVariable> found =
      scope == nullptr ? scopes.GetAny(std::move(request)) : scopes.GetBelow(*scope, std::move(request));
  return FoundObject(Take(std::move(found)));
}

// get_variable with positional arguments.
py::object GetVariableCall(const std::string& name, const py::args& args, py::kwargs kwargs,
                           const char* forced_collection) {
  const char* positional[] = {"shape",          "dtype",        "initializer",    "regularizer",
                              "trainable",      "collections",  "caching_device", "partitioner",
                              "validate_shape", "use_resource", "custom_getter",  "constraint"};
  if (args.size() > std::size(positional))
    RaiseType(fmt::format("get_variable() takes at most {} arguments", std::size(positional) + 1));
  for (size_t i = 0; i < args.size(); ++i) kwargs[positional[i]] = args[i];
  for (auto [key, value] : kwargs) {
    const std::string text = py::cast<std::string>(key);
    const bool known =
        std::any_of(std::begin(positional), std::end(positional), [&](const char* p) { return text == p; });
    if (!known && text != "synchronization" && text != "aggregation" && text != "reuse")
      RaiseType(fmt::format("get_variable() got an unexpected keyword argument '{}'", text));
  }
  if (forced_collection != nullptr) {
    py::list collections;
    if (kwargs.contains("collections") && !kwargs["collections"].is_none())
      for (py::handle item : kwargs["collections"]) collections.append(item);
    collections.append(forced_collection);
    kwargs["collections"] = collections;
    kwargs["trainable"] = false;
  }
  return GetVariableIn(nullptr, name, kwargs);
}

}  // namespace

std::shared_ptr<const ScopedInitializer> InitializerFrom(py::object function) {
  if (function.is_none()) return nullptr;
  return std::make_shared<const ScopedInitializer>(PyInitializer{SharedPyObject(function)});
}

const VariableScope* VariableScopeOf(py::handle object) {
  return py::isinstance<ScopeObject>(object) ? &py::cast<const ScopeObject&>(object).scope : nullptr;
}

void BindVariableScopes(py::module_& m) {
  py::enum_<Reuse>(m, "ReuseMode").value("AUTO_REUSE", Reuse::kAuto);
  m.attr("AUTO_REUSE") = py::cast(Reuse::kAuto);
  py::class_<PartitionInfo>(m, "PartitionInfo")
      .def_readonly("full_shape", &PartitionInfo::full_shape)
      .def_readonly("var_offset", &PartitionInfo::offset)
      .def("single_slice_dim", &SingleSliceDim, py::arg("shape"))
      .def(
          "single_offset",
          [](const PartitionInfo& info, const PartialShape& shape) {
            const std::optional<int> axis = SingleSliceDim(info, shape);
            return axis.has_value() ? info.offset[static_cast<size_t>(*axis)] : 0;
          },
          py::arg("shape"));

  py::class_<ScopeObject>(m, "VariableScope", GarbageCollected<ScopeObject, VisitGraph<ScopeObject>>())
      .def_property_readonly("name", [](const ScopeObject& s) { return s.scope.name; })
      .def_property_readonly("original_name_scope", [](const ScopeObject& s) { return s.scope.original_name_scope; })
      .def_property_readonly("reuse", [](const ScopeObject& s) { return ReuseObject(s.scope.reuse); })
      .def_property_readonly("dtype", [](const ScopeObject& s) { return s.scope.settings.dtype.value_or(kFloat); })
      .def_property_readonly("use_resource",
                             [](const ScopeObject& s) { return s.scope.settings.use_resource.value_or(false); })
      .def_property_readonly("constraint",
                             [](const ScopeObject& s) { return ConstraintObject(s.scope.settings.constraint); })
      .def_property_readonly(
          "initializer", [](const ScopeObject& s) { return FunctionIn<PyInitializer>(s.scope.settings.initializer); })
      .def_property_readonly(
          "regularizer", [](const ScopeObject& s) { return FunctionIn<PyRegularizer>(s.scope.settings.regularizer); })
      .def_property_readonly(
          "partitioner", [](const ScopeObject& s) { return FunctionIn<PyPartitioner>(s.scope.settings.partitioner); })
      .def_property_readonly(
          "custom_getter",
          [](const ScopeObject& s) { return FunctionIn<PyCustomGetter>(s.scope.settings.custom_getter); })
      .def_property_readonly("caching_device",
                             [](const ScopeObject& s) -> py::object {
                               const auto& device = s.scope.settings.caching_device;
                               return device == nullptr ? py::none() : DeviceObject(*device);
                             })
      .def("reuse_variables",
           [](ScopeObject& s) {
             s.scope.reuse = Reuse::kYes;
             s.Changed();
           })
      .def("set_initializer",
           [](ScopeObject& s, py::object f) {
             s.scope.settings.initializer = InitializerFrom(std::move(f));
             s.Changed();
           })
      .def("set_regularizer",
           [](ScopeObject& s, py::object f) {
             s.scope.settings.regularizer = RegularizerFrom(std::move(f));
             s.Changed();
           })
      .def("set_partitioner",
           [](ScopeObject& s, py::object f) {
             s.scope.settings.partitioner = PartitionerFrom(std::move(f));
             s.Changed();
           })
      .def("set_custom_getter",
           [](ScopeObject& s, py::object f) {
             s.scope.settings.custom_getter = CustomGetterFrom(std::move(f));
             s.Changed();
           })
      .def("set_dtype",
           [](ScopeObject& s, DType dtype) {
             s.scope.settings.dtype = dtype;
             s.Changed();
           })
      .def("set_use_resource",
           [](ScopeObject& s, bool use) {
             s.scope.settings.use_resource = use;
             s.Changed();
           })
      .def("set_caching_device",
           [](ScopeObject& s, py::object device) {
             s.scope.settings.caching_device =
                 std::make_shared<const DeviceRequest>(DeviceRequestFrom(std::move(device)));
             s.Changed();
           })
      .def("get_collection",
           [](const ScopeObject& s, const std::string& name) {
             return py::module_::import("weir._weir")
                 .attr("get_collection")(name,
                                         s.scope.name.empty() ? py::object(py::none()) : py::str(s.scope.name + "/"));
           })
      .def("trainable_variables",
           [](py::object self) { return self.attr("get_collection")(graph_keys::kTrainableVariables); })
      .def("global_variables",
           [](py::object self) { return self.attr("get_collection")(graph_keys::kGlobalVariables); })
      .def("local_variables", [](py::object self) { return self.attr("get_collection")(graph_keys::kLocalVariables); })
      .def(
          "get_variable",
          [](const ScopeObject& s, py::object, const std::string& name, const py::kwargs& kwargs) {
            return GetVariableIn(&s.scope, name, kwargs);
          },
          py::arg("var_store"), py::arg("name"));

  m.def("_set_resource_variables", [](bool enable) {
    Process::Get().set_resource_variables(enable);
    VariableStore::Of(*GraphObjectOf(DefaultGraph()).graph)->resource_by_default = enable;
  });
  m.def("resource_variables_enabled", [] { return Process::Get().resource_variables(); });
  m.def("get_variable_scope", [] {
    py::object graph = GraphOfVariables();
    return ScopeObject{VariableScopeStack(*GraphObjectOf(graph).graph).Current(), graph};
  });
  m.def(
      "variable_scope",
      [](py::object name_or_scope, py::object default_name, py::object values, py::object initializer,
         py::object regularizer, py::object caching_device, py::object partitioner, py::object custom_getter,
         py::object reuse, DType dtype, py::object use_resource, py::object constraint, bool auxiliary_name_scope) {
        return VariableScopeContext(
            std::move(name_or_scope), std::move(default_name), std::move(values),
            SettingsFrom(std::move(initializer), std::move(regularizer), std::move(caching_device),
                         std::move(partitioner), std::move(custom_getter), dtype, std::move(use_resource),
                         std::move(constraint)),
            ReuseFrom(reuse), auxiliary_name_scope);
      },
      py::arg("name_or_scope"), py::arg("default_name") = py::none(), py::arg("values") = py::none(),
      py::arg("initializer") = py::none(), py::arg("regularizer") = py::none(), py::arg("caching_device") = py::none(),
      py::arg("partitioner") = py::none(), py::arg("custom_getter") = py::none(), py::arg("reuse") = py::none(),
      py::arg("dtype") = py::none(), py::arg("use_resource") = py::none(), py::arg("constraint") = py::none(),
      py::arg("auxiliary_name_scope") = true);
  m.def(
      "variable_op_scope",
      [](py::object values, py::object name_or_scope, py::object default_name, py::object initializer,
         py::object regularizer, py::object reuse) {
        return VariableScopeContext(std::move(name_or_scope), std::move(default_name), std::move(values),
                                    SettingsFrom(std::move(initializer), std::move(regularizer), py::none(), py::none(),
                                                 py::none(), kInvalidType, py::none(), py::none()),
                                    ReuseFrom(reuse), true);
      },
      py::arg("values"), py::arg("name_or_scope"), py::arg("default_name") = py::none(),
      py::arg("initializer") = py::none(), py::arg("regularizer") = py::none(), py::arg("reuse") = py::none());
  m.def(
      "get_variable",
      [](const std::string& name, const py::args& args, py::kwargs kwargs) {
        py::object made = Outside([&] { return GetVariableCall(name, args, std::move(kwargs), nullptr); });
        RecordOrigins(DefaultGraphRef());
        return made;
      },
      py::arg("name"));
  m.def(
      "get_local_variable",
      [](const std::string& name, const py::args& args, py::kwargs kwargs) {
        py::object made =
            Outside([&] { return GetVariableCall(name, args, std::move(kwargs), graph_keys::kLocalVariables); });
        RecordOrigins(DefaultGraphRef());
        return made;
      },
      py::arg("name"));
}

}  // namespace weir::python
