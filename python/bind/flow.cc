// Control flow with Python callables. Converts between nested structures and the flat lists of tensors that the C++
// functions take. Branches and bodies run while the graph is built, on the calling thread.
#include "graph/compose/flow.h"

#include "bind/arguments.h"
#include "bind/nest.h"
#include "bind/sparse.h"
#include "bind/tensor_array.h"
#include "graph/compose/flow_map.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

py::object UnpackSingleton(py::object result) {
  if ((PyList_Check(result.ptr()) || PyTuple_Check(result.ptr())) && py::len(result) == 1) return result[py::int_(0)];
  return result;
}

// The result of a branch: its structure, and the tensors in it.
struct BranchResult {
  py::object structure;
  LeafTensors tensors{/*nodes=*/true};
};

BranchFn BranchOf(Graph& graph, py::object function, bool strict, std::shared_ptr<BranchResult> out) {
  return [&graph, function, strict, out]() -> Result<OutputList> {
    return CatchExceptions([&]() -> Result<OutputList> {
      py::object result = function();
      out->structure = strict ? result : UnpackSingleton(result);
      out->tensors = LeafTensors(true);
      for (const py::object& leaf : FlattenNest(out->structure)) out->tensors.Add(graph, leaf);
      return out->tensors.outputs();
    });
  };
}

void CheckCallable(py::handle function, const char* name) {
  if (PyCallable_Check(function.ptr()) == 0) RaiseType(fmt::format("{} must be callable.", name));
}

void CheckSameBranches(const BranchResult& a, const BranchResult& b) {
  CheckSameNest(a.structure, b.structure, /*check_types=*/true);
  if (a.tensors.Kinds() != b.tensors.Kinds())
    RaiseType("the branches return different kinds of values (tensors, sparse tensors, arrays)");
}

py::object CondOf(py::object pred, py::object true_fn, py::object false_fn, bool strict, const Name& name) {
  if (true_fn.is_none()) RaiseType("cond(): true_fn argument required");
  if (false_fn.is_none()) RaiseType("cond(): false_fn argument required");
  CheckCallable(true_fn, "true_fn");
  CheckCallable(false_fn, "false_fn");
  if (PyBool_Check(pred.ptr())) RaiseType("pred must not be a Python bool");
  const Input condition = InputFrom(pred);
  Graph& graph = condition.is_output() ? condition.output().graph() : DefaultGraphRef();
  auto when_true = std::make_shared<BranchResult>();
  auto when_false = std::make_shared<BranchResult>();
  Result<OutputList> merged = Cond(graph, condition, BranchOf(graph, true_fn, strict, when_true),
                                   BranchOf(graph, false_fn, strict, when_false), name.text);
  if (when_true->structure && when_false->structure) CheckSameBranches(*when_true, *when_false);
  return PackNest(when_true->structure, when_true->tensors.Rebuild(Take(std::move(merged))));
}

py::object CaseOf(py::object pairs, py::object default_fn, bool exclusive, bool strict, const Name& name) {
  std::vector<std::pair<py::object, py::object>> list;
  if (PyDict_Check(pairs.ptr())) {
    py::list items(pairs.attr("items")());
    // Like TensorFlow, sort a dict by the names of its predicates, unless its class keeps an order.
    if (!py::isinstance(pairs, py::module_::import("collections").attr("OrderedDict")))
      items.attr("sort")(py::arg("key") = py::cpp_function([](py::tuple item) { return item[0].attr("name"); }));
    pairs = items;
  }
  if (!PyList_Check(pairs.ptr()) && !PyTuple_Check(pairs.ptr()))
    RaiseType("pred_fn_pairs must be a list, tuple, or dict");
  for (py::handle pair : py::iter(pairs)) {
    if (!PyTuple_Check(pair.ptr()) || py::len(pair) != 2) RaiseType("Each entry in pred_fn_pairs must be a 2-tuple");
    list.emplace_back(pair[py::int_(0)], pair[py::int_(1)]);
    CheckCallable(list.back().second, "fn for each pred");
    if (!IsTensor(list.back().first) && !py::hasattr(list.back().first, "_as_graph_element"))
      RaiseType(fmt::format("pred must be Tensor, got {}", Repr(list.back().first)));
  }
  if (list.empty() && default_fn.is_none()) RaiseValue("case needs at least one pair or a default");
  if (!default_fn.is_none()) CheckCallable(default_fn, "default");
  Graph& graph = list.empty() ? DefaultGraphRef() : InputFrom(list[0].first).output().graph();
  std::vector<std::shared_ptr<BranchResult>> results;
  const auto branch = [&](const py::object& function) {
    results.push_back(std::make_shared<BranchResult>());
    return BranchOf(graph, function, strict, results.back());
  };
  std::vector<CaseBranch> branches;
  for (const auto& [pred, function] : list) branches.push_back({InputFrom(pred).output(), branch(function)});
  const BranchFn fallback = default_fn.is_none() ? BranchFn() : branch(default_fn);
  if (branches.empty()) {
    Take(fallback());
    return results[0]->structure;
  }
  OutputList merged = Take(Case(graph, branches, fallback, exclusive, name.text.empty() ? "case" : name.text));
  for (const auto& result : results) CheckSameBranches(*results[0], *result);
  return PackNest(results[0]->structure, results[0]->tensors.Rebuild(merged));
}

