"""Tests deep nesting and long chains: function calls and their cancellation, chains of functions, nodes and datasets,
and nested Python structures. Each must work or fail with an error, even with a small stack."""
import os
import resource
import subprocess
import sys
import textwrap
import time

import pytest

import weir as tf

INT, FLOAT, BOOL = tf.int32.as_datatype_enum, tf.float32.as_datatype_enum, tf.bool.as_datatype_enum
TYPES = {"n": INT, "m": INT, "x": FLOAT, "y": FLOAT, "go": BOOL, "going": BOOL}
CALLS = ["f", "PartitionedCall", "StatefulPartitionedCall", "Case", "While"]


def set_attr(attr, value):
    if isinstance(value, str):
        attr.func.name = value
    elif isinstance(value, list) and value and isinstance(value[0], str):
        for name in value:
            attr.list.func.add().name = name
    elif isinstance(value, list):
        attr.list.type.extend(value)
        attr.list.SetInParent()
    else:
        attr.type = value


def add_node(nodes, name, op, inputs, **attrs):
    node = nodes.add(name=name, op=op, input=inputs)
    for key, value in attrs.items():
        set_attr(node.attr[key], value)
    return node


def add_const(nodes, name, value, dtype):
    node = add_node(nodes, name, "Const", [], dtype=dtype.as_datatype_enum)
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype=dtype))


def add_function(graph, name, arguments, results):
    """Adds a function. `results` maps each result to its value: {"y": "add:z:0"}."""
    function = graph.library.function.add()
    function.signature.name = name
    for argument in arguments:
        function.signature.input_arg.add(name=argument, type=TYPES[argument])
    for result, value in results.items():
        function.signature.output_arg.add(name=result, type=TYPES[result])
        function.ret[result] = value
    return function.node_def


def add_call(nodes, name, kind):
    """Adds a call of f(m, x) and returns its result."""
    args = ["m:z:0", "x"]
    if kind == "f":
        add_node(nodes, name, "f", args)
        return f"{name}:y:0"
    if kind == "Case":
        add_const(nodes, f"{name}_index", 0, tf.int32)
        add_node(nodes, name, kind, [f"{name}_index:output:0", *args], Tin=[INT, FLOAT], Tout=[FLOAT], branches=["f"])
        return f"{name}:output:0"
    if kind == "While":
        add_const(nodes, f"{name}_go", True, tf.bool)
        add_node(nodes, name, kind, [f"{name}_go:output:0", *args], T=[BOOL, INT, FLOAT], cond="cond", body="body")
        return f"{name}:output:2"
    add_node(nodes, name, kind, args, Tin=[INT, FLOAT], Tout=[FLOAT], f="f")
    return f"{name}:output:0"


def recursive_graph(kind="PartitionedCall", ends=True, calls=1):
    """Returns a graph with f(n, x) = x if n is 0, else calls * f(n - 1, x) + 1. With ends=False it ignores n and never
    ends."""
    graph = tf.GraphDef()
    f = add_function(graph, "f", ["n", "x"], {"y": "choice:output:0"})
    add_const(f, "zero", 0, tf.int32)
    add_node(f, "more", "Greater", ["n", "zero:output:0"], T=INT)
    if ends:
        add_node(f, "choice", "StatelessIf", ["more:z:0", "n", "x"], Tcond=BOOL, Tin=[INT, FLOAT], Tout=[FLOAT],
                 then_branch="deeper", else_branch="base")
    else:
        add_node(f, "choice", "PartitionedCall", ["n", "x"], Tin=[INT, FLOAT], Tout=[FLOAT], f="deeper")
    base = add_function(graph, "base", ["n", "x"], {"y": "id:output:0"})
    add_node(base, "id", "Identity", ["x"], T=FLOAT)
    deeper = add_function(graph, "deeper", ["n", "x"], {"y": "add:z:0"})
    add_const(deeper, "one", 1, tf.int32)
    add_const(deeper, "more", 1.0, tf.float32)
    add_node(deeper, "m", "Sub", ["n", "one:output:0"], T=INT)
    results = [add_call(deeper, f"call{i}", kind) for i in range(calls)]
    add_node(deeper, "sum", "AddN", results, T=FLOAT).attr["N"].i = calls
    add_node(deeper, "add", "Add", ["sum:sum:0", "more:output:0"], T=FLOAT)
    if kind == "While":
        cond = add_function(graph, "cond", ["go", "n", "x"], {"going": "id:output:0"})
        add_node(cond, "id", "Identity", ["go"], T=BOOL)
        body = add_function(graph, "body", ["go", "n", "x"], {"going": "stop:output:0", "m": "id:output:0", "y": "call:output:0"})
        add_const(body, "stop", False, tf.bool)
        add_node(body, "id", "Identity", ["n"], T=INT)
        add_node(body, "call", "PartitionedCall", ["n", "x"], Tin=[INT, FLOAT], Tout=[FLOAT], f="f")
    add_node(graph.node, "n", "Placeholder", [], dtype=INT)
    add_node(graph.node, "x", "Placeholder", [], dtype=FLOAT)
    add_node(graph.node, "y", "f", ["n", "x"])
    return graph


