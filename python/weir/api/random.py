"""Random values: tf.random_* and tf.random.*."""

_NAMES = {
    "normal": "random_normal", "uniform": "random_uniform", "truncated_normal": "truncated_normal", "gamma": "random_gamma",
    "poisson": "random_poisson", "shuffle": "random_shuffle", "multinomial": "multinomial", "set_random_seed": "set_random_seed",
    "get_seed": "get_seed",
}

NAMES = {
    **{target: target for target in _NAMES.values()},
    **{f"random.{name}": target for name, target in _NAMES.items()},
    "multinomial": "(logits, num_samples, seed=None, name=None, output_dtype='int64') multinomial",
    "random_crop": "random_crop",
    "random.categorical": "(logits, num_samples, dtype='int64', seed=None, name=None) multinomial[output_dtype=dtype]",
    "random.all_candidate_sampler": "=nn.all_candidate_sampler",
    "random.fixed_unigram_candidate_sampler": "=nn.fixed_unigram_candidate_sampler",
    "random.uniform_candidate_sampler": "uniform_candidate_sampler",
    "random.log_uniform_candidate_sampler": "log_uniform_candidate_sampler",
    "random.learned_unigram_candidate_sampler": "learned_unigram_candidate_sampler",
    "random.stateless_normal": "stateless_normal",
    "random.stateless_truncated_normal": "stateless_truncated_normal",
    "random.stateless_uniform": "stateless_uniform",
    "random.stateless_multinomial": "(logits, num_samples, seed, output_dtype='int64', name=None) op:StatelessMultinomial",
    "random.stateless_categorical": "(logits, num_samples, seed, dtype='int64', name=None) op:StatelessMultinomial[output_dtype=dtype]",
    **{f"contrib.stateless.stateless_random_{name}": f"stateless_{name}" for name in ("normal", "uniform")},
    "contrib.stateless.stateless_truncated_normal": "stateless_truncated_normal",
    "contrib.stateless.stateless_multinomial": "=random.stateless_multinomial",
    "python.framework.random_seed.set_random_seed": "set_random_seed",
    "python.framework.random_seed.get_seed": "get_seed",
}