// Branches by index: a list of functions, a list of (index, function) pairs, or a dict.
py::object SwitchCaseOf(py::object index, py::object fns, py::object default_fn, const Name& name) {
  if (PyDict_Check(fns.ptr())) fns = py::list(fns.attr("items")());
  if (!PyList_Check(fns.ptr()) && !PyTuple_Check(fns.ptr())) RaiseType("branch_fns must be a list, tuple, or dict");
  std::vector<std::pair<int64_t, py::object>> numbered;
  for (py::handle item : py::iter(fns)) {
    if (PyTuple_Check(item.ptr())) {
      if (py::len(item) != 2 || !PyLong_Check(py::object(item[py::int_(0)]).ptr()))
        RaiseType("Each entry in branch_fns must be a (number, function) pair");
      numbered.emplace_back(py::cast<int64_t>(item[py::int_(0)]), item[py::int_(1)]);
    } else {
      numbered.emplace_back(static_cast<int64_t>(numbered.size()), py::reinterpret_borrow<py::object>(item));
    }
    CheckCallable(numbered.back().second, "fn for each branch");
  }
  if (numbered.empty()) RaiseValue("branch_fns must not be empty");
  std::stable_sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < numbered.size(); ++i)
    if (numbered[i].first != static_cast<int64_t>(i))
      RaiseValue(fmt::format("branch indices must form contiguous range of [0 to {})", numbered.size()));
  if (!default_fn.is_none()) CheckCallable(default_fn, "default");
  const Input number = InputFrom(index);
  Graph& graph = number.is_output() ? number.output().graph() : DefaultGraphRef();
  std::vector<std::shared_ptr<BranchResult>> results;
  const auto branch = [&](const py::object& function) {
    results.push_back(std::make_shared<BranchResult>());
    return BranchOf(graph, function, /*strict=*/true, results.back());
  };
  std::vector<NumberedBranch> branches;
  for (const auto& [i, function] : numbered) branches.push_back({i, branch(function)});
  const BranchFn fallback = default_fn.is_none() ? BranchFn() : branch(default_fn);
  OutputList merged = Take(SwitchCase(graph, number, branches, fallback, name.text));
  for (const auto& result : results) CheckSameBranches(*results[0], *result);
  return PackNest(results[0]->structure, results[0]->tensors.Rebuild(merged));
}

// --- while -----------------------------------------------------------------------------------------------------------
py::tuple AsArguments(py::handle structure) {
  py::list items;
  for (py::handle item : py::iter(structure)) items.append(item);
  return py::tuple(items);
}

