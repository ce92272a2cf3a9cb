#include "graph/compose/math.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "tensor/for_type.h"

namespace weir {
namespace {

DType PartType(DType complex) { return complex == kComplex128 ? kDouble : kFloat; }

struct Limits {
  double low;
  double high;
};
Limits LimitsOf(DType dtype) {
  if (dtype == kHalf) return {-65504.0, 65504.0};
  const auto limits = []<class T>(TypeTag<T>) -> Limits {
    return {static_cast<double>(std::numeric_limits<T>::lowest()), static_cast<double>(std::numeric_limits<T>::max())};
  };
  Limits result = limits(TypeTag<double>());
  ForType(dtype, kIntegerTypes + TypeList<float>(), [&](auto type) { result = limits(type); });
  return result;
}

}  // namespace

Output CastValue(Graph& graph, const Input& x_in, DType dtype, std::string name) {
  if (x_in.is_output() && x_in.output().base_dtype() == dtype) return x_in.output();
  NameScope scope(graph, NameOrDefault(std::move(name), "Cast"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid() || x.base_dtype() == dtype) return x;
  return Cast(graph, x, dtype, {.name = ExactScopeName(scope)});
}

Output SaturateCastValue(Graph& graph, const Input& x_in, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "saturate_cast"));
  Output x = ValueOf(graph, x_in, kInvalidType, "value");
  if (!x.valid()) return x;
  const Limits from = LimitsOf(x.base_dtype());
  const Limits to = LimitsOf(dtype);
  if (from.low < to.low) x = Maximum(graph, x, Cast(graph, Tensor::Scalar(to.low), x.base_dtype()));
  if (from.high > to.high) x = Minimum(graph, x, Cast(graph, Tensor::Scalar(to.high), x.base_dtype()));
  return CastValue(graph, x, dtype, ExactScopeName(scope));
}

Output AbsoluteValue(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Abs"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  if (!IsComplex(x.base_dtype())) return Abs(graph, x, {.name = ExactScopeName(scope)});
  return ComplexAbs(graph, x, {.Tout = PartType(x.base_dtype()), .name = ExactScopeName(scope)});
}

Output RoundedValue(Graph& graph, const Input& x_in, std::string name) {
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid() || IsInteger(x.base_dtype())) return x;
  return Round(graph, x, {.name = std::move(name)});
}

namespace {

Output NumericValueOf(Graph& graph, const Input& x_in) {
  Output x = ValueOf(graph, x_in, kInvalidType, "input");
  if (!x.valid() || IsNumeric(x.base_dtype())) return x;
  return FailedOutput(graph, MarkTypeError(InvalidArgument(
                                 "input must be a numeric tensor, but got tensor with dtype {}", x.base_dtype())));
}

}  // namespace

Output ConjugateValue(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Conj"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  if (!IsNumeric(x.base_dtype()) && x.base_dtype() != kVariant)
    return FailedOutput(
        graph, MarkTypeError(InvalidArgument("Expected numeric or variant tensor, got dtype tf.{}", x.base_dtype())));
  return IsComplex(x.base_dtype()) ? Conj(graph, x, {.name = ExactScopeName(scope)}) : x;
}

Output RealPart(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Real"));
  Output x = NumericValueOf(graph, x_in);
  if (!x.valid() || !IsComplex(x.base_dtype())) return x;
  return Real(graph, x, {.Tout = PartType(x.base_dtype()), .name = ExactScopeName(scope)});
}

Output ImaginaryPart(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Imag"));
  Output x = ValueOf(graph, x_in, kInvalidType, "input");
  if (!x.valid()) return x;
  if (!IsComplex(x.base_dtype())) return ZerosLike(graph, x, {.name = ExactScopeName(scope)});
  return Imag(graph, x, {.Tout = PartType(x.base_dtype()), .name = ExactScopeName(scope)});
}

Output AngleOf(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Angle"));
  Output x = NumericValueOf(graph, x_in);
  if (!x.valid()) return x;
  if (!IsComplex(x.base_dtype())) return ZerosLike(graph, x, {.name = ExactScopeName(scope)});
  return Angle(graph, x, {.Tout = PartType(x.base_dtype()), .name = ExactScopeName(scope)});
}

