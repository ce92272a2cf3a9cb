"""Tests that a Python object that refers to a part of a graph keeps the graph alive, and that nothing else does.

The asan tree runs these tests with the address sanitizer, which detects every use of freed memory.
"""
import gc
import inspect
import threading
import weakref

import numpy as np
import pytest

import weir as tf
from graph_pieces import PIECES, WITHOUT_GRAPH
from weir import _weir

OTHER_GRAPHS = 20


def make_other_graphs():
    graphs = []
    for i in range(OTHER_GRAPHS):
        with tf.Graph().as_default() as g:
            tf.get_variable("other", [i + 1])
            graphs.append(g)
    return graphs


def build(make, tmp_path):
    with tf.Graph().as_default() as graph:
        takes_path = "tmp_path" in inspect.signature(make).parameters
        return (make(tmp_path) if takes_path else make()), weakref.ref(graph)


@pytest.mark.parametrize("name", PIECES)
def test_a_piece_keeps_its_graph_and_nothing_else_does(name, tmp_path):
    _, make, use = PIECES[name]
    held, graph = build(make, tmp_path)
    gc.collect()
    others = make_other_graphs()
    assert graph() is not None, "the graph is gone"
    if use is not None:
        use(held)
    del others
    gc.collect()
    assert graph() is not None
    del held
    gc.collect()
    assert graph() is None, "the graph has stayed"


def test_every_bound_class_has_a_row_or_a_reason():
    bound = {name for name, value in vars(_weir).items() if inspect.isclass(value) and value.__module__ == "weir._weir"}
    rows = {of for of, _, _ in PIECES.values()}
    assert bound - rows - set(WITHOUT_GRAPH) == set(), "add a row to PIECES, or a reason to WITHOUT_GRAPH"
    assert rows & set(WITHOUT_GRAPH) == set()
    assert (rows | set(WITHOUT_GRAPH)) - bound == set(), "there is no such class"


def train_in_a_graph_with_cycles(run_it):
    with tf.Graph().as_default() as g:
        x = tf.data.Dataset.range(4).map(lambda n: tf.cast(n, tf.float32)).batch(2).make_one_shot_iterator().get_next()
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), constraint=lambda v: tf.maximum(v, 0.0))
        optimizer = tf.train.AdamOptimizer(tf.constant(0.1))
        train = optimizer.minimize(tf.reduce_sum(w * x), global_step=tf.train.get_or_create_global_step())
        # Reference cycles through attributes, and through collections, whose items C++ owns.
        g.optimizer, g.train, g.scope = optimizer, train, tf.device("/cpu:0")
        optimizer.variable = w
        for item in (optimizer, tf.train.Saver(), w, train, g, tf.get_variable_scope(), tf.train.Scaffold(init_op=train)):
            g.add_to_collection("items", item)
        if run_it:
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(train)
        return weakref.ref(g)


def test_graphs_are_freed():
    graphs = [train_in_a_graph_with_cycles(run_it=i % 50 == 0) for i in range(200)]
    gc.collect()
    assert [i for i, graph in enumerate(graphs) if graph() is not None] == []


def test_a_graph_that_holds_an_object_twice_is_freed():
    class Item:
        pass

    def build():
        with tf.Graph().as_default() as g:
            item = Item()
            item.graph = g
            g.add_to_collection("first", item)
            g.add_to_collections(["second", "third"], item)
            limit = lambda v: tf.maximum(v, item.bound)  # noqa: E731
            for name in ("a", "b"):
                tf.get_variable(name, [2], constraint=limit)
        return weakref.ref(g), weakref.ref(item)

    # An object that is also held elsewhere stays.
    with tf.Graph().as_default() as g:
        kept = Item()
        kept.graph = g
        g.add_to_collection("first", kept)
        g.add_to_collection("second", kept)
    del g
    freed = build()
    gc.collect()
    assert [ref() for ref in freed] == [None, None]
    assert kept.graph.get_collection("first") == kept.graph.get_collection("second") == [kept]


def test_objects_that_refer_to_each_other_are_freed():
    class Model(tf.train.SessionRunHook):
        """Has reference cycles: through a function of its optimizer, and as a hook of its own session."""

        def __init__(self):
            self.graph = tf.get_default_graph()
            self.step = tf.train.get_or_create_global_step()
            self.weight = tf.Variable(1.0)
            self.optimizer = tf.train.GradientDescentOptimizer(lambda: self.rate())
            self.train = self.optimizer.minimize(tf.square(self.weight), global_step=self.step)
            self.session = tf.train.MonitoredTrainingSession(hooks=[self, tf.train.LoggingTensorHook([self.step], every_n_iter=1)])

        def rate(self):
            return 0.1

        def after_create_session(self, session, coord):
            self.raw = session

    class Supervised:
        def __init__(self):
            self.weight = tf.Variable(1.0)
            self.supervisor = tf.train.Supervisor(init_fn=self.initialize)

        def initialize(self, session):
            pass

    def build_one(close):
        with tf.Graph().as_default():
            supervised = Supervised()
        with tf.Graph().as_default() as g:
            model = Model()
            model.session.run(model.train)
            if close:
                model.session.close()
            return weakref.ref(g), weakref.ref(model), weakref.ref(supervised)

    references = [build_one(close) for close in (True, False, True)]
    gc.collect()
    assert [ref() for refs in references for ref in refs] == [None] * 9


