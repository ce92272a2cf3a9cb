// Math functions whose public signature differs from that of a single op.
#include "graph/compose/math.h"
#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/build/math_ops.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

using UnaryFunction = Output (*)(Graph&, Input, Name);
using BinaryFunction = Output (*)(Graph&, Input, Input, Name);
using Reducer = Output (*)(Graph&, Input, Input, bool, Name);

void BindUnary(py::module_& m) {
  const std::pair<const char*, UnaryFunction> functions[] = {
      {"round", [](Graph& g, Input x, Name n) { return RoundedValue(g, x, n.text); }},
      {"conj", [](Graph& g, Input x, Name n) { return ConjugateValue(g, x, n.text); }},
      {"lbeta", [](Graph& g, Input x, Name n) { return LogBeta(g, x, n.text); }},
      {"trace", [](Graph& g, Input x, Name n) { return TraceOf(g, x, n.text); }},
  };
  for (const auto& [name, function] : functions) Def(m, name, function, py::arg("x"), py::arg("name") = py::none());
  m.def(
      "abs",
      [](py::handle x, const Name& name) -> py::object {
        const auto abs = [&](const Input& value) {
          Graph& graph = value.is_output() ? value.output().graph() : DefaultGraphRef();
          Output y = AbsoluteValue(graph, value, name.text);
          Check(graph.TakeError());
          return y;
        };
        if (!IsSparse(x)) return Wrap(abs(InputFrom(x)));
        const SparseObject& s = SparseOf(x);
        return WrapSparse(s.indices, abs(s.values), s.dense_shape);
      },
      py::arg("x"), py::arg("name") = py::none());
  const std::pair<const char*, UnaryFunction> parts[] = {
      {"real", [](Graph& g, Input x, Name n) { return RealPart(g, x, n.text); }},
      {"imag", [](Graph& g, Input x, Name n) { return ImaginaryPart(g, x, n.text); }},
      {"angle", [](Graph& g, Input x, Name n) { return AngleOf(g, x, n.text); }},
  };
  for (const auto& [name, function] : parts) Def(m, name, function, py::arg("input"), py::arg("name") = py::none());
  Def(m, "logdet", UnaryFunction([](Graph& g, Input x, Name n) { return LogDeterminant(g, x, n.text); }),
      py::arg("matrix"), py::arg("name") = py::none());
}

void BindBinary(py::module_& m) {
  const std::pair<const char*, BinaryFunction> functions[] = {
      {"truediv", [](Graph& g, Input x, Input y, Name n) { return TrueDivideValues(g, x, y, n.text); }},
      {"div", [](Graph& g, Input x, Input y, Name n) { return DivideOldStyle(g, x, y, n.text); }},
      {"logical_xor", [](Graph& g, Input x, Input y, Name n) { return ExclusiveOr(g, x, y, n.text); }},
  };
  for (const auto& [name, function] : functions)
    Def(m, name, function, py::arg("x"), py::arg("y"), py::arg("name") = py::none());
  Def(m, "complex", BinaryFunction([](Graph& g, Input x, Input y, Name n) { return ComplexOf(g, x, y, n.text); }),
      py::arg("real"), py::arg("imag"), py::arg("name") = py::none());
  Def(m, "cholesky_solve",
      BinaryFunction([](Graph& g, Input x, Input y, Name n) { return CholeskySolve(g, x, y, n.text); }),
      py::arg("chol"), py::arg("rhs"), py::arg("name") = py::none());
  m.def(
      "scalar_mul",
      [](py::handle scalar, py::handle x, const Name& name) -> py::object {
        const auto times = [&](const Input& value) {
          Graph& graph = value.is_output() ? value.output().graph() : DefaultGraphRef();
          Output y = ScalarTimes(graph, InputFrom(scalar), value, name.text);
          Check(graph.TakeError());
          return y;
        };
        if (!IsSlices(x)) return Wrap(times(InputFrom(x)));
        const IndexedSlices& slices = SlicesOf(x);
        return Wrap(IndexedSlices{times(slices.values), slices.indices, slices.dense_shape});
      },
      py::arg("scalar"), py::arg("x"), py::arg("name") = py::none());
}