Output ComplexOf(Graph& graph, const Input& real, const Input& imag, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Complex"));
  auto [re, im] = ValuesOfOneType(graph, real, imag, "real", "imag");
  if (!re.valid() || !im.valid()) return Output::Failed(graph);
  if (re.base_dtype() != kFloat && re.base_dtype() != kDouble)
    return FailedOutput(
        graph, MarkTypeError(InvalidArgument("real and imag must be float32 or float64, not {}", re.base_dtype())));
  return Complex(graph, re, im,
                 {.Tout = re.base_dtype() == kDouble ? kComplex128 : kComplex64, .name = ExactScopeName(scope)});
}

Output TrueDivideValues(Graph& graph, const Input& x_in, const Input& y_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "truediv"));
  auto [x, y] = ValuesOfOneType(graph, x_in, y_in);
  if (!x.valid() || !y.valid()) return Output::Failed(graph);
  const DType type = x.base_dtype();
  if (type != y.base_dtype())
    return FailedOutput(graph, MarkTypeError(InvalidArgument("x and y must have the same dtype, got tf.{} != tf.{}",
                                                             type, y.base_dtype())));
  if (IsInteger(type)) {
    const bool narrow = type == kInt8 || type == kUint8 || type == kInt16 || type == kUint16;
    x = Cast(graph, x, narrow ? kFloat : kDouble);
    y = Cast(graph, y, narrow ? kFloat : kDouble);
  }
  return RealDiv(graph, x, y, {.name = ExactScopeName(scope)});
}

Output DivideOldStyle(Graph& graph, const Input& x_in, const Input& y_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "div"));
  const Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  const Output y = ValueOf(graph, y_in, x.base_dtype(), "y");
  if (!y.valid()) return y;
  if (IsInteger(x.base_dtype())) return FloorDiv(graph, x, y, {.name = ExactScopeName(scope)});
  return RealDiv(graph, x, y, {.name = ExactScopeName(scope)});
}

Output ExclusiveOr(Graph& graph, const Input& x_in, const Input& y_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "LogicalXor"));
  Output x = ValueOf(graph, x_in, x_in.is_output() ? kInvalidType : kBool, "x");
  Output y = ValueOf(graph, y_in, y_in.is_output() ? kInvalidType : kBool, "y");
  if (!x.valid() || !y.valid()) return Output::Failed(graph);
  return LogicalAnd(graph, LogicalOr(x, y), LogicalNot(LogicalAnd(x, y)), {.name = ExactScopeName(scope)});
}

Output ScalarTimes(Graph& graph, const Input& scalar_in, const Input& x_in, std::string name) {
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  Output scalar = ValueOf(graph, scalar_in, x.base_dtype(), "scalar");
  if (!scalar.valid()) return scalar;
  if (scalar.shape().known_rank() && scalar.shape().rank() != 0)
    return FailedOutput(graph, InvalidArgument("only scalar multiply works, got shape {}", scalar.shape()));
  return Mul(graph, scalar, x, {.name = std::move(name)});
}

// --- Reductions ---
Output Reduction(Graph& graph, const char* op, const Input& x, const Input& axis, bool keep_dims, std::string name) {
  NodeBuilder builder(graph, op, std::move(name));
  if (!axis.absent()) return builder.In(x).In(axis).Attr("keep_dims", keep_dims).BuildOutput();
  Output value = ValueOf(graph, x, kInvalidType, "Const");
  if (!value.valid()) return value;
  // Name the axes like a user's constant: the name of the user's next tf.constant depends on it.
  Output axes = ValueOf(graph, AxesInput(value, Axes()), kInt32, "Const");
  if (!axes.valid()) return axes;
  Output y = builder.In(value).In(axes).Attr("keep_dims", keep_dims).BuildOutput();
  // The result is a scalar even if the rank is unknown.
  if (y.valid() && !keep_dims) graph.RecordError(graph.SetShape(y, PartialShape::Scalar()));
  return y;
}

Output ReduceLogSumExp(Graph& graph, const Input& x_in, const Input& axis, bool keep_dims, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "ReduceLogSumExp"));
  Output x = ValueOf(graph, x_in, kInvalidType, "input_tensor");
  if (!x.valid()) return x;
  Output raw = Reduction(graph, "Max", x, axis, true);
  if (!raw.valid()) return raw;
  Output shift = StopGradient(Select(IsFinite(raw), raw, ZerosLike(raw)));
  Output sum = Log(Reduction(graph, "Sum", Exp(x - shift), axis, keep_dims));
  if (!keep_dims && sum.valid()) shift = Reshape(shift, ShapeOf(sum));
  return Add(graph, sum, shift, {.name = ExactScopeName(scope)});
}

