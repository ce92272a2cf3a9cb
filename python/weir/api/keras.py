"""tf.keras for graph-mode programs."""

_BASE = ["Layer", "Input", "InputLayer", "InputSpec"]
_CORE = ["Dense", "Activation", "Flatten", "Reshape", "Permute", "RepeatVector", "Lambda", "Masking", "ActivityRegularization", "Embedding", "Dropout",
         "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise", "GaussianDropout", "AlphaDropout", "LeakyReLU", "ELU",
         "ThresholdedReLU", "Softmax", "ReLU", "PReLU", "BatchNormalization", "LayerNormalization"]
_CONV = ["Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "SeparableConv1D", "SeparableConv2D", "DepthwiseConv2D",
         *[f"{name}{n}D" for n in (1, 2, 3) for name in ("MaxPooling", "AveragePooling", "GlobalMaxPooling", "GlobalAveragePooling", "ZeroPadding",
                                                          "Cropping", "UpSampling")]]
_ALIASES = {"Convolution1D": "Conv1D", "Convolution2D": "Conv2D", "Convolution3D": "Conv3D", "Convolution2DTranspose": "Conv2DTranspose",
            "Convolution3DTranspose": "Conv3DTranspose", "SeparableConvolution1D": "SeparableConv1D", "SeparableConvolution2D": "SeparableConv2D",
            **{f"{new}{n}D": f"{old}{n}D" for n in (1, 2, 3) for new, old in (
                ("MaxPool", "MaxPooling"), ("AvgPool", "AveragePooling"), ("GlobalMaxPool", "GlobalMaxPooling"),
                ("GlobalAvgPool", "GlobalAveragePooling"))}}
_MERGE = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot", "Attention", "AdditiveAttention", "add", "subtract",
          "multiply", "average", "maximum", "minimum", "concatenate", "dot"]
_RECURRENT = ["AbstractRNNCell", "SimpleRNNCell", "GRUCell", "LSTMCell", "StackedRNNCells", "RNN", "SimpleRNN", "GRU", "LSTM"]
_WRAPPERS = ["Wrapper", "TimeDistributed", "Bidirectional"]
_MODELS = ["Model", "Sequential", "clone_model", "model_from_config", "model_from_json"]
_INITIALIZERS = ["Constant", "Identity", "Initializer", "Ones", "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
                 "Zeros", "GlorotUniform", "GlorotNormal", "constant", "deserialize", "get", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
                 "identity", "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal", "random_normal", "random_uniform", "serialize",
                 "truncated_normal", "uniform", "zeros"]
_CONSTRAINTS = ["Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "deserialize", "get", "max_norm", "min_max_norm", "non_neg", "serialize",
                "unit_norm"]
_REGULARIZERS = ["L1L2", "Regularizer", "deserialize", "get", "l1", "l1_l2", "l2", "serialize"]
_ACTIVATIONS = ["deserialize", "elu", "exponential", "get", "hard_sigmoid", "linear", "relu", "selu", "serialize", "sigmoid", "softmax", "softplus",
                "softsign", "swish", "tanh"]
_OPTIMIZERS = ["Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD", "deserialize", "get", "serialize"]
_SCHEDULES = ["ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule", "PiecewiseConstantDecay", "PolynomialDecay"]
_UTILS = ["CustomObjectScope", "Progbar", "Sequence", "custom_object_scope", "deserialize_keras_object", "get_custom_objects", "get_file", "normalize",
          "serialize_keras_object", "to_categorical"]
_LOSSES = ["KLD", "MAE", "MAPE", "MSE", "MSLE", "kld", "mae", "mape", "mse", "msle", "mean_squared_error", "mean_absolute_error",
           "mean_absolute_percentage_error", "mean_squared_logarithmic_error", "kullback_leibler_divergence", "hinge", "squared_hinge", "poisson",
           "binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy", "cosine", "cosine_proximity"]
_LOSS_ONLY = ["categorical_hinge", "logcosh", "cosine_similarity", "Loss", "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
              "MeanSquaredLogarithmicError", "Hinge", "SquaredHinge", "CategoricalHinge", "Poisson", "LogCosh", "KLDivergence", "Huber",
              "CosineSimilarity", "BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "Reduction", "serialize",
              "deserialize", "get"]
