#include "graph/compose/random.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr int64_t kDefaultGraphSeed = 87654321;
constexpr int64_t kMaxSeed = 2147483647;

// An empty list is the shape of a scalar; it has no elements to infer the type from.
Output DimsOf(Graph& graph, const Input& shape) {
  std::optional<Tensor> value;
  if (shape.literal() != nullptr) value = shape.literal()->Value(kInt32);
  const bool is_empty = value.has_value() && value->num_elements() == 0;
  return ValueOf(graph, shape, is_empty ? kInt32 : kInvalidType, "shape");
}

// draw(dims) * stddev + mean.
Output Scaled(Graph& graph, const NameScope& scope, const Input& shape, const Input& mean, const Input& stddev,
              DType dtype, FunctionRef<Output(Output)> draw) {
  Output dims = DimsOf(graph, shape);
  Output center = ValueOf(graph, mean, dtype, "mean");
  Output spread = ValueOf(graph, stddev, dtype, "stddev");
  Output scaled = draw(dims) * spread;
  return Add(graph, scaled, center, {.name = ExactScopeName(scope)});
}

}  // namespace

std::pair<int64_t, int64_t> SeedsFor(Graph& graph, OpSeed op_seed) {
  int64_t first = 0;
  int64_t second = 0;
  const auto wrapped = [](int64_t s) { return ((s % kMaxSeed) + kMaxSeed) % kMaxSeed; };
  if (graph.seed.has_value()) {
    first = wrapped(*graph.seed);
    second = wrapped(op_seed.has_value() ? *op_seed : graph.num_nodes());
  } else if (op_seed.has_value()) {
    first = kDefaultGraphSeed;
    second = wrapped(*op_seed);
  } else {
    return {0, 0};
  }
  // Two zeros would mean a nondeterministic seed.
  if (first == 0 && second == 0) return {0, kMaxSeed};
  return {first, second};
}

Output RandomNormal(Graph& graph, const Input& shape, const Input& mean, const Input& stddev, DType dtype, OpSeed seed,
                    std::string name) {
  NameScope scope(graph, NameOrDefault(name, "random_normal"));
  return Scaled(graph, scope, shape, mean, stddev, dtype, [&](Output dims) {
    const auto [seed1, seed2] = SeedsFor(graph, seed);
    return RandomStandardNormal(graph, dims, dtype, {.seed = seed1, .seed2 = seed2});
  });
}

Output TruncatedNormal(Graph& graph, const Input& shape, const Input& mean, const Input& stddev, DType dtype,
                       OpSeed seed, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "truncated_normal"));
  return Scaled(graph, scope, shape, mean, stddev, dtype, [&](Output dims) {
    const auto [seed1, seed2] = SeedsFor(graph, seed);
    return TruncatedNormal(graph, dims, dtype, {.seed = seed1, .seed2 = seed2});
  });
}

Output RandomUniform(Graph& graph, const Input& shape, const Input& minval, const Input& maxval, DType dtype,
                     OpSeed seed, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "random_uniform"));
  constexpr DType kTypes[] = {kHalf, kBFloat16, kFloat, kDouble, kInt32, kInt64};
  if (std::find(std::begin(kTypes), std::end(kTypes), dtype) == std::end(kTypes))
    return FailedOutput(graph, InvalidArgument("Argument `dtype` got invalid value {}. Accepted dtypes are {}.", dtype,
                                               fmt::join(kTypes, ", ")));
  if (maxval.absent() && IsInteger(dtype))
    return FailedOutput(graph, InvalidArgument("Must specify maxval for integer dtype {}: it has no default", dtype));
  Output dims = DimsOf(graph, shape);
  Output low = ValueOf(graph, minval, dtype, "min");
  Output high = ValueOf(graph, maxval.absent() ? Input(1) : maxval, dtype, "max");
  const auto [seed1, seed2] = SeedsFor(graph, seed);
  if (IsInteger(dtype))
    return RandomUniformInt(graph, dims, low, high, {.seed = seed1, .seed2 = seed2, .name = ExactScopeName(scope)});
  Output raw = RandomUniform(graph, dims, dtype, {.seed = seed1, .seed2 = seed2});
  Output scaled = raw * (high - low);
  return Add(graph, scaled, low, {.name = ExactScopeName(scope)});
}

Output RandomGammaValues(Graph& graph, const Input& shape, const Input& alpha_in, const Input& beta_in, DType dtype,
                         OpSeed seed, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "random_gamma"));
  Output alpha = ValueOf(graph, alpha_in, dtype, "alpha");
  Output beta = ValueOf(graph, beta_in.absent() ? Input(1) : beta_in, dtype, "beta");
  Output dims = ValueOf(graph, shape, kInt32, "shape");
  if (!alpha.valid() || !beta.valid() || !dims.valid()) return Output::Failed(graph);
  const auto [seed1, seed2] = SeedsFor(graph, seed);
  // Never zero, so that the logarithm of a sample is finite.
  const double smallest = dtype == kDouble ? std::numeric_limits<double>::min()
                          : dtype == kHalf ? 6.104e-05
                                           : double{std::numeric_limits<float>::min()};
  Output tiny = CastValue(graph, Tensor::Scalar(smallest), dtype);
  Output raw = RandomGamma(graph, dims, alpha + ZerosLike(beta), {.seed = seed1, .seed2 = seed2});
  return Maximum(graph, tiny, raw / beta);
}

