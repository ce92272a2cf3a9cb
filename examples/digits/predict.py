"""Recognizes digits in pictures, and prints each digit with its probability:

  weir run examples/digits/predict.py GRAPH PICTURE...

GRAPH is the file digits.pb that train.py writes. Pictures are PNG, JPEG, GIF or BMP files of any size, with one bright digit
on a dark background.
"""
import sys

import tensorflow as tf

import network


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    with tf.gfile.GFile(arguments[1], "rb") as file:
        trained = tf.GraphDef.FromString(file.read())
    path = tf.placeholder(tf.string, [])
    picture = tf.image.decode_image(tf.read_file(path), channels=1)
    picture.set_shape([None, None, 1])
    image = tf.image.resize_images(picture, [network.SIDE, network.SIDE]) / 255.0
    probabilities, = tf.import_graph_def(trained, {"images:0": tf.expand_dims(image, 0)}, ["probabilities:0"])
    best = tf.nn.top_k(probabilities[0], 1)
    with tf.Session() as sess:
        for name in arguments[2:]:
            value, digit = sess.run(best, {path: name})
            print("%s: %d  (%.3f)" % (name, digit[0], value[0]))


if __name__ == "__main__":
    tf.app.run(main)
