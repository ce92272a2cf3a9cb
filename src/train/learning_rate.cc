#include "train/learning_rate.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/random.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

constexpr float kPi = 3.14159265358979323846f;

// The parameters of a schedule as tensors of the rate's type. After a recorded error they are invalid outputs.
class Terms {
 public:
  Terms(Graph& graph, const Input& rate) : graph_(graph) {
    rate_ = Take(ToOutput(graph, rate, kInvalidType, "learning_rate"));
  }
  Output rate() const { return rate_; }
  Output Number(const Input& value) { return rate_.valid() ? CastValue(graph_, value, rate_.base_dtype()) : Output(); }

 private:
  Output Take(Result<Output> value) {
    if (value.ok()) return *value;
    graph_.RecordError(value.status());
    return Output();
  }
  Graph& graph_;
  Output rate_;
};

}  // namespace

Output ExponentialDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "ExponentialDecay"));
  Terms terms(graph, rate);
  Output p = terms.Number(step) / terms.Number(decay_steps);
  if (options.staircase) p = Floor(p);
  return Mul(graph, terms.rate(), Pow(graph, terms.Number(decay_rate), p), {.name = scope.name() + "/"});
}

Output NaturalExpDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                       const Input& decay_rate, const DecayOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "NaturalExpDecay"));
  Terms terms(graph, rate);
  Output p = terms.Number(step) / terms.Number(decay_steps);
  if (options.staircase) p = Floor(p);
  return Mul(graph, terms.rate(), Exp(-terms.Number(decay_rate) * p), {.name = scope.name() + "/"});
}

Output InverseTimeDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "InverseTimeDecay"));
  Terms terms(graph, rate);
  Output p = terms.Number(step) / terms.Number(decay_steps);
  if (options.staircase) p = Floor(p);
  Output denominator = 1.0f + terms.Number(decay_rate) * p;
  return RealDiv(graph, terms.rate(), denominator, {.name = scope.name() + "/"});
}

Output PolynomialDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                       const Input& end_rate, const Input& power, bool cycle, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "PolynomialDecay"));
  Terms terms(graph, rate);
  Output s = terms.Number(step);
  Output total = terms.Number(decay_steps);
  Output end = terms.Number(end_rate);
  if (cycle) {
    // Round the step up to a multiple of decay_steps, at least one.
    Output multiplier = Select(Equal(s, 0), OnesLike(s), Ceil(s / total));
    total = total * multiplier;
  } else {
    s = Minimum(s, total);
  }
  Output p = s / total;
  return Add(graph, (terms.rate() - end) * Pow(1.0f - p, terms.Number(power)), end, {.name = scope.name() + "/"});
}

namespace {

// A boundary has the type of the step, or may be int32 beside an int64 step.
Status CheckBoundary(const Input& boundary, DType step) {
  const bool is_output = boundary.is_output();
  if (boundary.absent() || (!is_output && boundary.literal() == nullptr)) return OkStatus();
  const DType type = is_output ? boundary.output().base_dtype() : boundary.literal()->NaturalType();
  if (type == kInvalidType || type == step || (IsInteger(type) && IsInteger(step))) return OkStatus();
  if (!is_output && IsFloating(type) && IsFloating(step)) return OkStatus();
  return InvalidArgument("Boundaries (<dtype: '{}'>) must have the same dtype as x (<dtype: '{}'>).", type, step);
}

}  // namespace