Output RandomPoissonValues(Graph& graph, const Input& rates, const Input& shape, DType dtype, OpSeed seed,
                           std::string name) {
  NameScope scope(graph, NameOrDefault(name, "random_poisson"));
  Output dims = ValueOf(graph, shape, kInt32, "shape");
  const auto [seed1, seed2] = SeedsFor(graph, seed);
  return NodeBuilder(graph, "RandomPoissonV2")
      .In(dims)
      .In(rates)
      .Attr("dtype", dtype)
      .Attr("seed", seed1)
      .Attr("seed2", seed2)
      .BuildOutput();
}

Output RandomShuffled(const Input& value, OpSeed seed, std::string name) {
  Graph* graph = GraphOf({value});
  if (graph == nullptr) return Output();
  const auto [seed1, seed2] = SeedsFor(*graph, seed);
  return RandomShuffle(*graph, value, {.seed = seed1, .seed2 = seed2, .name = std::move(name)});
}

Output RandomCrop(const Input& value, const Input& size, OpSeed seed, std::string name) {
  Graph* found = GraphOf({value, size});
  if (found == nullptr) return Output();
  Graph& graph = *found;
  NameScope scope(graph, NameOrDefault(name, "random_crop"));
  Output whole = ValueOf(graph, value, kInvalidType, "value");
  Output wanted = ValueOf(graph, size, kInt32, "size");
  Output shape = ShapeOf(whole);
  Output fits = All(GreaterEqual(shape, wanted), {0});
  Node* check = Assert(fits, {Tensor::Scalar("need value.shape >= size, got "), shape, wanted}, {.summarize = 1000});
  if (check == nullptr) return Output::Failed(graph);
  ControlDependencies after(graph, {check});
  shape = Identity(shape);
  Output limit = shape - wanted + 1;
  Output offset = RandomUniform(graph, ShapeOf(shape), 0, Tensor::Scalar(int32_t{INT32_MAX}), kInt32, seed);
  return Slice(whole, FloorMod(offset, limit), wanted, {.name = ExactScopeName(scope)});
}

Output MultinomialSamples(const Input& logits, const Input& num_samples, OpSeed seed, DType output_dtype,
                          std::string name) {
  Graph* graph = GraphOf({logits, num_samples});
  if (graph == nullptr) return Output();
  NameScope scope(*graph, NameOrDefault(name, "multinomial"));
  const auto [seed1, seed2] = SeedsFor(*graph, seed);
  return Multinomial(*graph, logits, num_samples, {.seed = seed1, .seed2 = seed2, .output_dtype = output_dtype});
}

Output StatelessNormal(Graph& graph, const Input& shape, const Input& seed, const Input& mean, const Input& stddev,
                       DType dtype, bool truncated, std::string name) {
  NameScope scope(graph, NameOrDefault(name, truncated ? "stateless_truncated_normal" : "stateless_random_normal"));
  const Output dims = ValueOf(graph, shape, shape.is_output() ? kInvalidType : kInt32, "shape");
  const Output center = ValueOf(graph, mean, dtype, "mean"), scale = ValueOf(graph, stddev, dtype, "stddev");
  if (!dims.valid() || !center.valid() || !scale.valid()) return Output::Failed(graph);
  const Output values = truncated ? StatelessTruncatedNormal(graph, dims, seed, {.dtype = dtype})
                                  : StatelessRandomNormal(graph, dims, seed, {.dtype = dtype});
  if (!values.valid()) return values;
  return Add(values * scale, center, {.name = ExactScopeName(scope)});
}

Output StatelessUniform(Graph& graph, const Input& shape, const Input& seed, const Input& minval, const Input& maxval,
                        DType dtype, std::string name) {
  if (!IsFloating(dtype) && dtype != kInt32 && dtype != kInt64)
    return FailedOutput(graph, InvalidArgument("Invalid dtype {}", dtype));
  if (maxval.absent() && IsInteger(dtype))
    return FailedOutput(graph, InvalidArgument("Must specify maxval for integer type {}", dtype));
  NameScope scope(graph, NameOrDefault(name, "stateless_random_uniform"));
  const Output dims = ValueOf(graph, shape, shape.is_output() ? kInvalidType : kInt32, "shape");
  const Output low = ValueOf(graph, minval.absent() ? Input(0) : minval, dtype, "min");
  const Output high = ValueOf(graph, maxval.absent() ? Input(1) : maxval, dtype, "max");
  if (!dims.valid() || !low.valid() || !high.valid()) return Output::Failed(graph);
  if (IsInteger(dtype)) return StatelessRandomUniformInt(graph, dims, seed, low, high, {.name = ExactScopeName(scope)});
  const Output values = StatelessRandomUniform(graph, dims, seed, {.dtype = dtype});
  if (!values.valid()) return values;
  return Add(values * (high - low), low, {.name = ExactScopeName(scope)});
}

}  // namespace weir
