"""Probability distributions: tf.distributions and tf.contrib.distributions."""

_DISTRIBUTIONS = ["Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential", "Gamma", "Laplace",
                  "Multinomial", "Normal", "RegisterKL", "ReparameterizationType", "StudentT", "Uniform", "kl_divergence",
                  "FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED"]
_CONTRIB = ["MultivariateNormalDiag", "OneHotCategorical", "Poisson"]

NAMES = {
    **{f"distributions.{name}": f"weir.lib.distributions:{name}" for name in _DISTRIBUTIONS},
    **{f"contrib.distributions.{name}": f"weir.lib.distributions:{name}" for name in _DISTRIBUTIONS + _CONTRIB},
    "python.ops.distributions.distributions.*": "=distributions.",
}