Output ReduceVariance(Graph& graph, const Input& x_in, const Input& axis, bool keep_dims, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "reduce_variance"));
  Output x = ValueOf(graph, x_in, kInvalidType, "input_tensor");
  if (!x.valid()) return x;
  if (IsInteger(x.base_dtype()))
    return FailedOutput(
        graph, MarkTypeError(InvalidArgument("the input must be floating or complex, not {}", x.base_dtype())));
  Output mean = Reduction(graph, "Mean", x, axis, true);
  return mean.valid() ? Reduction(graph, "Mean", Square(x - mean), axis, keep_dims) : mean;
}

Output ReduceStd(Graph& graph, const Input& x, const Input& axis, bool keep_dims, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "reduce_std"));
  Output variance = ReduceVariance(graph, x, axis, keep_dims);
  return variance.valid() ? Sqrt(variance) : variance;
}

Output CountNonzero(Graph& graph, const Input& x_in, const Input& axis, bool keep_dims, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "count_nonzero"));
  Output x = ValueOf(graph, x_in, kInvalidType, "input");
  if (!x.valid()) return x;
  Output nonzero = NotEqual(x, x.base_dtype() == kString ? Constant(graph, Tensor::Scalar("")) : Output(ZerosLike(x)));
  if (!nonzero.valid()) return nonzero;
  Output count = Reduction(graph, "Sum", Cast(nonzero, kInt64), axis, keep_dims);
  return count.valid() ? CastValue(graph, count, dtype) : count;
}

Output Norm(Graph& graph, const Input& x_in, NormOrder order, const std::vector<int64_t>& axes, bool keep_dims,
            std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "norm"));
  Output x = ValueOf(graph, x_in, kInvalidType, "tensor");
  if (!x.valid()) return x;
  const bool matrix = axes.size() == 2;
  const Input axis = axes.empty() ? Input() : Input(axes);
  const auto fail = [&](const char* what) { return FailedOutput(graph, InvalidArgument("{}", what)); };
  if (axes.size() > 2) return fail("'axis' must be None, an integer, or a tuple of 2 integers");
  if (order.kind == NormOrder::kFrobenius && !matrix) return fail("the Frobenius norm is for matrices: give two axes");
  const auto reduce = [&](const char* op, Output v, const Input& over) {
    return v.valid() ? Reduction(graph, op, v, over, true) : v;
  };
  Output result;
  const bool square_sum = order.kind == NormOrder::kEuclidean || order.kind == NormOrder::kFrobenius ||
                          (!matrix && order.kind == NormOrder::kPower && order.power == 2);
  if (square_sum) {
    Output squares = IsComplex(x.base_dtype()) ? RealPart(graph, x * Conj(x)) : x * x;
    result = Sqrt(reduce("Sum", squares, axis));
    if (IsComplex(x.base_dtype()) && result.valid()) result = Cast(result, x.base_dtype());
  } else if (order.kind == NormOrder::kInfinity) {
    Output size = AbsoluteValue(graph, x);
    result = matrix ? reduce("Max", reduce("Sum", size, Input(std::vector<int64_t>{axes[1]})),
                             Input(std::vector<int64_t>{axes[0]}))
                    : reduce("Max", size, axis);
  } else if (order.power == 1) {
    Output size = AbsoluteValue(graph, x);
    result = matrix ? reduce("Max", reduce("Sum", size, Input(std::vector<int64_t>{axes[0]})),
                             Input(std::vector<int64_t>{axes[1]}))
                    : reduce("Sum", size, axis);
  } else if (matrix && order.power == 2) {
    if (!x.shape().known_rank()) return fail("the 2-norm of matrices needs a known rank");
    const int rank = x.shape().rank();
    std::vector<int64_t> rest;
    for (int i = 0; i < rank; ++i)
      if (i != (axes[0] + rank) % rank && i != (axes[1] + rank) % rank) rest.push_back(i);
    rest.push_back((axes[0] + rank) % rank);
    rest.push_back((axes[1] + rank) % rank);
    Output singular = NodeBuilder(graph, "Svd").In(Transpose(x, rest)).Attr("compute_uv", false).BuildOutput();
    if (!singular.valid()) return singular;
    result = Reduction(graph, "Max", singular, Input(-1), false);
    if (keep_dims && result.valid()) {
      std::vector<int64_t> sorted = {(axes[0] + rank) % rank, (axes[1] + rank) % rank};
      std::sort(sorted.begin(), sorted.end());
      for (int64_t a : sorted) result = ExpandDims(result, static_cast<int>(a));
    }
    return result;
  } else if (matrix) {
    return fail("this order is not defined for norms of matrices");
  } else {
    Output sum = reduce("Sum", Pow(AbsoluteValue(graph, x), static_cast<float>(order.power)), axis);
    result = Pow(sum, static_cast<float>(1.0 / order.power));
  }
  if (keep_dims || !result.valid()) return result;
  if (axes.empty()) return Squeeze(result);
  return Squeeze(graph, result, {.squeeze_dims = axes});
}

