// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/math_ops.h"

namespace weir {

Output Abs(Graph& graph, const Input& x, const AbsAttrs& attrs) {
  NodeBuilder node(graph, "Abs", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Abs(const Input& x, const AbsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Abs(*graph, x, attrs);
}

Output AccumulateNV2(Graph& graph, const InputList& inputs, const PartialShape& shape, const AccumulateNV2Attrs& attrs) {
  NodeBuilder node(graph, "AccumulateNV2", attrs.name);
  node.In(inputs);
  node.Attr("shape", shape);
  return node.BuildOutput();
}
Output AccumulateNV2(const InputList& inputs, const PartialShape& shape, const AccumulateNV2Attrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return AccumulateNV2(*graph, inputs, shape, attrs);
}

Output Acos(Graph& graph, const Input& x, const AcosAttrs& attrs) {
  NodeBuilder node(graph, "Acos", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Acos(const Input& x, const AcosAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Acos(*graph, x, attrs);
}

Output Acosh(Graph& graph, const Input& x, const AcoshAttrs& attrs) {
  NodeBuilder node(graph, "Acosh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Acosh(const Input& x, const AcoshAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Acosh(*graph, x, attrs);
}

Output Add(Graph& graph, const Input& x, const Input& y, const AddAttrs& attrs) {
  NodeBuilder node(graph, "Add", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Add(const Input& x, const Input& y, const AddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Add(*graph, x, y, attrs);
}

Output AddN(Graph& graph, const InputList& inputs, const AddNAttrs& attrs) {
  NodeBuilder node(graph, "AddN", attrs.name);
  node.In(inputs);
  return node.BuildOutput();
}
Output AddN(const InputList& inputs, const AddNAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return AddN(*graph, inputs, attrs);
}

Output AddV2(Graph& graph, const Input& x, const Input& y, const AddV2Attrs& attrs) {
  NodeBuilder node(graph, "AddV2", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output AddV2(const Input& x, const Input& y, const AddV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return AddV2(*graph, x, y, attrs);
}

Output All(Graph& graph, const Input& input, const Input& reduction_indices, const AllAttrs& attrs) {
  NodeBuilder node(graph, "All", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output All(const Input& input, const Input& reduction_indices, const AllAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return All(*graph, input, reduction_indices, attrs);
}

Output Angle(Graph& graph, const Input& input, const AngleAttrs& attrs) {
  NodeBuilder node(graph, "Angle", attrs.name);
  node.In(input);
  node.Attr("Tout", attrs.Tout);
  return node.BuildOutput();
}
Output Angle(const Input& input, const AngleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Angle(*graph, input, attrs);
}

Output Any(Graph& graph, const Input& input, const Input& reduction_indices, const AnyAttrs& attrs) {
  NodeBuilder node(graph, "Any", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Any(const Input& input, const Input& reduction_indices, const AnyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Any(*graph, input, reduction_indices, attrs);
}

Output ApproximateEqual(Graph& graph, const Input& x, const Input& y, const ApproximateEqualAttrs& attrs) {
  NodeBuilder node(graph, "ApproximateEqual", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("tolerance", attrs.tolerance);
  return node.BuildOutput();
}
Output ApproximateEqual(const Input& x, const Input& y, const ApproximateEqualAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return ApproximateEqual(*graph, x, y, attrs);
}

Output ArgMax(Graph& graph, const Input& input, const Input& dimension, const ArgMaxAttrs& attrs) {
  NodeBuilder node(graph, "ArgMax", attrs.name);
  node.In(input);
  node.In(dimension);
  node.Attr("output_type", attrs.output_type);
  return node.BuildOutput();
}
Output ArgMax(const Input& input, const Input& dimension, const ArgMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{dimension}});
  if (graph == nullptr) return {};
  return ArgMax(*graph, input, dimension, attrs);
}

Output ArgMin(Graph& graph, const Input& input, const Input& dimension, const ArgMinAttrs& attrs) {
  NodeBuilder node(graph, "ArgMin", attrs.name);
  node.In(input);
  node.In(dimension);
  node.Attr("output_type", attrs.output_type);
  return node.BuildOutput();
}
Output ArgMin(const Input& input, const Input& dimension, const ArgMinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{dimension}});
  if (graph == nullptr) return {};
  return ArgMin(*graph, input, dimension, attrs);
}

Output Asin(Graph& graph, const Input& x, const AsinAttrs& attrs) {
  NodeBuilder node(graph, "Asin", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Asin(const Input& x, const AsinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Asin(*graph, x, attrs);
}

Output Asinh(Graph& graph, const Input& x, const AsinhAttrs& attrs) {
  NodeBuilder node(graph, "Asinh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Asinh(const Input& x, const AsinhAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Asinh(*graph, x, attrs);
}

Output Atan(Graph& graph, const Input& x, const AtanAttrs& attrs) {
  NodeBuilder node(graph, "Atan", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Atan(const Input& x, const AtanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Atan(*graph, x, attrs);
}

Output Atan2(Graph& graph, const Input& y, const Input& x, const Atan2Attrs& attrs) {
  NodeBuilder node(graph, "Atan2", attrs.name);
  node.In(y);
  node.In(x);
  return node.BuildOutput();
}
Output Atan2(const Input& y, const Input& x, const Atan2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{x}});
  if (graph == nullptr) return {};
  return Atan2(*graph, y, x, attrs);
}

Output Atanh(Graph& graph, const Input& x, const AtanhAttrs& attrs) {
  NodeBuilder node(graph, "Atanh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Atanh(const Input& x, const AtanhAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Atanh(*graph, x, attrs);
}

Output BatchMatMul(Graph& graph, const Input& x, const Input& y, const BatchMatMulAttrs& attrs) {
  NodeBuilder node(graph, "BatchMatMul", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("adj_x", attrs.adj_x);
  node.Attr("adj_y", attrs.adj_y);
  return node.BuildOutput();
}
Output BatchMatMul(const Input& x, const Input& y, const BatchMatMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return BatchMatMul(*graph, x, y, attrs);
}

Output BatchMatMulV2(Graph& graph, const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs) {
  NodeBuilder node(graph, "BatchMatMulV2", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("adj_x", attrs.adj_x);
  node.Attr("adj_y", attrs.adj_y);
  return node.BuildOutput();
}
Output BatchMatMulV2(const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return BatchMatMulV2(*graph, x, y, attrs);
}

Output Betainc(Graph& graph, const Input& a, const Input& b, const Input& x, const BetaincAttrs& attrs) {
  NodeBuilder node(graph, "Betainc", attrs.name);
  node.In(a);
  node.In(b);
  node.In(x);
  return node.BuildOutput();
}
Output Betainc(const Input& a, const Input& b, const Input& x, const BetaincAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}, InputList{x}});
  if (graph == nullptr) return {};
  return Betainc(*graph, a, b, x, attrs);
}

Output Bincount(Graph& graph, const Input& arr, const Input& size, const Input& weights, const BincountAttrs& attrs) {
  NodeBuilder node(graph, "Bincount", attrs.name);
  node.In(arr);
  node.In(size);
  node.In(weights);
  return node.BuildOutput();
}
Output Bincount(const Input& arr, const Input& size, const Input& weights, const BincountAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{arr}, InputList{size}, InputList{weights}});
  if (graph == nullptr) return {};
  return Bincount(*graph, arr, size, weights, attrs);
}

Output BitwiseAnd(Graph& graph, const Input& x, const Input& y, const BitwiseAndAttrs& attrs) {
  NodeBuilder node(graph, "BitwiseAnd", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output BitwiseAnd(const Input& x, const Input& y, const BitwiseAndAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return BitwiseAnd(*graph, x, y, attrs);
}

Output BitwiseOr(Graph& graph, const Input& x, const Input& y, const BitwiseOrAttrs& attrs) {
  NodeBuilder node(graph, "BitwiseOr", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output BitwiseOr(const Input& x, const Input& y, const BitwiseOrAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return BitwiseOr(*graph, x, y, attrs);
}

Output BitwiseXor(Graph& graph, const Input& x, const Input& y, const BitwiseXorAttrs& attrs) {
  NodeBuilder node(graph, "BitwiseXor", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output BitwiseXor(const Input& x, const Input& y, const BitwiseXorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return BitwiseXor(*graph, x, y, attrs);
}

Output Bucketize(Graph& graph, const Input& input, const std::vector<float>& boundaries, const BucketizeAttrs& attrs) {
  NodeBuilder node(graph, "Bucketize", attrs.name);
  node.In(input);
  node.Attr("boundaries", boundaries);
  return node.BuildOutput();
}
Output Bucketize(const Input& input, const std::vector<float>& boundaries, const BucketizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Bucketize(*graph, input, boundaries, attrs);
}

Output Cast(Graph& graph, const Input& x, DType DstT, const CastAttrs& attrs) {
  NodeBuilder node(graph, "Cast", attrs.name);
  node.In(x);
  node.Attr("DstT", DstT);
  node.Attr("Truncate", attrs.Truncate);
  return node.BuildOutput();
}
Output Cast(const Input& x, DType DstT, const CastAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Cast(*graph, x, DstT, attrs);
}

Output Ceil(Graph& graph, const Input& x, const CeilAttrs& attrs) {
  NodeBuilder node(graph, "Ceil", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Ceil(const Input& x, const CeilAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Ceil(*graph, x, attrs);
}

Output Cholesky(Graph& graph, const Input& input, const CholeskyAttrs& attrs) {
  NodeBuilder node(graph, "Cholesky", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Cholesky(const Input& input, const CholeskyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Cholesky(*graph, input, attrs);
}

Output CholeskyGrad(Graph& graph, const Input& l, const Input& grad, const CholeskyGradAttrs& attrs) {
  NodeBuilder node(graph, "CholeskyGrad", attrs.name);
  node.In(l);
  node.In(grad);
  return node.BuildOutput();
}
Output CholeskyGrad(const Input& l, const Input& grad, const CholeskyGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{l}, InputList{grad}});
  if (graph == nullptr) return {};
  return CholeskyGrad(*graph, l, grad, attrs);
}

Output ClipByValue(Graph& graph, const Input& t, const Input& clip_value_min, const Input& clip_value_max, const ClipByValueAttrs& attrs) {
  NodeBuilder node(graph, "ClipByValue", attrs.name);
  node.In(t);
  node.In(clip_value_min);
  node.In(clip_value_max);
  return node.BuildOutput();
}
Output ClipByValue(const Input& t, const Input& clip_value_min, const Input& clip_value_max, const ClipByValueAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{t}, InputList{clip_value_min}, InputList{clip_value_max}});
  if (graph == nullptr) return {};
  return ClipByValue(*graph, t, clip_value_min, clip_value_max, attrs);
}

Output Complex(Graph& graph, const Input& real, const Input& imag, const ComplexAttrs& attrs) {
  NodeBuilder node(graph, "Complex", attrs.name);
  node.In(real);
  node.In(imag);
  node.Attr("Tout", attrs.Tout);
  return node.BuildOutput();
}
Output Complex(const Input& real, const Input& imag, const ComplexAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{real}, InputList{imag}});
  if (graph == nullptr) return {};
  return Complex(*graph, real, imag, attrs);
}

Output ComplexAbs(Graph& graph, const Input& x, const ComplexAbsAttrs& attrs) {
  NodeBuilder node(graph, "ComplexAbs", attrs.name);
  node.In(x);
  node.Attr("Tout", attrs.Tout);
  return node.BuildOutput();
}
Output ComplexAbs(const Input& x, const ComplexAbsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return ComplexAbs(*graph, x, attrs);
}

Output Conj(Graph& graph, const Input& input, const ConjAttrs& attrs) {
  NodeBuilder node(graph, "Conj", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Conj(const Input& input, const ConjAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Conj(*graph, input, attrs);
}

Output Cos(Graph& graph, const Input& x, const CosAttrs& attrs) {
  NodeBuilder node(graph, "Cos", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Cos(const Input& x, const CosAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Cos(*graph, x, attrs);
}

Output Cosh(Graph& graph, const Input& x, const CoshAttrs& attrs) {
  NodeBuilder node(graph, "Cosh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Cosh(const Input& x, const CoshAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Cosh(*graph, x, attrs);
}

Output Cross(Graph& graph, const Input& a, const Input& b, const CrossAttrs& attrs) {
  NodeBuilder node(graph, "Cross", attrs.name);
  node.In(a);
  node.In(b);
  return node.BuildOutput();
}
Output Cross(const Input& a, const Input& b, const CrossAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}});
  if (graph == nullptr) return {};
  return Cross(*graph, a, b, attrs);
}

Output Cumprod(Graph& graph, const Input& x, const Input& axis, const CumprodAttrs& attrs) {
  NodeBuilder node(graph, "Cumprod", attrs.name);
  node.In(x);
  node.In(axis);
  node.Attr("exclusive", attrs.exclusive);
  node.Attr("reverse", attrs.reverse);
  return node.BuildOutput();
}
Output Cumprod(const Input& x, const Input& axis, const CumprodAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{axis}});
  if (graph == nullptr) return {};
  return Cumprod(*graph, x, axis, attrs);
}

Output Cumsum(Graph& graph, const Input& x, const Input& axis, const CumsumAttrs& attrs) {
  NodeBuilder node(graph, "Cumsum", attrs.name);
  node.In(x);
  node.In(axis);
  node.Attr("exclusive", attrs.exclusive);
  node.Attr("reverse", attrs.reverse);
  return node.BuildOutput();
}
Output Cumsum(const Input& x, const Input& axis, const CumsumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{axis}});
  if (graph == nullptr) return {};
  return Cumsum(*graph, x, axis, attrs);
}

Output Digamma(Graph& graph, const Input& x, const DigammaAttrs& attrs) {
  NodeBuilder node(graph, "Digamma", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Digamma(const Input& x, const DigammaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Digamma(*graph, x, attrs);
}

Output Div(Graph& graph, const Input& x, const Input& y, const DivAttrs& attrs) {
  NodeBuilder node(graph, "Div", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Div(const Input& x, const Input& y, const DivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Div(*graph, x, y, attrs);
}

Output DivNoNan(Graph& graph, const Input& x, const Input& y, const DivNoNanAttrs& attrs) {
  NodeBuilder node(graph, "DivNoNan", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output DivNoNan(const Input& x, const Input& y, const DivNoNanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return DivNoNan(*graph, x, y, attrs);
}

Output Einsum(Graph& graph, const InputList& inputs, const std::string& equation, const EinsumAttrs& attrs) {
  NodeBuilder node(graph, "Einsum", attrs.name);
  node.In(inputs);
  node.Attr("equation", equation);
  return node.BuildOutput();
}
Output Einsum(const InputList& inputs, const std::string& equation, const EinsumAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return Einsum(*graph, inputs, equation, attrs);
}

Output Equal(Graph& graph, const Input& x, const Input& y, const EqualAttrs& attrs) {
  NodeBuilder node(graph, "Equal", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("incompatible_shape_error", attrs.incompatible_shape_error);
  return node.BuildOutput();
}
Output Equal(const Input& x, const Input& y, const EqualAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Equal(*graph, x, y, attrs);
}

Output Erf(Graph& graph, const Input& x, const ErfAttrs& attrs) {
  NodeBuilder node(graph, "Erf", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Erf(const Input& x, const ErfAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Erf(*graph, x, attrs);
}

Output Erfc(Graph& graph, const Input& x, const ErfcAttrs& attrs) {
  NodeBuilder node(graph, "Erfc", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Erfc(const Input& x, const ErfcAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Erfc(*graph, x, attrs);
}

Output Erfinv(Graph& graph, const Input& x, const ErfinvAttrs& attrs) {
  NodeBuilder node(graph, "Erfinv", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Erfinv(const Input& x, const ErfinvAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Erfinv(*graph, x, attrs);
}

Output EuclideanNorm(Graph& graph, const Input& input, const Input& reduction_indices, const EuclideanNormAttrs& attrs) {
  NodeBuilder node(graph, "EuclideanNorm", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output EuclideanNorm(const Input& input, const Input& reduction_indices, const EuclideanNormAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return EuclideanNorm(*graph, input, reduction_indices, attrs);
}

Output Exp(Graph& graph, const Input& x, const ExpAttrs& attrs) {
  NodeBuilder node(graph, "Exp", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Exp(const Input& x, const ExpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Exp(*graph, x, attrs);
}

Output Expm1(Graph& graph, const Input& x, const Expm1Attrs& attrs) {
  NodeBuilder node(graph, "Expm1", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Expm1(const Input& x, const Expm1Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Expm1(*graph, x, attrs);
}

Output Floor(Graph& graph, const Input& x, const FloorAttrs& attrs) {
  NodeBuilder node(graph, "Floor", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Floor(const Input& x, const FloorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Floor(*graph, x, attrs);
}

Output FloorDiv(Graph& graph, const Input& x, const Input& y, const FloorDivAttrs& attrs) {
  NodeBuilder node(graph, "FloorDiv", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output FloorDiv(const Input& x, const Input& y, const FloorDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return FloorDiv(*graph, x, y, attrs);
}

Output FloorMod(Graph& graph, const Input& x, const Input& y, const FloorModAttrs& attrs) {
  NodeBuilder node(graph, "FloorMod", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output FloorMod(const Input& x, const Input& y, const FloorModAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return FloorMod(*graph, x, y, attrs);
}

Output Greater(Graph& graph, const Input& x, const Input& y, const GreaterAttrs& attrs) {
  NodeBuilder node(graph, "Greater", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Greater(const Input& x, const Input& y, const GreaterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Greater(*graph, x, y, attrs);
}

Output GreaterEqual(Graph& graph, const Input& x, const Input& y, const GreaterEqualAttrs& attrs) {
  NodeBuilder node(graph, "GreaterEqual", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output GreaterEqual(const Input& x, const Input& y, const GreaterEqualAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return GreaterEqual(*graph, x, y, attrs);
}

Output HistogramFixedWidth(Graph& graph, const Input& values, const Input& value_range, const Input& nbins, const HistogramFixedWidthAttrs& attrs) {
  NodeBuilder node(graph, "HistogramFixedWidth", attrs.name);
  node.In(values);
  node.In(value_range);
  node.In(nbins);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output HistogramFixedWidth(const Input& values, const Input& value_range, const Input& nbins, const HistogramFixedWidthAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{values}, InputList{value_range}, InputList{nbins}});
  if (graph == nullptr) return {};
  return HistogramFixedWidth(*graph, values, value_range, nbins, attrs);
}

Output Igamma(Graph& graph, const Input& a, const Input& x, const IgammaAttrs& attrs) {
  NodeBuilder node(graph, "Igamma", attrs.name);
  node.In(a);
  node.In(x);
  return node.BuildOutput();
}
Output Igamma(const Input& a, const Input& x, const IgammaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{x}});
  if (graph == nullptr) return {};
  return Igamma(*graph, a, x, attrs);
}

Output IgammaGradA(Graph& graph, const Input& a, const Input& x, const IgammaGradAAttrs& attrs) {
  NodeBuilder node(graph, "IgammaGradA", attrs.name);
  node.In(a);
  node.In(x);
  return node.BuildOutput();
}
Output IgammaGradA(const Input& a, const Input& x, const IgammaGradAAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{x}});
  if (graph == nullptr) return {};
  return IgammaGradA(*graph, a, x, attrs);
}

Output Igammac(Graph& graph, const Input& a, const Input& x, const IgammacAttrs& attrs) {
  NodeBuilder node(graph, "Igammac", attrs.name);
  node.In(a);
  node.In(x);
  return node.BuildOutput();
}
Output Igammac(const Input& a, const Input& x, const IgammacAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{x}});
  if (graph == nullptr) return {};
  return Igammac(*graph, a, x, attrs);
}

Output Imag(Graph& graph, const Input& input, const ImagAttrs& attrs) {
  NodeBuilder node(graph, "Imag", attrs.name);
  node.In(input);
  node.Attr("Tout", attrs.Tout);
  return node.BuildOutput();
}
Output Imag(const Input& input, const ImagAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Imag(*graph, input, attrs);
}

Output Inv(Graph& graph, const Input& x, const InvAttrs& attrs) {
  NodeBuilder node(graph, "Inv", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Inv(const Input& x, const InvAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Inv(*graph, x, attrs);
}

Output InvGrad(Graph& graph, const Input& y, const Input& dy, const InvGradAttrs& attrs) {
  NodeBuilder node(graph, "InvGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output InvGrad(const Input& y, const Input& dy, const InvGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return InvGrad(*graph, y, dy, attrs);
}

Output Invert(Graph& graph, const Input& x, const InvertAttrs& attrs) {
  NodeBuilder node(graph, "Invert", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Invert(const Input& x, const InvertAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Invert(*graph, x, attrs);
}

Output IsFinite(Graph& graph, const Input& x, const IsFiniteAttrs& attrs) {
  NodeBuilder node(graph, "IsFinite", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output IsFinite(const Input& x, const IsFiniteAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return IsFinite(*graph, x, attrs);
}

Output IsInf(Graph& graph, const Input& x, const IsInfAttrs& attrs) {
  NodeBuilder node(graph, "IsInf", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output IsInf(const Input& x, const IsInfAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return IsInf(*graph, x, attrs);
}

Output IsNan(Graph& graph, const Input& x, const IsNanAttrs& attrs) {
  NodeBuilder node(graph, "IsNan", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output IsNan(const Input& x, const IsNanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return IsNan(*graph, x, attrs);
}

Output LeftShift(Graph& graph, const Input& x, const Input& y, const LeftShiftAttrs& attrs) {
  NodeBuilder node(graph, "LeftShift", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output LeftShift(const Input& x, const Input& y, const LeftShiftAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return LeftShift(*graph, x, y, attrs);
}

Output Less(Graph& graph, const Input& x, const Input& y, const LessAttrs& attrs) {
  NodeBuilder node(graph, "Less", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Less(const Input& x, const Input& y, const LessAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Less(*graph, x, y, attrs);
}

Output LessEqual(Graph& graph, const Input& x, const Input& y, const LessEqualAttrs& attrs) {
  NodeBuilder node(graph, "LessEqual", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output LessEqual(const Input& x, const Input& y, const LessEqualAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return LessEqual(*graph, x, y, attrs);
}

Output Lgamma(Graph& graph, const Input& x, const LgammaAttrs& attrs) {
  NodeBuilder node(graph, "Lgamma", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Lgamma(const Input& x, const LgammaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Lgamma(*graph, x, attrs);
}

Output LinSpace(Graph& graph, const Input& start, const Input& stop, const Input& num, const LinSpaceAttrs& attrs) {
  NodeBuilder node(graph, "LinSpace", attrs.name);
  node.In(start);
  node.In(stop);
  node.In(num);
  return node.BuildOutput();
}
Output LinSpace(const Input& start, const Input& stop, const Input& num, const LinSpaceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{start}, InputList{stop}, InputList{num}});
  if (graph == nullptr) return {};
  return LinSpace(*graph, start, stop, num, attrs);
}

Output Log(Graph& graph, const Input& x, const LogAttrs& attrs) {
  NodeBuilder node(graph, "Log", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Log(const Input& x, const LogAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Log(*graph, x, attrs);
}

Output Log1p(Graph& graph, const Input& x, const Log1pAttrs& attrs) {
  NodeBuilder node(graph, "Log1p", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Log1p(const Input& x, const Log1pAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Log1p(*graph, x, attrs);
}

LogMatrixDeterminantResult LogMatrixDeterminant(Graph& graph, const Input& input, const LogMatrixDeterminantAttrs& attrs) {
  NodeBuilder node(graph, "LogMatrixDeterminant", attrs.name);
  node.In(input);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
LogMatrixDeterminantResult LogMatrixDeterminant(const Input& input, const LogMatrixDeterminantAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return LogMatrixDeterminant(*graph, input, attrs);
}

Output LogicalAnd(Graph& graph, const Input& x, const Input& y, const LogicalAndAttrs& attrs) {
  NodeBuilder node(graph, "LogicalAnd", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output LogicalAnd(const Input& x, const Input& y, const LogicalAndAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return LogicalAnd(*graph, x, y, attrs);
}

Output LogicalNot(Graph& graph, const Input& x, const LogicalNotAttrs& attrs) {
  NodeBuilder node(graph, "LogicalNot", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output LogicalNot(const Input& x, const LogicalNotAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return LogicalNot(*graph, x, attrs);
}

Output LogicalOr(Graph& graph, const Input& x, const Input& y, const LogicalOrAttrs& attrs) {
  NodeBuilder node(graph, "LogicalOr", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output LogicalOr(const Input& x, const Input& y, const LogicalOrAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return LogicalOr(*graph, x, y, attrs);
}

Output MatMul(Graph& graph, const Input& a, const Input& b, const MatMulAttrs& attrs) {
  NodeBuilder node(graph, "MatMul", attrs.name);
  node.In(a);
  node.In(b);
  node.Attr("transpose_a", attrs.transpose_a);
  node.Attr("transpose_b", attrs.transpose_b);
  return node.BuildOutput();
}
Output MatMul(const Input& a, const Input& b, const MatMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}});
  if (graph == nullptr) return {};
  return MatMul(*graph, a, b, attrs);
}

Output MatrixDeterminant(Graph& graph, const Input& input, const MatrixDeterminantAttrs& attrs) {
  NodeBuilder node(graph, "MatrixDeterminant", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output MatrixDeterminant(const Input& input, const MatrixDeterminantAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MatrixDeterminant(*graph, input, attrs);
}

Output MatrixInverse(Graph& graph, const Input& input, const MatrixInverseAttrs& attrs) {
  NodeBuilder node(graph, "MatrixInverse", attrs.name);
  node.In(input);
  node.Attr("adjoint", attrs.adjoint);
  return node.BuildOutput();
}
Output MatrixInverse(const Input& input, const MatrixInverseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MatrixInverse(*graph, input, attrs);
}

Output MatrixSolve(Graph& graph, const Input& matrix, const Input& rhs, const MatrixSolveAttrs& attrs) {
  NodeBuilder node(graph, "MatrixSolve", attrs.name);
  node.In(matrix);
  node.In(rhs);
  node.Attr("adjoint", attrs.adjoint);
  return node.BuildOutput();
}
Output MatrixSolve(const Input& matrix, const Input& rhs, const MatrixSolveAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{matrix}, InputList{rhs}});
  if (graph == nullptr) return {};
  return MatrixSolve(*graph, matrix, rhs, attrs);
}

Output MatrixSolveLs(Graph& graph, const Input& matrix, const Input& rhs, const Input& l2_regularizer, const MatrixSolveLsAttrs& attrs) {
  NodeBuilder node(graph, "MatrixSolveLs", attrs.name);
  node.In(matrix);
  node.In(rhs);
  node.In(l2_regularizer);
  node.Attr("fast", attrs.fast);
  return node.BuildOutput();
}
Output MatrixSolveLs(const Input& matrix, const Input& rhs, const Input& l2_regularizer, const MatrixSolveLsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{matrix}, InputList{rhs}, InputList{l2_regularizer}});
  if (graph == nullptr) return {};
  return MatrixSolveLs(*graph, matrix, rhs, l2_regularizer, attrs);
}

Output MatrixSquareRoot(Graph& graph, const Input& input, const MatrixSquareRootAttrs& attrs) {
  NodeBuilder node(graph, "MatrixSquareRoot", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output MatrixSquareRoot(const Input& input, const MatrixSquareRootAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MatrixSquareRoot(*graph, input, attrs);
}

Output MatrixTriangularSolve(Graph& graph, const Input& matrix, const Input& rhs, const MatrixTriangularSolveAttrs& attrs) {
  NodeBuilder node(graph, "MatrixTriangularSolve", attrs.name);
  node.In(matrix);
  node.In(rhs);
  node.Attr("lower", attrs.lower);
  node.Attr("adjoint", attrs.adjoint);
  return node.BuildOutput();
}
Output MatrixTriangularSolve(const Input& matrix, const Input& rhs, const MatrixTriangularSolveAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{matrix}, InputList{rhs}});
  if (graph == nullptr) return {};
  return MatrixTriangularSolve(*graph, matrix, rhs, attrs);
}

Output Max(Graph& graph, const Input& input, const Input& reduction_indices, const MaxAttrs& attrs) {
  NodeBuilder node(graph, "Max", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Max(const Input& input, const Input& reduction_indices, const MaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Max(*graph, input, reduction_indices, attrs);
}

Output Maximum(Graph& graph, const Input& x, const Input& y, const MaximumAttrs& attrs) {
  NodeBuilder node(graph, "Maximum", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Maximum(const Input& x, const Input& y, const MaximumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Maximum(*graph, x, y, attrs);
}

Output Mean(Graph& graph, const Input& input, const Input& reduction_indices, const MeanAttrs& attrs) {
  NodeBuilder node(graph, "Mean", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Mean(const Input& input, const Input& reduction_indices, const MeanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Mean(*graph, input, reduction_indices, attrs);
}

Output Min(Graph& graph, const Input& input, const Input& reduction_indices, const MinAttrs& attrs) {
  NodeBuilder node(graph, "Min", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Min(const Input& input, const Input& reduction_indices, const MinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Min(*graph, input, reduction_indices, attrs);
}

Output Minimum(Graph& graph, const Input& x, const Input& y, const MinimumAttrs& attrs) {
  NodeBuilder node(graph, "Minimum", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Minimum(const Input& x, const Input& y, const MinimumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Minimum(*graph, x, y, attrs);
}

Output Mod(Graph& graph, const Input& x, const Input& y, const ModAttrs& attrs) {
  NodeBuilder node(graph, "Mod", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Mod(const Input& x, const Input& y, const ModAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Mod(*graph, x, y, attrs);
}

Output Mul(Graph& graph, const Input& x, const Input& y, const MulAttrs& attrs) {
  NodeBuilder node(graph, "Mul", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Mul(const Input& x, const Input& y, const MulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Mul(*graph, x, y, attrs);
}

Output MulNoNan(Graph& graph, const Input& x, const Input& y, const MulNoNanAttrs& attrs) {
  NodeBuilder node(graph, "MulNoNan", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output MulNoNan(const Input& x, const Input& y, const MulNoNanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return MulNoNan(*graph, x, y, attrs);
}

Output Multinomial(Graph& graph, const Input& logits, const Input& num_samples, const MultinomialAttrs& attrs) {
  NodeBuilder node(graph, "Multinomial", attrs.name);
  node.In(logits);
  node.In(num_samples);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("output_dtype", attrs.output_dtype);
  return node.BuildOutput();
}
Output Multinomial(const Input& logits, const Input& num_samples, const MultinomialAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{logits}, InputList{num_samples}});
  if (graph == nullptr) return {};
  return Multinomial(*graph, logits, num_samples, attrs);
}

Output Ndtri(Graph& graph, const Input& x, const NdtriAttrs& attrs) {
  NodeBuilder node(graph, "Ndtri", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Ndtri(const Input& x, const NdtriAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Ndtri(*graph, x, attrs);
}

Output Neg(Graph& graph, const Input& x, const NegAttrs& attrs) {
  NodeBuilder node(graph, "Neg", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Neg(const Input& x, const NegAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Neg(*graph, x, attrs);
}

Output NextAfter(Graph& graph, const Input& x1, const Input& x2, const NextAfterAttrs& attrs) {
  NodeBuilder node(graph, "NextAfter", attrs.name);
  node.In(x1);
  node.In(x2);
  return node.BuildOutput();
}
Output NextAfter(const Input& x1, const Input& x2, const NextAfterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x1}, InputList{x2}});
  if (graph == nullptr) return {};
  return NextAfter(*graph, x1, x2, attrs);
}

Output NotEqual(Graph& graph, const Input& x, const Input& y, const NotEqualAttrs& attrs) {
  NodeBuilder node(graph, "NotEqual", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("incompatible_shape_error", attrs.incompatible_shape_error);
  return node.BuildOutput();
}
Output NotEqual(const Input& x, const Input& y, const NotEqualAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return NotEqual(*graph, x, y, attrs);
}

Output ParameterizedTruncatedNormal(Graph& graph, const Input& shape, const Input& means, const Input& stdevs, const Input& minvals, const Input& maxvals, const ParameterizedTruncatedNormalAttrs& attrs) {
  NodeBuilder node(graph, "ParameterizedTruncatedNormal", attrs.name);
  node.In(shape);
  node.In(means);
  node.In(stdevs);
  node.In(minvals);
  node.In(maxvals);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output ParameterizedTruncatedNormal(const Input& shape, const Input& means, const Input& stdevs, const Input& minvals, const Input& maxvals, const ParameterizedTruncatedNormalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{means}, InputList{stdevs}, InputList{minvals}, InputList{maxvals}});
  if (graph == nullptr) return {};
  return ParameterizedTruncatedNormal(*graph, shape, means, stdevs, minvals, maxvals, attrs);
}

Output Polygamma(Graph& graph, const Input& a, const Input& x, const PolygammaAttrs& attrs) {
  NodeBuilder node(graph, "Polygamma", attrs.name);
  node.In(a);
  node.In(x);
  return node.BuildOutput();
}
Output Polygamma(const Input& a, const Input& x, const PolygammaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{x}});
  if (graph == nullptr) return {};
  return Polygamma(*graph, a, x, attrs);
}

Output PopulationCount(Graph& graph, const Input& x, const PopulationCountAttrs& attrs) {
  NodeBuilder node(graph, "PopulationCount", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output PopulationCount(const Input& x, const PopulationCountAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return PopulationCount(*graph, x, attrs);
}

Output Pow(Graph& graph, const Input& x, const Input& y, const PowAttrs& attrs) {
  NodeBuilder node(graph, "Pow", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Pow(const Input& x, const Input& y, const PowAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Pow(*graph, x, y, attrs);
}

Output Prod(Graph& graph, const Input& input, const Input& reduction_indices, const ProdAttrs& attrs) {
  NodeBuilder node(graph, "Prod", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Prod(const Input& input, const Input& reduction_indices, const ProdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Prod(*graph, input, reduction_indices, attrs);
}

QrResult Qr(Graph& graph, const Input& input, const QrAttrs& attrs) {
  NodeBuilder node(graph, "Qr", attrs.name);
  node.In(input);
  node.Attr("full_matrices", attrs.full_matrices);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
QrResult Qr(const Input& input, const QrAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Qr(*graph, input, attrs);
}

Output RandomGamma(Graph& graph, const Input& shape, const Input& alpha, const RandomGammaAttrs& attrs) {
  NodeBuilder node(graph, "RandomGamma", attrs.name);
  node.In(shape);
  node.In(alpha);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output RandomGamma(const Input& shape, const Input& alpha, const RandomGammaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{alpha}});
  if (graph == nullptr) return {};
  return RandomGamma(*graph, shape, alpha, attrs);
}

Output RandomGammaGrad(Graph& graph, const Input& alpha, const Input& sample, const RandomGammaGradAttrs& attrs) {
  NodeBuilder node(graph, "RandomGammaGrad", attrs.name);
  node.In(alpha);
  node.In(sample);
  return node.BuildOutput();
}
Output RandomGammaGrad(const Input& alpha, const Input& sample, const RandomGammaGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{alpha}, InputList{sample}});
  if (graph == nullptr) return {};
  return RandomGammaGrad(*graph, alpha, sample, attrs);
}

Output RandomPoissonV2(Graph& graph, const Input& shape, const Input& rate, const RandomPoissonV2Attrs& attrs) {
  NodeBuilder node(graph, "RandomPoissonV2", attrs.name);
  node.In(shape);
  node.In(rate);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output RandomPoissonV2(const Input& shape, const Input& rate, const RandomPoissonV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{rate}});
  if (graph == nullptr) return {};
  return RandomPoissonV2(*graph, shape, rate, attrs);
}

Output RandomShuffle(Graph& graph, const Input& value, const RandomShuffleAttrs& attrs) {
  NodeBuilder node(graph, "RandomShuffle", attrs.name);
  node.In(value);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output RandomShuffle(const Input& value, const RandomShuffleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}});
  if (graph == nullptr) return {};
  return RandomShuffle(*graph, value, attrs);
}

Output RandomStandardNormal(Graph& graph, const Input& shape, DType dtype, const RandomStandardNormalAttrs& attrs) {
  NodeBuilder node(graph, "RandomStandardNormal", attrs.name);
  node.In(shape);
  node.Attr("dtype", dtype);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output RandomStandardNormal(const Input& shape, DType dtype, const RandomStandardNormalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}});
  if (graph == nullptr) return {};
  return RandomStandardNormal(*graph, shape, dtype, attrs);
}

Output RandomUniform(Graph& graph, const Input& shape, DType dtype, const RandomUniformAttrs& attrs) {
  NodeBuilder node(graph, "RandomUniform", attrs.name);
  node.In(shape);
  node.Attr("dtype", dtype);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output RandomUniform(const Input& shape, DType dtype, const RandomUniformAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}});
  if (graph == nullptr) return {};
  return RandomUniform(*graph, shape, dtype, attrs);
}

Output RandomUniformInt(Graph& graph, const Input& shape, const Input& minval, const Input& maxval, const RandomUniformIntAttrs& attrs) {
  NodeBuilder node(graph, "RandomUniformInt", attrs.name);
  node.In(shape);
  node.In(minval);
  node.In(maxval);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output RandomUniformInt(const Input& shape, const Input& minval, const Input& maxval, const RandomUniformIntAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{minval}, InputList{maxval}});
  if (graph == nullptr) return {};
  return RandomUniformInt(*graph, shape, minval, maxval, attrs);
}

Output Range(Graph& graph, const Input& start, const Input& limit, const Input& delta, const RangeAttrs& attrs) {
  NodeBuilder node(graph, "Range", attrs.name);
  node.In(start);
  node.In(limit);
  node.In(delta);
  return node.BuildOutput();
}
Output Range(const Input& start, const Input& limit, const Input& delta, const RangeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{start}, InputList{limit}, InputList{delta}});
  if (graph == nullptr) return {};
  return Range(*graph, start, limit, delta, attrs);
}

Output Real(Graph& graph, const Input& input, const RealAttrs& attrs) {
  NodeBuilder node(graph, "Real", attrs.name);
  node.In(input);
  node.Attr("Tout", attrs.Tout);
  return node.BuildOutput();
}
Output Real(const Input& input, const RealAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Real(*graph, input, attrs);
}

Output RealDiv(Graph& graph, const Input& x, const Input& y, const RealDivAttrs& attrs) {
  NodeBuilder node(graph, "RealDiv", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output RealDiv(const Input& x, const Input& y, const RealDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return RealDiv(*graph, x, y, attrs);
}

Output Reciprocal(Graph& graph, const Input& x, const ReciprocalAttrs& attrs) {
  NodeBuilder node(graph, "Reciprocal", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Reciprocal(const Input& x, const ReciprocalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Reciprocal(*graph, x, attrs);
}

Output ReciprocalGrad(Graph& graph, const Input& y, const Input& dy, const ReciprocalGradAttrs& attrs) {
  NodeBuilder node(graph, "ReciprocalGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output ReciprocalGrad(const Input& y, const Input& dy, const ReciprocalGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return ReciprocalGrad(*graph, y, dy, attrs);
}

Output RightShift(Graph& graph, const Input& x, const Input& y, const RightShiftAttrs& attrs) {
  NodeBuilder node(graph, "RightShift", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output RightShift(const Input& x, const Input& y, const RightShiftAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return RightShift(*graph, x, y, attrs);
}

Output Rint(Graph& graph, const Input& x, const RintAttrs& attrs) {
  NodeBuilder node(graph, "Rint", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Rint(const Input& x, const RintAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Rint(*graph, x, attrs);
}

Output Round(Graph& graph, const Input& x, const RoundAttrs& attrs) {
  NodeBuilder node(graph, "Round", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Round(const Input& x, const RoundAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Round(*graph, x, attrs);
}

Output Rsqrt(Graph& graph, const Input& x, const RsqrtAttrs& attrs) {
  NodeBuilder node(graph, "Rsqrt", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Rsqrt(const Input& x, const RsqrtAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Rsqrt(*graph, x, attrs);
}

Output RsqrtGrad(Graph& graph, const Input& y, const Input& dy, const RsqrtGradAttrs& attrs) {
  NodeBuilder node(graph, "RsqrtGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output RsqrtGrad(const Input& y, const Input& dy, const RsqrtGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return RsqrtGrad(*graph, y, dy, attrs);
}

Output SegmentMax(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMaxAttrs& attrs) {
  NodeBuilder node(graph, "SegmentMax", attrs.name);
  node.In(data);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SegmentMax(const Input& data, const Input& segment_ids, const SegmentMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SegmentMax(*graph, data, segment_ids, attrs);
}

Output SegmentMean(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMeanAttrs& attrs) {
  NodeBuilder node(graph, "SegmentMean", attrs.name);
  node.In(data);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SegmentMean(const Input& data, const Input& segment_ids, const SegmentMeanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SegmentMean(*graph, data, segment_ids, attrs);
}

Output SegmentMin(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMinAttrs& attrs) {
  NodeBuilder node(graph, "SegmentMin", attrs.name);
  node.In(data);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SegmentMin(const Input& data, const Input& segment_ids, const SegmentMinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SegmentMin(*graph, data, segment_ids, attrs);
}

Output SegmentProd(Graph& graph, const Input& data, const Input& segment_ids, const SegmentProdAttrs& attrs) {
  NodeBuilder node(graph, "SegmentProd", attrs.name);
  node.In(data);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SegmentProd(const Input& data, const Input& segment_ids, const SegmentProdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SegmentProd(*graph, data, segment_ids, attrs);
}

Output SegmentSum(Graph& graph, const Input& data, const Input& segment_ids, const SegmentSumAttrs& attrs) {
  NodeBuilder node(graph, "SegmentSum", attrs.name);
  node.In(data);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SegmentSum(const Input& data, const Input& segment_ids, const SegmentSumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SegmentSum(*graph, data, segment_ids, attrs);
}

Output Select(Graph& graph, const Input& condition, const Input& t, const Input& e, const SelectAttrs& attrs) {
  NodeBuilder node(graph, "Select", attrs.name);
  node.In(condition);
  node.In(t);
  node.In(e);
  return node.BuildOutput();
}
Output Select(const Input& condition, const Input& t, const Input& e, const SelectAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{condition}, InputList{t}, InputList{e}});
  if (graph == nullptr) return {};
  return Select(*graph, condition, t, e, attrs);
}

Output SelectV2(Graph& graph, const Input& condition, const Input& t, const Input& e, const SelectV2Attrs& attrs) {
  NodeBuilder node(graph, "SelectV2", attrs.name);
  node.In(condition);
  node.In(t);
  node.In(e);
  return node.BuildOutput();
}
Output SelectV2(const Input& condition, const Input& t, const Input& e, const SelectV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{condition}, InputList{t}, InputList{e}});
  if (graph == nullptr) return {};
  return SelectV2(*graph, condition, t, e, attrs);
}

SelfAdjointEigV2Result SelfAdjointEigV2(Graph& graph, const Input& input, const SelfAdjointEigV2Attrs& attrs) {
  NodeBuilder node(graph, "SelfAdjointEigV2", attrs.name);
  node.In(input);
  node.Attr("compute_v", attrs.compute_v);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SelfAdjointEigV2Result SelfAdjointEigV2(const Input& input, const SelfAdjointEigV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return SelfAdjointEigV2(*graph, input, attrs);
}

Output Sigmoid(Graph& graph, const Input& x, const SigmoidAttrs& attrs) {
  NodeBuilder node(graph, "Sigmoid", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Sigmoid(const Input& x, const SigmoidAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Sigmoid(*graph, x, attrs);
}

Output SigmoidGrad(Graph& graph, const Input& y, const Input& dy, const SigmoidGradAttrs& attrs) {
  NodeBuilder node(graph, "SigmoidGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output SigmoidGrad(const Input& y, const Input& dy, const SigmoidGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return SigmoidGrad(*graph, y, dy, attrs);
}

Output Sign(Graph& graph, const Input& x, const SignAttrs& attrs) {
  NodeBuilder node(graph, "Sign", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Sign(const Input& x, const SignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Sign(*graph, x, attrs);
}

Output Sin(Graph& graph, const Input& x, const SinAttrs& attrs) {
  NodeBuilder node(graph, "Sin", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Sin(const Input& x, const SinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Sin(*graph, x, attrs);
}

Output Sinh(Graph& graph, const Input& x, const SinhAttrs& attrs) {
  NodeBuilder node(graph, "Sinh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Sinh(const Input& x, const SinhAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Sinh(*graph, x, attrs);
}

Output SparseMatMul(Graph& graph, const Input& a, const Input& b, const SparseMatMulAttrs& attrs) {
  NodeBuilder node(graph, "SparseMatMul", attrs.name);
  node.In(a);
  node.In(b);
  node.Attr("transpose_a", attrs.transpose_a);
  node.Attr("transpose_b", attrs.transpose_b);
  node.Attr("a_is_sparse", attrs.a_is_sparse);
  node.Attr("b_is_sparse", attrs.b_is_sparse);
  return node.BuildOutput();
}
Output SparseMatMul(const Input& a, const Input& b, const SparseMatMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}});
  if (graph == nullptr) return {};
  return SparseMatMul(*graph, a, b, attrs);
}

Output SparseSegmentMean(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentMeanAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentMean", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SparseSegmentMean(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentMeanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SparseSegmentMean(*graph, data, indices, segment_ids, attrs);
}

Output SparseSegmentMeanGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentMeanGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentMeanGrad", attrs.name);
  node.In(grad);
  node.In(indices);
  node.In(segment_ids);
  node.In(output_dim0);
  return node.BuildOutput();
}
Output SparseSegmentMeanGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentMeanGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grad}, InputList{indices}, InputList{segment_ids}, InputList{output_dim0}});
  if (graph == nullptr) return {};
  return SparseSegmentMeanGrad(*graph, grad, indices, segment_ids, output_dim0, attrs);
}

Output SparseSegmentMeanWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentMeanWithNumSegmentsAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentMeanWithNumSegments", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output SparseSegmentMeanWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentMeanWithNumSegmentsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return SparseSegmentMeanWithNumSegments(*graph, data, indices, segment_ids, num_segments, attrs);
}

Output SparseSegmentSqrtN(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSqrtNAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSqrtN", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SparseSegmentSqrtN(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSqrtNAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SparseSegmentSqrtN(*graph, data, indices, segment_ids, attrs);
}

Output SparseSegmentSqrtNGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSqrtNGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSqrtNGrad", attrs.name);
  node.In(grad);
  node.In(indices);
  node.In(segment_ids);
  node.In(output_dim0);
  return node.BuildOutput();
}
Output SparseSegmentSqrtNGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSqrtNGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grad}, InputList{indices}, InputList{segment_ids}, InputList{output_dim0}});
  if (graph == nullptr) return {};
  return SparseSegmentSqrtNGrad(*graph, grad, indices, segment_ids, output_dim0, attrs);
}

Output SparseSegmentSqrtNWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSqrtNWithNumSegmentsAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSqrtNWithNumSegments", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output SparseSegmentSqrtNWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSqrtNWithNumSegmentsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return SparseSegmentSqrtNWithNumSegments(*graph, data, indices, segment_ids, num_segments, attrs);
}

Output SparseSegmentSum(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSumAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSum", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  return node.BuildOutput();
}
Output SparseSegmentSum(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}});
  if (graph == nullptr) return {};
  return SparseSegmentSum(*graph, data, indices, segment_ids, attrs);
}

Output SparseSegmentSumGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSumGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSumGrad", attrs.name);
  node.In(grad);
  node.In(indices);
  node.In(segment_ids);
  node.In(output_dim0);
  return node.BuildOutput();
}
Output SparseSegmentSumGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSumGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grad}, InputList{indices}, InputList{segment_ids}, InputList{output_dim0}});
  if (graph == nullptr) return {};
  return SparseSegmentSumGrad(*graph, grad, indices, segment_ids, output_dim0, attrs);
}

Output SparseSegmentSumWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSumWithNumSegmentsAttrs& attrs) {
  NodeBuilder node(graph, "SparseSegmentSumWithNumSegments", attrs.name);
  node.In(data);
  node.In(indices);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output SparseSegmentSumWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSumWithNumSegmentsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{indices}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return SparseSegmentSumWithNumSegments(*graph, data, indices, segment_ids, num_segments, attrs);
}

Output Sqrt(Graph& graph, const Input& x, const SqrtAttrs& attrs) {
  NodeBuilder node(graph, "Sqrt", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Sqrt(const Input& x, const SqrtAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Sqrt(*graph, x, attrs);
}

Output SqrtGrad(Graph& graph, const Input& y, const Input& dy, const SqrtGradAttrs& attrs) {
  NodeBuilder node(graph, "SqrtGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output SqrtGrad(const Input& y, const Input& dy, const SqrtGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return SqrtGrad(*graph, y, dy, attrs);
}

Output Square(Graph& graph, const Input& x, const SquareAttrs& attrs) {
  NodeBuilder node(graph, "Square", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Square(const Input& x, const SquareAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Square(*graph, x, attrs);
}

Output SquaredDifference(Graph& graph, const Input& x, const Input& y, const SquaredDifferenceAttrs& attrs) {
  NodeBuilder node(graph, "SquaredDifference", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output SquaredDifference(const Input& x, const Input& y, const SquaredDifferenceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return SquaredDifference(*graph, x, y, attrs);
}

Output StatelessMultinomial(Graph& graph, const Input& logits, const Input& num_samples, const Input& seed, const StatelessMultinomialAttrs& attrs) {
  NodeBuilder node(graph, "StatelessMultinomial", attrs.name);
  node.In(logits);
  node.In(num_samples);
  node.In(seed);
  node.Attr("output_dtype", attrs.output_dtype);
  return node.BuildOutput();
}
Output StatelessMultinomial(const Input& logits, const Input& num_samples, const Input& seed, const StatelessMultinomialAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{logits}, InputList{num_samples}, InputList{seed}});
  if (graph == nullptr) return {};
  return StatelessMultinomial(*graph, logits, num_samples, seed, attrs);
}

Output StatelessRandomNormal(Graph& graph, const Input& shape, const Input& seed, const StatelessRandomNormalAttrs& attrs) {
  NodeBuilder node(graph, "StatelessRandomNormal", attrs.name);
  node.In(shape);
  node.In(seed);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output StatelessRandomNormal(const Input& shape, const Input& seed, const StatelessRandomNormalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{seed}});
  if (graph == nullptr) return {};
  return StatelessRandomNormal(*graph, shape, seed, attrs);
}

Output StatelessRandomUniform(Graph& graph, const Input& shape, const Input& seed, const StatelessRandomUniformAttrs& attrs) {
  NodeBuilder node(graph, "StatelessRandomUniform", attrs.name);
  node.In(shape);
  node.In(seed);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output StatelessRandomUniform(const Input& shape, const Input& seed, const StatelessRandomUniformAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{seed}});
  if (graph == nullptr) return {};
  return StatelessRandomUniform(*graph, shape, seed, attrs);
}

Output StatelessRandomUniformInt(Graph& graph, const Input& shape, const Input& seed, const Input& minval, const Input& maxval, const StatelessRandomUniformIntAttrs& attrs) {
  NodeBuilder node(graph, "StatelessRandomUniformInt", attrs.name);
  node.In(shape);
  node.In(seed);
  node.In(minval);
  node.In(maxval);
  return node.BuildOutput();
}
Output StatelessRandomUniformInt(const Input& shape, const Input& seed, const Input& minval, const Input& maxval, const StatelessRandomUniformIntAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{seed}, InputList{minval}, InputList{maxval}});
  if (graph == nullptr) return {};
  return StatelessRandomUniformInt(*graph, shape, seed, minval, maxval, attrs);
}

Output StatelessTruncatedNormal(Graph& graph, const Input& shape, const Input& seed, const StatelessTruncatedNormalAttrs& attrs) {
  NodeBuilder node(graph, "StatelessTruncatedNormal", attrs.name);
  node.In(shape);
  node.In(seed);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output StatelessTruncatedNormal(const Input& shape, const Input& seed, const StatelessTruncatedNormalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{seed}});
  if (graph == nullptr) return {};
  return StatelessTruncatedNormal(*graph, shape, seed, attrs);
}

Output Sub(Graph& graph, const Input& x, const Input& y, const SubAttrs& attrs) {
  NodeBuilder node(graph, "Sub", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Sub(const Input& x, const Input& y, const SubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Sub(*graph, x, y, attrs);
}

Output Sum(Graph& graph, const Input& input, const Input& reduction_indices, const SumAttrs& attrs) {
  NodeBuilder node(graph, "Sum", attrs.name);
  node.In(input);
  node.In(reduction_indices);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output Sum(const Input& input, const Input& reduction_indices, const SumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{reduction_indices}});
  if (graph == nullptr) return {};
  return Sum(*graph, input, reduction_indices, attrs);
}

SvdResult Svd(Graph& graph, const Input& input, const SvdAttrs& attrs) {
  NodeBuilder node(graph, "Svd", attrs.name);
  node.In(input);
  node.Attr("compute_uv", attrs.compute_uv);
  node.Attr("full_matrices", attrs.full_matrices);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SvdResult Svd(const Input& input, const SvdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Svd(*graph, input, attrs);
}

Output Tan(Graph& graph, const Input& x, const TanAttrs& attrs) {
  NodeBuilder node(graph, "Tan", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Tan(const Input& x, const TanAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Tan(*graph, x, attrs);
}

Output Tanh(Graph& graph, const Input& x, const TanhAttrs& attrs) {
  NodeBuilder node(graph, "Tanh", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output Tanh(const Input& x, const TanhAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Tanh(*graph, x, attrs);
}

Output TanhGrad(Graph& graph, const Input& y, const Input& dy, const TanhGradAttrs& attrs) {
  NodeBuilder node(graph, "TanhGrad", attrs.name);
  node.In(y);
  node.In(dy);
  return node.BuildOutput();
}
Output TanhGrad(const Input& y, const Input& dy, const TanhGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y}, InputList{dy}});
  if (graph == nullptr) return {};
  return TanhGrad(*graph, y, dy, attrs);
}

Output TruncateDiv(Graph& graph, const Input& x, const Input& y, const TruncateDivAttrs& attrs) {
  NodeBuilder node(graph, "TruncateDiv", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output TruncateDiv(const Input& x, const Input& y, const TruncateDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return TruncateDiv(*graph, x, y, attrs);
}

Output TruncateMod(Graph& graph, const Input& x, const Input& y, const TruncateModAttrs& attrs) {
  NodeBuilder node(graph, "TruncateMod", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output TruncateMod(const Input& x, const Input& y, const TruncateModAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return TruncateMod(*graph, x, y, attrs);
}

Output TruncatedNormal(Graph& graph, const Input& shape, DType dtype, const TruncatedNormalAttrs& attrs) {
  NodeBuilder node(graph, "TruncatedNormal", attrs.name);
  node.In(shape);
  node.Attr("dtype", dtype);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  return node.BuildOutput();
}
Output TruncatedNormal(const Input& shape, DType dtype, const TruncatedNormalAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}});
  if (graph == nullptr) return {};
  return TruncatedNormal(*graph, shape, dtype, attrs);
}

Output UnsortedSegmentMax(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMaxAttrs& attrs) {
  NodeBuilder node(graph, "UnsortedSegmentMax", attrs.name);
  node.In(data);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output UnsortedSegmentMax(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return UnsortedSegmentMax(*graph, data, segment_ids, num_segments, attrs);
}

Output UnsortedSegmentMin(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMinAttrs& attrs) {
  NodeBuilder node(graph, "UnsortedSegmentMin", attrs.name);
  node.In(data);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output UnsortedSegmentMin(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return UnsortedSegmentMin(*graph, data, segment_ids, num_segments, attrs);
}

Output UnsortedSegmentProd(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentProdAttrs& attrs) {
  NodeBuilder node(graph, "UnsortedSegmentProd", attrs.name);
  node.In(data);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output UnsortedSegmentProd(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentProdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return UnsortedSegmentProd(*graph, data, segment_ids, num_segments, attrs);
}

Output UnsortedSegmentSum(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentSumAttrs& attrs) {
  NodeBuilder node(graph, "UnsortedSegmentSum", attrs.name);
  node.In(data);
  node.In(segment_ids);
  node.In(num_segments);
  return node.BuildOutput();
}
Output UnsortedSegmentSum(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentSumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{segment_ids}, InputList{num_segments}});
  if (graph == nullptr) return {};
  return UnsortedSegmentSum(*graph, data, segment_ids, num_segments, attrs);
}

Output Xdivy(Graph& graph, const Input& x, const Input& y, const XdivyAttrs& attrs) {
  NodeBuilder node(graph, "Xdivy", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Xdivy(const Input& x, const Input& y, const XdivyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Xdivy(*graph, x, y, attrs);
}

Output Xlog1py(Graph& graph, const Input& x, const Input& y, const Xlog1pyAttrs& attrs) {
  NodeBuilder node(graph, "Xlog1py", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Xlog1py(const Input& x, const Input& y, const Xlog1pyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Xlog1py(*graph, x, y, attrs);
}

Output Xlogy(Graph& graph, const Input& x, const Input& y, const XlogyAttrs& attrs) {
  NodeBuilder node(graph, "Xlogy", attrs.name);
  node.In(x);
  node.In(y);
  return node.BuildOutput();
}
Output Xlogy(const Input& x, const Input& y, const XlogyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return Xlogy(*graph, x, y, attrs);
}

Output Zeta(Graph& graph, const Input& x, const Input& q, const ZetaAttrs& attrs) {
  NodeBuilder node(graph, "Zeta", attrs.name);
  node.In(x);
  node.In(q);
  return node.BuildOutput();
}
Output Zeta(const Input& x, const Input& q, const ZetaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{q}});
  if (graph == nullptr) return {};
  return Zeta(*graph, x, q, attrs);
}

}  // namespace weir
