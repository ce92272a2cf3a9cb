#include "bind/ops.h"

#include <algorithm>
#include <array>
#include <set>

#include "bind/attr.h"
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/sparse.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

// Names of arguments in Python that differ from those in the schema. A row without an op applies to every op; the first
// matching row is used.
struct Renamed {
  std::string_view op;
  std::string_view schema_name;
  const char* name;
};
constexpr Renamed kRenamed[] = {
    {"ReduceJoin", "reduction_indices", "reduction_indices"},
    {"SparseSplit", "split_dim", "split_dim"},
    {"", "reduction_indices", "axis"},
    {"", "split_dim", "axis"},
    {"", "squeeze_dims", "axis"},
    {"ExpandDims", "dim", "axis"},
    {"Where", "input", "condition"},
    {"Select", "t", "x"},
    {"Select", "e", "y"},
    {"", "lambda", "lambda_"},
};

// Functions that TensorFlow 1.15 applies to the values of a SparseTensor.
constexpr std::string_view kMapsSparseValues[] = {"Neg", "Sign", "Square",    "Sqrt",
                                                  "Erf", "Tanh", "BesselI0e", "BesselI1e"};

// One parameter of an op function: an input or an attribute of the schema.
struct Parameter {
  std::string name;
  PyObject* interned = nullptr;  // the name, for comparing by identity
  int input = -1;
  const AttrDef* attr = nullptr;
  bool required = true;
};

class OpFunction {
 public:
  explicit OpFunction(const OpDef& op)
      : op_(op),
        maps_sparse_values_(std::find(std::begin(kMapsSparseValues), std::end(kMapsSparseValues), op.name) !=
                            std::end(kMapsSparseValues)) {
    // Attributes that are inferred from the inputs are not parameters.
    std::set<std::string> inferred;
    for (const ArgDef& arg : op.inputs) {
      for (const std::string* name : {&arg.type_attr, &arg.type_list_attr, &arg.number_attr})
        if (!name->empty()) inferred.insert(*name);
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) Add({.name = op.inputs[i].name, .input = static_cast<int>(i)});
    for (const bool required : {true, false})
      for (const AttrDef& attr : op.attrs)
        if (!inferred.contains(attr.name) && attr.default_value.has_value() != required)
          Add({.name = attr.name, .attr = &attr, .required = required});
    Add({.name = "name", .required = false});
  }