// --- Products ---
Output MatrixMultiply(Graph& graph, const Input& a_in, const Input& b_in, const MatrixProduct& how, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "MatMul"));
  if ((how.transpose_a && how.adjoint_a) || (how.transpose_b && how.adjoint_b))
    return FailedOutput(graph, InvalidArgument("only one of transpose_{0} and adjoint_{0} can be True",
                                               how.transpose_a && how.adjoint_a ? 'a' : 'b'));
  auto [a, b] = ValuesOfOneType(graph, a_in, b_in, "a", "b");
  if (!a.valid() || !b.valid()) return Output::Failed(graph);
  const auto may_be_batch = [](Output x) { return !x.shape().known_rank() || x.shape().rank() > 2; };
  if (!how.a_is_sparse && !how.b_is_sparse && (may_be_batch(a) || may_be_batch(b))) {
    if (how.transpose_a) a = ConjugateValue(graph, a);
    if (how.transpose_b) b = ConjugateValue(graph, b);
    return BatchMatMulV2(graph, a, b,
                         {.adj_x = how.transpose_a || how.adjoint_a,
                          .adj_y = how.transpose_b || how.adjoint_b,
                          .name = ExactScopeName(scope)});
  }
  if (how.adjoint_a) a = ConjugateValue(graph, a);
  if (how.adjoint_b) b = ConjugateValue(graph, b);
  const bool transpose_a = how.transpose_a || how.adjoint_a;
  const bool transpose_b = how.transpose_b || how.adjoint_b;
  const auto can_be_sparse = [](Output x) { return x.base_dtype() == kFloat || x.base_dtype() == kBFloat16; };
  const bool sparse =
      (how.a_is_sparse || how.b_is_sparse || a.base_dtype() != b.base_dtype()) && can_be_sparse(a) && can_be_sparse(b);
  if (!sparse)
    return MatMul(graph, a, b, {.transpose_a = transpose_a, .transpose_b = transpose_b, .name = ExactScopeName(scope)});
  return NodeBuilder(graph, "SparseMatMul", ExactScopeName(scope))
      .In(a)
      .In(b)
      .Attr("transpose_a", transpose_a)
      .Attr("transpose_b", transpose_b)
      .Attr("a_is_sparse", how.a_is_sparse)
      .Attr("b_is_sparse", how.b_is_sparse)
      .BuildOutput();
}

Output MatrixVector(Graph& graph, const Input& a, const Input& b, const MatrixProduct& how, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "matvec"));
  auto [matrix, vector] = ValuesOfOneType(graph, a, b, "a", "b");
  if (!matrix.valid() || !vector.valid()) return Output::Failed(graph);
  Output product = MatrixMultiply(graph, matrix, ExpandDims(vector, -1), how);
  return product.valid() ? Squeeze(graph, product, {.squeeze_dims = {-1}}) : product;
}

