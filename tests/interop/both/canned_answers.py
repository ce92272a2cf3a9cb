"""The canned estimators of tf.estimator with feature columns: variables, losses, metrics, predictions and tags of summaries."""
import os
import re
import tempfile

import numpy as np

CASES = {}

_random = np.random.RandomState(0)
X = {"a": _random.rand(64).astype(np.float32), "b": _random.rand(64, 2).astype(np.float32), "c": np.array(["x", "y", "z", "w"] * 16),
     "weight": (_random.rand(64) + 0.5).astype(np.float32)}
CLASSES = (X["a"] + X["b"][:, 0] > 1).astype(np.int64)
VALUES = (X["a"] * 2 + X["b"][:, 1]).astype(np.float32)


class Columns:
    def __init__(self, tf):
        self.a, self.b = tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b", shape=(2,))
        self.c = tf.feature_column.categorical_column_with_vocabulary_list("c", ["x", "y", "z"])
        self.indicator = tf.feature_column.indicator_column(self.c)
        self.embedding = tf.feature_column.embedding_column(self.c, 2)


def start_values(tf):
    """A hook that gives all trainable variables values that follow from their shapes, when training begins."""
    class Start(tf.train.SessionRunHook):
        def begin(self):
            def start(variable):
                size = variable.shape.num_elements()
                return np.reshape(np.linspace(-0.5, 0.7, size) if size > 1 else [0.3], variable.shape.as_list()).astype(np.float32)
            self.assign = [tf.assign(variable, start(variable)) for variable in tf.trainable_variables()]

        def after_create_session(self, session, coord):
            session.run(self.assign)
    return Start()


def canned(make, labels, start=False):
    def case(tf):
        with tempfile.TemporaryDirectory() as folder:
            estimator = make(tf.estimator, Columns(tf), folder, tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=1))

            def data(y, epochs=1):
                return tf.estimator.inputs.numpy_input_fn(X, y, batch_size=16, num_epochs=epochs, shuffle=False)
            estimator.train(data(labels, 2), hooks=[start_values(tf)] if start else None)
            evaluated = estimator.evaluate(data(labels))
            predicted = next(estimator.predict(data(None)))
            tags = {value.tag for name in os.listdir(folder) if "tfevents" in name
                    for event in tf.train.summary_iterator(os.path.join(folder, name)) for value in event.summary.value}
            # How slots of partitioned variables are named in checkpoints differs between versions.
            names = [name for name in estimator.get_variable_names() if not re.search(r"/(Ftrl|Adagrad|Adam)(_1)?$", name)]
            return [{name: estimator.get_variable_value(name) for name in names}, {key: float(value) for key, value in evaluated.items()},
                    predicted, sorted(tag for tag in tags if not tag.startswith(("enqueue_input", "global_step")))]
    return case


CASES.update({name: canned(*row) for name, row in {
    "LinearClassifier": (lambda e, c, d, config: e.LinearClassifier([c.a, c.b, c.c], d, config=config), CLASSES),
    "LinearClassifier of three": (lambda e, c, d, config: e.LinearClassifier([c.a, c.b], d, n_classes=3, config=config), CLASSES),
    "LinearClassifier with weights": (lambda e, c, d, config: e.LinearClassifier([c.a, c.b], d, weight_column="weight", config=config), CLASSES),
    "LinearClassifier with Adam": (lambda e, c, d, config: e.LinearClassifier([c.a, c.c], d, optimizer="Adam", config=config), CLASSES),
    "LinearClassifier with an unknown optimizer": (lambda e, c, d, config: e.LinearClassifier([c.a], d, optimizer="Foo", config=config), CLASSES),
    "LinearClassifier of one class": (lambda e, c, d, config: e.LinearClassifier([c.a], d, n_classes=1, config=config), CLASSES),
    "LinearClassifier without columns": (lambda e, c, d, config: e.LinearClassifier([], d, config=config), CLASSES),
    "LinearRegressor": (lambda e, c, d, config: e.LinearRegressor([c.a, c.b], d, config=config), VALUES),
    "DNNClassifier": (lambda e, c, d, config: e.DNNClassifier([3, 2], [c.a, c.b, c.indicator], d, config=config), CLASSES, True),
    "DNNClassifier with a category": (lambda e, c, d, config: e.DNNClassifier([3], [c.c], d, config=config), CLASSES, True),
    "DNNRegressor": (lambda e, c, d, config: e.DNNRegressor([3], [c.a, c.b], d, config=config), VALUES, True),
    "DNNRegressor with batch_norm": (lambda e, c, d, config: e.DNNRegressor([3], [c.a, c.b], d, batch_norm=True, config=config), VALUES, True),
    "DNNLinearCombinedClassifier": (lambda e, c, d, config: e.DNNLinearCombinedClassifier(
        d, linear_feature_columns=[c.c], dnn_feature_columns=[c.a, c.b], dnn_hidden_units=[3], config=config), CLASSES, True),
    "DNNLinearCombinedRegressor": (lambda e, c, d, config: e.DNNLinearCombinedRegressor(
        d, linear_feature_columns=[c.a], dnn_feature_columns=[c.b, c.embedding], dnn_hidden_units=[3, 2], config=config), VALUES, True),
    "DNNLinearCombinedEstimator": (lambda e, c, d, config: e.DNNLinearCombinedEstimator(
        e.BinaryClassHead(), d, linear_feature_columns=[c.a], dnn_feature_columns=[c.b], dnn_hidden_units=[3], config=config), CLASSES, True),
    "DNNLinearCombinedClassifier without columns": (lambda e, c, d, config: e.DNNLinearCombinedClassifier(d, config=config), CLASSES),
}.items()})


def parse_spec(make):
    def case(tf):
        spec = make(tf.estimator, Columns(tf))
        return {key: [type(value).__name__, value.dtype.name, list(getattr(value, "shape", []))] for key, value in spec.items()}
    return case


CASES.update({f"parsing {name}": parse_spec(make) for name, make in {
    "for a classifier": lambda e, c: e.classifier_parse_example_spec([c.a, c.c], "label"),
    "for a classifier with weights": lambda e, c: e.classifier_parse_example_spec([c.a], "label", weight_column="w"),
    "for a regressor": lambda e, c: e.regressor_parse_example_spec([c.b], "label", label_dimension=3),
    "with a label that is a feature": lambda e, c: e.classifier_parse_example_spec([c.a], "a")}.items()})
