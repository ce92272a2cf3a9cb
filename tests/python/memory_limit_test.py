"""WEIR_MEMORY_LIMIT_MB: what the tensors of a process may hold together."""
import os
import subprocess
import sys

HOLD = """
import weir as tf
def held(megabytes):
    try:
        with tf.Session() as session:
            ones = tf.fill([megabytes, 1 << 18], 1.0)
            return session.run([ones, tf.reduce_sum(ones)])[1] / (1 << 18)
    except tf.errors.ResourceExhaustedError as error:
        return error.message
print(repr(held(100)))
print([held(40) for _ in range(3)])
"""


def run(limit):
    environment = dict(os.environ, WEIR_MEMORY_LIMIT_MB=limit)
    return subprocess.run([sys.executable, "-c", HOLD], env=environment, capture_output=True, text=True, timeout=60)


def test_a_tensor_beyond_the_limit_is_an_error_and_what_was_freed_counts_no_more():
    first, second = run("64").stdout.splitlines()
    assert f"cannot allocate {100 << 20} bytes, {64 << 20} are left" in first
    assert second == "[40.0, 40.0, 40.0]"


def test_a_limit_that_is_no_number_is_said_and_passed_over():
    for limit in ["much", "-1", "1e3", "99999999999999999"]:
        result = run(limit)
        assert f"WEIR_MEMORY_LIMIT_MB={limit} is not a number of megabytes" in result.stderr
        assert result.stdout.splitlines()[0] == "100.0"
