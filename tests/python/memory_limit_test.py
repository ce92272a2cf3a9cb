"""Tests WEIR_MEMORY_LIMIT_MB: all memory of a process counts, and a process that has reached the limit keeps
running."""
import os
import re
import subprocess
import sys

import pytest

LIMIT_MB = 200

PRELUDE = """
import resource, sys
import numpy as np
import weir as tf

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

start_mb = peak_mb()

def fill():
BODY

try:
    fill()
    print("no error")
except tf.errors.ResourceExhaustedError as error:
    print("exhausted:", str(error).splitlines()[0])
# A failed step releases its memory: a step that needs half of the limit works.
tf.reset_default_graph()
with tf.Session() as session:
    ones = tf.fill([80, 1 << 18], 1.0)
    print("works:", session.run(tf.reduce_sum(ones)) / (1 << 18))
print("grown:", peak_mb() - start_mb)
"""

# Each of these would take gigabytes.
FILLERS = {
    "long strings": """
        s = tf.constant("x" * 10000)
        with tf.Session() as session:
            session.run(tf.fill([1000000], s).op)
    """,
    "tiled strings": """
        s = tf.placeholder(tf.string, [1])
        with tf.Session() as session:
            session.run(tf.tile(s, [100000]).op, {s: ["x" * 100000]})
    """,
    "gathered strings": """
        s = tf.placeholder(tf.string, [1])
        with tf.Session() as session:
            session.run(tf.gather(s, np.zeros([100000], np.int32)), {s: ["x" * 100000]})
    """,
    "joined strings": """
        s = tf.placeholder(tf.string, [])
        with tf.Session() as session:
            session.run(tf.string_join([s, tf.fill([100000], "y")]), {s: "x" * 100000})
    """,
    "replaced strings": """
        s = tf.placeholder(tf.string, [])
        with tf.Session() as session:
            session.run(tf.regex_replace(tf.fill([100000], "y" * 1000), "y", s), {s: "x" * 100})
    """,
    "a string that doubles": """
        with tf.Session() as session:
            s = tf.while_loop(lambda s: True, lambda s: tf.string_join([s, s]), [tf.constant("x" * 1000)])
            session.run(s)
    """,
    "results of many steps": """
        x = tf.placeholder(tf.float32, [None])
        y = x * 2.0
        kept = []
        with tf.Session() as session:
            for i in range(100000):
                kept.append(session.run(y, {x: np.ones([50000], np.float32)}))
    """,
    "a queue of large values": """
        q = tf.FIFOQueue(-1, tf.float32)
        put = q.enqueue(tf.fill([100000], 1.0))
        with tf.Session() as session:
            for _ in range(10000):
                session.run(put)
    """,
    "a queue of small values": """
        q = tf.FIFOQueue(-1, tf.float32, [])
        put = q.enqueue_many(tf.fill([100000], 1.0))
        with tf.Session() as session:
            for _ in range(200):
                session.run(put)
    """,
    "a queue of strings": """
        q = tf.RandomShuffleQueue(100000000, 0, tf.string, [])
        put = q.enqueue_many(tf.fill([1000], "x" * 1000))
        with tf.Session() as session:
            for _ in range(10000):
                session.run(put)
    """,
    "a shuffle buffer": """
        dataset = tf.data.Dataset.range(2**62).shuffle(2**62)
        with tf.Session() as session:
            session.run(dataset.make_one_shot_iterator().get_next())
    """,
    "a repeated shuffle buffer": """
        dataset = tf.data.Dataset.range(1000).repeat().shuffle(2**62)
        with tf.Session() as session:
            session.run(dataset.make_one_shot_iterator().get_next())
    """,
    "a shuffle buffer of strings": """
        dataset = tf.data.Dataset.range(2**62).map(lambda i: tf.string_join([tf.as_string(i), "x" * 1000]))
        with tf.Session() as session:
            session.run(dataset.shuffle(2**40).make_one_shot_iterator().get_next())
    """,
    "a cache": """
        dataset = tf.data.Dataset.range(2**62).cache()
        with tf.Session() as session:
            element = dataset.batch(10000).make_one_shot_iterator().get_next()
            while True:
                session.run(element)
    """,
    "a batch": """
        with tf.Session() as session:
            session.run(tf.data.Dataset.range(2**62).batch(2**40).make_one_shot_iterator().get_next())
    """,
    "a padded batch": """
        with tf.Session() as session:
            dataset = tf.data.Dataset.range(2**62).padded_batch(2**40, [])
            session.run(dataset.make_one_shot_iterator().get_next())
    """,
    "a window": """
        with tf.Session() as session:
            dataset = tf.data.Dataset.range(2**62).window(2**40).flat_map(lambda d: d)
            session.run(dataset.make_one_shot_iterator().get_next())
    """,
    "a graph": """
        for i in range(1000000):
            tf.constant(i, name="c")
    """,
    "a TensorArray": """
        def body(i, array):
            return i + 1, array.write(i, tf.fill([1000], 1.0))
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        _, array = tf.while_loop(lambda i, _: i < 10000000, body, [0, array])
        with tf.Session() as session:
            session.run(array.size())
    """,
    "a TensorArray with holes": """
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True).write((1 << 24) - 1, 1.0)
        with tf.Session() as session:
            session.run(array.size())
    """,
    "the stacks of a loop": """
        x = tf.Variable(1.0)
        y = tf.while_loop(lambda i, y: i < 100000000, lambda i, y: (i + 1, tf.sin(y * x)), [0, x])[1]
        gradient = tf.gradients(y, x)[0]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(gradient)
    """,
    "a lookup table": """
        table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, 0.0)
        start = tf.placeholder(tf.int64, [])
        keys = start + tf.range(100000, dtype=tf.int64)
        put = table.insert(keys, tf.cast(keys, tf.float32))
        with tf.Session() as session:
            for i in range(1000):
                session.run(put, {start: i * 100000})
    """,
    "a lookup table of strings": """
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.string, "")
        start = tf.placeholder(tf.int64, [])
        keys = tf.as_string(start + tf.range(1000, dtype=tf.int64))
        put = table.insert(keys, tf.string_join([keys, "x" * 1000]))
        with tf.Session() as session:
            for i in range(10000):
                session.run(put, {start: i * 1000})
    """,
    "variables": """
        with tf.Session() as session:
            for i in range(10000):
                session.run(tf.Variable(tf.zeros([100000]), name=f"v{i}").initializer)
    """,
    "accumulators": """
        with tf.Session() as session:
            for i in range(10000):
                accumulator = tf.ConditionalAccumulator(tf.float32, [100000], shared_name=f"a{i}")
                session.run(accumulator.apply_grad(tf.ones([100000])))
    """,
}