std::vector<PartialShape> InvariantsFrom(py::handle loop_vars, py::handle invariants, const LeafTensors& tensors) {
  std::vector<PartialShape> shapes;
  CheckSameNest(loop_vars, invariants, /*check_types=*/false);
  const std::vector<py::object> given = FlattenNest(invariants);
  size_t at = 0;
  for (size_t i = 0; i < tensors.num_leaves(); ++i) {
    const PartialShape shape = given.at(i).is_none() ? PartialShape() : ShapeFrom(given.at(i));
    if (IsSparse(tensors.leaf(i))) {
      const int64_t rank = shape.known_rank() ? shape.rank() : kUnknownDim;
      shapes.push_back(PartialShape{kUnknownDim, rank});
      shapes.push_back(PartialShape{kUnknownDim});
      shapes.push_back(PartialShape{rank});
    } else if (IsSlices(tensors.leaf(i))) {
      PartialShape rows = shape;
      if (rows.known_rank() && rows.rank() > 0) rows.SetDim(0, kUnknownDim);
      shapes.push_back(rows);
      shapes.push_back(PartialShape{kUnknownDim});
      if (tensors.count(i) == 3) shapes.push_back(tensors.outputs()[at + 2].shape());
    } else {
      shapes.push_back(TensorArrayOf(tensors.leaf(i)) != nullptr ? PartialShape() : shape);
    }
    at += tensors.count(i);
  }
  return shapes;
}

py::object WhileOf(py::object cond, py::object body, py::object loop_vars, py::object shape_invariants,
                   int parallel_iterations, bool back_prop, bool swap_memory, const Name& name,
                   Input maximum_iterations, bool return_same_structure) {
  CheckCallable(cond, "cond");
  CheckCallable(body, "body");
  if (!PyList_Check(loop_vars.ptr()) && !PyTuple_Check(loop_vars.ptr())) {
    if (loop_vars.is_none()) RaiseValue("No loop variables provided");
    loop_vars = py::make_tuple(loop_vars);
  }
  if (py::len(loop_vars) == 0) RaiseValue("No loop variables provided");
  if (parallel_iterations < 1) RaiseType("parallel_iterations must be a positive integer.");
  Graph& graph = DefaultGraphRef();
  LeafTensors tensors;
  for (const py::object& leaf : FlattenNest(loop_vars)) tensors.Add(graph, leaf);
  WhileOptions options{.parallel_iterations = parallel_iterations,
                       .back_prop = back_prop,
                       .swap_memory = swap_memory,
                       .shape_invariants = {},
                       .maximum_iterations = maximum_iterations,
                       .name = name.text};
  if (!shape_invariants.is_none()) options.shape_invariants = InvariantsFrom(loop_vars, shape_invariants, tensors);
  py::object structure = loop_vars;  // replaced by the structure that the body returns
  const LoopCondFn go_on = [&](const OutputList& values) -> Result<Output> {
    return CatchExceptions([&]() -> Result<Output> {
      py::object answer = cond(*AsArguments(PackNest(loop_vars, tensors.Rebuild(values))));
      return ToOutput(graph, InputFrom(UnpackSingleton(answer)), kBool, "pred");
    });
  };
  const LoopBodyFn step = [&](const OutputList& values) -> Result<OutputList> {
    return CatchExceptions([&]() -> Result<OutputList> {
      py::object result = body(*AsArguments(PackNest(loop_vars, tensors.Rebuild(values))));
      if (!IsNested(result)) result = py::make_tuple(result);
      if (py::len(result) != py::len(loop_vars) && py::len(loop_vars) == 1) result = py::make_tuple(result);
      CheckSameNest(loop_vars, result, /*check_types=*/false);
      structure = result;
      LeafTensors given;
      size_t i = 0;
      size_t at = 0;
      for (const py::object& leaf : FlattenNest(result)) {
        const DType wanted =
            tensors.count(i) == 1 && TensorArrayOf(leaf) == nullptr ? values.at(at).base_dtype() : kInvalidType;
        given.Add(graph, leaf, IsTensor(leaf) ? kInvalidType : wanted);
        at += tensors.count(i++);
      }
      if (given.Kinds() != tensors.Kinds())
        RaiseType(
            "the body must return the same kinds of values (tensors, sparse tensors, arrays) as the loop variables");
      return given.outputs();
    });
  };
  OutputList ends =
      Take(WhileLoop(graph, go_on, step, InputList(tensors.outputs().begin(), tensors.outputs().end()), options));
  // TensorArrays keep their original handles.
  py::object packed = PackNest(structure, tensors.Rebuild(ends));
  if (return_same_structure || tensors.num_leaves() != 1) return packed;
  return packed[py::int_(0)];
}

// --- map, fold and scan over rows ------------------------------------------------------------------------------------
struct LoopSettings {
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  bool infer_shape = true;
  bool reverse = false;
};

InputList InputsOf(const std::vector<py::object>& leaves) {
  InputList inputs;
  for (const py::object& leaf : leaves) inputs.push_back(InputFrom(leaf));
  return inputs;
}

