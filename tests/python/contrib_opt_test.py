"""tf.contrib.opt against the update rules in numpy, and optimizers around other ones."""
import numpy as np
import pytest

import weir as tf

opt = tf.contrib.opt
START = np.array([[1.0, -2.0], [3.0, 4.0], [-0.5, 0.25]], np.float32)
TARGET = np.array([[0.5, 0.25], [1.0, 1.0], [0.0, 0.5]], np.float32)
STEPS = 3


def numpy_steps(rule, rows=None):
    """Returns the variable after each step. `rule(state, variable, gradient, t)` returns the new variable."""
    w, state, seen = START.astype(np.float64), {}, []
    for t in range(1, STEPS + 1):
        g = 2 * (w - TARGET)
        if rows is not None:
            g[[i for i in range(3) if i not in rows]] = 0
        w = rule(state, w, g, t)
        seen.append(w)
    return seen


def weir_steps(make, use_resource, rows=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=START, use_resource=use_resource)
        if rows is None:
            loss = tf.reduce_sum(tf.square(w - TARGET))
        else:
            loss = tf.reduce_sum(tf.square(tf.gather(w, rows) - TARGET[rows]))
        train = make().minimize(loss, global_step=tf.train.get_or_create_global_step())
        sess.run(tf.global_variables_initializer())
        seen = []
        for _ in range(STEPS):
            sess.run(train)
            seen.append(sess.run(w))
        return seen


def slots(state, *names):
    return [state.get(name, np.zeros_like(START, np.float64)) for name in names]


def adamax(state, w, g, t):
    m, v = slots(state, "m", "v")
    state["m"], state["v"] = 0.9 * m + 0.1 * g, np.maximum(0.999 * v, abs(g))
    return w - 0.1 / (1 - 0.9 ** t) * state["m"] / (state["v"] + 1e-8)


def nadam(state, w, g, t):
    m, v = slots(state, "m", "v")
    state["m"], state["v"] = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    rate = 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
    return w - rate * (0.9 * state["m"] + 0.1 * g) / (np.sqrt(state["v"]) + 1e-8)


def adam(state, w, g, t):
    m, v = slots(state, "m", "v")
    state["m"], state["v"] = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * state["m"] / (np.sqrt(state["v"]) + 1e-8)


def addsign(state, w, g, t):
    state["m"] = 0.9 * slots(state, "m")[0] + 0.1 * g
    return w - 0.1 * (1 + np.sign(g) * np.sign(state["m"])) * g


def powersign(state, w, g, t):
    state["m"] = 0.9 * slots(state, "m")[0] + 0.1 * g
    return w - 0.1 * np.exp(np.sign(g) * np.sign(state["m"])) * g


def decaying_sign(state, w, g, t):
    state["m"] = 0.9 * slots(state, "m")[0] + 0.1 * g
    return w - 0.1 * (1 + np.sign(g) * np.sign(state["m"]) / t) * g


def lars(state, w, g, t):
    ratio = 0.01 * np.linalg.norm(w) / (np.linalg.norm(g) + 0.1 * np.linalg.norm(w))
    state["m"] = 0.9 * slots(state, "m")[0] + 0.1 * ratio * (g + 0.1 * w)
    return w - state["m"]


def adamw(state, w, g, t):
    return adam(state, w - 0.05 * w, g, t)


def momentumw(state, w, g, t):
    state["m"] = 0.9 * slots(state, "m")[0] + g
    return w - 0.05 * w - 0.1 * state["m"]


def reg_adagrad(state, w, g, t):
    state["a"] = state.get("a", np.full_like(w, 0.1)) + g * g
    return w - 0.1 * g / np.sqrt(state["a"])


