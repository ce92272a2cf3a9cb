#include "graph/compose/distributions.h"

#include <cmath>
#include <numbers>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/distribution_kinds.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"
#include "op/shape_context.h"

namespace weir {
namespace {

PartialShape OuterShape(const PartialShape& shape) {
  if (!shape.known_rank() || shape.rank() == 0) return PartialShape();
  return shape.Sub(0, shape.rank() - 1).value_or(PartialShape());
}

}  // namespace

Output LastDimension(Output x) {
  return raw_ops::StridedSlice(x.graph(), ShapeValue(x.graph(), x), {-1}, {0}, {1},
                               {.end_mask = 1, .shrink_axis_mask = 1});
}

void Distribution::SetShapes(std::vector<Output> scalars, std::vector<Output> vectors) {
  scalars_ = std::move(scalars);
  vectors_ = std::move(vectors);
  for (const auto* list : {&scalars_, &vectors_}) {
    if (!list->empty() && list->front().valid()) parameter_type_ = list->front().base_dtype();
  }
}

PartialShape Distribution::batch_shape() const {
  PartialShape shape = PartialShape::Scalar();
  const auto join = [&](const PartialShape& other) { shape = BroadcastShapes(shape, other).value_or(PartialShape()); };
  for (const Output& x : scalars_) join(x.shape());
  for (const Output& x : vectors_) join(OuterShape(x.shape()));
  return shape;
}

PartialShape Distribution::event_shape() const {
  if (vectors_.empty()) return PartialShape::Scalar();
  PartialShape event = PartialShape::OfRank(1);
  for (const Output& x : vectors_) {
    const PartialShape shape = x.shape();
    if (shape.known_rank() && shape.rank() > 0 && shape[shape.rank() - 1] > 1) event.SetDim(0, shape[shape.rank() - 1]);
    if (shape.known_rank() && shape.rank() > 0 && shape[shape.rank() - 1] == 1 && vectors_.size() == 1)
      event.SetDim(0, 1);
  }
  return event;
}

Output Distribution::BatchShape() const {
  const PartialShape known = batch_shape();
  if (known.fully_defined()) {
    std::vector<int32_t> dims(known.dims().begin(), known.dims().end());
    return Constant(graph_, Tensor::Vector<int32_t>(absl::MakeConstSpan(dims)));
  }
  Output shape = Constant(graph_, Tensor::Vector<int32_t>(absl::Span<const int32_t>()));
  for (const Output& x : scalars_) shape = raw_ops::BroadcastArgs(graph_, shape, ShapeValue(graph_, x));
  for (const Output& x : vectors_) {
    const Output outer = raw_ops::StridedSlice(graph_, ShapeValue(graph_, x), {0}, {-1}, {1}, {.begin_mask = 1});
    shape = raw_ops::BroadcastArgs(graph_, shape, outer);
  }
  return shape;
}

Output Distribution::EventShape() const {
  Output shape = Constant(graph_, Tensor::Vector<int32_t>(absl::Span<const int32_t>()));
  for (const Output& x : vectors_) {
    const Output last = raw_ops::StridedSlice(graph_, ShapeValue(graph_, x), {-1}, {0}, {1}, {.end_mask = 1});
    shape = raw_ops::BroadcastArgs(graph_, shape, last);
  }
  return shape;
}

Output Distribution::parameter(const std::string& name) const {
  const auto it = parameters_.find(name);
  return it == parameters_.end() ? Output() : it->second;
}

Output Distribution::NotImplemented(const char* what) const {
  return FailedOutput(graph_, Unimplemented("{} is not implemented: {}", what, kind_));
}

Output Distribution::SampleDims(Output shape) const {
  const Output rank = raw_ops::Sub(graph_, ShapeValue(graph_, shape), ShapeValue(graph_, BatchShape()));
  return raw_ops::Slice(graph_, shape, {0}, rank);
}

Output Distribution::OverBatch(Output x) const {
  const PartialShape shape = batch_shape();
  if (shape.fully_defined() && x.shape() == shape) return x;
  return raw_ops::BroadcastTo(graph_, x, BatchShape());
}

Output Distribution::Number(double value) const { return ValueOf(graph_, Input(value), parameter_type_, "Const"); }

Output Distribution::Sample(const Input& sample_shape, OpSeed seed) const {
  Output dims;
  const bool empty = sample_shape.absent() ||
                     (sample_shape.literal() != nullptr && sample_shape.literal()->Value(kInt32).has_value() &&
                      sample_shape.literal()->Value(kInt32)->num_elements() == 0);
  if (empty) {
    dims = Constant(graph_, Tensor::Vector<int32_t>(absl::Span<const int32_t>()));
  } else {
    dims = ValueOf(graph_, sample_shape, sample_shape.is_output() ? kInvalidType : kInt32, "sample_shape");
    if (!dims.valid()) return dims;
    dims = raw_ops::Reshape(graph_, CastValue(graph_, dims, kInt32), {-1});
  }
  Output samples = Draw(raw_ops::ConcatV2(graph_, {dims, BatchShape()}, 0), seed);
  if (!samples.valid()) return samples;
  PartialShape shape;
  if (const Tensor known = graph_.ConstantValue(dims); known.valid()) {
    const std::vector<int64_t> sizes = known.Ints();
    shape = PartialShape(DimVector(sizes.begin(), sizes.end())).Concat(batch_shape()).Concat(event_shape());
  }
  graph_.RecordError(graph_.SetShape(samples, shape));
  return samples;
}

Output Distribution::Draw(Output, OpSeed) const { return NotImplemented("sample"); }

// Defaults: Prob is computed from LogProb; LogCdf, Survival and LogSurvival from Cdf.
Output Distribution::LogProb(Output) const { return NotImplemented("log_prob"); }
Output Distribution::Prob(Output x) const { return Exp(LogProb(x)); }
Output Distribution::Cdf(Output) const { return NotImplemented("cdf"); }
Output Distribution::LogCdf(Output x) const { return Log(Cdf(x)); }
Output Distribution::Survival(Output x) const { return 1 - Cdf(x); }
Output Distribution::LogSurvival(Output x) const { return Log1p(-Cdf(x)); }
Output Distribution::Quantile(Output) const { return NotImplemented("quantile"); }
Output Distribution::Mean() const { return NotImplemented("mean"); }
Output Distribution::Variance() const { return NotImplemented("variance"); }
Output Distribution::Stddev() const { return Sqrt(Variance()); }
Output Distribution::Mode() const { return NotImplemented("mode"); }
Output Distribution::Entropy() const { return NotImplemented("entropy"); }
Output Distribution::Covariance() const { return NotImplemented("covariance"); }

Result<DistributionPtr> MakeDistribution(Graph& graph, const std::string& kind, const DistributionInputs& inputs,
                                         DType dtype, bool nan_stats) {
  DistributionSpec spec{graph, kind, {}, dtype, nan_stats};
  DType type = kInvalidType;
  for (const auto& [name, input] : inputs) {
    if (input.is_output()) type = input.output().base_dtype();
  }
  for (const auto& [name, input] : inputs) {
    if (input.absent()) continue;
    DType wanted = type;
    // Counts and probabilities in Python are often integers.
    if (type == kInvalidType && input.literal() != nullptr) {
      const DType natural = input.literal()->NaturalType();
      wanted = natural == kDouble || natural == kHalf ? natural : kFloat;
    }
    const Output value = ValueOf(graph, input, wanted, name);
    if (!value.valid()) return DistributionPtr();
    if (!IsFloating(value.base_dtype()))
      return MarkTypeError(InvalidArgument("{} of {} must be floating point, not {}", name, kind, value.base_dtype()));
    type = value.base_dtype();
    spec.parameters[name] = value;
  }
  for (const auto make : {MakeContinuous, MakeDiscrete, MakeMultivariate}) {
    WEIR_ASSIGN(DistributionPtr made, make(spec));
    if (made != nullptr) return made;
  }
  return NotFound("there is no distribution '{}'", kind);
}

}  // namespace weir