def run_limited(body):
    environment = dict(os.environ, WEIR_MEMORY_LIMIT_MB=str(LIMIT_MB))
    result = subprocess.run([sys.executable, "-c", PRELUDE.replace("BODY", body)], env=environment, capture_output=True,
                            text=True, timeout=120)
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("what", FILLERS)
def test_exceeding_the_memory_limit_fails_and_the_process_continues(what):
    output = run_limited(FILLERS[what])
    assert re.search(r"exhausted: .*WEIR_MEMORY_LIMIT_MB", output) or "exhausted: " in output, output
    assert "works: 80.0" in output, output
    grown = int(re.search(r"grown: (\d+)", output)[1])
    assert grown < 1.5 * LIMIT_MB, output


def test_a_prefetch_buffer_grows_up_to_the_memory_limit():
    output = run_limited("""
        import time
        dataset = tf.data.Dataset.range(2**62).map(lambda i: tf.fill([1000], i)).prefetch(2**40)
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            session.run(element)
            time.sleep(1)
            for i in range(1, 100):
                assert session.run(element)[0] == i
    """)
    assert "no error" in output and "works: 80.0" in output, output
    assert int(re.search(r"grown: (\d+)", output)[1]) < 1.5 * LIMIT_MB, output


def test_an_error_names_the_request_the_limit_and_its_variable():
    output = run_limited("    tf.Session().run(tf.fill([300, 1 << 18], 1.0))")
    left = int(re.search(rf"cannot allocate {300 << 20} bytes: (\d+) bytes are left", output)[1])
    assert 150 << 20 < left <= 200 << 20
    assert "limit of 200 MB" in output and "Set WEIR_MEMORY_LIMIT_MB to change the limit" in output


def test_an_invalid_limit_is_logged_and_ignored():
    body = "import weir as tf; print(tf.Session().run(tf.reduce_sum(tf.fill([1 << 18], 1.0))))"
    for limit in ["much", "-1", "1e3", "99999999999999999"]:
        environment = dict(os.environ, WEIR_MEMORY_LIMIT_MB=limit)
        result = subprocess.run([sys.executable, "-c", body], env=environment, capture_output=True, text=True, timeout=60)
        assert f"WEIR_MEMORY_LIMIT_MB='{limit}' is not a number of megabytes" in result.stderr
        assert float(result.stdout) == 1 << 18


def test_lack_of_address_space_is_an_error_and_no_crash():
    body = """
import resource
import weir as tf
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for make in [lambda: tf.fill([1 << 31], "x"), lambda: tf.fill([100], tf.constant("x" * (1 << 28)))]:
    try:
        tf.Session().run(make())
    except tf.errors.ResourceExhaustedError:
        print("exhausted")
print(tf.Session().run(tf.constant(5)))
"""
    result = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, timeout=120)
    assert result.stdout.split() == ["exhausted"] * 2 + ["5"], result.stderr[-2000:]


# The elements of the second dataset share one tensor, so the buffer that holds them exceeds the limit.
@pytest.mark.slow
@pytest.mark.parametrize("limit_mb", [200, 400, 500, 700])
@pytest.mark.parametrize("dataset", ["range(2 ** 62)", "from_tensors(1).repeat()"])
def test_a_shuffle_without_address_space_fails(dataset, limit_mb):
    body = f"""
import resource
import weir as tf
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + ({limit_mb} << 20),) * 2)
following = tf.data.Dataset.{dataset}.shuffle(2 ** 62).make_one_shot_iterator().get_next()
with tf.Session() as session:
    for _ in range(3):
        try:
            session.run(following)
        except tf.errors.ResourceExhaustedError:
            print("exhausted")
        except tf.errors.OutOfRangeError:
            print("end")
    print(session.run(tf.constant(5)))
"""
    result = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, timeout=120)
    assert result.stdout.split() == ["exhausted", "end", "end", "5"], result.stderr[-2000:]