namespace {

// x as a matrix with axes `first` as rows and `second` as columns.
Output AsMatrix(Graph& graph, Output x, const std::vector<Dim>& dims, const std::vector<int>& first,
                const std::vector<int>& second) {
  std::vector<int64_t> order(first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  bool in_place = true;
  for (size_t i = 0; i < order.size(); ++i) in_place = in_place && order[i] == static_cast<int64_t>(i);
  if (!in_place) x = Transpose(x, order);
  std::vector<Dim> rows;
  std::vector<Dim> columns;
  for (int i : first) rows.push_back(dims[i]);
  for (int i : second) columns.push_back(dims[i]);
  return Reshape(x, ShapeVector(graph, {ProductOf(graph, rows), ProductOf(graph, columns)}));
}

std::vector<int> Others(int rank, const std::vector<int>& axes) {
  std::vector<int> rest;
  for (int i = 0; i < rank; ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) rest.push_back(i);
  return rest;
}

// One operand of TensorDot.
struct DotOperand {
  Output matrix;
  Output free_sizes;                          // an int32 vector: the sizes of the axes that are not summed
  std::optional<std::vector<Dim>> free_dims;  // if the rank is known
};

// `sum_first`: the axes to sum are the rows of the matrix, else its columns.
Result<DotOperand> DotOperandOfKnownRank(Graph& graph, Output x, const std::vector<int64_t>& axes, bool sum_first,
                                         const char* what) {
  std::vector<int> summed;
  for (int64_t axis : axes) {
    WEIR_ASSIGN(const int normal, NormalAxis(axis, x.shape().rank(), what));
    summed.push_back(normal);
  }
  const std::vector<int> free_axes = Others(x.shape().rank(), summed);
  const std::vector<Dim> dims = DimsOf(x);
  std::vector<Dim> free_dims;
  for (int i : free_axes) free_dims.push_back(dims[i]);
  const Output matrix =
      sum_first ? AsMatrix(graph, x, dims, summed, free_axes) : AsMatrix(graph, x, dims, free_axes, summed);
  return DotOperand{matrix, Output(), std::move(free_dims)};
}

DotOperand DotOperandOfUnknownRank(Graph& graph, Output x, const std::vector<int64_t>& axes, bool sum_first) {
  std::vector<int32_t> given, negative;
  for (int64_t axis : axes) {
    given.push_back(static_cast<int32_t>(axis));
    negative.push_back(axis < 0 ? 1 : 0);
  }
  const auto vector = [&](const std::vector<int32_t>& v) {
    return Constant(graph, Tensor::Vector<int32_t>(absl::MakeConstSpan(v)));
  };
  const Output sizes = ShapeValue(graph, x), rank = Rank(graph, x);
  const Output summed = Add(graph, vector(given), Mul(graph, vector(negative), rank));
  const Output free_axes = ListDiff(graph, Range(graph, 0, rank, 1), summed).out;
  const Output free_sizes = GatherV2(graph, sizes, free_axes, 0), summed_sizes = GatherV2(graph, sizes, summed, 0);
  const Output rows = Prod(graph, sum_first ? summed_sizes : free_sizes, {0});
  const Output columns = Prod(graph, sum_first ? free_sizes : summed_sizes, {0});
  const Output order = sum_first ? ConcatV2(graph, {summed, free_axes}, 0) : ConcatV2(graph, {free_axes, summed}, 0);
  return DotOperand{Reshape(graph, Transpose(graph, x, order), Pack(graph, {rows, columns})), free_sizes, std::nullopt};
}

Result<DotOperand> DotOperandOf(Graph& graph, Output x, const std::vector<int64_t>& axes, bool sum_first,
                                const char* what) {
  if (x.shape().known_rank()) return DotOperandOfKnownRank(graph, x, axes, sum_first, what);
  return DotOperandOfUnknownRank(graph, x, axes, sum_first);
}

}  // namespace

Output TensorDot(Graph& graph, const Input& a_in, const Input& b_in, const std::vector<int64_t>& a_axes,
                 const std::vector<int64_t>& b_axes, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Tensordot"));
  auto [a, b] = ValuesOfOneType(graph, a_in, b_in, "a", "b");
  if (!a.valid() || !b.valid()) return Output::Failed(graph);
  const auto fail = [&](const Status& status) { return FailedOutput(graph, status); };
  if (a_axes.size() != b_axes.size())
    return fail(InvalidArgument("different number of contraction axes for 'a' and 'b': {} != {}", a_axes.size(),
                                b_axes.size()));
  const Result<DotOperand> left = DotOperandOf(graph, a, a_axes, /*sum_first=*/false, "tensordot's 'a'");
  if (!left.ok()) return fail(left.status());
  const Result<DotOperand> right = DotOperandOf(graph, b, b_axes, /*sum_first=*/true, "tensordot's 'b'");
  if (!right.ok()) return fail(right.status());
  if (!left->matrix.valid() || !right->matrix.valid()) return Output::Failed(graph);
  const Output product = MatMul(left->matrix, right->matrix);
  if (!left->free_dims || !right->free_dims) {
    const auto sizes = [&](const DotOperand& x) {
      return x.free_dims ? ShapeVector(graph, *x.free_dims) : x.free_sizes;
    };
    return Reshape(graph, product, ConcatV2(graph, {sizes(*left), sizes(*right)}, 0), {.name = ExactScopeName(scope)});
  }
  std::vector<Dim> result = *left->free_dims;
  result.insert(result.end(), right->free_dims->begin(), right->free_dims->end());
  Output y = Reshape(graph, product, ShapeVector(graph, result), {.name = ExactScopeName(scope)});
  if (y.valid()) graph.RecordError(graph.SetShape(y, StaticShape(result)));
  return y;
}

Output TensorDot(Graph& graph, const Input& a_in, const Input& b_in, int count, std::string name) {
  auto [a, b] = ValuesOfOneType(graph, a_in, b_in, "a", "b");
  if (!a.valid() || !b.valid()) return Output::Failed(graph);
  const int rank = a.shape().rank();
  if (count < 0 || (rank >= 0 && count > rank) || (b.shape().known_rank() && count > b.shape().rank()))
    return FailedOutput(graph, InvalidArgument("'axes' of tensordot is {}, which must be in [0, {}]", count, rank));
  std::vector<int64_t> last(count);
  std::vector<int64_t> first(count);
  std::iota(last.begin(), last.end(), a.shape().known_rank() ? rank - count : -count);
  std::iota(first.begin(), first.end(), 0);
  return TensorDot(graph, a, b, last, first, std::move(name));
}

// --- Sequences, counts and others ---
Output Range(Graph& graph, const Input& start_in, const Input& limit_in, const Input& delta_in, DType dtype,
             std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "range"));
  const Input start_arg = limit_in.absent() ? Input(0) : start_in;
  const Input limit_arg = limit_in.absent() ? start_in : limit_in;
  // Literals take the type of the tensors; among literals the widest type wins.
  constexpr DType kOrder[] = {kInt32, kInt64, kFloat, kDouble};
  const auto place = [&](DType t) { return std::find(std::begin(kOrder), std::end(kOrder), t) - std::begin(kOrder); };
  if (dtype == kInvalidType) {
    ptrdiff_t widest = 0;
    for (const Input* part : {&start_arg, &limit_arg, &delta_in}) {
      const DType t = part->is_output()            ? part->output().base_dtype()
                      : part->literal() != nullptr ? part->literal()->NaturalType()
                                                   : kInvalidType;
      if (t == kInvalidType) continue;
      if (place(t) == std::ssize(kOrder)) return Range(graph, start_arg, limit_arg, delta_in, t, ExactScopeName(scope));
      widest = std::max(widest, place(t));
    }
    dtype = kOrder[widest];
  }
  const auto part = [&](const Input& x, const char* what) {
    if (!x.is_output()) return ValueOf(graph, x, dtype, what);
    return CastValue(graph, x, dtype);
  };
  Output start = part(start_arg, "start");
  Output limit = part(limit_arg, "limit");
  Output delta = part(delta_in, "delta");
  if (!start.valid() || !limit.valid() || !delta.valid()) return Output::Failed(graph);
  return Range(graph, start, limit, delta, {.name = ExactScopeName(scope)});
}

