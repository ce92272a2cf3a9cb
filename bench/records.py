"""Measures input throughput: reads, parses and batches TFRecords of 28 x 28 images, through queues or tf.data.
Works with any TensorFlow 1.x implementation.

    PYTHON records.py FOLDER queue|data     prints one JSON line; writes the records into FOLDER if they do not exist
"""
import json, os, sys, time

import numpy as np

from under_test import tensorflow

tf = tensorflow()
RECORDS, FILES, BATCH, BATCHES = 5000, 2, 128, 400


def write(folder):
    rng = np.random.RandomState(0)
    paths = [os.path.join(folder, "digits-%d.tfrecords" % i) for i in range(FILES)]
    for path in paths:
        if os.path.exists(path):
            continue
        with tf.python_io.TFRecordWriter(path) as writer:
            for _ in range(RECORDS):
                pixels = rng.randint(0, 256, 784).astype(np.uint8).tobytes()
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(rng.randint(10))])),
                })).SerializeToString())
    return paths


def parse(record):
    features = tf.parse_single_example(record, {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)})
    image = tf.decode_raw(features["image"], tf.uint8)
    image.set_shape([784])
    return tf.cast(image, tf.float32) * (1.0 / 255) - 0.5, tf.cast(features["label"], tf.int32)


def through_queues(paths):
    files = tf.train.string_input_producer(paths)
    _, record = tf.TFRecordReader().read(files)
    image, label = parse(record)
    return tf.train.shuffle_batch([image, label], batch_size=BATCH, num_threads=2, capacity=2000 + 3 * BATCH, min_after_dequeue=2000)


def through_data(paths):
    data = tf.data.TFRecordDataset(paths).repeat().map(parse, num_parallel_calls=2).shuffle(2000).batch(BATCH).prefetch(2)
    return tf.data.make_one_shot_iterator(data).get_next() if hasattr(tf.data, "make_one_shot_iterator") else data.make_one_shot_iterator().get_next()


def main(folder, how):
    images, labels = (through_queues if how == "queue" else through_data)(write(folder))
    step = tf.group(images, labels)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(40):
            sess.run(step)
        start = time.perf_counter()
        for _ in range(BATCHES):
            sess.run(step)
        seconds = time.perf_counter() - start
        assert sess.run(images).shape == (BATCH, 784)
        coord.request_stop()
        coord.join(threads)
    print(json.dumps({"name": "records_" + how, "records_per_s": round(BATCH * BATCHES / seconds)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