// None, a number or two different numbers.
std::vector<int64_t> NormAxesFrom(const py::object& axis) {
  const auto is_list = [](py::handle x) { return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()); };
  if (axis.is_none()) return {};
  if (!IsTensor(axis)) {
    const bool pair = is_list(axis) && py::len(axis) == 2;
    const py::sequence items = pair ? py::reinterpret_borrow<py::sequence>(axis) : py::sequence(py::make_tuple(axis));
    bool good = !pair || !items[0].equal(items[1]);
    for (py::handle item : items) good = good && PyIndex_Check(item.ptr()) != 0;
    if (good) return IntsFrom(items);
  }
  RaiseValue(
      fmt::format("'axis' must be None, an integer, or a tuple of 2 unique integers, got {}", std::string(Str(axis))));
}

void BindReductions(py::module_& m) {
  const std::pair<const char*, Reducer> functions[] = {
      {"reduce_sum",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Sum", x, axis, k, n.text); }},
      {"reduce_mean",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Mean", x, axis, k, n.text); }},
      {"reduce_prod",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Prod", x, axis, k, n.text); }},
      {"reduce_max",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Max", x, axis, k, n.text); }},
      {"reduce_min",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Min", x, axis, k, n.text); }},
      {"reduce_all",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "All", x, axis, k, n.text); }},
      {"reduce_any",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "Any", x, axis, k, n.text); }},
      {"reduce_euclidean_norm",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return Reduction(g, "EuclideanNorm", x, axis, k, n.text); }},
      {"reduce_logsumexp",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return ReduceLogSumExp(g, x, axis, k, n.text); }},
      {"reduce_variance",
       [](Graph& g, Input x, Input axis, bool k, Name n) { return ReduceVariance(g, x, axis, k, n.text); }},
      {"reduce_std", [](Graph& g, Input x, Input axis, bool k, Name n) { return ReduceStd(g, x, axis, k, n.text); }},
  };
  for (const auto& [name, function] : functions)
    Def(m, name, function, py::arg("input_tensor"), py::arg("axis") = py::none(), py::arg("keepdims") = false,
        py::arg("name") = py::none());
  Def(
      m, "count_nonzero",
      +[](Graph& g, Input x, Input axis, bool keep, DType dtype, Name n) {
        return CountNonzero(g, x, axis, keep, dtype, n.text);
      },
      py::arg("input_tensor"), py::arg("axis") = py::none(), py::arg("keepdims") = false, py::arg("dtype") = "int64",
      py::arg("name") = py::none());
  Def(
      m, "norm",
      +[](Graph& g, Input x, py::object ord, py::object axis, bool keep, Name n) {
        NormOrder order;
        if (PyUnicode_Check(ord.ptr())) {
          const std::string text = ord.cast<std::string>();
          if (text == "fro")
            order.kind = NormOrder::kFrobenius;
          else if (text == "inf")
            order.kind = NormOrder::kInfinity;
          else if (text != "euclidean")
            RaiseValue(fmt::format("'ord' must be a supported norm, got {}", text));
        } else {
          order.power = py::cast<double>(py::float_(ord));
          if (!(order.power > 0)) RaiseValue(fmt::format("'ord' must be a supported norm, got {}", order.power));
          order.kind = std::isinf(order.power) ? NormOrder::kInfinity : NormOrder::kPower;
        }
        return Norm(g, x, order, NormAxesFrom(axis), keep, n.text);
      },
      py::arg("tensor"), py::arg("ord") = "euclidean", py::arg("axis") = py::none(), py::arg("keepdims") = false,
      py::arg("name") = py::none());
}

