"""Tests Python classes that override steps of a built-in optimizer, and the attributes that such classes use."""
import gc
import weakref

import numpy as np
import pytest

import weir as tf

opt = tf.contrib.opt
STEPS = ["_create_slots", "_prepare", "_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse",
         "_apply_sparse_duplicate_indices", "_resource_apply_sparse_duplicate_indices", "_finish", "_valid_dtypes"]
OPTIMIZERS = {
    "GradientDescent": (tf.train.GradientDescentOptimizer, (0.1,)),
    "Momentum": (tf.train.MomentumOptimizer, (0.1, 0.9)),
    "Adagrad": (tf.train.AdagradOptimizer, (0.1,)),
    "Adadelta": (tf.train.AdadeltaOptimizer, (0.1,)),
    "Adam": (tf.train.AdamOptimizer, (0.1,)),
    "RMSProp": (tf.train.RMSPropOptimizer, (0.1,)),
    "Ftrl": (tf.train.FtrlOptimizer, (0.1,)),
    "ProximalGradientDescent": (tf.train.ProximalGradientDescentOptimizer, (0.1,)),
    "ProximalAdagrad": (tf.train.ProximalAdagradOptimizer, (0.1,)),
    "AdaMax": (opt.AdaMaxOptimizer, (0.1,)),
    "LazyAdam": (opt.LazyAdamOptimizer, (0.1,)),
    "Nadam": (opt.NadamOptimizer, (0.1,)),
    "AddSign": (opt.AddSignOptimizer, (0.1,)),
    "PowerSign": (opt.PowerSignOptimizer, (0.1,)),
    "LARS": (opt.LARSOptimizer, (0.1,)),
    "RegAdagrad": (opt.RegAdagradOptimizer, (0.1,)),
    "AdamW": (opt.AdamWOptimizer, (0.01, 0.1)),
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def recording(base, calls):
    """Returns a class that records the calls of all steps and runs those of the base class."""
    def step(name):
        def method(self, *args):
            calls.append(name)
            return getattr(super(recorder, self), name)(*args)
        return method
    recorder = type("Recorder", (base,), {name: step(name) for name in STEPS})
    return recorder


def trained(optimizer, use_resource=False, sparse=False, steps=3):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=np.array([[1, -2], [3, 4]], np.float32), use_resource=use_resource)
        train = optimizer.minimize(tf.reduce_sum(tf.square(tf.gather(w, [1, 1]) if sparse else w)))
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(train)
        return sess.run(w)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_all_steps_are_called_and_super_runs_the_built_in_ones(name, use_resource, sparse):
    base, args = OPTIMIZERS[name]
    calls = []
    result = trained(recording(base, calls)(*args), use_resource, sparse)
    np.testing.assert_array_equal(result, trained(base(*args), use_resource, sparse))
    resource = "_resource" if use_resource else ""
    applied = [f"{resource}_apply_dense"]
    if sparse:
        applied = [f"{resource}_apply_sparse_duplicate_indices", f"{resource}_apply_sparse"]
        if name == "GradientDescent":  # adds up duplicates itself
            applied.pop()
    assert [c for c in calls if c != "_valid_dtypes"] == ["_create_slots", "_prepare", *applied, "_finish"]
    assert "_valid_dtypes" in calls


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("use_resource", [False, True])
def test_update_of_a_derived_class_replaces_the_built_in_one(name, use_resource):
    base, args = OPTIMIZERS[name]

    class Other(base):
        def _apply_dense(self, grad, var):
            return tf.assign(var, tf.fill(var.shape, 7.0) + 0 * grad)

        _resource_apply_dense = _apply_dense
    np.testing.assert_array_equal(trained(Other(*args), use_resource), np.full((2, 2), 7))


def test_method_of_one_object_replaces_the_built_in_one():
    adam = tf.train.AdamOptimizer(0.1)
    adam._apply_dense = lambda grad, var: tf.assign_sub(var, grad)
    np.testing.assert_array_equal(trained(adam, steps=1), [[-1, 2], [-3, -4]])


def test_optimizers_around_another_one_call_its_overrides():
    calls = []
    trained(opt.MultitaskOptimizerWrapper(recording(tf.train.AdamOptimizer, calls)(0.1)))
    assert calls.count("_apply_dense") == 1
    sync = tf.train.SyncReplicasOptimizer(recording(tf.train.AdamOptimizer, calls)(0.1), 1)
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    sync.minimize(tf.reduce_sum(w), global_step=tf.train.get_or_create_global_step())
    assert calls.count("_apply_dense") == 2


def test_tensor_that_prepare_sets_is_used_by_the_update():
    class Slower(tf.train.GradientDescentOptimizer):
        def _prepare(self):
            super()._prepare()
            self._learning_rate_tensor = self._learning_rate_tensor * 0.5
    np.testing.assert_allclose(trained(Slower(0.5), steps=1), [[0.5, -1], [1.5, 2]])


