"""A network with one hidden layer learns which of two interleaved spirals a point is on."""
import sys

import numpy as np
import tensorflow as tf

PER_ARM, HIDDEN, STEPS = 100, 64, 600


def spirals():
    """Returns [200, 2] points and, for each, the arm (0 or 1) that it is on."""
    radius = 0.1 + 0.9 * np.arange(PER_ARM) / PER_ARM
    arms = []
    for arm in range(2):
        angle = 4.0 * radius + np.pi * arm
        arms.append(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    return np.concatenate(arms).astype(np.float32), np.repeat([0, 1], PER_ARM).astype(np.int32)


def dense(x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1], size])
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def picture(predict, width=48, height=24):
    """Draws the network's prediction for each point of the plane as text."""
    ys, xs = np.mgrid[1:-1:height * 1j, -1:1:width * 1j]
    points = np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.float32)
    rows = predict(points).reshape(height, width)
    return "\n".join("".join(".#"[arm] for arm in row) for row in rows)


def main():
    tf.set_random_seed(1)
    points, labels = spirals()
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    logits = dense(tf.tanh(dense(x, HIDDEN, "hidden")), 2, "logits")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    choice = tf.argmax(logits, 1, output_type=tf.int32)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(choice, y), tf.float32))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)

    print("Training a %d-unit network on %d points of two spirals ..." % (HIDDEN, len(points)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {x: points, y: labels}
        for step in range(STEPS + 1):
            _, current, right = sess.run([train, loss, accuracy], feed)
            if step % 100 == 0:
                print("step %3d  loss %.4f  accuracy %.3f" % (step, current, right))
        final = sess.run(accuracy, feed)
        print(picture(lambda grid: sess.run(choice, {x: grid})))
    print("accuracy %.3f" % final)
    return 0 if final > 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