def evaluate(graph_def, n, target="", **kwargs):
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=60000)) as sess:
            return sess.run("y:0", {"n:0": n, "x:0": 0.5}, **kwargs)


@pytest.mark.parametrize("kind", CALLS)
def test_functions_call_themselves_5000_times(kind):
    # A level has up to three calls: If, f and, for While, the loop body.
    depth = 5000
    assert evaluate(recursive_graph(kind), depth) == depth + 0.5


def test_a_recursion_with_two_calls():
    assert evaluate(recursive_graph("f", calls=2), 12) == 0.5 * 2 ** 12 + 2 ** 12 - 1


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("calls", [1, 2])
def test_a_function_that_calls_itself_without_end_is_an_error(kind, calls):
    with pytest.raises(tf.errors.ResourceExhaustedError, match="Calls of function '[a-z]+' are nested more than 20000 levels deep.*WEIR_MAX_CALL_DEPTH") as error:
        evaluate(recursive_graph(kind, ends=False, calls=calls), 1)
    assert len(error.value.message) < 10000


def test_many_calls_at_every_level_are_an_error():
    with pytest.raises(tf.errors.ResourceExhaustedError, match="WEIR_MAX_CALL"):
        evaluate(recursive_graph("StatefulPartitionedCall", ends=False, calls=300), 1)


def test_a_server_survives_functions_without_end():
    server = tf.train.Server.create_local_server()
    assert evaluate(recursive_graph(), 5000, server.target) == 5000.5
    for calls in [1, 2]:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="WEIR_MAX_CALL_DEPTH"):
            evaluate(recursive_graph(ends=False, calls=calls), 1, server.target)
    assert evaluate(recursive_graph(), 3, server.target) == 3.5


def run_program(program, *arguments, environment=None, stack_kb=None, timeout=60):
    limit = f"ulimit -s {stack_kb}; " if stack_kb else ""
    command = f'{limit}exec "$0" "$@"'
    return subprocess.run(["bash", "-c", command, sys.executable, "-c", textwrap.dedent(program), os.path.dirname(__file__), *map(str, arguments)],
                          capture_output=True, text=True, timeout=timeout, env={**os.environ, **(environment or {})})


def test_deep_calls_need_no_deep_stack():
    ran = run_program("""
        import sys
        sys.path.insert(0, sys.argv[1])
        from recursion_test import *
        for kind in CALLS:
            assert evaluate(recursive_graph(kind), 5000) == 5000.5
        for calls in [1, 2]:
            try:
                evaluate(recursive_graph(ends=False, calls=calls), 1)
            except tf.errors.ResourceExhaustedError:
                print("error")
    """, stack_kb=512)
    assert (ran.returncode, ran.stdout) == (0, "error\nerror\n"), ran.stderr[-2000:]


