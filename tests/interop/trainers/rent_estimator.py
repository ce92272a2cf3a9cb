"""A linear estimator with feature columns on a cluster: parameter server, chief, worker and evaluator.

TF_CONFIG has the cluster and the role of the task. The data has no noise, so that all orders of updates lead to the
same predictions.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("model_dir", "model", "Base directory for output models")
flags.DEFINE_integer("train_steps", 300, "Number of training steps")
flags.DEFINE_integer("throttle_secs", 1, "Seconds between evaluations")
FLAGS = flags.FLAGS

CITIES, KINDS = ["Bern", "Graz", "Lyon"], ["flat", "house"]
BASE_RENT = {"Bern": 9.0, "Graz": 5.0, "Lyon": 7.0, "flat": 0.5, "house": 2.0}


def make_data(count=32):
    rng = np.random.RandomState(4)
    cities, kinds = rng.choice(CITIES, count), rng.choice(KINDS, count)
    size, age = rng.uniform(0.3, 1.5, count).astype(np.float32), rng.randint(0, 60, count)
    rent = [BASE_RENT[c] + BASE_RENT[k] + 3.0 * s - (1.0 if a >= 20 else 0.0) - (0.5 if a >= 40 else 0.0)
            for c, k, s, a in zip(cities, kinds, size, age)]
    return {"city": cities, "kind": kinds, "size": size, "age": age}, np.float32(rent)


def feature_columns():
    age = tf.feature_column.numeric_column("age", dtype=tf.int64)
    return [
        tf.feature_column.categorical_column_with_vocabulary_list("city", CITIES),
        tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_vocabulary_list("kind", KINDS)),
        tf.feature_column.numeric_column("size", normalizer_fn=lambda x: x - 0.9),
        tf.feature_column.bucketized_column(age, boundaries=[20, 40]),
    ]


def model_fn(features, labels, mode, params, config):
    # Parameters of feature columns go to the parameter servers, by config.device_fn.
    tf.logging.info("%s %d of a cluster with %d parameter servers", config.task_type, config.task_id, config.num_ps_replicas)
    rent = tf.feature_column.linear_model(features, params["columns"], units=1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"rent": tf.estimator.export.PredictOutput({"rent": rent})}
        return tf.estimator.EstimatorSpec(mode, predictions={"rent": rent}, export_outputs=outputs)
    labels = tf.expand_dims(labels, 1)
    loss = tf.losses.mean_squared_error(labels, rent)
    tf.summary.scalar("average_rent", tf.reduce_mean(rent))
    metrics = {"rmse": tf.metrics.root_mean_squared_error(labels, rent), "mean_rent": tf.metrics.mean(rent)}
    global_step = tf.train.get_global_step()
    train_op = tf.contrib.layers.optimize_loss(loss, global_step, params["learning_rate"], lambda rate: tf.train.MomentumOptimizer(rate, momentum=0.8),
                                               summaries=["loss", "learning_rate"])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    features, rents = make_data()
    train_input_fn = tf.estimator.inputs.numpy_input_fn(features, rents, batch_size=32, num_epochs=None, shuffle=False)
    eval_input_fn = tf.estimator.inputs.numpy_input_fn(features, rents, batch_size=16, num_epochs=1, shuffle=False)
    columns = feature_columns()
    config = tf.estimator.RunConfig(model_dir=FLAGS.model_dir, save_checkpoints_steps=FLAGS.train_steps // 2, save_summary_steps=50, keep_checkpoint_max=3,
                                    experimental_max_worker_delay_secs=1)
    estimator = tf.estimator.Estimator(model_fn=model_fn, config=config, params={"columns": columns, "learning_rate": 0.1})
    serving = tf.estimator.export.build_parsing_serving_input_receiver_fn(tf.feature_column.make_parse_example_spec(columns))
    exporter = tf.estimator.LatestExporter("rent", serving, exports_to_keep=1)
    train_spec = tf.estimator.TrainSpec(input_fn=train_input_fn, max_steps=FLAGS.train_steps)
    eval_spec = tf.estimator.EvalSpec(input_fn=eval_input_fn, steps=None, exporters=[exporter], start_delay_secs=0, throttle_secs=FLAGS.throttle_secs)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)

    task = json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {"type": "alone"})
    print("%s is done, chief: %s, parameter servers: %d" % (task["type"], config.is_chief, config.num_ps_replicas))
    if task["type"] in ("evaluator", "alone"):
        result = estimator.evaluate(eval_input_fn, name="final")
        print("loss %.4f, rmse %.4f, mean rent %.4f" % (result["loss"], result["rmse"], result["mean_rent"]))
        predictions = estimator.predict(tf.estimator.inputs.numpy_input_fn(features, batch_size=8, num_epochs=1, shuffle=False))
        for wanted, found in list(zip(rents, predictions))[:5]:
            print("rent %.4f, predicted %.4f" % (wanted, found["rent"][0]))
        print(sorted(estimator.get_variable_names()))
        exports = tf.gfile.ListDirectory(os.path.join(FLAGS.model_dir, "export", "rent"))
        print("exports: %d" % len(exports))


if __name__ == "__main__":
    tf.app.run()
