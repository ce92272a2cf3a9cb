// Defun: traces a Python function once into a library function, which is then called like an op.
#include "bind/arguments.h"
#include "bind/gc.h"
#include "bind/messages.h"
#include "bind/process.h"
#include "bind/py_func.h"
#include "graph/build/array_ops.h"
#include "graph/function_library.h"
#include "graph/node_builder.h"
#include "graph/order_effects.h"

namespace weir::python {
namespace {

struct DefunOptions {
  std::vector<DType> input_types;
  std::vector<PartialShape> input_shapes;  // empty: unknown
  std::string name;
  py::object grad_func = py::none();
  py::object python_grad_func = py::none();  // (op, *gradients) -> gradients of the inputs
  std::vector<std::string> out_names;
  bool ordered_effects = false;  // whether to call OrderEffects on the body
};

class DefinedFunction {
 public:
  DefinedFunction(py::object function, DefunOptions options)
      : function_(std::move(function)), options_(std::move(options)) {}

  const std::string& name() {
    Trace();
    return def_.signature().name();
  }
  const tensorflow::FunctionDef& def() {
    Trace();
    return def_;
  }
  const std::vector<DType>& input_types() const { return options_.input_types; }

  OutputList captured() {
    Trace();
    return captures_.outer;
  }

  void AddTo(Graph& graph) {
    Trace();
    if (graph.functions().Find(name()) != nullptr) return;
    Check(graph.functions().AddAll(body_->functions()));
    Check(graph.functions().Add(def_));
    // The graph keeps the Python functions that the body calls alive.
    for (std::any& item : body_->collections().Items(kPyFuncsCollection))
      graph.collections().Add(kPyFuncsCollection, item);
    if (options_.grad_func.is_none()) return;
    auto& gradient = options_.grad_func.cast<DefinedFunction&>();
    gradient.AddTo(graph);
    Check(graph.functions().AddGradient(name(), gradient.name()));
  }

  py::object Call(const py::args& args, const py::kwargs& kwargs) {
    Name node_name;
    for (auto [key, value] : kwargs)
      if (Str(key) == "name") node_name = value.cast<Name>();
    if (args.size() != options_.input_types.size())
      RaiseValue(
          fmt::format("Expected number of arguments: {}, received: {}", options_.input_types.size(), args.size()));
    InputList inputs;
    for (py::handle x : args) inputs.push_back(InputFrom(x));
    Graph* graph = GraphOfArgument(inputs);
    if (graph == nullptr || GraphObjectOf(DefaultGraph()).building_function) graph = &DefaultGraphRef();
    AddTo(*graph);
    NodeBuilder builder(*graph, name(), node_name.text);
    for (const Input& input : inputs) builder.In(input);
    for (Output outer : captures_.outer) builder.In(functions_being_traced == 0 ? outer : Captured(outer));
    Node* node = Take(builder.Build());
    if (node->num_outputs() == 0) return Wrap(node);
    if (node->num_outputs() == 1) return Wrap(Output(node, 0));
    py::list outputs;
    for (int i = 0; i < node->num_outputs(); ++i) outputs.append(Wrap(Output(node, i)));
    return py::tuple(outputs);
  }

  int Visit(visitproc visit, void* arg) const {
    Py_VISIT(function_.ptr());
    Py_VISIT(options_.grad_func.ptr());
    Py_VISIT(options_.python_grad_func.ptr());
    Py_VISIT(body_object_.ptr());
    for (const py::object& graph : outer_graphs_) Py_VISIT(graph.ptr());
    return 0;
  }

