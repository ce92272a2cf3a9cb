"""The heads of tf.estimator: losses, gradients, metrics, predictions and outputs of exports; and the baseline estimators."""
import tempfile

import numpy as np

CASES = {}

ONE = np.array([[0.3], [-1.2], [2.0]], np.float32)
TWO = np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]], np.float32)
THREE = np.array([[1.0, 2.0, -3.0], [0.0, -1.0, 0.5]], np.float32)
HOT = np.array([[1, 0, 1], [0, 0, 1]], np.int64)
WEIGHTS = {"w": np.array([[1.0], [2.0], [0.5]], np.float32)}


def rounded(values):
    return {str(key): np.asarray(value, np.float64).tolist() for key, value in values.items()}


def head(make, logits, labels, features=None):
    """What the head makes in each mode. Training moves a variable that is added to the logits."""
    def case(tf):
        found = []
        for mode in ("eval", "train", "infer"):
            with tf.Graph().as_default():
                step = tf.train.create_global_step()
                shift = tf.get_variable("shift", [], initializer=tf.zeros_initializer())
                inputs = {"x": tf.zeros([len(logits), 1]), **{key: tf.constant(value) for key, value in (features or {}).items()}}

                def train_op_fn(loss):
                    return tf.train.GradientDescentOptimizer(1.0).minimize(loss, step, var_list=[shift])
                spec = make(tf.estimator).create_estimator_spec(
                    features=inputs, mode=mode, logits=tf.constant(logits) + shift, labels=None if mode == "infer" else tf.constant(labels),
                    train_op_fn=train_op_fn)
                with tf.Session() as sess:
                    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
                    if mode == "eval":
                        sess.run({key: update for key, (_, update) in spec.eval_metric_ops.items()})
                        found.append([sess.run(spec.loss), rounded(sess.run({key: value for key, (value, _) in spec.eval_metric_ops.items()}))])
                    elif mode == "train":
                        tags = [tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)]
                        found.append([sess.run(spec.loss), tags])
                        sess.run(spec.train_op)
                        found.append([sess.run(shift), sess.run(step)])
                    else:
                        found.append(sess.run(spec.predictions))
                        found.append({key: [type(output).__name__, sorted(getattr(output, "outputs", []))]
                                      for key, output in spec.export_outputs.items()})
        return found
    return case


def canned(name):
    """Returns a function of estimator.canned.head, which tf.contrib.estimator's heads are made of."""
    try:
        from weir._names import find
    except ImportError:
        import importlib
        return getattr(importlib.import_module("tensorflow_estimator.python.estimator.canned.head"), name)
    return find("python.estimator.canned.head." + name)