DENSE = {
    "AdaMax": (lambda: opt.AdaMaxOptimizer(0.1), adamax),
    "Nadam": (lambda: opt.NadamOptimizer(0.1), nadam),
    "LazyAdam": (lambda: opt.LazyAdamOptimizer(0.1), adam),
    "AddSign": (lambda: opt.AddSignOptimizer(0.1), addsign),
    "PowerSign": (lambda: opt.PowerSignOptimizer(0.1), powersign),
    "AddSign with a decay": (lambda: opt.AddSignOptimizer(0.1, sign_decay_fn=lambda step: 1.0 / tf.cast(step + 1, tf.float32)), decaying_sign),
    "LARS": (lambda: opt.LARSOptimizer(0.1, weight_decay=0.1, eeta=0.01), lars),
    "AdamW": (lambda: opt.AdamWOptimizer(0.05, 0.1), adamw),
    "MomentumW": (lambda: opt.MomentumWOptimizer(0.05, 0.1, 0.9), momentumw),
    "extended": (lambda: opt.extend_with_decoupled_weight_decay(tf.train.AdamOptimizer)(0.05, 0.1), adamw),
    "RegAdagrad": (lambda: opt.RegAdagradOptimizer(0.1), reg_adagrad),
    "Multitask": (lambda: opt.MultitaskOptimizerWrapper(tf.train.AdamOptimizer(0.1)), adam),
    "MovingAverage": (lambda: opt.MovingAverageOptimizer(tf.train.AdamOptimizer(0.1)), adam),
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", DENSE)
def test_dense_steps(name, use_resource):
    make, rule = DENSE[name]
    np.testing.assert_allclose(weir_steps(make, use_resource), numpy_steps(rule), rtol=2e-4, atol=1e-5)


def lazy(rule):
    """Rows without a gradient keep their slots and values."""
    def step(state, w, g, t):
        used = np.any(g != 0, axis=1, keepdims=True)
        before = {name: value.copy() for name, value in state.items()}
        after = rule(state, w, g, t)
        for name in state:
            state[name] = np.where(used, state[name], before.get(name, np.zeros_like(w)))
        return np.where(used, after, w)
    return step


def only_used(rule):
    return lambda state, w, g, t: np.where(np.any(g != 0, axis=1, keepdims=True), rule(state, w, g, t), w)


SPARSE = {
    "AdaMax": (lambda: opt.AdaMaxOptimizer(0.1), lazy(adamax)),
    "LazyAdam": (lambda: opt.LazyAdamOptimizer(0.1), lazy(adam)),
    "Nadam": (lambda: opt.NadamOptimizer(0.1), only_used(nadam)),
    "AddSign": (lambda: opt.AddSignOptimizer(0.1), only_used(addsign)),
    "PowerSign": (lambda: opt.PowerSignOptimizer(0.1), only_used(powersign)),
    "RegAdagrad": (lambda: opt.RegAdagradOptimizer(0.1), reg_adagrad),
    "Multitask": (lambda: opt.MultitaskOptimizerWrapper(opt.LazyAdamOptimizer(0.1)), lazy(adam)),
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", SPARSE)
def test_sparse_steps(name, use_resource):
    make, rule = SPARSE[name]
    np.testing.assert_allclose(weir_steps(make, use_resource, rows=[0, 2]), numpy_steps(rule, rows=[0, 2]), rtol=2e-4, atol=1e-5)


def test_sparse_weight_decay_of_the_used_rows_only():
    seen = weir_steps(lambda: opt.MomentumWOptimizer(0.1, 0.0, 0.0), False, rows=[0, 2, 0])
    np.testing.assert_allclose(seen[0], START * [[0.9], [1.0], [0.9]], rtol=1e-6)


def test_weight_decay_of_listed_variables():
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    train = opt.MomentumWOptimizer(0.5, 0.0, 0.0).minimize(a + b, decay_var_list=[b])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run([a, b]) == [1.0, 0.5]


def test_multitask_skips_variables_with_zero_gradients():
    w = tf.Variable([1.0, 2.0])
    on = tf.placeholder(tf.float32, [])
    wrapped = tf.train.MomentumOptimizer(0.1, 0.9)
    train = opt.MultitaskOptimizerWrapper(wrapped).minimize(on * tf.reduce_sum(w))
    slot = wrapped.get_slot(w, "momentum")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {on: 1.0})
        before = sess.run([w, slot])
        sess.run(train, {on: 0.0})
        np.testing.assert_array_equal(sess.run([w, slot]), before)
        sess.run(train, {on: 1.0})
        assert sess.run(w)[0] < before[0][0]


def test_gradients_clipped_by_their_global_norm():
    v = tf.Variable([3.0, 4.0])
    pairs, norm = opt.clip_gradients_by_global_norm([(tf.constant([6.0, 8.0]), v), (None, v)], 5.0)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(pairs[0][0]), [3.0, 4.0])
        assert sess.run(norm) == 10.0 and pairs[1][0] is None


def test_updates_without_the_accumulators():
    w = tf.Variable([1.0])
    optimizer = opt.RegAdagradOptimizer(0.1)
    with optimizer.avoid_updates_to_slots():
        train = optimizer.minimize(tf.reduce_sum(w))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(optimizer.get_slot(w, "accumulator")), [0.1])
        np.testing.assert_allclose(sess.run(w), [1 - 0.1 / np.sqrt(0.1)], rtol=1e-6)