Output PiecewiseConstant(Graph& graph, const Input& step, const InputList& boundaries, const InputList& values,
                         std::string name) {
  NameScope scope(graph, NameOrDefault(name, "PiecewiseConstant"));
  if (values.size() != boundaries.size() + 1 || boundaries.empty()) {
    graph.RecordError(
        InvalidArgument("The length of boundaries should be 1 less than the length of values: {} boundaries, {} values",
                        boundaries.size(), values.size()));
    return Output();
  }
  Result<Output> x = ToOutput(graph, step, kInvalidType, "x");
  if (!x.ok()) {
    graph.RecordError(x.status());
    return Output();
  }
  for (const Input& boundary : boundaries) {
    if (Status status = CheckBoundary(boundary, x->base_dtype()); !status.ok()) {
      graph.RecordError(status);
      return Output();
    }
  }
  std::vector<CaseBranch> branches;
  const auto constant = [&graph](const Input& value) -> BranchFn {
    return [&graph, value]() -> Result<OutputList> {
      WEIR_ASSIGN(Output v, ToOutput(graph, value, kInvalidType, "value"));
      return OutputList{v};
    };
  };
  const auto boundary = [&](size_t i) -> Input {
    const Input& b = boundaries[i];
    return b.is_output() && b.output().base_dtype() != x->base_dtype() ? Input(Cast(b, x->base_dtype())) : b;
  };
  branches.push_back({LessEqual(graph, *x, boundary(0)), constant(values[0])});
  branches.push_back({Greater(graph, *x, boundary(boundaries.size() - 1)), constant(values.back())});
  for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
    Output inside = LogicalAnd(Greater(graph, *x, boundary(i)), LessEqual(graph, *x, boundary(i + 1)));
    branches.push_back({inside, constant(values[i + 1])});
  }
  Result<OutputList> chosen = Case(graph, branches, constant(values[0]), /*exclusive=*/true);
  if (!chosen.ok()) {
    graph.RecordError(chosen.status());
    return Output();
  }
  return (*chosen)[0];
}

Output CosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps, float alpha,
                   std::string name) {
  NameScope scope(graph, NameOrDefault(name, "CosineDecay"));
  Terms terms(graph, rate);
  Output total = terms.Number(decay_steps);
  Output completed = Minimum(terms.Number(step), total) / total;
  Output cosine = 0.5f * (1.0f + Cos(kPi * completed));
  return terms.rate() * ((1.0f - alpha) * cosine + alpha);
}

Output CosineDecayRestarts(Graph& graph, const Input& rate, const Input& step, const Input& first_decay_steps,
                           float t_mul, float m_mul, float alpha, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "SGDRDecay"));
  Terms terms(graph, rate);
  Output fraction = terms.Number(step) / terms.Number(first_decay_steps);
  Output restart;
  Output within;
  if (t_mul == 1.0f) {
    restart = Floor(fraction);
    within = fraction - restart;
  } else {
    // Periods grow by a factor t_mul: invert the geometric series to find the current one.
    restart = Floor(Log(1.0f - fraction * (1.0f - t_mul)) / Log(graph, Input(Constant(graph, Tensor::Scalar(t_mul)))));
    Output power = Pow(graph, Constant(graph, Tensor::Scalar(t_mul)), restart);
    Output before = (1.0f - power) / (1.0f - t_mul);
    within = (fraction - before) / power;
  }
  Output scale = Pow(graph, Constant(graph, Tensor::Scalar(m_mul)), restart);
  Output cosine = 0.5f * scale * (1.0f + Cos(kPi * within));
  return Mul(graph, terms.rate(), (1.0f - alpha) * cosine + alpha, {.name = scope.name() + "/"});
}

Output LinearCosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                         float num_periods, float alpha, float beta, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "LinearCosineDecay"));
  Terms terms(graph, rate);
  Output total = terms.Number(decay_steps);
  Output s = Minimum(terms.Number(step), total);
  Output linear = (total - s) / total;
  Output cosine = 0.5f * (1.0f + Cos(kPi * 2.0f * num_periods * (s / total)));
  return Mul(graph, terms.rate(), (alpha + linear) * cosine + beta, {.name = scope.name() + "/"});
}

Output NoisyLinearCosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                              float initial_variance, float variance_decay, float num_periods, float alpha, float beta,
                              std::string name) {
  NameScope scope(graph, NameOrDefault(name, "NoisyLinearCosineDecay"));
  Terms terms(graph, rate);
  Output total = terms.Number(decay_steps);
  Output s = Minimum(terms.Number(step), total);
  Output linear = (total - s) / total;
  Output deviation = Sqrt(initial_variance / Pow(graph, 1.0f + s, variance_decay));
  Output noisy = linear + RandomNormal(graph, ShapeOf(linear), 0.0f, deviation);
  Output cosine = 0.5f * (1.0f + Cos(kPi * 2.0f * num_periods * (s / total)));
  return Mul(graph, terms.rate(), (alpha + noisy) * cosine + beta, {.name = scope.name() + "/"});
}

}  // namespace weir
