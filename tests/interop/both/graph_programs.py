"""Programs that build typical graphs: names, scopes, variables, gradients."""
import numpy as np

from both.program import Program

X = np.random.RandomState(0).uniform(-1, 1, (4, 3)).astype(np.float32)


def hello(tf):
    a = tf.constant(3.0)
    b = tf.constant(4.0)
    return {"look": [a + b, a * b, a - b, a / b, -a, a ** 2.0, tf.add(a, b, name="sum"), a < b, tf.equal(a, b)]}


def names(tf):
    look = []
    with tf.name_scope("outer"):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
        with tf.name_scope("inner") as scope:
            look += [tf.matmul(x, x), tf.matmul(x, x), tf.nn.relu(x, name=scope)]
        with tf.name_scope("inner"):
            look += [tf.reduce_sum(x, 1), tf.reduce_mean(x), tf.transpose(x), tf.reshape(x, [-1]), tf.concat([x, x], 0)]
    with tf.name_scope("outer"):
        look += [x[0], x[:, 1:], tf.stack([x, x]), tf.split(x, 2, 1)[1], tf.unstack(x)[0], tf.expand_dims(x, 0),
                 tf.squeeze(x[None]), tf.cast(x, tf.int32), tf.one_hot([0, 1], 2), tf.zeros([2]), tf.ones([2]), tf.fill([2], 7),
                 tf.range(3), tf.zeros_like(x), tf.ones_like(x), tf.shape(x), tf.rank(x), tf.size(x), tf.tile(x, [1, 2]),
                 tf.pad(x, [[0, 1], [1, 0]]), tf.gather(x, [1]), tf.argmax(x, 1), tf.where(x > 2.0), tf.where(x > 2.0, x, -x),
                 tf.identity(x), tf.stop_gradient(x)]
    return {"look": look}


def math_names(tf):
    x = tf.constant(X)
    return {"look": [tf.abs(x), tf.square(x), tf.sqrt(tf.abs(x)), tf.exp(x), tf.log(tf.abs(x) + 1.0), tf.sigmoid(x), tf.tanh(x),
                     tf.maximum(x, 0.0), tf.minimum(x, 0.0), tf.reduce_max(x, 0), tf.reduce_min(x), tf.reduce_prod(x, [0], keepdims=True),
                     tf.reduce_logsumexp(x, 1), tf.add_n([x, x]), tf.squared_difference(x, 1.0), tf.floordiv(x, 2.0), tf.round(x),
                     tf.norm(x), tf.cumsum(x), tf.tensordot(x, x, [[0], [0]]), tf.einsum("ij,kj->ik", x, x), tf.clip_by_value(x, -0.5, 0.5),
                     tf.nn.moments(x, [0])[1], tf.nn.l2_normalize(x, 1), tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.l2_loss(x),
                     tf.reduce_any(x > 0), tf.logical_and(x > 0, x < 1), tf.count_nonzero(x)]}


def nn_names(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    deep = tf.reshape(x, [2, 2, 3], name="deep")
    deep_labels = tf.reshape(labels, [2, 2], name="deep_labels")
    nn = tf.nn
    look = []
    for name in (None, "given"):
        with tf.name_scope("other_axes"):
            look += [nn.softmax(x, 0, name=name), nn.softmax(deep, axis=1, name=name), nn.log_softmax(x, axis=0, name=name)]
        look += [nn.softmax(x, name=name), nn.softmax(deep, name=name), nn.log_softmax(x, name=name), nn.in_top_k(x, labels, 1, name=name),
                 nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x, name=name),
                 nn.sparse_softmax_cross_entropy_with_logits(labels=deep_labels, logits=deep, name=name),
                 nn.softmax_cross_entropy_with_logits(labels=nn.softmax(x), logits=x, name=name),
                 nn.softmax_cross_entropy_with_logits_v2(labels=nn.softmax(x), logits=x, name=name),
                 nn.softmax_cross_entropy_with_logits_v2(labels=nn.softmax(deep), logits=deep, name=name),
                 nn.relu(x, name=name), nn.softplus(x, name=name)]
    tf.Variable(1.0, name="v")
    look += [tf.report_uninitialized_variables(), tf.report_uninitialized_variables(name="missing")]
    return {"look": look, "feeds": [{x: X, labels: np.array([0, 1, 2, 0], np.int32)}]}


def placeholders(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    keep = tf.placeholder_with_default(0.5, [], name="keep")
    y = x * keep
    return {"look": [y, tf.shape(y)], "feeds": [{x: X}, {x: X[:2], keep: np.float32(2)}]}


def linear_regression(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.Variable(tf.zeros([3, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y), name="loss")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return {"train": train, "look": [w, b, loss], "feeds": [{x: X, y: X.sum(1, keepdims=True)}] * 4}


def network(resource):
    def build(tf):
        tf.set_random_seed(5)
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        step = tf.train.get_or_create_global_step()
        with tf.variable_scope("net", use_resource=resource, initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3)):
            hidden = x
            for layer, width in enumerate([5, 4]):
                with tf.variable_scope("layer%d" % layer):
                    w = tf.get_variable("w", [hidden.shape[1], width])
                    b = tf.get_variable("b", [width], initializer=tf.zeros_initializer())
                    hidden = tf.nn.relu(tf.matmul(hidden, w) + b)
        with tf.variable_scope("net", reuse=True):
            again = tf.get_variable("layer0/w")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=hidden)) + 0.01 * tf.nn.l2_loss(again)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(hidden, 1), labels), tf.float32))
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
        return {"train": train, "look": [loss, accuracy, again, step], "feeds": [{x: X, labels: np.array([0, 1, 2, 3])}] * 3}
    return build


