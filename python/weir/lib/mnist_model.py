"""tensorflow.examples.tutorials.mnist.mnist: the fully connected network of TensorFlow's MNIST tutorial."""
import math

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(tf, scope, inputs, units, activation=None):
    with tf.name_scope(scope):
        size = int(inputs.shape[1])
        weights = tf.Variable(tf.truncated_normal([size, units], stddev=1.0 / math.sqrt(float(size))), name="weights")
        biases = tf.Variable(tf.zeros([units]), name="biases")
        product = tf.matmul(inputs, weights) + biases
        return activation(product) if activation else product


def inference(images, hidden1_units, hidden2_units):
    """Returns the logits of a network with two hidden layers."""
    import weir as tf
    hidden1 = _layer(tf, "hidden1", images, hidden1_units, tf.nn.relu)
    hidden2 = _layer(tf, "hidden2", hidden1, hidden2_units, tf.nn.relu)
    return _layer(tf, "softmax_linear", hidden2, NUM_CLASSES)


def loss(logits, labels):
    """Returns the mean cross entropy of the labels."""
    import weir as tf
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def training(loss, learning_rate):
    """Returns the op of a step of gradient descent. It also writes a summary of the loss and counts the step."""
    import weir as tf
    tf.summary.scalar("loss", loss)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits, labels):
    """Returns how many of the batch's labels have the highest logit."""
    import weir as tf
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
