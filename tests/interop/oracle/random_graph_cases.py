"""200 random graphs, most with gradients. The name of a case has its seed and its steps."""
from oracle import graph_maker
from oracle.recorder import attempt
from oracle.tensorflow1 import tf

COUNT = 200


def recorded(seed, differentiate):
    with tf.Graph().as_default() as graph:
        maker, ys = graph_maker.build(seed)
        ys = [tf.identity(y, name="out%d" % i) for i, y in enumerate(ys)]
        xs = list(maker.feeds)
        found = tf.gradients(ys[-1], xs) if differentiate else []
        grads = [(x, tf.identity(tf.convert_to_tensor(g))) for x, g in zip(xs, found) if g is not None]
        name = "seed %d: %s of %s" % (seed, " ".join(maker.steps), maker.dtype.name)
        values = attempt(graph, name, ys + [g for _, g in grads], maker.feeds)
        entry = {"name": name, "graph": graph.as_graph_def().SerializeToString(), "feeds": {x.name: a for x, a in maker.feeds.items()},
                 "fetches": [y.name for y in ys], "values": values[:len(ys)]}
        if grads:
            entry.update(grad_of=ys[-1].name, grad_xs=[x.name for x, _ in grads], grad_fetches=[g.name for _, g in grads], grads=values[len(ys):])
    return entry


def make(recorder):
    for seed in range(COUNT):
        try:
            recorder.cases.append(recorded(seed, differentiate=True))
        except (tf.errors.InvalidArgumentError, ValueError, LookupError):  # TensorFlow cannot differentiate some loops with unknown shapes
            recorder.cases.append(recorded(seed, differentiate=False))
    assert sum("grad_of" in case for case in recorder.cases) > COUNT / 2
