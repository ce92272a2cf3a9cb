"""tf.estimator, the modules below it that programs import from, and small parts of tf.contrib that concern estimators."""

_HOOKS = ["CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook", "GlobalStepWaiterHook", "LoggingTensorHook",
          "NanLossDuringTrainingError", "NanTensorHook", "ProfilerHook", "SecondOrStepTimer", "SessionRunArgs", "SessionRunContext",
          "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook", "SummarySaverHook"]
_EXPORT = ["ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput", "ServingInputReceiver",
           "TensorServingInputReceiver", "build_parsing_serving_input_receiver_fn", "build_raw_serving_input_receiver_fn"]
_EARLY = ["InMemoryEvaluatorHook", "make_early_stopping_hook", "make_stop_at_checkpoint_step_hook",
          "stop_if_higher_hook", "stop_if_lower_hook", "stop_if_no_decrease_hook",
          "stop_if_no_increase_hook"]
_LOGITS = ["call_logit_fn", "dnn_logit_fn_builder", "linear_logit_fn_builder"]
_CONTRIB = ["binary_classification_head", "multi_class_head", "regression_head", "poisson_regression_head", "logistic_regression_head",
            "multi_label_head", "multi_head", "clip_gradients_by_norm", "forward_features"]
_CANNED_HEADS = ["_binary_logistic_head_with_sigmoid_cross_entropy_loss", "_multi_class_head_with_softmax_cross_entropy_loss", "_regression_head",
                 "_regression_head_with_mean_squared_error_loss", "LossSpec"]
# The file below weir/lib of each name of tf.estimator.
_PLACES = {
    "estimator": ["Estimator", "EstimatorSpec", "VocabInfo", "WarmStartSettings"],
    "estimator_config": ["RunConfig", "ModeKeys"],
    "estimator_training": ["TrainSpec", "EvalSpec", "train_and_evaluate", "Exporter", "FinalExporter", "LatestExporter", "BestExporter"],
    "heads": ["Head", "BinaryClassHead", "MultiClassHead", "MultiLabelHead", "RegressionHead", "PoissonRegressionHead",
              "LogisticRegressionHead", "MultiHead"],
    "canned_estimators": ["LinearClassifier", "LinearRegressor", "LinearEstimator", "DNNClassifier", "DNNRegressor", "DNNEstimator",
                          "DNNLinearCombinedClassifier", "DNNLinearCombinedRegressor", "DNNLinearCombinedEstimator", "BaselineClassifier",
                          "BaselineRegressor", "BaselineEstimator", "classifier_parse_example_spec", "regressor_parse_example_spec"],
}
# Modules of TensorFlow that programs import these names from.
_INNER = ["estimator", "model_fn", "run_config", "training", "exporter", "estimator_lib", "canned.linear", "canned.dnn",
          "canned.dnn_linear_combined", "canned.baseline", "head.base_head", "warm_starting_util"]

NAMES = {
    **{f"estimator.{name}": f"=train.{name}" for name in _HOOKS},
    **{f"estimator.{name}": f"weir.lib.{place}:{name}" for place, names in _PLACES.items() for name in names},
    **{f"estimator.export.{name}": f"weir.lib.estimator_export:{name}" for name in _EXPORT},
    **{f"estimator.inputs.{name}": f"weir.lib.estimator_inputs:{name}" for name in ("numpy_input_fn", "pandas_input_fn")},
    "estimator.add_metrics": "weir.lib.early_stopping:add_metrics",
    **{f"estimator.experimental.{name}": f"weir.lib.early_stopping:{name}" for name in _EARLY},
    **{f"estimator.experimental.{name}": f"weir.lib.canned_estimators:{name}" for name in _LOGITS},
    "estimator.experimental.build_raw_supervised_input_receiver_fn":
        "weir.lib.estimator_export:build_raw_supervised_input_receiver_fn",
    **{f"python.estimator.{module}.*": "=estimator." for module in _INNER},
    "python.estimator.run_config.TaskType": "weir.lib.estimator_config:TaskType",
    **{f"python.estimator.inputs.{module}.*": "=estimator.inputs." for module in ("numpy_io", "pandas_io", "inputs")},
    **{f"python.estimator.export.{module}.*": "=estimator.export." for module in ("export", "export_output", "export_lib")},
    **{f"contrib.estimator.{name}": f"weir.lib.early_stopping:{name}" for name in [*_EARLY, "read_eval_metrics", "add_metrics"]},
    **{f"contrib.estimator.{name}": f"weir.lib.canned_estimators:{name}" for name in _LOGITS},
    **{f"contrib.estimator.{name}": f"weir.lib.contrib_estimator:{name}" for name in _CONTRIB},
    **{f"python.estimator.canned.head.{name}": f"weir.lib.contrib_estimator:{name}" for name in _CANNED_HEADS},
    "contrib.estimator.build_raw_supervised_input_receiver_fn": "=estimator.experimental.build_raw_supervised_input_receiver_fn",
    "contrib.learn.ModeKeys": "weir.lib.estimator_config:ContribModeKeys",
    "train.VocabInfo": "weir.lib.estimator:VocabInfo",
    "train.warm_start": "weir.lib.warm_start:warm_start",
}
