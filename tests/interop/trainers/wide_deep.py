"""Wide and deep: a linear model of crosses and a network of embeddings, as a canned estimator that reads CSV files."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

_CSV_COLUMNS = ["age", "workclass", "education", "education_num", "occupation", "hours_per_week", "income_bracket"]
_CSV_COLUMN_DEFAULTS = [[0.0], [""], [""], [0.0], [""], [0.0], [""]]
WORK, EDUCATION = ["Private", "State-gov", "Self-emp"], ["Bachelors", "HS-grad", "11th", "Masters"]

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", type=str, default="census_model", help="Base directory for the model.")
parser.add_argument("--model_type", type=str, default="wide_deep", help="Valid model types: {'wide', 'deep', 'wide_deep'}.")
parser.add_argument("--train_epochs", type=int, default=4, help="Number of training epochs.")
parser.add_argument("--epochs_per_eval", type=int, default=2, help="The number of training epochs to run between evaluations.")
parser.add_argument("--batch_size", type=int, default=20, help="Number of examples per batch.")


def write_csv(path, seed, count):
    rng = np.random.RandomState(seed)
    with tf.gfile.Open(path, "w") as f:
        for _ in range(count):
            age, education, hours = rng.randint(18, 80), rng.randint(4), rng.randint(10, 70)
            rich = age + 10 * education + hours + rng.randint(20) > 110
            f.write("%d,%s,%s,%d,job%d,%d,%s\n" % (age, WORK[rng.randint(3)], EDUCATION[education], education * 3, rng.randint(40), hours,
                                                  ">50K" if rich else "<=50K"))


def build_model_columns():
    age = tf.feature_column.numeric_column("age")
    education_num = tf.feature_column.numeric_column("education_num", normalizer_fn=lambda x: x / 10.0)
    hours_per_week = tf.feature_column.numeric_column("hours_per_week", normalizer_fn=lambda x: x / 50.0)
    education = tf.feature_column.categorical_column_with_vocabulary_list("education", EDUCATION)
    workclass = tf.feature_column.categorical_column_with_vocabulary_list("workclass", WORK)
    occupation = tf.feature_column.categorical_column_with_hash_bucket("occupation", hash_bucket_size=30)
    age_buckets = tf.feature_column.bucketized_column(age, boundaries=[25, 35, 45, 55, 65])
    base_columns = [education, workclass, occupation, age_buckets]
    crossed_columns = [
        tf.feature_column.crossed_column(["education", "occupation"], hash_bucket_size=50),
        tf.feature_column.crossed_column([age_buckets, "education", "occupation"], hash_bucket_size=50),
    ]
    deep_columns = [education_num, hours_per_week, tf.feature_column.indicator_column(workclass), tf.feature_column.indicator_column(education),
                    tf.feature_column.embedding_column(occupation, dimension=4)]
    return base_columns + crossed_columns, deep_columns


class InitialValues(tf.train.SessionRunHook):
    """Sets the weights of the network to values that do not depend on the library."""

    def begin(self):
        self.variables = sorted((v for v in tf.trainable_variables() if v.name.startswith("dnn/")), key=lambda v: v.name)
        self.values = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in self.variables]
        self.assign = [tf.assign(v, value) for v, value in zip(self.variables, self.values)]
        self.global_step = tf.train.get_global_step()

    def after_create_session(self, session, coord):
        if session.run(self.global_step) == 0:
            for i, assign in enumerate(self.assign):
                value = np.random.RandomState(i).normal(scale=0.3, size=self.values[i].shape.as_list())
                session.run(assign, {self.values[i]: value})


def build_estimator(model_dir, model_type):
    wide_columns, deep_columns = build_model_columns()
    run_config = tf.estimator.RunConfig(tf_random_seed=1).replace(
        session_config=tf.ConfigProto(device_count={"GPU": 0}), save_summary_steps=5, keep_checkpoint_max=2)
    if model_type == "wide":
        return tf.estimator.LinearClassifier(model_dir=model_dir, feature_columns=wide_columns, config=run_config)
    if model_type == "deep":
        return tf.estimator.DNNClassifier(model_dir=model_dir, feature_columns=deep_columns, hidden_units=[16, 8], config=run_config)
    return tf.estimator.DNNLinearCombinedClassifier(
        model_dir=model_dir, linear_feature_columns=wide_columns, dnn_feature_columns=deep_columns, dnn_hidden_units=[16, 8],
        dnn_optimizer=tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.001), config=run_config)


def input_fn(data_file, num_epochs, batch_size):
    def parse_csv(value):
        columns = tf.decode_csv(value, record_defaults=_CSV_COLUMN_DEFAULTS)
        features = dict(zip(_CSV_COLUMNS, columns))
        return features, tf.equal(features.pop("income_bracket"), ">50K")

    dataset = tf.data.TextLineDataset(data_file)
    dataset = dataset.map(parse_csv, num_parallel_calls=2)
    dataset = dataset.repeat(num_epochs).batch(batch_size)
    return dataset.make_one_shot_iterator().get_next()


def main(unused_argv):
    shutil.rmtree(FLAGS.model_dir, ignore_errors=True)
    tf.gfile.MakeDirs("data")
    train_file, test_file = os.path.join("data", "adult.data"), os.path.join("data", "adult.test")
    write_csv(train_file, 1, 200)
    write_csv(test_file, 2, 100)
    model = build_estimator(FLAGS.model_dir, FLAGS.model_type)
    for n in range(FLAGS.train_epochs // FLAGS.epochs_per_eval):
        model.train(input_fn=lambda: input_fn(train_file, FLAGS.epochs_per_eval, FLAGS.batch_size), hooks=[InitialValues()])
        results = model.evaluate(input_fn=lambda: input_fn(test_file, 1, FLAGS.batch_size))
        print("Results at epoch", (n + 1) * FLAGS.epochs_per_eval)
        for key in sorted(results):
            print("%s: %.6f" % (key, results[key]))
    predictions = list(model.predict(input_fn=lambda: input_fn(test_file, 1, FLAGS.batch_size)))
    print("predictions", " ".join("%s %.5f" % (p["classes"][0].decode(), p["probabilities"][1]) for p in predictions[:8]))
    for name in model.get_variable_names():
        print(name, model.get_variable_value(name).shape, "%.5f" % np.abs(model.get_variable_value(name)).sum())
    wide_columns, deep_columns = build_model_columns()
    feature_spec = tf.feature_column.make_parse_example_spec(wide_columns + deep_columns)
    export_input_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(feature_spec)
    exported = model.export_savedmodel("export", export_input_fn)
    print("exported", sorted(tf.gfile.ListDirectory(exported)))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