void BindProducts(py::module_& m) {
  Def(
      m, "matmul",
      +[](Graph& g, Input a, Input b, bool ta, bool tb, bool aa, bool ab, bool as, bool bs, Name n) {
        return MatrixMultiply(g, a, b, {ta, tb, aa, ab, as, bs}, n.text);
      },
      py::arg("a"), py::arg("b"), py::arg("transpose_a") = false, py::arg("transpose_b") = false,
      py::arg("adjoint_a") = false, py::arg("adjoint_b") = false, py::arg("a_is_sparse") = false,
      py::arg("b_is_sparse") = false, py::arg("name") = py::none());
  Def(
      m, "matvec",
      +[](Graph& g, Input a, Input b, bool transpose, bool adjoint, Name n) {
        return MatrixVector(g, a, b, {.transpose_a = transpose, .adjoint_a = adjoint}, n.text);
      },
      py::arg("a"), py::arg("b"), py::arg("transpose_a") = false, py::arg("adjoint_a") = false,
      py::arg("name") = py::none());
  Def(
      m, "tensordot",
      +[](Graph& g, Input a, Input b, py::object axes, Name n) {
        if (PyIndex_Check(axes.ptr()) != 0) return TensorDot(g, a, b, axes.cast<int>(), n.text);
        if (py::len(axes) != 2) RaiseValue("'axes' must be an integer or have length 2.");
        return TensorDot(g, a, b, IntsFrom(axes[py::int_(0)]), IntsFrom(axes[py::int_(1)]), n.text);
      },
      py::arg("a"), py::arg("b"), py::arg("axes"), py::arg("name") = py::none());
  m.def(
      "einsum",
      [](const std::string& equation, py::args inputs, const py::kwargs& kwargs) {
        InputList list;
        for (py::handle x : inputs) list.push_back(InputFrom(x));
        Name name;
        for (auto [key, value] : kwargs) {
          if (py::str(key).cast<std::string>() != "name")
            RaiseType(fmt::format("einsum() got an unexpected keyword argument {}", Repr(key)));
          name = value.cast<Name>();
        }
        Graph* graph = GraphOfArgument(list);
        if (graph == nullptr) graph = &DefaultGraphRef();
        Output y = Einsum(*graph, equation, list, name.text);
        Check(graph->TakeError());
        return y;
      },
      py::arg("equation"));
}

DType TypeToCastTo(DType dtype) {
  if (dtype == kInvalidType) RaiseType("Cannot convert the argument `type_value`: None to a TensorFlow DType.");
  return BaseType(dtype);
}

