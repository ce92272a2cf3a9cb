#include "graph/compose/apply_layer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/initializers.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/nn.h"

namespace weir::layers {
namespace {

std::string FormatOf(const ImageWindow& window) {
  constexpr const char* kSpatial[] = {"W", "HW", "DHW"};
  const std::string spatial = kSpatial[window.dims - 1];
  return window.channels_first ? "NC" + spatial : "N" + spatial + "C";
}

WindowOptions OptionsOf(const ImageWindow& window) {
  return {.strides = window.strides,
          .dilations = window.dilations,
          .padding = window.padding,
          .data_format = FormatOf(window)};
}

Output WithBias(Output y, const Input& bias, bool channels_first) {
  if (bias.absent() || !y.valid()) return y;
  return BiasAdd(y.graph(), y, bias, {.data_format = channels_first ? "NCHW" : "NHWC"});
}

// The value of a predicate if it is known at construction time, else nullopt.
std::optional<bool> KnownValue(Graph& graph, const Input& pred) {
  std::optional<Tensor> value;
  if (pred.literal() != nullptr) {
    value = pred.literal()->Value(kBool);
  } else if (pred.is_output()) {
    value = graph.ConstantValue(pred.output());
  }
  if (!value.has_value() || value->dtype() != kBool || value->num_elements() != 1) return std::nullopt;
  return *value->data<bool>();
}

// Builds one branch if the predicate is known, else both as a Cond.
OutputList SmartCond(Graph& graph, const Input& pred, const std::function<OutputList()>& yes,
                     const std::function<OutputList()>& no) {
  if (const std::optional<bool> known = KnownValue(graph, pred)) return *known ? yes() : no();
  const auto branch = [&graph](const std::function<OutputList()>& build) -> BranchFn {
    return [&graph, &build]() -> Result<OutputList> {
      OutputList values = build();
      WEIR_TRY(graph.TakeError());
      return values;
    };
  };
  Result<OutputList> chosen = Cond(graph, pred, branch(yes), branch(no));
  if (chosen.ok()) return *std::move(chosen);
  return {FailedOutput(graph, chosen.status())};
}

}  // namespace

Result<std::vector<int64_t>> SizesFor(int count, const std::vector<int64_t>& sizes, const char* what) {
  std::vector<int64_t> all = sizes;
  if (sizes.size() == 1) all.assign(static_cast<size_t>(count), sizes[0]);
  if (all.size() != static_cast<size_t>(count) || *std::min_element(all.begin(), all.end()) < 1)
    return InvalidArgument("the `{}` argument must be a positive integer or {} of them, but is ({})", what, count,
                           absl::StrJoin(sizes, ", "));
  return all;
}

Result<std::string> PaddingFor(const std::string& padding) {
  std::string upper = absl::AsciiStrToUpper(padding);
  if (upper == "VALID" || upper == "SAME") return upper;
  return InvalidArgument("the `padding` argument must be \"valid\" or \"same\", but is \"{}\"", padding);
}

Result<bool> IsChannelsFirst(const std::string& data_format) {
  if (data_format == "channels_first") return true;
  if (data_format == "channels_last") return false;
  return InvalidArgument("the `data_format` argument must be \"channels_first\" or \"channels_last\", but is \"{}\"",
                         data_format);
}

Result<int64_t> ChannelsOf(const PartialShape& shape, int64_t axis, const std::string& layer) {
  if (!shape.known_rank()) return InvalidArgument("layer {}: the rank of the inputs must be known", layer);
  WEIR_ASSIGN(const int at, NormalAxis(axis, shape.rank(), layer.c_str()));
  if (shape[at] < 0)
    return InvalidArgument("layer {}: the channel dimension (axis {}) of inputs of shape {} must be known", layer, at,
                           shape);
  return shape[at];
}

Output ApplyDense(Output x, const Input& kernel, const Input& bias) {
  Graph& graph = x.graph();
  const int rank = x.shape().rank();
  const std::vector<int64_t> last{rank - 1}, first{0};
  const Output y = rank > 2 ? TensorDot(graph, x, kernel, last, first) : MatMul(graph, x, kernel);
  return WithBias(y, bias, false);
}

Output ApplyConvolution(Output x, const Input& kernel, const Input& bias, const ImageWindow& window) {
  return WithBias(Convolve(x.graph(), x, kernel, window.dims, OptionsOf(window)), bias, window.channels_first);
}

Output ApplySeparable(Output x, const Input& depthwise, const Input& pointwise, const Input& bias,
                      const ImageWindow& window) {
  const auto convolve = window.dims == 1 ? ConvolveSeparableLine : ConvolveSeparable;
  return WithBias(convolve(x.graph(), x, depthwise, pointwise, OptionsOf(window)), bias, window.channels_first);
}

Output ApplyDepthwise(Output x, const Input& depthwise, const Input& bias, const ImageWindow& window) {
  return WithBias(ConvolveDepthwise(x.graph(), x, depthwise, OptionsOf(window)), bias, window.channels_first);
}

Output ApplyTransposed(Output x, const Input& kernel, const Input& bias, int64_t filters,
                       const std::vector<int64_t>& kernel_size, const ImageWindow& window) {
  Graph& graph = x.graph();
  if (x.shape().rank() != window.dims + 2)
    return FailedOutput(
        graph, InvalidArgument("a layer with {} spatial dimensions needs inputs of rank {}, but the shape is {}",
                               window.dims, window.dims + 2, x.shape()));
  std::vector<Dim> sizes = DimsOf(x);
  const int first = window.channels_first ? 2 : 1;
  for (int i = 0; i < window.dims; ++i) {
    Dim& size = sizes[static_cast<size_t>(first + i)];
    const int64_t stride = window.strides[static_cast<size_t>(i)];
    // How far the last window extends beyond its stride.
    const int64_t more =
        window.padding == "VALID" ? std::max<int64_t>(kernel_size[static_cast<size_t>(i)] - stride, 0) : 0;
    if (!size.known()) {
      size.value = size.value * stride;
      if (more > 0) size.value = size.value + more;
    } else if (__builtin_mul_overflow(size.size, stride, &size.size) ||
               __builtin_add_overflow(size.size, more, &size.size)) {
      return FailedOutput(graph,
                          InvalidArgument("the output of a layer with input '{}' has too many elements", x.name()));
    }
  }
  sizes[window.channels_first ? 1 : sizes.size() - 1] = Dim(filters);
  InputList parts;
  for (const Dim& size : sizes) parts.push_back(size.known() ? Input(size.size) : Input(size.value));
  const Output shape = Stack(graph, parts);
  const Output y = ConvolveTransposed(graph, x, kernel, shape, window.dims, OptionsOf(window));
  if (!y.valid()) return y;
  graph.RecordError(graph.SetShape(y, StaticShape(sizes)));
  return WithBias(y, bias, window.channels_first);
}

Output ApplyPooling(Output x, PoolKind kind, const std::vector<int64_t>& pool_size, const ImageWindow& window) {
  return Pool(x.graph(), x, kind, pool_size, window.dims, OptionsOf(window));
}

Output ApplyFlatten(Output x, bool channels_first) {
  Graph& graph = x.graph();
  const PartialShape shape = x.shape();
  const int rank = shape.rank();
  if (!shape.known_rank() || rank == 0)
    return FailedOutput(graph, InvalidArgument("'{}' has no rows to flatten: its shape is {}", x.name(), shape));
  if (channels_first && rank > 2) {
    std::vector<int64_t> order{0};
    for (int i = 2; i < rank; ++i) order.push_back(i);
    order.push_back(1);
    x = TransposeAxes(graph, x, order);
    if (!x.valid()) return x;
  }
  int64_t row = 1;
  for (int i = 1; i < rank && row >= 0; ++i) {
    if (shape[i] < 0) {
      row = kUnknownDim;
    } else if (__builtin_mul_overflow(row, shape[i], &row)) {
      return FailedOutput(graph, InvalidArgument("a row of '{}' has too many elements", x.name()));
    }
  }
  // Reshape can infer one size, but not if the rows are empty: any number of rows would fit.
  if (row > 0) return Reshape(x, std::vector<int64_t>{-1, row});
  const Input rows =
      shape[0] >= 0 ? Input(shape[0]) : Input(StridedSlice(ShapeOf(x), {0}, {1}, {1}, {.shrink_axis_mask = 1}));
  return Reshape(x, Stack(graph, {rows, row}));
}

Output ApplyDropout(Output x, const Input& rate, const Input& noise_shape, OpSeed seed, const Input& training) {
  Graph& graph = x.graph();
  std::optional<double> known;
  if (rate.literal() != nullptr) {
    const std::optional<Tensor> number = rate.literal()->Value(kDouble);
    if (number.has_value() && number->num_elements() == 1) known = *number->data<double>();
  }
  if (known.has_value() && !(*known >= 0 && *known < 1))
    return FailedOutput(graph, InvalidArgument("the rate of dropout must be in the range [0, 1), but is {}", *known));
  return SmartCond(
      graph, training, [&] { return OutputList{known == 0.0 ? x : weir::Dropout(x, rate, noise_shape, seed)}; },
      [&] { return OutputList{Identity(x)}; })[0];
}

Result<NormPlan> PlanNorm(const PartialShape& shape, DType dtype, int64_t axis, std::optional<bool> fused,
                          const std::string& layer, bool composed, std::optional<int64_t> virtual_batch_size) {
  NormPlan plan;
  WEIR_ASSIGN(plan.channels, ChannelsOf(shape, axis, layer));
  WEIR_ASSIGN(plan.axis, NormalAxis(axis, shape.rank(), layer.c_str()));
  plan.weights = PartialShape{plan.channels};
  plan.dtype = dtype == kHalf || dtype == kBFloat16 ? kFloat : dtype;
  if (virtual_batch_size.has_value()) {
    if (*virtual_batch_size <= 0)
      return InvalidArgument(
          "layer {}: virtual_batch_size must be a positive integer that divides the size of the batch, not {}", layer,
          *virtual_batch_size);
    if (plan.axis == 0)
      return InvalidArgument(
          "layer {}: with virtual_batch_size, axis 0 is the batch and cannot be that of the channels", layer);
    plan.virtual_batch_size = *virtual_batch_size;
    ++plan.axis;
    DimVector sizes(static_cast<size_t>(shape.rank()) + 1, 1);
    sizes[static_cast<size_t>(plan.axis)] = plan.channels;
    plan.weights = PartialShape(sizes);
    return plan;
  }
  if (composed) return plan;
  const bool can_fuse = shape.rank() == 4 && (plan.axis == 1 || plan.axis == 3);
  if (fused.value_or(false) && !can_fuse)
    return InvalidArgument(
        "layer {}: fused batch normalization takes inputs of four dimensions with the channels second or last, not of "
        "shape {} with the channels at {}",
        layer, shape, plan.axis);
  plan.fused = fused.value_or(can_fuse) && plan.dtype == kFloat;
  return plan;
}

namespace {

// The normalized batch, and the mean and variance used for it.
OutputList FusedNorm(Output x, const NormPlan& plan, const NormWeights& weights, double epsilon, bool training) {
  Graph& graph = x.graph();
  const auto constant = [&](const Input& given, Result<Output> (*otherwise)(Graph&, const PartialShape&, DType)) {
    if (!given.absent()) return given;
    Result<Output> value = otherwise(graph, PartialShape{plan.channels}, kFloat);
    return Input(value.ok() ? *value : FailedOutput(graph, value.status()));
  };
  const Input scale = constant(weights.gamma, &OnesInitial);
  const Input offset = constant(weights.beta, &ZerosInitial);
  const BatchNormResult r = FusedBatchNormalization(graph, x, scale, offset, training ? Input() : weights.moving_mean,
                                                    training ? Input() : weights.moving_variance,
                                                    {.epsilon = static_cast<float>(epsilon),
                                                     .data_format = plan.axis == 1 ? "NCHW" : "NHWC",
                                                     .is_training = training});
  return {r.y, r.mean, r.variance};
}

// The factor and the offset that correct normalized values towards the averages. They are constants for gradients.
std::pair<Output, Output> Correction(Output mean, Output variance, const NormWeights& weights, const Renorm& renorm,
                                     double epsilon) {
  Graph& graph = mean.graph();
  const auto bound = [&](const Input& value) { return ValueOf(graph, value, mean.base_dtype()); };
  const Output least = bound(std::sqrt(epsilon));  // early in training, the average may be 0
  const Output stddev = Maximum(weights.renorm_stddev->AsInput(), least);
  Output r = Sqrt(variance + bound(epsilon)) / stddev;
  Output d = (mean - weights.renorm_mean->AsInput()) / stddev;
  if (!renorm.rmin.absent()) r = Maximum(r, bound(renorm.rmin));
  if (!renorm.rmax.absent()) r = Minimum(r, bound(renorm.rmax));
  if (!renorm.dmax.absent()) {
    const Output most = bound(renorm.dmax);
    d = Minimum(Maximum(d, -most), most);
  }
  return {StopGradient(r), StopGradient(d)};
}

// The normalized batch, and the mean and variance with which the averages are updated.
OutputList ComposedNorm(Output x, const NormPlan& plan, const NormWeights& weights, double epsilon, bool training,
                        const std::optional<Renorm>& renorm) {
  Graph& graph = x.graph();
  const int rank = x.shape().rank();
  const bool parts = plan.virtual_batch_size > 0;
  Output mean, variance;
  Output batch_mean, batch_variance;
  if (training) {
    std::vector<int64_t> axes;
    for (int i = 0; i < rank; ++i)
      if (i != plan.axis && !(parts && i == 1)) axes.push_back(i);
    const MomentsResult moments = Moments(x, Axes(axes), /*keep_dims=*/parts);
    mean = moments.mean;
    variance = moments.variance;
    batch_mean = parts && mean.valid() ? ReduceMean(mean, 1, kKeepDims) : mean;
    batch_variance = parts && variance.valid() ? ReduceMean(variance, 1, kKeepDims) : variance;
  } else {
    batch_mean = mean = Identity(graph, weights.moving_mean);
    batch_variance = variance = Identity(graph, weights.moving_variance);
  }
  Input factor = weights.gamma, shift = weights.beta;
  if (training && renorm.has_value() && batch_variance.valid()) {
    // y = (normalized * r + d) * gamma + beta
    auto [r, d] = Correction(batch_mean, batch_variance, weights, *renorm, epsilon);
    if (!factor.absent()) {
      const Output gamma = ValueOf(graph, factor, r.base_dtype());
      r = r * gamma;
      d = d * gamma;
    }
    if (!shift.absent()) d = d + ValueOf(graph, shift, d.base_dtype());
    factor = r;
    shift = d;
  }
  // Reshapes a vector with one value per channel so that it broadcasts against x.
  const auto spread = [&](const Input& value) {
    if (value.absent() || parts || plan.axis == rank - 1) return value;
    std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
    shape[static_cast<size_t>(plan.axis)] = -1;
    return Input(Reshape(graph, value, shape));
  };
  const Input m = spread(mean), v = spread(variance), offset = spread(shift), scale = spread(factor);
  return {weir::BatchNormalization(x, m, v, offset, scale, epsilon), batch_mean, batch_variance};
}

// Moves the average towards the value by `rate`, on the device of the variable.
Output MoveTowards(const VariablePtr& average, Output value, const Input& rate) {
  Graph& graph = average->graph();
  NameScope scope(graph, "AssignMovingAvg");
  ColocationScope colocated(graph, average->handle().node);
  const Output decay = ValueOf(graph, rate, average->dtype(), "decay");
  if (value.valid() && value.base_dtype() != average->dtype()) value = Cast(value, average->dtype());
  return average->AssignSub((average->AsInput() - value) * decay, false, ExactScopeName(scope));
}

// The updates of batch renormalization. `y` used the averages before them.
std::vector<Output> RenormUpdates(Output y, Output mean, Output variance, const NormWeights& weights,
                                  const Renorm& renorm, double momentum, double epsilon, const Input& training) {
  Graph& graph = y.graph();
  const DType dtype = weights.renorm_mean->dtype();
  const auto in_type = [&](Output value) {
    return value.valid() && value.base_dtype() != dtype ? Cast(value, dtype) : value;
  };
  const auto rate_of = [&](double moment) -> Input {
    if (KnownValue(graph, training).has_value()) return 1.0 - moment;
    return SmartCond(
        graph, training, [&] { return OutputList{ValueOf(graph, 1.0 - moment, dtype)}; },
        [&] { return OutputList{ValueOf(graph, 0.0, dtype)}; })[0];
  };
  const Output new_mean = in_type(mean);
  const Output stddev = Sqrt(in_type(variance) + ValueOf(graph, epsilon, dtype));
  if (!y.valid() || !stddev.valid()) return {};
  const Input slow_rate = rate_of(renorm.momentum), rate = rate_of(momentum);
  std::vector<Node*> slow;
  {
    const ControlDependencies used(graph, {y.node});
    for (const Output& moved :
         {MoveTowards(weights.renorm_mean, new_mean, slow_rate), MoveTowards(weights.renorm_stddev, stddev, slow_rate)})
      if (moved.valid()) slow.push_back(moved.node);
  }
  const ControlDependencies updated(graph, slow);
  const Output moved_mean = MoveTowards(weights.mean_variable, new_mean, rate);
  const Output moved = MoveTowards(weights.moving_stddev, stddev, rate);
  // The variance of the trained model. It stays as it is when not training.
  const Output squared = SmartCond(
      graph, training, [&] { return OutputList{Relu(moved * moved - ValueOf(graph, epsilon, dtype))}; },
      [&] { return OutputList{Identity(graph, weights.variance_variable->AsInput())}; })[0];
  if (!squared.valid()) return {};
  return {moved_mean, weights.variance_variable->Assign(squared)};
}

// Divides the batch into parts: the rows i, i + n, i + 2n, ... are part i of n.
Output InParts(Output x, const NormPlan& plan) {
  Graph& graph = x.graph();
  const Output rest = StridedSlice(ShapeOf(x), {1}, {0}, {1}, {.end_mask = 1});
  const Output shape = ConcatV2({ValueOf(graph, std::vector<int64_t>{plan.virtual_batch_size, -1}, kInt32), rest}, 0);
  const PartialShape known = x.shape();
  const Output parts = Reshape(x, shape);
  DimVector sizes = {plan.virtual_batch_size, -1};
  for (int i = 1; i < known.rank(); ++i) sizes.push_back(known[i]);
  if (parts.valid()) graph.RecordError(graph.SetShape(parts, PartialShape(sizes)));
  return parts;
}

}  // namespace

LayerResult ApplyNorm(Output x, const NormPlan& plan, const NormWeights& weights, double momentum, double epsilon,
                      const Input& training, const std::optional<Renorm>& renorm) {
  Graph& graph = x.graph();
  const Output batch = x;
  if (plan.virtual_batch_size > 0) x = InParts(x, plan);
  if (!x.valid()) return {x, {}};
  const auto compute = [&](bool train) {
    return plan.fused ? FusedNorm(x, plan, weights, epsilon, train)
                      : ComposedNorm(x, plan, weights, epsilon, train, renorm);
  };
  const std::optional<bool> known = KnownValue(graph, training);
  if (renorm.has_value() && known != false &&
      (weights.moving_stddev == nullptr || weights.renorm_mean == nullptr || weights.renorm_stddev == nullptr))
    return {FailedOutput(graph, InvalidArgument("'{}': the averages of batch renormalization are not variables, so the "
                                                "layer cannot be trained",
                                                batch.name())),
            {}};
  const OutputList parts = SmartCond(
      graph, training, [&] { return compute(true); }, [&] { return compute(false); });
  LayerResult result;
  result.y = parts[0];
  if (plan.virtual_batch_size > 0 && result.y.valid()) {
    result.y = Reshape(result.y, ShapeOf(batch));
    if (result.y.valid()) graph.RecordError(graph.SetShape(result.y, batch.shape()));
  }
  if (known == false || parts.size() < 3) return result;
  if (weights.mean_variable == nullptr || weights.variance_variable == nullptr) {
    result.y = FailedOutput(
        graph, InvalidArgument("'{}': the moving averages are not variables, so the layer cannot be trained",
                               parts[0].name()));
    return result;
  }
  if (renorm.has_value()) {
    result.updates = RenormUpdates(result.y, parts[1], parts[2], weights, *renorm, momentum, epsilon, training);
    return result;
  }
  Input rate = 1.0 - momentum;
  if (!known.has_value()) {
    // A rate of zero leaves the averages unchanged when not training.
    rate = SmartCond(
        graph, training, [&] { return OutputList{ValueOf(graph, 1.0 - momentum, plan.dtype)}; },
        [&] { return OutputList{ValueOf(graph, 0.0, plan.dtype)}; })[0];
  }
  result.updates = {MoveTowards(weights.mean_variable, parts[1], rate),
                    MoveTowards(weights.variance_variable, parts[2], rate)};
  return result;
}

}  // namespace weir::layers
