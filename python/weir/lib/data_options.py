"""tf.data.Options and its parts."""


class _OptionsBase:
    """Named options. None means not set."""
    _names: "tuple[str, ...]" = ()
    _parts: "dict[str, type]" = {}

    def __init__(self):
        for name in self._names:
            setattr(self, name, None)
        for name, part in self._parts.items():
            setattr(self, name, part())

    def __setattr__(self, name, value):
        if name not in self._names and name not in self._parts:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def merge(self, other):
        """Returns the union of both. Raises ValueError if both set an option to different values."""
        merged = type(self)()
        for name in self._parts:
            setattr(merged, name, getattr(self, name).merge(getattr(other, name)))
        for name in self._names:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                raise ValueError(f"Cannot merge incompatible values of option: {name}: {mine} and {theirs}.")
            setattr(merged, name, theirs if mine is None else mine)
        return merged


class MapVectorizationOptions(_OptionsBase):
    _names = ("enabled", "use_choose_fastest")


class OptimizationOptions(_OptionsBase):
    _names = ("apply_default_optimizations", "autotune", "autotune_buffers", "autotune_cpu_budget", "filter_fusion", "filter_with_random_uniform_fusion",
              "hoist_random_uniform", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "map_vectorization",
              "noop_elimination", "parallel_batch", "shuffle_and_repeat_fusion")


class ThreadingOptions(_OptionsBase):
    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class DistributeOptions(_OptionsBase):
    _names = ("auto_shard", "num_devices")


class StatsOptions(_OptionsBase):
    _names = ("aggregator", "prefix", "counter_prefix", "latency_all_edges")


class Options(_OptionsBase):
    """Options of a pipeline.

    `experimental_deterministic=False` allows elements to be produced out of order. `experimental_stats` names the
    aggregator of statistics. The other options are stored but have no effect: parallelism is controlled by the
    arguments of map, interleave and similar methods.
    """
    _names = ("experimental_deterministic", "experimental_slack")
    _parts = {"experimental_optimization": OptimizationOptions, "experimental_threading": ThreadingOptions,
              "experimental_distribute": DistributeOptions, "experimental_stats": StatsOptions}