_METRIC_ONLY = ["binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy", "top_k_categorical_accuracy",
                "sparse_top_k_categorical_accuracy", "Metric", "Mean", "Sum", "Accuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy",
                "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Hinge", "SquaredHinge",
                "CategoricalHinge", "Poisson", "LogCoshError", "KLDivergence", "BinaryAccuracy", "BinaryCrossentropy", "CategoricalCrossentropy",
                "SparseCategoricalCrossentropy", "TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "RootMeanSquaredError",
                "CosineSimilarity", "serialize", "deserialize", "get"]
_THRESHOLD_METRICS = ["AUC", "Precision", "Recall", "TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "SensitivityAtSpecificity",
                      "SpecificityAtSensitivity", "MeanIoU", "MeanTensor", "MeanRelativeError"]
_BACKEND = ["any", "all", "arange", "backend", "batch_dot", "batch_flatten", "batch_get_value", "batch_normalization", "batch_set_value", "bias_add",
            "binary_crossentropy", "cast_to_floatx", "categorical_crossentropy", "clear_session", "clip", "concatenate", "constant", "conv1d", "conv2d",
            "conv2d_transpose", "conv3d", "count_params", "dot", "dropout", "dtype", "elu", "epsilon", "eval", "eye", "floatx", "function", "get_session",
            "get_uid", "get_value", "gradients", "image_data_format", "in_test_phase", "in_train_phase", "int_shape", "is_keras_tensor", "is_sparse",
            "l2_normalize", "learning_phase", "learning_phase_scope", "manual_variable_initialization", "map_fn", "mean", "moving_average_update",
            "name_scope", "ndim", "normalize_batch_in_training", "ones", "placeholder", "pool2d", "pool3d", "print_tensor", "random_binomial",
            "random_normal", "random_normal_variable", "random_uniform", "random_uniform_variable", "repeat", "repeat_elements", "reset_uids",
            "resize_images", "resize_volumes", "separable_conv2d", "set_epsilon", "set_floatx", "set_image_data_format", "set_learning_phase",
            "set_session", "set_value", "sparse_categorical_crossentropy", "spatial_2d_padding", "spatial_3d_padding", "sqrt", "squeeze", "std",
            "stop_gradient", "switch", "temporal_padding", "to_dense", "truncated_normal", "update", "update_add", "update_sub", "var", "variable",
            "zeros"]
_UNARY = {**{name: (name, "") for name in ("abs", "cos", "exp", "log", "round", "sign", "sin", "square")},
          **{name: (f"nn.{name}", "") for name in ("sigmoid", "tanh")},
          **{name: (f"nn.{name}", "[features=x]") for name in ("softplus", "softsign")}}