void BindOthers(py::module_& m) {
  m.def(
      "cast",
      [](py::handle x, DType dtype, const Name& name) -> py::object {
        dtype = TypeToCastTo(dtype);
        const auto cast = [&](const Input& value) {
          Graph& graph = value.is_output() ? value.output().graph() : DefaultGraphRef();
          Output y = CastValue(graph, value, dtype, name.text);
          Check(graph.TakeError());
          return y;
        };
        if (IsSparse(x)) {
          const SparseObject& s = SparseOf(x);
          return WrapSparse(s.indices, cast(s.values), s.dense_shape);
        }
        if (IsSlices(x)) {
          const IndexedSlices& s = SlicesOf(x);
          return Wrap(IndexedSlices{cast(s.values), s.indices, s.dense_shape});
        }
        if (IsTensor(x) && OutputOf(x).dtype() == dtype) return py::reinterpret_borrow<py::object>(x);
        return Wrap(cast(InputFrom(x)));
      },
      py::arg("x"), py::arg("dtype"), py::arg("name") = py::none());
  Def(
      m, "saturate_cast",
      +[](Graph& g, Input x, DType dtype, Name n) { return SaturateCastValue(g, x, TypeToCastTo(dtype), n.text); },
      py::arg("value"), py::arg("dtype"), py::arg("name") = py::none());
  Def(
      m, "range",
      +[](Graph& g, Input start, Input limit, Input delta, DType dtype, Name n) {
        return Range(g, start, limit, delta, dtype, n.text);
      },
      py::arg("start"), py::arg("limit") = py::none(), py::arg("delta") = 1, py::arg("dtype") = py::none(),
      py::arg("name") = "range");
  Def(
      m, "add_n",
      +[](Graph& g, Values inputs, Name n) -> Output {
        if (inputs.list.empty() || !inputs.is_list)
          RaiseValue("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape");
        if (inputs.list.size() > 1) return AddN(g, inputs.list, {.name = n.text});
        return AccumulateAll(g, inputs.list, {}, n.text);
      },
      py::arg("inputs"), py::arg("name") = py::none());
  Def(
      m, "accumulate_n",
      +[](Graph& g, Values inputs, PartialShape shape, Name n) { return AccumulateAll(g, inputs.list, shape, n.text); },
      py::arg("inputs"), py::arg("shape") = py::none(), py::arg("name") = py::none());
  Def(
      m, "confusion_matrix",
      +[](Graph& g, Input labels, Input predictions, Input classes, DType dtype, Name n, Input weights) {
        return ConfusionMatrix(g, labels, predictions, classes, dtype, weights, n.text);
      },
      py::arg("labels"), py::arg("predictions"), py::arg("num_classes") = py::none(), py::arg("dtype") = "int32",
      py::arg("name") = py::none(), py::arg("weights") = py::none());
  Def(
      m, "bincount",
      +[](Graph& g, Input arr, Input weights, Input minlength, Input maxlength, DType dtype) {
        return CountValues(g, arr, weights, minlength, maxlength, dtype);
      },
      py::arg("arr"), py::arg("weights") = py::none(), py::arg("minlength") = py::none(),
      py::arg("maxlength") = py::none(), py::arg("dtype") = "int32");
  Def(
      m, "polyval",
      +[](Graph& g, Values coeffs, Input x, Name n) { return PolynomialValue(g, coeffs.list, x, n.text); },
      py::arg("coeffs"), py::arg("x"), py::arg("name") = py::none());
  Def(
      m, "unsorted_segment_mean",
      +[](Graph& g, Input data, Input ids, Input count, Name n) {
        return UnsortedSegmentMean(g, data, ids, count, false, n.text);
      },
      py::arg("data"), py::arg("segment_ids"), py::arg("num_segments"), py::arg("name") = py::none());
  Def(
      m, "unsorted_segment_sqrt_n",
      +[](Graph& g, Input data, Input ids, Input count, Name n) {
        return UnsortedSegmentMean(g, data, ids, count, true, n.text);
      },
      py::arg("data"), py::arg("segment_ids"), py::arg("num_segments"), py::arg("name") = py::none());
}

void BindSparseSegments(py::module_& m) {
  for (const auto& [name, op] :
       {std::pair{"sparse_segment_sum", "SparseSegmentSum"}, std::pair{"sparse_segment_mean", "SparseSegmentMean"},
        std::pair{"sparse_segment_sqrt_n", "SparseSegmentSqrtN"}}) {
    const std::string type = op;
    m.def(
        name,
        [type](Input data, Input indices, Input segment_ids, const Name& name, Input num_segments) {
          Graph* graph = GraphOfArgument(InputList{data, indices, segment_ids});
          if (graph == nullptr) graph = &DefaultGraphRef();
          NodeBuilder builder(*graph, num_segments.absent() ? type : type + "WithNumSegments", name.text);
          builder.In(data).In(indices).In(segment_ids);
          if (!num_segments.absent()) builder.In(num_segments);
          return Output(Take(builder.Build()), 0);
        },
        py::arg("data"), py::arg("indices"), py::arg("segment_ids"), py::arg("name") = py::none(),
        py::arg("num_segments") = py::none());
  }
  m.def(
      "svd",
      [](Input tensor, bool full_matrices, bool compute_uv, const Name& name) -> py::object {
        Graph& graph = tensor.is_output() ? tensor.output().graph() : DefaultGraphRef();
        Node* node = Take(NodeBuilder(graph, "Svd", name.text)
                              .In(tensor)
                              .Attr("full_matrices", full_matrices)
                              .Attr("compute_uv", compute_uv)
                              .Build());
        Output values(node, 0);  // singular values are real, even for a complex matrix
        if (IsComplex(values.base_dtype()))
          values = Output(Take(NodeBuilder(graph, "Real")
                                   .In(values)
                                   .Attr("Tout", values.base_dtype() == kComplex128 ? kDouble : kFloat)
                                   .Build()),
                          0);
        if (!compute_uv) return Wrap(values);
        return py::make_tuple(Wrap(values), Wrap(Output(node, 1)), Wrap(Output(node, 2)));
      },
      py::arg("tensor"), py::arg("full_matrices") = false, py::arg("compute_uv") = true, py::arg("name") = py::none());
}