def test_python_functions_that_a_graph_keeps_do_not_keep_it():
    def build_one():
        with tf.Graph().as_default() as g:
            tf.py_func(lambda x: (g, x)[1], [tf.constant(1.0)], tf.float32)
            w = tf.get_variable("w", [], constraint=lambda v: (g, v)[1])
            with tf.variable_scope("s", initializer=lambda *a, **k: (g, tf.zeros([]))[1], regularizer=lambda v: (g, v)[1],
                                   custom_getter=lambda getter, *a, **k: (g, getter(*a, **k))[1]):
                tf.get_variable("v", [])
            with tf.device(lambda op: (g, "")[1]):
                tf.identity(w)
            tf.data.Dataset.from_generator(lambda: iter([(g, 1)[1]]), tf.int32).make_one_shot_iterator().get_next()
            tf.data.Dataset.range(3).map(lambda n: (g, n)[1]).make_one_shot_iterator().get_next()
            return weakref.ref(g)

    gone = [build_one() for _ in range(3)]
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_a_default_graph_that_a_callback_replaces_lives_on():
    def replace():
        tf.reset_default_graph()
        [tf.Graph() for _ in range(OTHER_GRAPHS)]

    def work():
        for _ in range(3):
            tf.reset_default_graph()
            with pytest.raises(ValueError):  # the value belongs to another graph
                tf.Variable(lambda: (replace(), tf.constant(1.0))[1])
            tf.reset_default_graph()
            with pytest.raises(ValueError):
                tf.while_loop(lambda i: i < 3, lambda i: (replace(), tf.constant(1))[1], [0])
        failed.pop()

    failed = [True]
    thread = threading.Thread(target=work)  # has its own default graph
    thread.start()
    thread.join()
    assert not failed


def test_scopes_may_be_left_out_of_order_and_on_other_threads():
    with tf.Graph().as_default() as g:
        scopes = [g.device("/cpu:0"), g.colocate_with(tf.no_op()), g.control_dependencies([tf.no_op()]), g.name_scope("a"),
                  tf.variable_scope("b")]
        for scope in scopes:
            scope.__enter__()
        for scope in scopes:
            scope.__exit__(None, None, None)

        def leave():
            for scope in scopes:
                scope.__exit__(None, None, None)

        for scope in scopes:
            scope.__enter__()
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
        tf.constant(1.0)


def test_an_optimizer_trains_several_graphs():
    optimizer = tf.train.AdamOptimizer(0.1)
    averages = tf.train.ExponentialMovingAverage(0.5)
    for start in (1.0, 2.0):
        with tf.Graph().as_default() as g:
            w = tf.Variable(start, name="w")
            train = optimizer.minimize(tf.square(w))
            update = averages.apply([w])
            assert [v.name for v in optimizer.variables()] == ["beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0"]
            assert optimizer.get_slot(w, "m").graph is averages.average(w).graph is g
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(train)
                session.run(update)
                np.testing.assert_allclose(session.run([w, averages.average(w)]), [start - 0.1, start - 0.05], rtol=1e-5)
    assert optimizer.variables() == []


class NoSession:
    graph = 5

    def run(self, *args, **kwargs):
        return []


@pytest.mark.parametrize("call", [
    lambda: tf.train.get_global_step("x"),
    lambda: tf.train.create_global_step(3),
    lambda: tf.train.get_or_create_global_step(3),
    lambda: tf.train.Saver([tf.Variable(1.0)]).save(NoSession(), "x"),
    lambda: tf.train.Saver([tf.Variable(1.0)]).restore(NoSession(), "x"),
    lambda: tf.train.export_meta_graph(graph=5),
    lambda: tf.train.AdamOptimizer()._get_non_slot_variable("x", graph=5),
    lambda: _weir.Defun(tf.float32)(lambda x: x).add_to_graph(5),
    lambda: tf.identity(tf.Tensor.__new__(tf.Tensor)),
    lambda: tf.group(tf.Operation.__new__(tf.Operation)),
])
def test_objects_that_belong_to_no_graph_are_errors(call):
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        call()


def test_a_regularizer_may_give_a_number():
    tf.get_variable("v", [], regularizer=lambda v: 0.5)
    with tf.Session() as session:
        assert session.run(tf.losses.get_regularization_loss()) == 0.5