  const OpDef& op() const { return op_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::string snake_name() const;

  py::object Call(const py::args& args, const py::kwargs& kwargs) const {
    std::array<PyObject*, kMaxParameters> values{};
    Bind(args, kwargs, values.data());
    if (maps_sparse_values_ && IsSparse(values[0])) {
      const SparseObject& sparse = SparseOf(values[0]);
      const py::object x = Wrap(sparse.values);
      values[0] = x.ptr();
      return WrapSparse(sparse.indices, Output(Build(values.data()), 0), sparse.dense_shape);
    }
    return ResultOf(Build(values.data()));
  }

 private:
  static constexpr size_t kMaxParameters = 64;

  void Add(Parameter parameter) {
    for (const Renamed& renamed : kRenamed) {
      if (parameter.name != renamed.schema_name || (!renamed.op.empty() && renamed.op != op_.name)) continue;
      old_names_.emplace_back(parameter.name, static_cast<int>(parameters_.size()));
      parameter.name = renamed.name;
      break;
    }
    parameter.interned = PyUnicode_InternFromString(parameter.name.c_str());
    WEIR_CHECK(parameters_.size() < kMaxParameters, op_.name);
    parameters_.push_back(std::move(parameter));
  }

  int Find(PyObject* key) const {
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (parameters_[i].interned == key) return static_cast<int>(i);
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (PyUnicode_Compare(parameters_[i].interned, key) == 0) return static_cast<int>(i);
    for (const auto& [name, index] : old_names_)
      if (PyUnicode_CompareWithASCIIString(key, name.c_str()) == 0) return index;
    return -1;
  }

  void Bind(const py::args& args, const py::kwargs& kwargs, PyObject** values) const {
    const size_t given = static_cast<size_t>(PyTuple_GET_SIZE(args.ptr()));
    if (given > parameters_.size())
      RaiseType(fmt::format("{}() takes at most {} arguments ({} given)", snake_name(), parameters_.size(), given));
    for (size_t i = 0; i < given; ++i) values[i] = PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i));
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs.ptr(), &at, &key, &value)) {
      const int i = Find(key);
      if (i < 0) RaiseType(fmt::format("{}() got an unexpected keyword argument {}", snake_name(), Repr(key)));
      if (values[i] != nullptr)
        RaiseType(fmt::format("{}() got multiple values for argument '{}'", snake_name(), parameters_[i].name));
      values[i] = value;
    }
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (parameters_[i].required && values[i] == nullptr)
        RaiseType(fmt::format("{}() missing 1 required positional argument: '{}'", snake_name(), parameters_[i].name));
  }

  // In TensorFlow's order, which decides which of several errors is raised: lists of inputs, attributes, inputs.
  Node* Build(PyObject** values) const {
    const Name name =
        values[parameters_.size() - 1] == nullptr ? Name{} : py::cast<Name>(py::handle(values[parameters_.size() - 1]));
    for (size_t i = 0; i < op_.inputs.size(); ++i)
      if (!op_.inputs[i].number_attr.empty() && !IsList(values[i]))
        RaiseType(fmt::format("Expected list for '{}' argument to '{}' Op, not {}.", op_.inputs[i].name, snake_name(),
                              Repr(values[i])));
    std::vector<std::pair<std::string, AttrValue>> attrs;
    for (size_t i = op_.inputs.size(); i + 1 < parameters_.size(); ++i) {
      const Parameter& parameter = parameters_[i];
      // None asks for the default.
      if (values[i] == nullptr || (values[i] == Py_None && !parameter.required && parameter.attr->type != "shape"))
        continue;
      attrs.emplace_back(parameter.attr->name, AttrFrom(values[i], *parameter.attr, op_.name));
    }
    std::vector<InputList> inputs(op_.inputs.size());
    Graph* graph = nullptr;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // As in TensorFlow, the error about a tensor of another graph takes precedence over that about a value that must
      // be a list.
      if (op_.inputs[i].is_list() && graph != nullptr && IsTensor(values[i]) && &OutputOf(values[i]).graph() != graph)
        RaiseValue(fmt::format("{} must be from the same graph as {}", Str(values[i]), Str(values[0])));
      CollectInput(op_.inputs[i], values[i], &inputs[i]);
      if (graph == nullptr) graph = GraphOfArgument(inputs[i]);
    }
    if (graph == nullptr || GraphObjectOf(DefaultGraph()).building_function) graph = &DefaultGraphRef();
    NodeBuilder builder(*graph, op_.name, name.text);
    builder.TypesInOrder();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (op_.inputs[i].is_list())
        builder.In(std::move(inputs[i]));
      else
        builder.In(std::move(inputs[i][0]));
    }
    for (auto& [attr, value] : attrs) builder.Attr(std::move(attr), std::move(value));
    return Take(builder.Build());
  }

  static bool IsList(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }

  void CollectInput(const ArgDef& arg, PyObject* value, InputList* out) const {
    if (!arg.is_list()) {
      out->push_back(InputFrom(value, arg.is_ref));
      return;
    }
    if (!IsList(value))
      RaiseType(fmt::format("Expected list for '{}' argument to '{}' Op, not {}.", arg.name, op_.name, Str(value)));
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < size; ++i) out->push_back(InputFrom(PySequence_Fast_GET_ITEM(value, i), arg.is_ref));
  }

  const OpDef& op_;
  const bool maps_sparse_values_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<std::string, int>> old_names_;  // deprecated names, still accepted
};

}  // namespace

