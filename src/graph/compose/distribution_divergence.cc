// Kullback-Leibler divergences: one formula per kind of distribution.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/distributions.h"
#include "graph/compose/math.h"

namespace weir {
namespace {

// The parameters of one distribution, by name.
class Parameters final {
 public:
  explicit Parameters(const Distribution& d) : d_(d) {}
  Output operator[](const char* name) const { return d_.parameter(name); }
  Graph& graph() const { return d_.graph(); }

 private:
  const Distribution& d_;
};

Output NormalDivergence(const Parameters& a, const Parameters& b) {
  const Output va = Square(a["scale"]), vb = Square(b["scale"]), ratio = va / vb;
  return Square(a["loc"] - b["loc"]) / (2 * vb) + 0.5 * (ratio - 1 - Log(ratio));
}

Output BernoulliDivergence(const Parameters& a, const Parameters& b) {
  const Output x = a["logits"], y = b["logits"];
  return Sigmoid(x) * (Softplus(-y) - Softplus(-x)) + Sigmoid(-x) * (Softplus(y) - Softplus(x));
}

Output CategoricalDivergence(const Parameters& a, const Parameters& b) {
  const Output x = a["logits"];
  return ReduceSum(Softmax(x) * (LogSoftmax(x) - LogSoftmax(b["logits"])), -1);
}

Output BetaDivergence(const Parameters& a, const Parameters& b) {
  const auto normalizer = [](const Parameters& p) {
    return Lgamma(p["concentration1"]) + Lgamma(p["concentration0"]) - Lgamma(p["total_concentration"]);
  };
  const auto gap = [&](const char* name) { return b[name] - a[name]; };
  return normalizer(b) - normalizer(a) - Digamma(a["concentration1"]) * gap("concentration1") -
         Digamma(a["concentration0"]) * gap("concentration0") +
         Digamma(a["total_concentration"]) * gap("total_concentration");
}

Output DirichletDivergence(const Parameters& a, const Parameters& b) {
  const Output x = a["concentration"], y = b["concentration"];
  const Output digammas = Digamma(x) - ExpandDims(Digamma(a["total_concentration"]), -1);
  return ReduceSum((x - y) * digammas, -1) - LogBeta(a.graph(), x) + LogBeta(a.graph(), y);
}

Output GammaDivergence(const Parameters& a, const Parameters& b) {
  const Output x = a["concentration"], y = b["concentration"], r = a["rate"], s = b["rate"];
  return (x - y) * Digamma(x) + Lgamma(y) - Lgamma(x) + y * Log(r) - y * Log(s) + x * (s / r - 1);
}

Output ExponentialDivergence(const Parameters& a, const Parameters& b) {
  const Output r = a["rate"], s = b["rate"];
  return Log(r) - Log(s) + (s - r) / r;
}

Output PoissonDivergence(const Parameters& a, const Parameters& b) {
  return a["rate"] * (a["log_rate"] - b["log_rate"]) - a["rate"] + b["rate"];
}

Output DiagonalNormalDivergence(const Parameters& a, const Parameters& b) {
  const Output va = Square(a["scale_diag"]), vb = Square(b["scale_diag"]), ratio = va / vb;
  return ReduceSum(Square(a["loc"] - b["loc"]) / (2 * vb) + 0.5 * (ratio - 1 - Log(ratio)), -1);
}

}  // namespace

Result<Output> KlDivergence(const Distribution& a, const Distribution& b) {
  struct Row {
    const char* kind;
    Output (*formula)(const Parameters&, const Parameters&);
  };
  constexpr Row kRows[] = {
      {"Normal", NormalDivergence},
      {"Bernoulli", BernoulliDivergence},
      {"Categorical", CategoricalDivergence},
      {"OneHotCategorical", CategoricalDivergence},
      {"Beta", BetaDivergence},
      {"Dirichlet", DirichletDivergence},
      {"Gamma", GammaDivergence},
      {"Exponential", ExponentialDivergence},
      {"Poisson", PoissonDivergence},
      {"MultivariateNormalDiag", DiagonalNormalDivergence},
  };
  for (const Row& row : kRows) {
    if (a.kind() == row.kind && b.kind() == row.kind) return row.formula(Parameters(a), Parameters(b));
  }
  return NotFound("no Kullback-Leibler divergence is known between {} and {}", a.kind(), b.kind());
}

}  // namespace weir
