// tf.gradients, tf.hessians, tf.RegisterGradient.
#include <map>

#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/sparse.h"
#include "bind/train.h"
#include "bind/variables.h"
#include "graph/gradients.h"
#include "graph/loop_gradient.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"

namespace weir::python {
namespace {

// Gradients registered by tf.RegisterGradient, by name. Never freed. Guarded by the GIL.
std::map<std::string, GradientFn, std::less<>>& Registered() {
  static auto* gradients = new std::map<std::string, GradientFn, std::less<>>();
  return *gradients;
}

// Calls a Python gradient function: function(op, *grads) returns one value, or a list with one per input.
Result<Gradients> CallGradient(const SharedPyObject& function, GradientContext& g) {
  py::gil_scoped_acquire gil;
  return CatchExceptions([&]() -> Result<Gradients> {
    py::list args;
    args.append(Wrap(g.node()));
    for (int i = 0; i < g.num_outputs(); ++i) {
      const Grad& raw = g.raw_d_output(i);
      args.append(HasGrad(raw) ? Wrap(raw) : Wrap(g.d_output(i)));
    }
    py::object answer = function.get()(*py::tuple(args));
    Gradients result;
    if (py::isinstance<py::list>(answer) || py::isinstance<py::tuple>(answer)) {
      for (py::handle item : answer) result.push_back(GradFrom(item));
    } else {
      result.push_back(GradFrom(answer));
    }
    return result;
  });
}

// Converts a Tensor, a variable (to its reference or handle), or a list of these.
std::vector<Output> Targets(py::handle what) {
  std::vector<Output> result;
  const auto one = [&result](py::handle item) {
    if (IsVariable(item)) {
      result.push_back(py::cast<VariablePtr>(item)->handle());
    } else if (IsSlices(item)) {
      result.push_back(SlicesOf(item).values);
    } else if (py::isinstance<PartitionedVariable>(item)) {
      result.push_back(py::cast<PartitionedVariable&>(item).AsInput());
    } else {
      const Input input = InputFrom(item);
      if (input.absent()) RaiseMissingAttribute(item, "op", "cannot differentiate it: expected a Tensor or Variable");
      result.push_back(input.is_output() ? input.output() : Take(ToOutput(DefaultGraphRef(), input)));
    }
  };
  if (py::isinstance<py::list>(what) || py::isinstance<py::tuple>(what)) {
    for (py::handle item : what) one(item);
  } else {
    one(what);
  }
  return result;
}

AggregationMethod AggregationFrom(py::handle method) {
  if (method.is_none()) return AggregationMethod::kAddN;
  const int number = py::cast<int>(method);
  return number == 1   ? AggregationMethod::kTree
         : number == 2 ? AggregationMethod::kAccumulateN
                       : AggregationMethod::kAddN;
}

// Parses the argument unconnected_gradients: "none", "zero" or None.
bool WantsZeros(py::handle unconnected) {
  if (unconnected.is_none()) return false;
  const std::string text = Str(unconnected);
  if (text != "none" && text != "zero")
    RaiseValue(fmt::format("Unknown value for unconnected_gradients: {}", Repr(unconnected)));
  return text == "zero";
}

// Zeros for a source that no y depends on. For a resource handle, zeros like its variable.
Result<Output> ZerosForSource(Graph& graph, Output source) {
  if (source.base_dtype() == kResource) {
    WEIR_ASSIGN(const DType dtype, source.node->Attr<DType>("dtype"));
    return ZerosWithShapeOf(graph, source, dtype, "zeros_like");
  }
  WEIR_ASSIGN(Node * node, NodeBuilder(graph, "ZerosLike", "zeros_like").In(source).Build());
  return Output(node, 0);
}

py::list Differentiate(py::object ys, py::object xs, py::object grad_ys, const std::string& name, bool colocate,
                       bool gate, py::object aggregation, py::object stop_gradients, py::object unconnected) {
  const bool zeros = WantsZeros(unconnected);
  const std::vector<Output> targets = Targets(ys);
  if (targets.empty()) RaiseValue("tf.gradients needs at least one y");
  Graph& graph = targets[0].graph();
  const std::vector<Output> sources = Targets(xs);
  GradientOptions options;
  options.name = name;
  options.colocate_with_ops = colocate;
  options.gate_gradients = gate;
  options.aggregation = AggregationFrom(aggregation);
  options.custom_gradient = RegisteredGradient;
  if (!grad_ys.is_none()) {
    if (!py::isinstance<py::list>(grad_ys) && !py::isinstance<py::tuple>(grad_ys)) {
      py::list single;
      single.append(grad_ys);
      grad_ys = single;
    }
    size_t i = 0;
    for (py::handle item : grad_ys) {
      if (item.is_none() || IsSlices(item)) {
        options.grad_ys.push_back(GradFrom(item));
      } else {
        const DType wanted = i < targets.size() ? targets[i].base_dtype() : kInvalidType;
        options.grad_ys.emplace_back(Take(ToOutput(graph, InputFrom(item), wanted, fmt::format("grad_ys_{}", i))));
      }
      ++i;
    }
  }
  if (!stop_gradients.is_none()) options.stop_gradients = Targets(stop_gradients);
  std::vector<Grad> grads = TakeGradients(AddGradients(graph, targets, sources, options));
  py::list result;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (zeros && !HasGrad(grads[i])) grads[i] = Take(ZerosForSource(graph, sources[i]));
    result.append(Wrap(grads[i]));
  }
  return result;
}

}  // namespace

const GradientFn* RegisteredGradient(std::string_view name) {
  auto it = Registered().find(name);
  return it == Registered().end() ? nullptr : &it->second;
}

void BindGradients(py::module_& m) {
  m.def("gradients", Differentiate, py::arg("ys"), py::arg("xs"), py::arg("grad_ys") = py::none(),
        py::arg("name") = "gradients", py::arg("colocate_gradients_with_ops") = false,
        py::arg("gate_gradients") = false, py::arg("aggregation_method") = py::none(),
        py::arg("stop_gradients") = py::none(), py::arg("unconnected_gradients") = py::none());
  m.def(
      "hessians",
      [](py::object ys, py::object xs, const std::string&, bool, bool, py::object) {
        const std::vector<Output> targets = Targets(ys);
        if (targets.size() != 1) RaiseValue("tf.hessians needs one y");
        const std::vector<Output> sources = Targets(xs);
        return TakeGradients(AddHessians(targets[0].graph(), targets[0], sources));
      },
      py::arg("ys"), py::arg("xs"), py::arg("name") = "hessians", py::arg("colocate_gradients_with_ops") = false,
      py::arg("gate_gradients") = false, py::arg("aggregation_method") = py::none());
  m.def(
      "register_gradient",
      [](const std::string& name, py::object function) {
        if (Registered().contains(name))
          PyErr_SetString(PyExc_KeyError, fmt::format("Registering two gradient with name '{}'!", name).c_str()),
              throw py::error_already_set();
        const SharedPyObject item{function};
        Registered()[name] = [item](GradientContext& g) { return CallGradient(item, g); };
        return function;
      },
      py::arg("op_type"), py::arg("function"));
  m.def("register_no_gradient", [](const std::string& name) {
    Registered()[name] = [](GradientContext& g) -> Result<Gradients> { return Gradients(g.num_inputs()); };
  });
}

}  // namespace weir::python