Output AccumulateAll(Graph& graph, const InputList& inputs, const PartialShape& shape_in, std::string name) {
  if (inputs.empty())
    return FailedOutput(graph,
                        InvalidArgument("inputs must be a list of at least one Tensor with the same dtype and shape"));
  InputList values;
  PartialShape shape = shape_in;
  for (const Input& input : inputs) {
    Output value = ValueOf(graph, input, kInvalidType, "inputs");
    if (!value.valid()) return value;
    Result<PartialShape> merged = shape.Merge(value.shape());
    if (!merged.ok()) return FailedOutput(graph, merged.status());
    shape = *merged;
    values.push_back(value);
  }
  for (const Input& value : values)
    if (value.output().base_dtype() != values[0].output().base_dtype())
      return FailedOutput(
          graph, InvalidArgument("inputs must be a list of at least one Tensor with the same dtype and shape"));
  if (values.size() == 1 && name.empty()) return values[0].output();
  if (values.size() == 1) return Identity(graph, values[0], {.name = std::move(name)});
  return AddN(graph, values, {.name = NameOrDefault(std::move(name), "AccumulateNV2")});
}

Output ConfusionMatrix(Graph& graph, const Input& labels_in, const Input& predictions_in, const Input& classes_in,
                       DType dtype, const Input& weights_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "confusion_matrix"));
  Output labels = CastValue(graph, ValueOf(graph, labels_in, kInvalidType, "labels"), kInt64);
  Output predictions = CastValue(graph, ValueOf(graph, predictions_in, kInvalidType, "predictions"), kInt64);
  if (!labels.valid() || !predictions.valid()) return Output::Failed(graph);
  // If one is [n, 1] and the other [n], drop the last dimension.
  const auto rank = [](Output x) { return x.shape().rank(); };
  if (rank(labels) == rank(predictions) + 1 && rank(predictions) >= 0)
    labels = Squeeze(graph, labels, {.squeeze_dims = {-1}});
  else if (rank(predictions) == rank(labels) + 1 && rank(labels) >= 0)
    predictions = Squeeze(graph, predictions, {.squeeze_dims = {-1}});
  const auto nonnegative = [&](Output x, const char* what) {
    Node* check = Assert(graph, All(GreaterEqual(x, ZerosLike(x)), AxesInput(x, Axes())), {Tensor::Scalar(what), x});
    if (check == nullptr) return Output::Failed(graph);
    ControlDependencies after(graph, {check});
    return Identity(x);
  };
  labels = nonnegative(labels, "`labels` contains negative values.");
  predictions = nonnegative(predictions, "`predictions` contains negative values.");
  if (!labels.valid() || !predictions.valid()) return Output::Failed(graph);
  Output classes;
  if (classes_in.absent()) {
    classes = Maximum(Max(labels, AxesInput(labels, Axes())), Max(predictions, AxesInput(predictions, Axes()))) + 1;
  } else {
    classes = CastValue(graph, classes_in, kInt64);
  }
  Output weights;
  if (weights_in.absent())
    weights = OnesLike(graph, Cast(predictions, dtype));
  else
    weights = CastValue(graph, weights_in, dtype);
  if (!classes.valid() || !weights.valid()) return Output::Failed(graph);
  Output where = Pack(graph, {labels, predictions}, {.axis = 1});
  return ScatterNd(graph, where, weights, Pack(graph, {classes, classes}));
}