def test_a_swapping_saver_saves_averages(tmp_path):
    w = tf.Variable(2.0, name="w")
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), average_decay=0.5)
    with pytest.raises(RuntimeError):
        optimizer.swapping_saver()
    train = optimizer.minimize(w * 1.0)
    saver = optimizer.swapping_saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, str(tmp_path / "model"))
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_tensor("w") == 1.75 and reader.get_tensor("w/ExponentialMovingAverage") == 1.5


@pytest.mark.parametrize("sparse", [False, True])
def test_variables_are_clipped_after_their_updates(sparse):
    w = tf.Variable([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    optimizer = opt.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.0), {w: [1]}, 1.0)
    train = optimizer.minimize(tf.reduce_sum(tf.gather(w, [0, 1]) if sparse else w))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0] if sparse else [0.6, 0.8]], rtol=1e-5)


def test_stale_gradients_are_dropped():
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(1.0)
    optimizer = opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.1), staleness=0)
    optimizer.compute_gradients(w * 1.0)
    optimizer._local_step = tf.placeholder(tf.int64, [])
    train = optimizer.apply_gradients([(tf.constant(1.0), w)], global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(train, {optimizer._local_step: -1}) == 1.0 and sess.run(w) == 1.0
        sess.run(train, {optimizer._local_step: 0})
        assert abs(sess.run(w) - 0.9) < 1e-6


class Descent(opt.ExternalOptimizerInterface):
    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        self.seen = [packed_bounds, [f(initial_val) for f in inequality_funcs], [f(initial_val) for f in inequality_grad_funcs]]
        x = initial_val
        for _ in range(optimizer_kwargs["steps"]):
            x = x - 0.25 * loss_grad_func(x)[1]
            step_callback(x)
        return x


def test_an_optimizer_outside_of_the_graph():
    a, b = tf.Variable([3.0, 4.0]), tf.Variable(5.0)
    loss = tf.reduce_sum(tf.square(a - [1.0, 2.0])) + tf.square(b)
    interface = Descent(loss, inequalities=[b - 1.0], var_to_bounds={b: (0.0, 9.0)}, steps=30)
    losses, steps = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        interface.minimize(sess, fetches=[loss], loss_callback=losses.append, step_callback=steps.append)
        np.testing.assert_allclose(sess.run(a), [1.0, 2.0], atol=1e-4)
        assert abs(sess.run(b)) < 1e-4
    assert losses[0] == 33.0 and len(steps) == 30
    assert interface.seen[0] == [(-np.inf, np.inf)] * 2 + [(0.0, 9.0)] and interface.seen[1] == [4.0]
    np.testing.assert_array_equal(interface.seen[2], [[0.0, 0.0, 1.0]])


def test_scipy():
    pytest.importorskip("scipy.optimize")
    v = tf.Variable([7.0, 7.0])
    interface = opt.ScipyOptimizerInterface(tf.reduce_sum(tf.square(v)), inequalities=[v[0] - 1.0], method="SLSQP")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        interface.minimize(sess)
        np.testing.assert_allclose(sess.run(v), [1.0, 0.0], atol=1e-3)


def test_elastic_averaging():
    getter = opt.ElasticAverageCustomGetter("/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=4.0)
    step = tf.train.get_or_create_global_step()
    optimizer = opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, getter, communication_period=2, moving_rate=0.25, rho=0.5)
    train = optimizer.minimize(tf.square(w), global_step=step)
    assert w in tf.local_variables() and [v.op.name for v in tf.global_variables()] == ["global_center_variable/w", "global_step"]
    hook = optimizer.make_session_run_hook(is_chief=True, task_index=0)
    hook.begin()
    center = tf.global_variables()[0]
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        sess.run(center.assign(3.0))
        hook.after_create_session(sess, None)
        mine = local = 3.0
        shared = 3.0
        for t in range(1, 5):
            sess.run(train)
            mine -= 0.1 * (2 * mine + 0.5 * (mine - local))
            if t % 2 == 0:
                local = shared
                difference = mine - local
                mine, shared = mine - 0.25 * difference, shared + 0.25 * difference
            np.testing.assert_allclose(sess.run([w, center]), [mine, shared], rtol=1e-5)
        assert sess.run(step) == 2


def test_a_swapping_saver_of_centers(tmp_path):
    getter = opt.ElasticAverageCustomGetter("/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=4.0)
    optimizer = opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, getter, rho=0.5)
    optimizer.minimize(tf.square(w))
    saver = optimizer.swapping_saver()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        path = saver.save(sess, str(tmp_path / "model"))
    assert tf.train.NewCheckpointReader(path).get_tensor("w") == 4.0