 private:
  // Calls the function once on placeholders, in a new graph.
  void Trace() {
    if (body_ != nullptr) return;
    py::object graph_object = py::type::of<GraphObject>()();
    GraphObject& object = GraphObjectOf(graph_object);
    object.building_function = true;
    captures_ = {};
    captures_.body = object.graph.get();
    object.graph->seed = DefaultGraphRef().seed;
    captures_.parent = GraphObjectOf(DefaultGraph()).captures;
    captures_.outside = captures_.parent != nullptr ? captures_.parent->outside : &DefaultGraphRef();
    py::object scope = graph_object.attr("as_default")();
    scope.attr("__enter__")();
    OutputList inputs;
    OutputList outputs;
    object.captures = &captures_;
    ++functions_being_traced;
    const std::shared_ptr<void> traced(nullptr, [&object](void*) {
      --functions_being_traced;
      object.captures = nullptr;
    });
    try {
      py::list arguments;
      py::list names = ParameterNames();
      for (size_t i = 0; i < options_.input_types.size(); ++i) {
        const std::string name = i < names.size() ? Str(names[i]) : fmt::format("arg{}", i);
        const PartialShape shape = i < options_.input_shapes.size() ? options_.input_shapes[i] : PartialShape();
        inputs.push_back(Placeholder(*object.graph, options_.input_types[i], {.shape = shape, .name = name}));
        arguments.append(Wrap(inputs.back()));
      }
      Check(object.graph->TakeError());
      py::object result = function_(*arguments);
      if (!result.is_none() && !IsOperation(result)) {
        const Values values = ValuesFrom(result);
        for (const Input& value : values.list) outputs.push_back(Take(ToOutput(*object.graph, value)));
      }
    } catch (...) {
      scope.attr("__exit__")(py::none(), py::none(), py::none());
      throw;
    }
    scope.attr("__exit__")(py::none(), py::none(), py::none());
    inputs.insert(inputs.end(), captures_.inner.begin(), captures_.inner.end());
    if (options_.ordered_effects) OrderEffects(*object.graph);
    const std::string base = Str(function_.attr("__name__"));
    tensorflow::FunctionDef def =
        Take(GraphToFunction(*object.graph, "f", inputs, outputs, options_.out_names, {}, ""));
    std::string name = options_.name;
    if (name.empty()) {  // generate a name from the function's name and a hash of its body
      uint64_t hash = 14695981039346656037ull;
      for (unsigned char c : def.SerializeAsString()) hash = (hash ^ c) * 1099511628211ull;
      name = fmt::format("{}_{:08x}", base == "<lambda>" ? "lambda" : base, static_cast<uint32_t>(hash ^ (hash >> 32)));
    }
    def.mutable_signature()->set_name(name);
    if (!options_.python_grad_func.is_none())
      py::module_::import("weir._weir").attr("register_gradient")(name, options_.python_grad_func);
    def_ = std::move(def);
    for (const Output& value : captures_.outer) outer_graphs_.push_back(GraphOf(value.graph()));
    body_object_ = graph_object;
    body_ = object.graph;
  }

  py::list ParameterNames() const {
    py::object code = py::getattr(function_, "__code__", py::none());
    if (code.is_none()) return py::list();
    return py::list(code.attr("co_varnames")[py::slice(0, code.attr("co_argcount").cast<int>(), 1)]);
  }

  py::object function_;
  DefunOptions options_;
  FunctionCaptures captures_;
  py::object body_object_;
  std::vector<py::object> outer_graphs_;  // keeps the graphs of captured values alive
  std::shared_ptr<Graph> body_;
  tensorflow::FunctionDef def_;
};

int VisitFunction(DefinedFunction& function, visitproc visit, void* arg) { return function.Visit(visit, arg); }

}  // namespace

void BindDefun(py::module_& m) {
  py::class_<DefinedFunction>(m, "DefinedFunction", GarbageCollected<DefinedFunction, VisitFunction>())
      .def("__call__", &DefinedFunction::Call)
      .def(
          "add_to_graph", [](DefinedFunction& f, py::handle graph) { f.AddTo(*GraphObjectOf(graph).graph); },
          py::arg("g"))
      .def_property_readonly("name", [](DefinedFunction& f) { return f.name(); })
      .def_property_readonly("captured_inputs", [](DefinedFunction& f) { return f.captured(); })
      .def_property_readonly("definition", [](DefinedFunction& f) { return MessageToPython("FunctionDef", f.def()); })
      .def_property_readonly("declared_input_types", [](const DefinedFunction& f) {
        py::list types;
        for (DType type : f.input_types()) types.append(py::cast(type));
        return types;
      });
  // Decorator: @Defun(tf.float32, ..., func_name="f").
  m.def("Defun", [](py::args types, const py::kwargs& kwargs) {
    DefunOptions options;
    for (py::handle type : types) options.input_types.push_back(BaseType(AsDType(type)));
    for (auto [key, value] : kwargs) {
      const std::string k = Str(key);
      if (value.is_none()) continue;
      if (k == "func_name")
        options.name = value.cast<std::string>();
      else if (k == "grad_func")
        options.grad_func = py::reinterpret_borrow<py::object>(value);
      else if (k == "python_grad_func")
        options.python_grad_func = py::reinterpret_borrow<py::object>(value);
      else if (k == "out_names")
        options.out_names = value.cast<std::vector<std::string>>();
      else if (k == "ordered_effects")
        options.ordered_effects = value.cast<bool>();
      else if (k == "input_shapes")
        options.input_shapes = value.cast<std::vector<PartialShape>>();
    }
    return Counted(py::cpp_function([options](py::object function) { return DefinedFunction(function, options); }));
  });
}

}  // namespace weir::python