def test_the_limits_are_settings():
    program = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from recursion_test import *
        print(evaluate(recursive_graph(calls=int(sys.argv[3])), int(sys.argv[2])))
    """
    assert run_program(program, 12000, 1, environment={"WEIR_MAX_CALL_DEPTH": "25000"}).stdout == "12000.5\n"
    assert "nested more than 20 levels deep" in run_program(program, 11, 1, environment={"WEIR_MAX_CALL_DEPTH": "20"}).stderr
    assert "called while 9 calls were in flight" in run_program(program, 12, 3, environment={"WEIR_MAX_CALLS": "9"}).stderr
    ignored = run_program(program, 5, 1, environment={"WEIR_MAX_CALL_DEPTH": "many"})
    assert ignored.stdout == "5.5\n" and "WEIR_MAX_CALL_DEPTH='many' is not a number of calls from 1 to 2147483647: 20000 is used" in ignored.stderr


def test_a_deep_recursion_is_cancelled():
    graph = recursive_graph()
    base = next(f for f in graph.library.function if f.signature.name == "base")
    del base.node_def[:]
    add_node(base.node_def, "queue", "FIFOQueueV2", [], component_types=[FLOAT]).attr["shared_name"].s = b"never"
    add_node(base.node_def, "id", "QueueDequeueV2", ["queue:handle:0"], component_types=[FLOAT])
    base.ret["y"] = "id:components:0"
    with pytest.raises(tf.errors.DeadlineExceededError):
        evaluate(graph, 4000, options=tf.RunOptions(timeout_in_ms=1000))


def test_a_gradient_through_a_recursion():
    with tf.Graph().as_default():
        tf.import_graph_def(recursive_graph("f", calls=2), name="")
        x = tf.get_default_graph().get_tensor_by_name("x:0")
        slope, = tf.gradients(tf.get_default_graph().get_tensor_by_name("y:0"), x)
        with tf.Session() as sess:
            assert sess.run(slope, {"n:0": 5, x: 1.0}) == 32.0


def call_recursive(n, x, **kwargs):
    return tf.import_graph_def(recursive_graph(**kwargs), {"n:0": n, "x:0": x}, ["y:0"])[0]


@pytest.mark.parametrize("parallel", [None, 2])
def test_a_function_of_a_dataset_calls_deeply(parallel):
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.range(2).map(lambda i: call_recursive(tf.cast(i, tf.int32) + 3000, tf.constant(0.5)), parallel)
        value = dataset.make_one_shot_iterator().get_next()
        assert [sess.run(value), sess.run(value)] == [3000.5, 3001.5]
    with tf.Graph().as_default(), tf.Session() as sess:
        endless = tf.data.Dataset.range(1).map(lambda i: call_recursive(1, tf.constant(0.5), ends=False), parallel)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="WEIR_MAX_CALL_DEPTH"):
            sess.run(endless.make_one_shot_iterator().get_next())


def endless_dataset(make):
    """Returns a graph whose "y:0" reads a dataset whose function g calls itself."""
    with tf.Graph().as_default() as graph:
        tf.identity(make(), name="y")
        graph_def = graph.as_graph_def()
    names = [f.signature.name for f in graph_def.library.function]
    inner = [n for n in names if "inner" in n]
    outer = [n for n in names if "outer" in n]
    assert len(inner) == len(outer) == 1, names
    for function in graph_def.library.function:
        for node in function.node_def:
            if "f" in node.attr and node.attr["f"].func.name == inner[0]:
                node.attr["f"].func.name = outer[0]
    return graph_def


def test_datasets_that_reduce_inside_of_each_other_without_end():
    def inner(i):
        return i

    def outer(i):
        return tf.data.Dataset.range(1).map(inner).reduce(tf.constant(0, tf.int64), lambda total, j: total + j)

    graph_def = endless_dataset(lambda: tf.data.Dataset.range(1).map(outer).make_one_shot_iterator().get_next())
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="WEIR_MAX_CALL_DEPTH"):
            sess.run("y:0")


def test_datasets_that_open_each_other_without_end():
    def inner(i):
        return tf.data.Dataset.range(1)

    def outer(i):
        return tf.data.Dataset.range(1).flat_map(inner)

    graph_def = endless_dataset(lambda: tf.data.Dataset.range(1).flat_map(outer).make_one_shot_iterator().get_next())
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="WEIR_MAX_CALL_DEPTH"):
            sess.run("y:0")


CHAINS = {
    "map": lambda d: d.map(lambda x: x),
    "parallel_map": lambda d: d.map(lambda x: x, 2),
    "concatenate": lambda d: d.concatenate(tf.data.Dataset.range(0)),
    "batch": lambda d: d.batch(1).apply(tf.data.experimental.unbatch()),
    "prefetch": lambda d: d.prefetch(1),
    "shuffle": lambda d: d.shuffle(2),
    "filter": lambda d: d.filter(lambda x: True),
    "flat_map": lambda d: d.flat_map(lambda x: tf.data.Dataset.range(1)),
    "skip": lambda d: d.skip(0),
    "cache": lambda d: d.cache(),
    "repeat": lambda d: d.repeat(1),
    "interleave": lambda d: d.interleave(lambda x: tf.data.Dataset.range(1), 2),
}


@pytest.mark.parametrize("kind", sorted(CHAINS))
def test_a_chain_of_datasets(kind):
    """A long chain can be read, and a longer one is rejected. Neither overflows the stack."""
    graph_def, steps = None, 1900 if kind in ("map", "concatenate", "repeat") else 300
    if kind == "batch":
        steps //= 2
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.range(1)
        for _ in range(steps):
            dataset = CHAINS[kind](dataset)
        assert sess.run(dataset.make_one_shot_iterator().get_next()) == 0


def chained_graph(length):
    """Returns a graph in which f0 calls f1, f1 calls f2, and so on; the last function adds 1."""
    graph = tf.GraphDef()
    for i in range(length):
        last = i == length - 1
        nodes = add_function(graph, f"f{i}", ["x"], {"y": "sum:z:0" if last else "call:y:0"})
        if last:
            add_node(nodes, "sum", "Add", ["x", "x"], T=FLOAT)
        else:
            add_node(nodes, "call", f"f{i + 1}", ["x"])
    add_node(graph.node, "x", "Placeholder", [], dtype=FLOAT)
    add_node(graph.node, "y", "f0", ["x"])
    return graph


def test_a_long_chain_of_functions_takes_memory_in_proportion():
    """Memory must grow linearly with the length of the chain."""
    ran = run_program("""
        import sys
        sys.path.insert(0, sys.argv[1])
        from recursion_test import *
        def used(length):
            began, before = time.time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with tf.Graph().as_default(), tf.Session() as sess:
                tf.import_graph_def(chained_graph(length), name="")
                assert sess.run("y:0", {"x:0": 1.5}) == 3
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, time.time() - began
        used(10)
        print(*used(int(sys.argv[2])))
    """, 4000)
    assert ran.returncode == 0, ran.stderr[-2000:]
    kilobytes, seconds = map(float, ran.stdout.split())
    assert kilobytes < 200_000 and seconds < 20


def test_a_constant_in_a_few_bytes_takes_no_memory_before_it_is_used():
    graph = tf.GraphDef()
    for i in range(100):
        node = add_node(graph.node, f"c{i}", "Const", [], dtype=FLOAT)
        tensor = node.attr["value"].tensor
        tensor.dtype = FLOAT
        tensor.float_val.extend([2.0, 3.0])
        tensor.tensor_shape.dim.add(size=2 ** 28)
    small = add_node(graph.node, "small", "Const", [], dtype=FLOAT)
    small.attr["value"].tensor.CopyFrom(graph.node[0].attr["value"].tensor)
    small.attr["value"].tensor.tensor_shape.dim[0].size = 1000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tf.Graph().as_default() as g, tf.Session() as sess:
        tf.import_graph_def(graph, name="")
        assert g.as_graph_def().node == graph.node
        assert g.get_tensor_by_name("c7:0").shape == [2 ** 28]
        assert sess.run(tf.shape(g.get_tensor_by_name("c7:0"))) == [2 ** 28]
        value = sess.run("small:0")
        assert value[0] == 2 and value[1:].tolist() == [3.0] * 999
        bad = tf.GraphDef()
        bad.CopyFrom(graph)
        bad.node[0].attr["value"].tensor.dtype = tf.uint8.as_datatype_enum
        bad.node[0].attr["dtype"].type = tf.uint8.as_datatype_enum
        bad.node[0].attr["value"].tensor.int_val.append(256)
        with pytest.raises(ValueError, match="256 is not a value of type uint8"):
            tf.import_graph_def(bad, name="bad")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def nested(depth, leaf, wrap):
    for _ in range(depth):
        leaf = wrap(leaf)
    return leaf


WRAPS = {"list": lambda x: [x], "tuple": lambda x: (x,), "dict": lambda x: {"k": x}}


@pytest.mark.parametrize("wrap", sorted(WRAPS))
def test_structures_nested_too_deeply_are_errors(wrap):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32)
        deep, deep_value = nested(100_000, x, WRAPS[wrap]), nested(100_000, 1.0, WRAPS[wrap])
        calls = [lambda: sess.run(deep), lambda: sess.run(x, {x: deep_value}), lambda: sess.run(x, nested(100_000, {x: 1.0}, WRAPS[wrap])),
                 lambda: tf.constant(deep_value), lambda: tf.convert_to_tensor(deep), lambda: tf.group(deep), lambda: tf.stack(deep),
                 lambda: tf.data.Dataset.from_tensors(deep_value), lambda: tf.contrib.framework.nest.flatten(deep),
                 lambda: tf.contrib.framework.nest.assert_same_structure(deep, deep), lambda: tf.contrib.framework.nest.map_structure(lambda v: v, deep),
                 lambda: tf.cond(tf.constant(True), lambda: deep, lambda: deep), lambda: tf.while_loop(lambda v: False, lambda v: v, [deep]),
                 lambda: tf.data.Dataset.range(1).map(lambda _: deep_value), lambda: sess.make_callable(deep), lambda: tf.gradients(deep, x)]
        if wrap == "tuple":
            calls.append(lambda: sess.run(x, {deep: deep_value}))
        for call in calls:
            try:
                call()
            except (RecursionError, ValueError, TypeError):
                pass


def test_long_chains_of_nodes_with_a_small_stack():
    ran = run_program("""
        import sys
        sys.path.insert(0, sys.argv[1])
        from recursion_test import *
        x = tf.placeholder(tf.float32)
        y = x
        for _ in range(10000):
            y = -y
        slope, = tf.gradients(y, x)
        with tf.Session() as sess:
            assert sess.run([y, slope], {x: 2.0}) == [2.0, 1.0]
        graph = tf.get_default_graph().as_graph_def()
        del graph.node[10001:]
        for i, node in enumerate(list(graph.node)):
            if i % 2:
                node.input.append("^" + node.input[0])
        graph.node.sort(key=lambda node: hash(node.name))
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.import_graph_def(graph, name="")
            assert sess.run(graph.node[0].name + ":0", {"Placeholder:0": 2.0}) in (2, -2)
        with tf.Graph().as_default() as g, tf.Session() as sess:
            node = tf.constant(1).op
            for _ in range(10000):
                with tf.control_dependencies([node]):
                    node = tf.no_op()
            sess.run(node)
        graph = tf.GraphDef()
        add_const(graph.node, "e0", 1.0, tf.float32)
        for i in range(20000):
            add_node(graph.node, f"e{i + 1}", "Enter", [f"e{i}"], T=FLOAT).attr["frame_name"].s = f"frame{i}".encode()
        with tf.Graph().as_default() as g, tf.Session() as sess:
            tf.import_graph_def(graph, name="")
            sess.run(g.get_operation_by_name("e20000"))
        print("ok")
    """, stack_kb=512)
    assert (ran.returncode, ran.stdout) == (0, "ok\n"), ran.stderr[-2000:]