Graph& GraphOfList(const InputList& inputs) {
  Graph* graph = GraphOfArgument(inputs);
  return graph != nullptr ? *graph : DefaultGraphRef();
}

std::vector<py::object> Wrapped(const OutputList& outputs) {
  std::vector<py::object> objects;
  for (Output output : outputs) objects.push_back(Wrap(output));
  return objects;
}

// Flattens the result of a user's function for one row, converted to the given types.
Result<OutputList> Flattened(Graph& graph, py::handle structure, py::handle result, const std::vector<DType>& types) {
  CheckSameNest(structure, result, /*check_types=*/false);
  LeafTensors tensors;
  size_t i = 0;
  for (const py::object& leaf : FlattenNest(result)) {
    tensors.Add(graph, leaf, i < types.size() ? types[i] : kInvalidType);
    ++i;
  }
  return tensors.outputs();
}

py::object MapOf(py::object fn, py::object elems, py::object dtype, std::optional<int> parallel_iterations,
                 bool back_prop, bool swap_memory, bool infer_shape, const Name& name) {
  CheckCallable(fn, "fn");
  const InputList inputs = InputsOf(FlattenNest(elems));
  Graph& graph = GraphOfList(inputs);
  MapOptions options{.dtypes = {},
                     .parallel_iterations = parallel_iterations.value_or(10),
                     .back_prop = back_prop,
                     .swap_memory = swap_memory,
                     .infer_shape = infer_shape,
                     .reverse = false,
                     .name = name.text};
  const py::object structure = dtype.is_none() ? elems : dtype;
  if (!dtype.is_none())
    for (const py::object& type : FlattenNest(dtype)) options.dtypes.push_back(BaseType(AsDType(type)));
  const RowFn row_fn = [&](const OutputList& rows) -> Result<OutputList> {
    return CatchExceptions([&]() -> Result<OutputList> {
      return Flattened(graph, structure, fn(PackNest(elems, Wrapped(rows))), options.dtypes);
    });
  };
  return PackNest(structure, Wrapped(Take(MapFn(graph, row_fn, inputs, options))));
}

using Folding = Result<OutputList> (*)(Graph&, const FoldFn&, const InputList&, const InputList&, const MapOptions&);

py::object FoldOf(Folding folding, py::object fn, py::object elems, py::object initializer,
                  const LoopSettings& settings, const Name& name) {
  CheckCallable(fn, "fn");
  const InputList inputs = InputsOf(FlattenNest(elems));
  const InputList initial = initializer.is_none() ? InputList{} : InputsOf(FlattenNest(initializer));
  Graph& graph = GraphOfList(inputs);
  const py::object structure = initializer.is_none() ? elems : initializer;
  const MapOptions options{.dtypes = {},
                           .parallel_iterations = settings.parallel_iterations,
                           .back_prop = settings.back_prop,
                           .swap_memory = settings.swap_memory,
                           .infer_shape = settings.infer_shape,
                           .reverse = settings.reverse,
                           .name = name.text};
  const FoldFn fold_fn = [&](const OutputList& state, const OutputList& rows) -> Result<OutputList> {
    return CatchExceptions([&]() -> Result<OutputList> {
      std::vector<DType> types;
      for (Output s : state) types.push_back(s.base_dtype());
      return Flattened(graph, structure, fn(PackNest(structure, Wrapped(state)), PackNest(elems, Wrapped(rows))),
                       types);
    });
  };
  return PackNest(structure, Wrapped(Take(folding(graph, fold_fn, inputs, initial, options))));
}

