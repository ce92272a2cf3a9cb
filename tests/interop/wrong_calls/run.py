"""Run by either interpreter: evaluates calls, each in its own graph, and writes the answers.

    python -m wrong_calls.run weir|tensorflow LIST OUT

LIST is JSON [[mode, text], ...]; OUT is JSON [[stage, class, message], ...]. The stage is "build", "run", or
"accepted"; for the latter, the message has the types and shapes of the results.

Calls run in child processes. If a call ends its process, that is its answer.
"""
import gc
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time

from child_process import answers_of_child
from wrong_calls.vocabulary import Vocabulary

SECONDS_PER_CALL = 20
MOST_TEXT = 600


def load(side):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    # By default the processor decides whether TensorFlow uses oneDNN, whose errors differ.
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
    os.chdir(tempfile.mkdtemp())  # some calls create files
    if side == "weir":
        import weir
        return weir
    from oracle.tensorflow1 import tf
    return tf


def flat(tf, result):
    """Returns the parts of a result that a session can fetch."""
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in flat(tf, part)]
    if isinstance(result, dict):
        return [item for key in sorted(result, key=str) for item in flat(tf, result[key])]
    if isinstance(result, (tf.Tensor, tf.Operation, tf.SparseTensor)):
        return [result]
    if isinstance(result, (tf.Variable, tf.IndexedSlices)):
        return [tf.convert_to_tensor(result)]
    return []


def described(item):
    if hasattr(item, "dtype") and hasattr(item, "get_shape"):
        return "%s%s" % (item.dtype.name, item.get_shape())
    return type(item).__name__


def message_of(error):
    """Returns the message without the source locations that TensorFlow puts before it and the traces that either puts
    after it."""
    text = getattr(error, "message", None) or str(error)
    text = re.split(r"^Node: .*\n", text, flags=re.MULTILINE)[-1].replace("Graph execution error:\n\n", "")
    return re.split(r"\n\t? *\[\[|\n\nOriginal stack trace|\nDefined at", text)[0][:MOST_TEXT]


def evaluate(tf, config, mode, text):
    graph = tf.Graph()
    with graph.as_default():
        words = Vocabulary(tf, mode)
        try:
            fetches = flat(tf, eval(text, words.names()))
            held = [item for item in fetches if getattr(item, "dtype", None) in (tf.resource, tf.variant)]
            fetches = [item for item in fetches if item not in held] if held else fetches
            init = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer(), words.initializers]
        except Exception as error:  # any class is a valid answer
            return "build", type(error).__name__, message_of(error)
        described_fetches = " ".join(described(item) for item in fetches)
        if not fetches:
            return "accepted", "", ""
        try:
            with tf.Session(graph=graph, config=config) as session:
                session.run(init)
                session.run(fetches, words.feeds)
        except Exception as error:
            return "run", type(error).__name__, message_of(error)
        return "accepted", "", described_fetches


def configured(tf):
    config = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1, operation_timeout_in_ms=1500)
    # TensorFlow's optimizer would remove nodes without a visible effect, and with them their errors.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


def run_in_child(tf, calls):
    """Runs calls in a child process and returns their answers, up to the last one or the one that ended the child."""
    config = configured(tf)
    found, status = answers_of_child(calls, lambda call: evaluate(tf, config, *call), SECONDS_PER_CALL, outputs=(1, 2))
    if len(found) < len(calls):
        found.append(["ended", "timeout" if status == signal.SIGALRM else "signal %d" % (status & 127), ""])
    return found


def answer(tf, calls):
    answers = []
    while len(answers) < len(calls):
        answers += run_in_child(tf, calls[len(answers):len(answers) + 2000])
    return answers


def main(side, path, out):
    start = time.time()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
    tf = load(side)
    gc.freeze()
    with open(path) as f:
        calls = json.load(f)
    answers = answer(tf, calls)
    with open(out, "w") as f:
        json.dump(answers, f)
    print("%s: %d calls in %.1f s" % (side, len(calls), time.time() - start), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
