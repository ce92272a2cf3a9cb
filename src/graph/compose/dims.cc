#include "graph/compose/dims.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/node_builder.h"

namespace weir {

Output FailedOutput(Graph& graph, const Status& status) {
  graph.RecordError(status);
  return Output::Failed(graph);
}

Output ValueOf(Graph& graph, const Input& x, DType wanted, const std::string& name) {
  Result<Output> value = ToOutput(graph, x, wanted, name);
  return value.ok() ? *value : FailedOutput(graph, value.status());
}

Output ValueOrLiteralOf(Graph& graph, const Input& x, DType literal_type, const std::string& name) {
  return ValueOf(graph, x, x.is_output() ? kInvalidType : literal_type, name);
}

std::pair<Output, Output> ValuesOfOneType(Graph& graph, const Input& x, const Input& y, const char* x_name,
                                          const char* y_name) {
  if (!x.is_output() && y.is_output()) {
    Output right = y.output();
    return {ValueOf(graph, x, right.base_dtype(), x_name), right};
  }
  Output left = ValueOf(graph, x, kInvalidType, x_name);
  if (!left.valid()) return {};
  return {left, ValueOf(graph, y, y.is_output() ? kInvalidType : left.base_dtype(), y_name)};
}

std::vector<Dim> DimsOf(Output x) {
  const PartialShape shape = x.shape();
  std::vector<Dim> dims;
  Output whole;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] >= 0) {
      dims.emplace_back(shape[i]);
      continue;
    }
    if (!whole.valid()) whole = ShapeOf(x);
    dims.emplace_back(StridedSlice(whole, {i}, {i + 1}, {1}, {.shrink_axis_mask = 1}));
  }
  return dims;
}

Dim ProductOf(Graph& graph, const std::vector<Dim>& dims) {
  int64_t known = 1;
  Output product;
  for (const Dim& dim : dims) {
    if (!dim.known()) {
      product = product.valid() ? Mul(graph, product, dim.value) : dim.value;
      continue;
    }
    if (__builtin_mul_overflow(known, dim.size, &known)) {
      graph.RecordError(InvalidArgument("a shape has too many elements"));
      return Dim(0);
    }
  }
  if (!product.valid()) return Dim(known);
  return known == 1 ? Dim(product) : Dim(Mul(graph, product, Tensor::Scalar(static_cast<int32_t>(known))));
}

Output ShapeVector(Graph& graph, const std::vector<Dim>& dims) {
  const bool all_known = std::all_of(dims.begin(), dims.end(), [](const Dim& d) { return d.known(); });
  if (all_known) {
    std::vector<int32_t> sizes;
    for (const Dim& dim : dims) sizes.push_back(static_cast<int32_t>(dim.size));
    return Constant(graph, Tensor::Vector<int32_t>(absl::MakeConstSpan(sizes)));
  }
  InputList parts;
  for (const Dim& dim : dims) {
    if (dim.known())
      parts.push_back(Tensor::Scalar(static_cast<int32_t>(dim.size)));
    else
      parts.push_back(dim.value);
  }
  return Pack(graph, parts);
}

PartialShape StaticShape(const std::vector<Dim>& dims) {
  PartialShape shape = PartialShape::Scalar();
  for (const Dim& dim : dims) shape.AddDim(dim.size);
  return shape;
}

PartialShape CommonShape(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return PartialShape();
  PartialShape common = a;
  for (int d = 0; d < a.rank(); ++d) {
    if (a[d] != b[d]) common.SetDim(d, kUnknownDim);
  }
  return common;
}

Result<int> NormalAxis(int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank) return InvalidArgument("{}: axis {} is not in [{}, {})", what, axis, -rank, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::string TupleText(const PartialShape& shape) {
  if (!shape.known_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i] < 0 ? "?" : std::to_string(shape[i]));
  return text + (shape.rank() == 1 ? ",)" : ")");
}

Status CheckWeightShape(const PartialShape& weights, const PartialShape& values) {
  if (!weights.known_rank() || weights.rank() == 0 || !values.known_rank()) return OkStatus();
  if (weights.rank() != values.rank())
    return InvalidArgument(
        "weights can not be broadcast to values. values.rank={}. weights.rank={}. values.shape={}. weights.shape={}.",
        values.rank(), weights.rank(), TupleText(values), TupleText(weights));
  for (int d = 0; d < values.rank(); ++d)
    if (weights[d] >= 0 && values[d] >= 0 && weights[d] != 1 && weights[d] != values[d])
      return InvalidArgument(
          "weights can not be broadcast to values. Mismatch at dim {}. values.shape={}. weights.shape={}.", d,
          TupleText(values), TupleText(weights));
  return OkStatus();
}

}  // namespace weir