def assigns(resource):
    def build(tf):
        v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=resource)
        train = tf.group(v.assign_add([1.0, 1.0, 1.0]))
        with tf.control_dependencies([train]):
            scattered = tf.scatter_add(v, [0, 2], [10.0, 20.0]) if not resource else v.assign_sub([0.5, 0.5, 0.5])
        return {"train": tf.group(scattered), "look": [v, v * 2.0, v[1]], "feeds": [{}] * 3}
    return build


def gradients(tf):
    x = tf.constant(X, name="x")
    w = tf.constant(X.T.copy(), name="w")
    y = tf.matmul(x, w)
    z = tf.reduce_sum(tf.tanh(y) * y + tf.sigmoid(y)[:, :1], name="z")
    first = tf.gradients(z, [x, w])
    second = tf.gradients(first[0], w)
    weighted = tf.gradients(y, x, grad_ys=tf.ones_like(y) * 2.0, name="weighted")
    stopped = tf.gradients(z, [x], stop_gradients=[y])
    return {"look": first + second + weighted + [z] + [g for g in stopped if g is not None]}


def gradient_zoo(tf):
    x = tf.constant(X, name="x")
    parts = [tf.concat([x, x * 2.0], 1), tf.stack([x, x]), tf.reshape(x, [3, 4]), tf.transpose(x), x[1:, ::2], tf.gather(x, [0, 0, 2]),
             tf.tile(x, [2, 1]), tf.pad(x, [[1, 1], [0, 0]]), tf.reduce_max(x, 1), tf.reduce_prod(x, 0), tf.reduce_mean(x, 0),
             tf.cumsum(x), tf.nn.softmax(x), tf.where(x > 0, x, x * 3.0), tf.maximum(x, 0.1), tf.pow(tf.abs(x), 1.5),
             tf.split(x, 3, 1)[1], tf.unstack(x, axis=1)[0], tf.expand_dims(x, 1), tf.squeeze(x[None], [0]),
             tf.nn.bias_add(x, [1.0, 2.0, 3.0]), tf.nn.l2_loss(x), tf.nn.relu(x), tf.slice(x, [0, 1], [2, 2]), tf.reverse(x, [0])]
    return {"look": [tf.convert_to_tensor(tf.gradients(tf.square(part), x)[0]) for part in parts]}


def sparse_gradient(tf):
    table = tf.Variable(np.arange(12).reshape(6, 2).astype(np.float32), name="table")
    rows = tf.nn.embedding_lookup(table, [1, 3, 1])
    grad = tf.gradients(tf.square(rows), table)[0]
    return {"look": [grad.values, grad.indices, tf.convert_to_tensor(grad)]}


def devices_and_controls(tf):
    with tf.device("/cpu:0"):
        v = tf.Variable(1.0, name="v")
        with tf.control_dependencies([v.initializer]):
            read = tf.identity(v, name="read_after")
    with tf.control_dependencies([read]), tf.device(None):
        none = tf.no_op(name="nothing")
    with tf.control_dependencies([none]):
        y = tf.constant(2.0) * read
    return {"look": [y, v]}


def partitioned(tf):
    with tf.variable_scope("part", partitioner=lambda shape, dtype: [2, 1]):
        table = tf.get_variable("table", [5, 2], initializer=tf.ones_initializer())
    rows = tf.nn.embedding_lookup(table, [0, 3, 4])
    return {"look": [rows, tf.convert_to_tensor(table)]}


def partitioned_mod(tf):
    tables = [tf.get_variable("table%d" % i, initializer=np.arange(6).reshape(3, 2).astype(np.float32) + 10 * i) for i in range(2)]
    mod = tf.nn.embedding_lookup(tables, [0, 1, 4, 5], partition_strategy="mod")
    div = tf.nn.embedding_lookup(tables, [0, 1, 4, 5], partition_strategy="div")
    train = tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(tf.square(mod)) + tf.reduce_sum(div))
    return {"train": train, "look": [mod, div], "feeds": [{}] * 3}


def programs():
    for build in (hello, names, math_names, nn_names, placeholders, linear_regression, gradients, gradient_zoo, sparse_gradient,
                  devices_and_controls, partitioned, partitioned_mod):
        yield Program(build.__name__, build)
    for resource in (False, True):
        kind = "resource" if resource else "ref"
        yield Program("network_" + kind, network(resource))
        yield Program("assigns_" + kind, assigns(resource))