CASES.update({f"canned head {name}": head(*row) for name, row in {
    "binary": (lambda e: canned("_binary_logistic_head_with_sigmoid_cross_entropy_loss")(thresholds=[0.4]), ONE, [[1], [0], [1]]),
    "binary with weights": (lambda e: canned("_binary_logistic_head_with_sigmoid_cross_entropy_loss")(
        weight_column="w", loss_reduction="weighted_sum_over_batch_size", name="foo"), ONE, [[1], [0], [1]], WEIGHTS),
    "classes": (lambda e: canned("_multi_class_head_with_softmax_cross_entropy_loss")(3, label_vocabulary=["a", "b", "c"]), THREE, [["c"], ["a"]]),
    "values": (lambda e: canned("_regression_head")(weight_column="w", label_dimension=2), TWO, TWO + 0.5, WEIGHTS),
    "values with a link": (lambda e: canned("_regression_head")(
        loss_reduction="weighted_sum_over_batch_size", inverse_link_fn=lambda x: 2 * x), ONE, [[1.0], [0.0], [1.5]]),
}.items()})
CASES.update({f"head {name}": head(*row) for name, row in {
    "binary": (lambda e: e.BinaryClassHead(), ONE, [[1], [0], [1]]),
    "binary with labels in a row": (lambda e: e.BinaryClassHead(), ONE, [1.0, 0.0, 1.0]),
    "binary with weights": (lambda e: e.BinaryClassHead(weight_column="w"), ONE, [[1], [0], [1]], WEIGHTS),
    "binary with a name": (lambda e: e.BinaryClassHead(name="foo"), ONE, [[1], [0], [0]]),
    "binary with thresholds": (lambda e: e.BinaryClassHead(thresholds=[0.5, 0.25]), ONE, [[1], [0], [0]]),
    "binary with words": (lambda e: e.BinaryClassHead(label_vocabulary=["a", "b"]), ONE, [["b"], ["a"], ["b"]]),
    "binary, summed": (lambda e: e.BinaryClassHead(loss_reduction="sum"), ONE, [[1], [0], [1]]),
    "binary with a loss": (lambda e: e.BinaryClassHead(loss_fn=lambda labels, logits: (labels - logits) ** 2), ONE, [[1], [0], [1]]),
    "binary with a wrong loss": (lambda e: e.BinaryClassHead(loss_fn=lambda labels, foo: labels), ONE, [[1], [0], [1]]),
    "binary with a label out of range": (lambda e: e.BinaryClassHead(), ONE, [[1], [0], [2]]),
    "binary with two logits": (lambda e: e.BinaryClassHead(), TWO, [[1], [0], [1]]),
    "binary with two labels": (lambda e: e.BinaryClassHead(), ONE, [[1, 2], [0, 1], [1, 1]]),
    "classes": (lambda e: e.MultiClassHead(3), THREE, [[2], [0]]),
    "classes with words": (lambda e: e.MultiClassHead(3, label_vocabulary=["a", "b", "c"]), THREE, [["c"], ["a"]]),
    "classes with weights": (lambda e: e.MultiClassHead(3, weight_column="w"), THREE, [[2], [0]], {"w": WEIGHTS["w"][:2]}),
    "two classes": (lambda e: e.MultiClassHead(2), TWO, [[1], [0], [1]]),
    "classes with a label out of range": (lambda e: e.MultiClassHead(3), THREE, [[3], [0]]),
    "classes with float labels": (lambda e: e.MultiClassHead(3), THREE, [[2.0], [0.0]]),
    "labels": (lambda e: e.MultiLabelHead(3), THREE, HOT),
    "labels with thresholds": (lambda e: e.MultiLabelHead(3, thresholds=[0.5], classes_for_class_based_metrics=[0, 2]), THREE, HOT),
    "labels with weights": (lambda e: e.MultiLabelHead(3, weight_column="w"), THREE, HOT, {"w": WEIGHTS["w"][:2]}),
    "labels with words": (lambda e: e.MultiLabelHead(3, label_vocabulary=["a", "b", "c"], classes_for_class_based_metrics=["a"]), THREE, HOT),
    "values": (lambda e: e.RegressionHead(), ONE, [[1.0], [0.0], [1.0]]),
    "values in a row": (lambda e: e.RegressionHead(), ONE, [1.0, 0.0, 1.0]),
    "two values": (lambda e: e.RegressionHead(label_dimension=2), TWO, [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
    "values with weights": (lambda e: e.RegressionHead(weight_column="w"), ONE, [[1.0], [0.0], [1.0]], WEIGHTS),
    "counts": (lambda e: e.PoissonRegressionHead(), ONE, [[1.0], [0.0], [3.0]]),
    "counts with a short loss": (lambda e: e.PoissonRegressionHead(compute_full_loss=False), ONE, [[1.0], [0.0], [3.0]]),
    "shares": (lambda e: e.LogisticRegressionHead(), ONE, [[0.5], [0.0], [1.0]]),
    "shares out of range": (lambda e: e.LogisticRegressionHead(), ONE, [[0.5], [0.0], [1.5]]),
}.items()})


def baseline(make, labels):
    def case(tf):
        with tempfile.TemporaryDirectory() as folder:
            estimator = make(tf.estimator, folder, tf.estimator.RunConfig(tf_random_seed=1))
            x = {"a": np.arange(12, dtype=np.float32)}

            def data(y, epochs=1):
                return tf.estimator.inputs.numpy_input_fn(x, y, batch_size=5, num_epochs=epochs, shuffle=False)
            estimator.train(data(np.array(labels), 3))
            evaluated = estimator.evaluate(data(np.array(labels)))
            predicted = next(estimator.predict(data(None)))
            return [{name: estimator.get_variable_value(name) for name in estimator.get_variable_names()},
                    {key: float(value) for key, value in evaluated.items()}, predicted]
    return case


CASES.update({
    "BaselineClassifier": baseline(lambda e, folder, config: e.BaselineClassifier(folder, config=config), [0, 1, 1, 1] * 3),
    "BaselineClassifier of three": baseline(lambda e, folder, config: e.BaselineClassifier(folder, n_classes=3, config=config), [0, 1, 1, 2] * 3),
    "BaselineClassifier with words": baseline(
        lambda e, folder, config: e.BaselineClassifier(folder, label_vocabulary=["no", "yes"], config=config), ["no", "yes", "yes", "yes"] * 3),
    "BaselineRegressor": baseline(lambda e, folder, config: e.BaselineRegressor(folder, config=config), [0.5, 1.0, 2.0, 3.0] * 3),
    "BaselineEstimator": baseline(lambda e, folder, config: e.BaselineEstimator(e.PoissonRegressionHead(), folder, config=config), [0.0, 1.0, 2.0, 3.0] * 3),
    "BaselineRegressor with Adagrad": baseline(lambda e, folder, config: e.BaselineRegressor(folder, config=config, optimizer="Adagrad"), [0.5, 1.0, 2.0, 3.0] * 3),
})