def test_hyperparameter_that_a_program_sets_is_used_by_later_updates():
    sgd = tf.train.GradientDescentOptimizer(0.5)
    sgd._learning_rate = 0.25
    np.testing.assert_allclose(trained(sgd, steps=1), [[0.5, -1], [1.5, 2]])
    sgd._learning_rate = lambda: 0.0
    np.testing.assert_allclose(trained(sgd, steps=1), [[1, -2], [3, 4]])


LONG, SHORT = "_tensor", "_t"


@pytest.mark.parametrize("make, values, tensors", [
    (lambda: tf.train.GradientDescentOptimizer(0.5), {"_learning_rate": 0.5}, LONG),
    (lambda: tf.train.MomentumOptimizer(0.5, 0.25, use_nesterov=True), {"_learning_rate": 0.5, "_momentum": 0.25}, LONG),
    (lambda: tf.train.AdagradOptimizer(0.5), {"_learning_rate": 0.5}, LONG),
    (lambda: tf.train.AdadeltaOptimizer(0.5, 0.25, 0.125), {"_lr": 0.5, "_rho": 0.25, "_epsilon": 0.125}, SHORT),
    (lambda: tf.train.AdamOptimizer(0.5, 0.25, 0.75, 0.125), {"_lr": 0.5, "_beta1": 0.25, "_beta2": 0.75, "_epsilon": 0.125}, SHORT),
    (lambda: tf.train.RMSPropOptimizer(0.5, 0.25, 0.75, 0.125),
     {"_learning_rate": 0.5, "_decay": 0.25, "_momentum": 0.75, "_epsilon": 0.125}, LONG),
    (lambda: tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.25),
     {"_learning_rate": 0.5, "_l1_regularization_strength": 0.25, "_learning_rate_power": -0.5}, LONG),
    (lambda: tf.train.ProximalGradientDescentOptimizer(0.5, 0.25, 0.125),
     {"_learning_rate": 0.5, "_l1_regularization_strength": 0.25, "_l2_regularization_strength": 0.125}, LONG),
    (lambda: tf.train.ProximalAdagradOptimizer(0.5), {"_learning_rate": 0.5}, LONG),
    (lambda: opt.AdaMaxOptimizer(0.5, 0.25, 0.75, 0.125), {"_lr": 0.5, "_beta1": 0.25, "_beta2": 0.75, "_epsilon": 0.125}, SHORT),
    (lambda: opt.LazyAdamOptimizer(0.5, 0.25, 0.75, 0.125), {"_lr": 0.5, "_beta1": 0.25, "_beta2": 0.75, "_epsilon": 0.125}, SHORT),
    (lambda: opt.AddSignOptimizer(0.5, 0.25, 0.75), {"_lr": 0.5, "_alpha": 0.25, "_beta": 0.75}, SHORT),
    (lambda: opt.PowerSignOptimizer(0.5, beta=0.75), {"_lr": 0.5, "_logbase": 1.0, "_beta": 0.75}, SHORT),
])
def test_hyperparameters_are_attributes(make, values, tensors):
    optimizer = make()
    for name, value in values.items():
        assert getattr(optimizer, name) == value
        assert getattr(optimizer, name + tensors) is None
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    optimizer.minimize(tf.reduce_sum(w))
    with tf.Session() as sess:
        for name, value in values.items():
            assert sess.run(getattr(optimizer, name + tensors)) == value


def test_other_arguments_are_attributes():
    assert tf.train.MomentumOptimizer(0.5, 0.25, use_nesterov=True)._use_nesterov is True
    assert tf.train.RMSPropOptimizer(0.5, centered=True)._centered is True
    assert tf.train.AdagradOptimizer(0.5, 0.25)._initial_accumulator_value == 0.25
    assert opt.LARSOptimizer(0.5, skip_list=["bias"])._skip_list == ["bias"]
    rate = tf.constant(0.5)
    assert tf.train.AdamOptimizer(rate)._lr is rate
    adam = tf.train.AdamOptimizer()
    assert adam._call_if_callable(3) == 3 and adam._call_if_callable(lambda: 4) == 4 and adam._call_if_callable(rate) is rate
    step = tf.train.get_or_create_global_step()
    assert tf.train.AdagradDAOptimizer(0.5, step)._global_step is step


