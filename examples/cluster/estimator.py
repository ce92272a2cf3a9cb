"""An estimator that trains on a cluster and is evaluated while it trains.

  weir up examples/cluster/estimator.py --chief --evaluator --ps 1 --workers 1 -- --model_dir=model

Every task runs this program; its role in TF_CONFIG says whether it trains, serves or evaluates. Without a cluster
(`weir run`), one process does all.
"""
import argparse
import sys

import numpy as np
import tensorflow as tf

FLAGS = None


def points(batch):
    """Points of y = 2 x + 0.5, with noise."""
    x = np.linspace(-1.0, 1.0, 256).astype(np.float32)
    y = 2.0 * x + 0.5 + np.random.RandomState(0).normal(scale=0.05, size=x.shape).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).shuffle(256).repeat().batch(batch)


def line(features, labels, mode, params):
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    offset = tf.get_variable("offset", [], initializer=tf.zeros_initializer())
    predictions = {"y": slope * features["x"] + offset}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions)
    loss = tf.losses.mean_squared_error(labels, predictions["y"])
    train_op = tf.train.AdagradOptimizer(params["rate"]).minimize(loss, global_step=tf.train.get_global_step())
    error = tf.metrics.mean_absolute_error(labels, predictions["y"])
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op, {"error": error})


def serving_input():
    x = tf.placeholder(tf.float32, [None], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def main(_):
    config = tf.estimator.RunConfig(FLAGS.model_dir, save_checkpoints_steps=FLAGS.steps // 2, log_step_count_steps=100,
                                    experimental_max_worker_delay_secs=1)
    estimator = tf.estimator.Estimator(line, config=config, params={"rate": 0.5})
    train = tf.estimator.TrainSpec(lambda: points(32), max_steps=FLAGS.steps)
    evaluate = tf.estimator.EvalSpec(lambda: points(32), steps=8, exporters=tf.estimator.FinalExporter("line", serving_input),
                                     start_delay_secs=0, throttle_secs=1)
    tf.estimator.train_and_evaluate(estimator, train, evaluate)
    role = config.task_type
    if role == "evaluator" or not config.cluster_spec.as_dict():
        result = estimator.evaluate(lambda: points(32), steps=8, name="last")
        print("step %d: the error is %.3f" % (result["global_step"], result["error"]))
    elif role == "chief":
        print("y = %.2f x + %.2f" % (estimator.get_variable_value("slope"), estimator.get_variable_value("offset")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model_dir", default="model", help="folder for checkpoints, event files and exports")
    parser.add_argument("--steps", type=int, default=1000, help="the global step at which training ends")
    FLAGS, rest = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + rest)
