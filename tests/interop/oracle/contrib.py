"""Makes `import tensorflow as tf` of later imports give TensorFlow 2.15 with the interface of 1.x, with the parts of
tf.contrib that tf-slim or TensorFlow still have. The few others, such as rnn_decoder, are reimplemented here."""
import importlib
import sys
import types

import numpy as np
import tensorflow
from absl import flags
from tensorboard.plugins import projector
from tensorflow.python.ops import lookup_ops

from both.answers import slim as find_slim
from oracle import seq2seq

tf = tensorflow.compat.v1


class Tensorflow1(types.ModuleType):
    """The module `tensorflow` that programs import: the names of 1.x, and the submodules of the installed package."""
    __path__ = tensorflow.__path__

    def __getattr__(self, name):
        return getattr(tf, name)


def module(name, *sources, **more):
    """Registers the module tensorflow.contrib.NAME, with the public names of its sources."""
    made = types.ModuleType("tensorflow.contrib" + (f".{name}" if name else ""))
    made.__path__ = []
    for source in sources:
        vars(made).update({key: getattr(source, key) for key in dir(source) if not key.startswith("_")})
    vars(made).update(more)
    sys.modules[made.__name__] = made
    parent, _, child = made.__name__.rpartition(".")
    setattr(sys.modules[parent], child, made)
    return made


# --- legacy_seq2seq ---
def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Runs a cell over a list of inputs. With a loop function, every input but the first is made from the output before it."""
    with tf.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        for i, given in enumerate(decoder_inputs):
            if i > 0:
                tf.get_variable_scope().reuse_variables()
                if loop_function is not None:
                    with tf.variable_scope("loop_function", reuse=True):
                        given = loop_function(outputs[-1], i)
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None):
    function = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
    total = tf.add_n([function(labels=target, logits=logit) * weight for logit, target, weight in zip(logits, targets, weights)])
    return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


# --- learn.preprocessing ---
class VocabularyProcessor:
    """Turns documents into rows of numbers of words. Number 0 is for padding."""

    def __init__(self, max_document_length):
        self.max_document_length = max_document_length
        self.vocabulary_ = {"<UNK>": 0}

    def fit_transform(self, documents):
        rows = np.zeros([len(documents), self.max_document_length], np.int64)
        for row, document in enumerate(documents):
            for i, word in enumerate(document.split()[:self.max_document_length]):
                rows[row, i] = self.vocabulary_.setdefault(word, len(self.vocabulary_))
        return rows


# --- training ---
def byte_size_load_fn(op):
    return op.outputs[0].shape.num_elements() * op.outputs[0].dtype.size


class GreedyLoadBalancingStrategy:
    """Puts each variable on the parameter server that has the least so far."""

    def __init__(self, num_tasks, load_fn):
        self.loads, self.load_fn = np.zeros(num_tasks), load_fn

    def __call__(self, op):
        task = int(np.argmin(self.loads))
        self.loads[task] += self.load_fn(op)
        return task


class HParams:
    """Named values, which parse("name=value,name=value") changes."""

    def __init__(self, **values):
        vars(self).update(values)

    def parse(self, text):
        for name, _, value in (part.partition("=") for part in filter(None, text.split(","))):
            setattr(self, name, type(getattr(self, name))(value))
        return self

    def values(self):
        return dict(vars(self))


def install():
    top = Tensorflow1("tensorflow")
    slim = find_slim(tf)
    parts = {name: importlib.import_module(f"tf_slim.{name}") for name in (
        "layers.layers", "layers.initializers", "layers.regularizers", "layers.optimizers", "layers.summaries", "ops.arg_scope", "ops.variables",
        "ops.framework_ops", "losses", "metrics")}
    layers = [part for name, part in parts.items() if name.startswith("layers.")]
    operations = [part for name, part in parts.items() if name.startswith("ops.")]
    flags.FLAGS.__delattr__("log_dir")  # absl's; programs define their own, as they could with most releases of 1.x
    sys.modules["tensorflow"] = top
    module("")
    top.contrib.slim = sys.modules["tensorflow.contrib.slim"] = slim
    module("layers", *layers)
    module("framework", *operations, nest=tf.nest, get_or_create_global_step=tf.train.get_or_create_global_step)
    module("framework.python")
    module("framework.python.ops", *operations)
    module("losses", parts["losses"])
    module("metrics", parts["metrics"])
    module("rnn", tf.nn.rnn_cell, static_rnn=tf.nn.static_rnn, static_bidirectional_rnn=tf.nn.static_bidirectional_rnn)
    module("legacy_seq2seq", rnn_decoder=rnn_decoder, sequence_loss_by_example=sequence_loss_by_example)
    module("seq2seq", seq2seq)
    module("lookup", lookup_ops)
    module("learn", ModeKeys=types.SimpleNamespace(TRAIN="train", EVAL="eval", INFER="infer"))
    module("learn.preprocessing", VocabularyProcessor=VocabularyProcessor)
    module("training", HParams=HParams, GreedyLoadBalancingStrategy=GreedyLoadBalancingStrategy, byte_size_load_fn=byte_size_load_fn)
    module("tensorboard")
    module("tensorboard.plugins", projector=projector)
    sys.modules["tensorflow.contrib.tensorboard.plugins.projector"] = projector