def test_derived_class_reads_slots_and_powers_of_adam():
    class Plain(tf.train.AdamOptimizer):
        """Adam written with its attributes, as programs write it."""

        def _resource_apply_dense(self, grad, var):
            m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
            beta1_power, beta2_power = self._get_beta_accumulators()
            m_t = m.assign(m * self._beta1_t + grad * (1 - self._beta1_t))
            v_t = v.assign(v * self._beta2_t + grad * grad * (1 - self._beta2_t))
            rate = self._lr_t * tf.sqrt(1 - beta2_power) / (1 - beta1_power)
            return tf.group(var.assign_sub(rate * m_t / (tf.sqrt(v_t) + self._epsilon_t)), m_t, v_t)
    np.testing.assert_allclose(trained(Plain(0.1), use_resource=True), trained(tf.train.AdamOptimizer(0.1)), rtol=1e-5)


@pytest.mark.parametrize("use_resource", [False, True])
def test_shared_sparse_update_of_adam(use_resource):
    calls = []

    class Shared(tf.train.AdamOptimizer):
        def _apply_sparse_shared(self, grad, var, indices, scatter_add):
            calls.append("shared")

            def add(x, i, v):
                calls.append(x.op.name)
                return scatter_add(x, i, v)
            return super()._apply_sparse_shared(grad, var, indices, add)
    np.testing.assert_array_equal(trained(Shared(0.1), use_resource, sparse=True), trained(tf.train.AdamOptimizer(0.1), use_resource, sparse=True))
    assert calls == ["shared", "w/Adam", "w/Adam_1"]


def test_slots_that_a_derived_class_adds():
    class Counting(tf.train.GradientDescentOptimizer):
        def _create_slots(self, var_list):
            super()._create_slots(var_list)
            for var in var_list:
                self._zeros_slot(var, "zeros", self._name)
                self._get_or_make_slot(var, tf.ones([2]), "ones", self._name)
                self._get_or_make_slot_with_initializer(var, tf.constant_initializer(2.0), tf.TensorShape([2]), tf.float32, "twos", self._name)
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    counting = Counting(0.1)
    counting.minimize(tf.reduce_sum(w))
    assert counting.get_slot_names() == ["ones", "twos", "zeros"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [list(sess.run(counting.get_slot(w, name))) for name in ("zeros", "ones", "twos")] == [[0, 0], [1, 1], [2, 2]]


def test_step_whose_own_slots_and_tensors_are_missing():
    class NoSlots(tf.train.AdamOptimizer):
        def _create_slots(self, var_list):
            pass

    class NoSlotsOrUpdates(NoSlots):
        def _apply_dense(self, grad, var):
            return tf.assign_sub(var, grad)

    class NoTensors(tf.train.AdamOptimizer):
        def _prepare(self):
            pass
    np.testing.assert_array_equal(trained(NoSlots(0.1)), trained(tf.train.AdamOptimizer(0.1)))
    with pytest.raises(RuntimeError, match="powers of beta"):
        trained(NoSlotsOrUpdates(0.1))
    with pytest.raises(RuntimeError, match=r"super\(\)._prepare"):
        trained(NoTensors(0.1))


def test_valid_dtypes_of_a_derived_class():
    class OnlyDouble(tf.train.GradientDescentOptimizer):
        def _valid_dtypes(self):
            return {tf.float64}
    with pytest.raises(ValueError, match="[Ii]nvalid type"):
        trained(OnlyDouble(0.1))
    sgd = tf.train.GradientDescentOptimizer(0.1)
    assert sgd._valid_dtypes() == {tf.float16, tf.bfloat16, tf.float32, tf.float64}
    with pytest.raises(ValueError, match="Invalid type tf.int32 for Const.*, expected"):
        sgd._assert_valid_dtypes([tf.constant(1.0), tf.constant(1)])


def test_attributes_of_the_base_class_can_be_set():
    class Named(tf.train.AdamOptimizer):
        def __init__(self):
            self._name, self._lr = "before", 3  # the constructor of the base class sets them
            super().__init__(0.5)
            assert (self._name, self._lr) == ("Adam", 0.5)
            self._name, self._use_locking = "Other", True
    named = Named()
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    train = named.minimize(tf.reduce_sum(w))
    assert (train.name, named.get_name(), named.get_slot(w, "m").op.name) == ("Other", "Other", "w/Other")
    assert tf.get_default_graph().get_operation_by_name("Other/update_w/ApplyAdam").get_attr("use_locking") is True


def test_error_of_an_override_is_raised_unchanged():
    class Failing(tf.train.AdamOptimizer):
        def _apply_dense(self, grad, var):
            raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        trained(Failing(0.1))
    with pytest.raises(NotImplementedError):
        trained(tf.train.Optimizer(False, "Abstract"))


def test_optimizer_with_overrides_is_freed():
    class Rated(tf.train.AdamOptimizer):
        def __init__(self):
            super().__init__(self.rate)

        def rate(self):
            return 0.1

        def _prepare(self):
            super()._prepare()
    optimizer = Rated()
    trained(optimizer)
    alive = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert alive() is None