Output CountValues(Graph& graph, const Input& arr_in, const Input& weights_in, const Input& minlength,
                   const Input& maxlength, DType dtype) {
  NameScope scope(graph, "bincount");
  Output arr = ValueOf(graph, arr_in, kInt32, "arr");
  if (!arr.valid()) return arr;
  Input all = AxesInput(arr, Axes());
  Output filled = Cast(Greater(ReduceProd(ShapeOf(arr)), 0), kInt32);
  Output size = filled * (Max(arr, all) + 1);
  if (!minlength.absent()) size = Maximum(graph, ValueOf(graph, minlength, kInt32, "minlength"), size);
  if (!maxlength.absent()) size = Minimum(graph, ValueOf(graph, maxlength, kInt32, "maxlength"), size);
  Output weights;
  if (!weights_in.absent())
    weights = ValueOf(graph, weights_in, kInvalidType, "weights");
  else
    weights = CastValue(graph, Tensor::Vector<int32_t>({}), dtype);
  if (!size.valid() || !weights.valid()) return Output::Failed(graph);
  return Bincount(graph, arr, size, weights);
}

Output PolynomialValue(Graph& graph, const InputList& coefficients, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "polyval"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  if (coefficients.empty()) return ZerosLike(x);
  OutputList values;
  for (size_t i = 0; i < coefficients.size(); ++i) {
    values.push_back(ValueOf(graph, coefficients[i], kInvalidType, fmt::format("coeff_{}", i)));
    if (!values.back().valid()) return values.back();
  }
  Output p = values[0];
  for (size_t i = 1; i < values.size() && p.valid(); ++i) p = AddInput(values[i], p * x);
  return p;
}

