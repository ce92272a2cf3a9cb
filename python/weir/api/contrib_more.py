"""tf.contrib.opt, cluster resolvers, learn.preprocessing, the projector, tfprof, input pipelines, and the rest of contrib.framework."""

_OPT = ["LazyAdamOptimizer", "NadamOptimizer", "AddSignOptimizer", "PowerSignOptimizer", "RegAdagradOptimizer", "DecoupledWeightDecayExtension",
        "extend_with_decoupled_weight_decay", "AdamWOptimizer", "MomentumWOptimizer", "MovingAverageOptimizer", "VariableClippingOptimizer",
        "DropStaleGradientOptimizer"]
_OPT_MODULES = ["adamax", "addsign", "drop_stale_gradient_optimizer", "elastic_average_optimizer", "external_optimizer", "lars_optimizer", "lazy_adam_optimizer",
                "moving_average_optimizer", "multitask_optimizer_wrapper", "nadam_optimizer", "powersign", "reg_adagrad_optimizer",
                "variable_clipping_optimizer", "weight_decay_optimizers"]
_RESOLVERS = ["ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver", "SlurmClusterResolver"]
_FRAMEWORK = ["zero_initializer", "assert_or_get_global_step", "assert_scalar", "assert_scalar_int", "assert_same_float_dtype",
              "remove_squeezable_dimensions", "reduce_sum_n", "with_shape", "with_same_shape", "get_graph_from_inputs", "get_placeholders",
              "smart_case"]
_INPUTS = ["bucket", "bucket_by_sequence_length", "rejection_sample", "stratified_sample", "resample_at_rate", "weighted_resample"]
_PREPROCESSING = ["VocabularyProcessor", "CategoricalVocabulary", "ByteProcessor", "tokenizer"]
_PROJECTOR = ["ProjectorConfig", "EmbeddingInfo", "SpriteMetadata", "visualize_embeddings"]
_PROFILER = ["profile", "Profiler", "ProfileOptionBuilder", "GraphNodeProto", "MultiGraphNodeProto"]

_IMAGE = ["angles_to_projective_transforms", "compose_transforms", "flat_transforms_to_matrices", "matrices_to_flat_transforms", "rotate",
          "transform", "translate", "translations_to_projective_transforms"]

NAMES = {
    **{f"contrib.image.{name}": f"weir.lib.contrib_image:{name}" for name in _IMAGE},
    "contrib.image.python.ops.image_ops.*": "=contrib.image.",
    **{f"contrib.opt.{name}": f"weir.lib.contrib_opt:{name}" for name in _OPT},
    **{f"contrib.opt.{name}": name for name in ("AdaMaxOptimizer", "LARSOptimizer", "MultitaskOptimizerWrapper",
                                                "clip_gradients_by_global_norm")},
    **{f"contrib.opt.{name}": f"weir.lib.external_optimizer:{name}" for name in ("ExternalOptimizerInterface", "ScipyOptimizerInterface")},
    **{f"contrib.opt.{name}": f"weir.lib.elastic_average:{name}" for name in ("ElasticAverageCustomGetter", "ElasticAverageOptimizer")},
    **{f"contrib.opt.python.training.{module}.*": "=contrib.opt." for module in _OPT_MODULES},
    **{f"{module}.{name}": f"weir.lib.cluster_resolver:{name}" for module in ("distribute.cluster_resolver", "contrib.cluster_resolver")
       for name in _RESOLVERS},
    "distribute.cluster_resolver.UnionResolver": "weir.lib.cluster_resolver:UnionResolver",
    "contrib.cluster_resolver.UnionClusterResolver": "weir.lib.cluster_resolver:UnionResolver",
    "python.distribute.cluster_resolver.*": "=distribute.cluster_resolver.",
    **{f"contrib.framework.{name}": f"weir.lib.contrib_framework:{name}" for name in _FRAMEWORK},
    **{f"contrib.training.{name}": f"weir.lib.contrib_inputs:{name}" for name in _INPUTS},
    **{f"contrib.training.python.training.{module}.*": "=contrib.training." for module in ("bucket_ops", "sampling_ops", "resample")},
    **{f"contrib.learn.preprocessing.{name}": f"weir.lib.vocabulary:{name}" for name in _PREPROCESSING},
    "contrib.learn.python.learn.preprocessing.*": "=contrib.learn.preprocessing.",
    "contrib.learn.python.learn.preprocessing.text.*": "=contrib.learn.preprocessing.",
    "contrib.learn.python.learn.preprocessing.categorical_vocabulary.*": "=contrib.learn.preprocessing.",
    **{f"contrib.tensorboard.plugins.projector.{name}": f"weir.lib.projector:{name}" for name in _PROJECTOR},
    "contrib.tensorboard.plugins.projector.projector_config_pb2": "weir.lib.projector:",
    **{f"contrib.nn.{name}": f"weir.lib.contrib_nn:{name}" for name in ("alpha_dropout", "scaled_softplus", "sampled_sparse_softmax_loss")},
    "contrib.nn.nth_element": "(input, n, reverse=False, name=None) op:NthElement",
    "contrib.nn.conv1d_transpose": "(value, filter, output_shape, stride, padding='SAME', data_format='NWC', name=None) "
                                   "=nn.conv1d_transpose[input=value,filters=filter,strides=stride]",
    "contrib.learn.python.learn.datasets.base": "weir.lib.learn_datasets:",
    "contrib.learn.datasets.base": "weir.lib.learn_datasets:",
    **{f"contrib.nccl.{name}": f"weir.lib.nccl:{name}" for name in ("all_sum", "all_prod", "all_min", "all_max", "reduce_sum", "broadcast")},
    "contrib.nccl.python.ops.nccl_ops.*": "=contrib.nccl.",
    "contrib.hooks.ProfilerHook": "=train.ProfilerHook",
    "tensorboard.plugins.projector.*": "=contrib.tensorboard.plugins.projector.",  # its place before 1.3
    "python.ops.seq2seq.*": "=contrib.legacy_seq2seq.",
    "contrib.lookup.lookup_ops.*": "=contrib.lookup.",
    "contrib.distributions.python.ops.*": "=contrib.distributions.",
    **{f"contrib.data.python.ops.{module}.*": "=contrib.data." for module in (
        "batching", "counter", "enumerate_ops", "error_ops", "get_single_element", "grouping", "interleave_ops", "iterator_ops", "optional_ops",
        "prefetching_ops", "random_ops", "readers", "resampling", "scan_ops", "shuffle_ops", "threadpool", "unique", "writers")},
    "python.util.all_util": "weir.lib.all_util:",
    **{f"contrib.predictor.{name}": f"weir.lib.predictor:{name}" for name in ("from_saved_model", "from_estimator")},
    **{f"contrib.predictor.{module}.{name}": f"weir.lib.predictor:{name}" for module, name in (
        ("predictor", "Predictor"), ("saved_model_predictor", "SavedModelPredictor"), ("core_estimator_predictor", "CoreEstimatorPredictor"))},
    **{f"profiler.{name}": f"weir.lib.profiler:{name}" for name in _PROFILER},
    "contrib.tfprof.model_analyzer": "weir.lib.profiler:",
    "python.profiler.model_analyzer.*": "=profiler.",
    "python.profiler.option_builder.*": "=profiler.",
}