void BindRows(py::module_& m) {
  m.def("map_fn", &MapOf, py::arg("fn"), py::arg("elems"), py::arg("dtype") = py::none(),
        py::arg("parallel_iterations") = py::none(), py::arg("back_prop") = true, py::arg("swap_memory") = false,
        py::arg("infer_shape") = true, py::arg("name") = py::none());
  for (const auto& [name, folding] :
       {std::pair<const char*, Folding>{"foldl", &Foldl}, std::pair<const char*, Folding>{"foldr", &Foldr}}) {
    const Folding function = folding;
    m.def(
        name,
        [function](py::object fn, py::object elems, py::object initializer, int parallel, bool back_prop, bool swap,
                   const Name& n) {
          return FoldOf(function, fn, elems, initializer, {parallel, back_prop, swap, true, false}, n);
        },
        py::arg("fn"), py::arg("elems"), py::arg("initializer") = py::none(), py::arg("parallel_iterations") = 10,
        py::arg("back_prop") = true, py::arg("swap_memory") = false, py::arg("name") = py::none());
  }
  m.def(
      "scan",
      [](py::object fn, py::object elems, py::object initializer, int parallel, bool back_prop, bool swap, bool infer,
         bool reverse, const Name& n) {
        return FoldOf(&Scan, fn, elems, initializer, {parallel, back_prop, swap, infer, reverse}, n);
      },
      py::arg("fn"), py::arg("elems"), py::arg("initializer") = py::none(), py::arg("parallel_iterations") = 10,
      py::arg("back_prop") = true, py::arg("swap_memory") = false, py::arg("infer_shape") = true,
      py::arg("reverse") = false, py::arg("name") = py::none());
}

// tf.tuple: Tensors and IndexedSlices that become available only when all of them are.
py::list TupleOf(py::object tensors, const Name& name, py::object control_inputs) {
  OutputList values;
  std::vector<Node*> nodes;
  Graph* graph = nullptr;
  for (py::handle t : py::iter(tensors)) {
    Output value;
    if (IsSlices(t))
      value = SlicesOf(t).values;
    else if (IsOperation(t))
      nodes.push_back(NodeOf(t));
    else if (!t.is_none())
      value = Take(ToOutput(DefaultGraphRef(), InputFrom(t), kInvalidType, "value"));
    if (value.valid()) graph = &value.graph();
    values.push_back(value);
  }
  if (graph == nullptr) RaiseValue("Must have at least one Tensor: every element is None");
  if (!control_inputs.is_none())
    for (py::handle c : py::iter(control_inputs)) nodes.push_back(NodeFrom(c));
  OutputList given = Take(Tuple(*graph, values, nodes, name.text.empty() ? "tuple" : name.text));
  py::list result;
  size_t i = 0;
  for (py::handle t : py::iter(tensors)) {
    if (IsSlices(t))
      result.append(Wrap(IndexedSlices{given[i], SlicesOf(t).indices, SlicesOf(t).dense_shape}));
    else if (IsOperation(t))
      result.append(t);
    else
      result.append(Wrap(given[i]));
    ++i;
  }
  return result;
}

}  // namespace

void BindFlow(py::module_& m) {
  m.def("cond", &CondOf, py::arg("pred"), py::arg("true_fn") = py::none(), py::arg("false_fn") = py::none(),
        py::arg("strict") = false, py::arg("name") = py::none());
  m.def("switch_case", &SwitchCaseOf, py::arg("branch_index"), py::arg("branch_fns"), py::arg("default") = py::none(),
        py::arg("name") = "switch_case");
  m.def("case", &CaseOf, py::arg("pred_fn_pairs"), py::arg("default") = py::none(), py::arg("exclusive") = false,
        py::arg("strict") = false, py::arg("name") = "case");
  m.def("while_loop", &WhileOf, py::arg("cond"), py::arg("body"), py::arg("loop_vars"),
        py::arg("shape_invariants") = py::none(), py::arg("parallel_iterations") = 10, py::arg("back_prop") = true,
        py::arg("swap_memory") = false, py::arg("name") = py::none(), py::arg("maximum_iterations") = py::none(),
        py::arg("return_same_structure") = false);
  BindRows(m);
  m.def("tuple", &TupleOf, py::arg("tensors"), py::arg("name") = py::none(), py::arg("control_inputs") = py::none());
  m.def(
      "with_dependencies",
      [](py::object dependencies, py::object value, const Name& name) {
        std::vector<Node*> nodes;
        for (py::handle d : py::iter(dependencies)) nodes.push_back(NodeFrom(d));
        Output given =
            WithDependencies(nodes, Take(ToOutput(DefaultGraphRef(), InputFrom(value), kInvalidType, "value")),
                             name.text.empty() ? "control_dependency" : name.text);
        Check(given.valid() ? given.graph().TakeError() : DefaultGraphRef().TakeError());
        return given;
      },
      py::arg("dependencies"), py::arg("output_tensor"), py::arg("name") = py::none());
}

}  // namespace weir::python