std::vector<Grad> GradsFrom(py::handle list) {
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) RaiseType("t_list should be a sequence");
  std::vector<Grad> grads;
  for (py::handle item : py::iter(list)) grads.push_back(GradFrom(item));
  return grads;
}

// Applies a function to a Tensor, or to the values of IndexedSlices.
template <class F>
py::object OnValues(py::handle t, F function) {
  const bool slices = IsSlices(t);
  const Input input = slices ? Input(SlicesOf(t).values) : InputFrom(t);
  Graph& graph = input.is_output() ? input.output().graph() : DefaultGraphRef();
  Output value = ValueOf(graph, input, kInvalidType, "t");
  Check(graph.TakeError());
  Output y = function(graph, value);
  Check(graph.TakeError());
  return slices ? Wrap(IndexedSlices{y, SlicesOf(t).indices, SlicesOf(t).dense_shape}) : Wrap(y);
}

void BindClip(py::module_& m) {
  m.def(
      "clip_by_value",
      [](py::handle t, Input low, Input high, const Name& name) {
        return OnValues(t, [&](Graph&, Output value) { return ClipByValueBounds(value, low, high, name.text); });
      },
      py::arg("t"), py::arg("clip_value_min"), py::arg("clip_value_max"), py::arg("name") = py::none());
  m.def(
      "clip_by_norm",
      [](py::handle t, Input clip_norm, Input axes, const Name& name) {
        return OnValues(t, [&](Graph&, Output value) { return ClipByNorm(value, clip_norm, axes, name.text); });
      },
      py::arg("t"), py::arg("clip_norm"), py::arg("axes") = py::none(), py::arg("name") = py::none());
  m.def(
      "clip_by_average_norm",
      [](py::handle t, Input clip_norm, const Name& name) {
        return OnValues(t, [&](Graph&, Output value) { return ClipByAverageNorm(value, clip_norm, name.text); });
      },
      py::arg("t"), py::arg("clip_norm"), py::arg("name") = py::none());
  m.def(
      "global_norm",
      [](py::handle list, const Name& name) {
        const std::vector<Grad> grads = GradsFrom(list);
        Output norm = GlobalNorm(grads, name.text);
        Check(DefaultGraphRef().TakeError());
        return norm;
      },
      py::arg("t_list"), py::arg("name") = py::none());
  m.def(
      "clip_by_global_norm",
      [](py::handle list, Input clip_norm, Output use_norm, const Name& name) {
        const std::vector<Grad> grads = GradsFrom(list);
        ClippedByGlobalNorm clipped = ClipByGlobalNorm(grads, clip_norm, use_norm, name.text);
        Check(DefaultGraphRef().TakeError());
        py::list out;
        for (const Grad& g : clipped.list) out.append(Wrap(g));
        return py::make_tuple(out, Wrap(clipped.global_norm));
      },
      py::arg("t_list"), py::arg("clip_norm"), py::arg("use_norm") = py::none(), py::arg("name") = py::none());
}

}  // namespace

void BindMath(py::module_& m) {
  Def(
      m, "histogram_fixed_width_bins",
      +[](Graph& g, Input values, Input range, Input nbins, DType dtype, Name n) {
        return FixedWidthBins(g, values, range, nbins, dtype, n.text);
      },
      py::arg("values"), py::arg("value_range"), py::arg("nbins") = 100, py::arg("dtype") = "int32",
      py::arg("name") = py::none());
  Def(
      m, "self_adjoint_eigvals",
      +[](Graph& g, Input tensor, Name n) -> Output {
        return NodeBuilder(g, "SelfAdjointEigV2", n.text).In(tensor).Attr("compute_v", false).BuildOutput();
      },
      py::arg("tensor"), py::arg("name") = py::none());
  BindUnary(m);
  BindBinary(m);
  BindReductions(m);
  BindProducts(m);
  BindOthers(m);
  BindSparseSegments(m);
  BindClip(m);
}

}  // namespace weir::python