_REDUCTIONS = {"max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod", "sum": "reduce_sum"}
_BINARY = ["equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "not_equal"]


def _names(module, file, names):
    return {f"keras.{module}.{name}": f"weir.lib.keras.{file}:{name}" for name in names}


def _backend_rows():
    return {
        **_names("backend", "backend", _BACKEND),
        **{f"keras.backend.{name}": f"(x) ={target}{renamed}" for name, (target, renamed) in _UNARY.items()},
        **{f"keras.backend.{name}": f"(x, axis=None, keepdims=False) ={target}[input_tensor=x]" for name, target in _REDUCTIONS.items()},
        **{f"keras.backend.{name}": f"(x, y) ={name}" for name in _BINARY},
        **{f"keras.backend.{name}": f"weir.lib.keras.activations:{name}" for name in ("hard_sigmoid", "relu", "softmax")},
        "keras.backend.argmax": "(x, axis=-1) =argmax[input=x]",
        "keras.backend.argmin": "(x, axis=-1) =argmin[input=x]",
        "keras.backend.cast": "=cast",
        "keras.backend.cumsum": "(x, axis=0) =cumsum",
        "keras.backend.cumprod": "(x, axis=0) =cumprod",
        "keras.backend.expand_dims": "(x, axis=-1) =expand_dims[input=x]",
        "keras.backend.flatten": "(x) =reshape[tensor=x, shape=[-1]]",
        "keras.backend.foldl": "(fn, elems, initializer=None, name=None) =foldl",
        "keras.backend.foldr": "(fn, elems, initializer=None, name=None) =foldr",
        "keras.backend.gather": "(reference, indices) =gather[params=reference]",
        "keras.backend.in_top_k": "(predictions, targets, k) =nn.in_top_k",
        "keras.backend.one_hot": "(indices, num_classes) =one_hot[depth=num_classes]",
        "keras.backend.ones_like": "(x, dtype=None, name=None) =ones_like[tensor=x]",
        "keras.backend.zeros_like": "(x, dtype=None, name=None) =zeros_like[tensor=x]",
        "keras.backend.permute_dimensions": "(x, pattern) =transpose[a=x, perm=pattern]",
        "keras.backend.pow": "(x, a) =pow[y=a]",
        "keras.backend.reshape": "(x, shape) =reshape[tensor=x]",
        "keras.backend.reverse": "(x, axes) =reverse[tensor=x, axis=axes]",
        "keras.backend.shape": "(x) =shape[input=x]",
        "keras.backend.stack": "(x, axis=0) =stack[values=x]",
        "keras.backend.tile": "(x, n) =tile[input=x, multiples=n]",
        "keras.backend.transpose": "(x) =transpose[a=x]",
    }


NAMES = {
    **_names("layers", "base", _BASE),
    **_names("layers", "core", _CORE),
    **_names("layers", "conv", _CONV),
    **_names("layers", "merge", _MERGE),
    **_names("layers", "recurrent", _RECURRENT),
    **_names("layers", "wrappers", _WRAPPERS),
    **_names("layers", "layers", ["serialize", "deserialize"]),
    **{f"keras.layers.{new}": f"=keras.layers.{old}" for new, old in _ALIASES.items()},
    "keras.Input": "weir.lib.keras.base:Input",
    "keras.Model": "weir.lib.keras.models:Model",
    "keras.Sequential": "weir.lib.keras.models:Sequential",
    **_names("models", "models", _MODELS),
    **_names("initializers", "initializers", _INITIALIZERS),
    **_names("constraints", "constraints", _CONSTRAINTS),
    **_names("regularizers", "regularizers", _REGULARIZERS),
    **_names("activations", "activations", _ACTIVATIONS),
    **_names("optimizers", "optimizers", _OPTIMIZERS),
    **_names("optimizers.schedules", "optimizers", _SCHEDULES),
    **_names("experimental", "optimizers", ["CosineDecay", "CosineDecayRestarts", "LinearCosineDecay", "NoisyLinearCosineDecay"]),
    "keras.optimizers.schedules.serialize": "weir.lib.keras.optimizers:serialize_schedule",
    "keras.optimizers.schedules.deserialize": "weir.lib.keras.optimizers:deserialize_schedule",
    **_names("losses", "losses", _LOSSES + _LOSS_ONLY),
    **_names("metrics", "metrics", _LOSSES + _METRIC_ONLY),
    **_names("metrics", "threshold_metrics", _THRESHOLD_METRICS),
    **_names("utils", "utils", _UTILS),
    **_names("preprocessing.sequence", "utils", ["pad_sequences"]),
    **_names("preprocessing.text", "utils", ["Tokenizer", "text_to_word_sequence"]),
    "keras.datasets.mnist.load_data": "weir.lib.keras.utils:load_mnist",
    "keras.datasets.boston_housing.load_data": "weir.lib.keras.utils:load_boston_housing",
    **_backend_rows(),
    "contrib.keras.*": "=keras.",
    "python.keras.*": "=keras.",
    **{f"python.keras.{module}.*": f"=keras.{module}." for module in (
        "layers", "models", "initializers", "constraints", "regularizers", "activations", "optimizers", "losses", "metrics", "utils", "backend",
        "preprocessing.sequence", "preprocessing.text")},
}