Output LogBeta(Graph& graph, const Input& x_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "lbeta"));
  Output x = ValueOf(graph, x_in, kInvalidType, "x");
  if (!x.valid()) return x;
  return ReduceSum(Lgamma(x), -1) - Lgamma(ReduceSum(x, -1));
}

Output TraceOf(Graph& graph, const Input& x, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "Trace"));
  Output diagonal = MatrixDiagPart(graph, ValueOf(graph, x, kInvalidType, "x"));
  return Sum(graph, diagonal, Input(std::vector<int64_t>{-1}), {.name = ExactScopeName(scope)});
}

Output UnsortedSegmentMean(Graph& graph, const Input& data_in, const Input& ids_in, const Input& count_in,
                           bool square_root, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), square_root ? "UnsortedSegmentSqrtN" : "UnsortedSegmentMean"));
  Output data = ValueOf(graph, data_in, kInvalidType, "data");
  Output ids = ValueOf(graph, ids_in, kInvalidType, "segment_ids");
  Output count = ValueOf(graph, count_in, kInvalidType, "num_segments");
  if (!data.valid() || !ids.valid() || !count.valid()) return Output::Failed(graph);
  Output ones = Fill(graph, ShapeOf(ids), Cast(graph, 1, data.base_dtype()));
  Output sizes = UnsortedSegmentSum(graph, ones, ids, count);
  // Append a dimension of size 1 for each axis of data that ids lacks.
  Output extra = Fill(graph, ExpandDims(Rank(data) - Rank(ids), 0), 1);
  sizes = Reshape(sizes, ConcatV2(graph, {ShapeOf(sizes), extra}, 0));
  sizes = Maximum(sizes, 1);
  if (square_root) sizes = Sqrt(sizes);
  return RealDiv(graph, UnsortedSegmentSum(graph, data, ids, count), sizes, {.name = ExactScopeName(scope)});
}

Output FixedWidthBins(Graph& graph, const Input& values_in, const Input& value_range, const Input& nbins_in,
                      DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "histogram_fixed_width_bins"));
  const Output values = ValueOf(graph, values_in, kInvalidType, "values");
  if (!values.valid()) return {};
  const DType type = values.base_dtype();
  const Output range = ValueOf(graph, value_range, type, "value_range"),
               nbins = ValueOf(graph, nbins_in, kInt32, "nbins");
  if (!range.valid() || !nbins.valid()) return {};
  const Output low = StridedSlice(range, {0}, {1}, {1}, {.shrink_axis_mask = 1});
  const Output high = StridedSlice(range, {1}, {2}, {1}, {.shrink_axis_mask = 1});
  const Output scaled = TrueDivideValues(graph, values - low, high - low);
  const Output bins = Floor(CastValue(graph, nbins, scaled.base_dtype()) * scaled);
  const Output last = CastValue(graph, nbins - 1, bins.base_dtype());
  return CastValue(graph, Minimum(Maximum(bins, CastValue(graph, 0, bins.base_dtype())), last), dtype);
}

Output LogDeterminant(Graph& graph, const Input& matrix, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "logdet"));
  Output chol = NodeBuilder(graph, "Cholesky").In(matrix).BuildOutput();
  if (!chol.valid()) return chol;
  return 2.0f * ReduceSum(Log(RealPart(graph, MatrixDiagPart(chol))), -1);
}

Output CholeskySolve(Graph& graph, const Input& chol_in, const Input& rhs, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "cholesky_solve"));
  Output chol = ValueOf(graph, chol_in, kInvalidType, "chol");
  if (!chol.valid()) return chol;
  Output y = NodeBuilder(graph, "MatrixTriangularSolve")
                 .In(chol)
                 .In(rhs)
                 .Attr("lower", true)
                 .Attr("adjoint", false)
                 .BuildOutput();
  return NodeBuilder(graph, "MatrixTriangularSolve")
      .In(chol)
      .In(y)
      .Attr("lower", true)
      .Attr("adjoint", true)
      .BuildOutput();
}

}  // namespace weir