std::string SnakeName(const std::string& op) {
  std::string out;
  for (size_t i = 0; i < op.size(); ++i) {
    const char c = op[i];
    if (std::isupper(static_cast<unsigned char>(c)) == 0) {
      out += c;
      continue;
    }
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(op[i - 1])) != 0;
    const bool after_digit = i > 0 && std::isdigit(static_cast<unsigned char>(op[i - 1])) != 0;
    const bool before_lower = i + 1 < op.size() && std::islower(static_cast<unsigned char>(op[i + 1])) != 0;
    if (i > 0 && op[i - 1] != '_' &&
        (after_lower || (before_lower && (after_digit || std::isupper(static_cast<unsigned char>(op[i - 1])) != 0))))
      out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

namespace {

std::string OpFunction::snake_name() const { return SnakeName(op_.name); }

py::object SignatureOf(const OpFunction& function) {
  py::module_ inspect = py::module_::import("inspect");
  py::object parameter = inspect.attr("Parameter");
  py::list list;
  for (const Parameter& p : function.parameters()) {
    py::object fallback = parameter.attr("empty");
    if (!p.required) fallback = p.attr == nullptr ? py::object(py::none()) : DefaultToPython(*p.attr->default_value);
    list.append(parameter(p.name, parameter.attr("POSITIONAL_OR_KEYWORD"), py::arg("default") = fallback));
  }
  return inspect.attr("Signature")(list);
}

py::object& ResultClass(const OpDef& op) {
  static auto* classes = new std::unordered_map<const OpDef*, py::object>;
  py::object& cls = (*classes)[&op];
  if (!cls) {
    py::list fields;
    for (const ArgDef& arg : op.outputs) fields.append(arg.name);
    cls = py::module_::import("collections").attr("namedtuple")(op.name, fields);
  }
  return cls;
}

// Caches the Python functions by op name.
py::object FunctionFor(const std::string& name) {
  static auto* made = new std::unordered_map<std::string, py::object>;
  auto it = made->find(name);
  if (it != made->end()) return it->second;
  const OpDef* op = Process::Get().registry().Find(name);
  if (op == nullptr) {
    PyErr_Format(PyExc_AttributeError, "no op named '%s'", name.c_str());
    throw py::error_already_set();
  }
  py::object function = py::cast(new OpFunction(*op), py::return_value_policy::take_ownership);
  function.attr("__name__") = SnakeName(name);
  function.attr("__qualname__") = SnakeName(name);
  function.attr("__module__") = "weir.ops.gen";
  return made->emplace(name, std::move(function)).first->second;
}

}  // namespace

py::object ResultOf(Node* node) {
  const OpDef& op = node->op();
  if (op.outputs.empty()) return Wrap(node);
  if (op.outputs.size() == 1 && !op.outputs[0].is_list()) return Wrap(Output(node, 0));
  py::list parts;
  int next = 0;
  for (const ArgDef& arg : op.outputs) {
    if (!arg.is_list()) {
      parts.append(Wrap(Output(node, next++)));
      continue;
    }
    py::list items;
    const int count = Take(ArgCount(arg, node->attrs()));
    for (int i = 0; i < count; ++i) items.append(Wrap(Output(node, next++)));
    parts.append(std::move(items));
  }
  if (op.outputs.size() > 1) return ResultClass(op)(*parts);
  return py::len(parts[0]) == 0 ? Wrap(node) : py::object(parts[0]);
}

void BindOps(py::module_& m) {
  py::class_<OpFunction>(m, "OpFunction", py::dynamic_attr(), WithUntrackedDealloc())
      .def("__call__", &OpFunction::Call)
      .def_property_readonly("__signature__", &SignatureOf)
      .def_property_readonly("op_name", [](const OpFunction& f) { return f.op().name; })
      .def_property_readonly("parameters",
                             [](const OpFunction& f) {
                               std::vector<std::string> names;
                               for (const Parameter& p : f.parameters()) names.push_back(p.name);
                               return names;
                             })
      .def("__repr__", [](const OpFunction& f) { return fmt::format("<op function {}>", f.snake_name()); });
  m.def("op_function", &FunctionFor, py::arg("op"));
  m.def("snake_name", &SnakeName, py::arg("op"));
}

}  // namespace weir::python
