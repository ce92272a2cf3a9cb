"""A program builds a graph with the given `tf` and says what to run, how often, and what to fetch.

The same run can be repeated, by names, with the serialized graph alone. So each engine can run the graphs of the other.
"""
import dataclasses
import typing


@dataclasses.dataclass
class Program:
    name: str
    # build(tf) -> {"look": [tensors or variables], "train": operation or None, "feeds": [{placeholder: array} per
    # step]}. "look" defaults to all global variables.
    build: typing.Callable


def run(tf, program):
    """Runs a program and returns plain data: the nodes, the names that were run, and all values after every step."""
    with tf.Graph().as_default() as graph:
        plan = program.build(tf)
        look = plan.get("look")
        if look is None:
            look = sorted(tf.global_variables(), key=lambda v: v.name)
        elements = [graph.as_graph_element(item) for item in look]
        init = tf.global_variables_initializer()
        train = plan.get("train")
        recorded = {
            "labels": [item.name for item in look],
            "fetches": [element.name for element in elements],
            "init": init.name,
            "train": train.name if train is not None else None,
            "feeds": [{x.name: value for x, value in feed.items()} for feed in plan.get("feeds", [{}])],
            "nodes": [(op.name, op.type) for op in graph.get_operations()],
            "graph": graph.as_graph_def().SerializeToString(),
        }
        recorded["values"] = repeat(tf, graph, recorded)
    return recorded


def repeat(tf, graph, recorded):
    """Runs a graph with the recorded names. Returns a list of values for the start and for each step."""
    values = []
    with tf.Session(graph=graph) as sess:
        sess.run(recorded["init"])
        for feed in recorded["feeds"]:
            if recorded["train"]:
                if not values:
                    values.append(sess.run(recorded["fetches"], feed))
                sess.run(recorded["train"], feed)
            values.append(sess.run(recorded["fetches"], feed))
    return values


def run_graph_def(tf, recorded):
    """Loads and runs the graph that the other engine wrote."""
    with tf.Graph().as_default() as graph:
        definition = tf.GraphDef()
        definition.ParseFromString(recorded["graph"])
        tf.import_graph_def(definition, name="")
        return repeat(tf, graph, recorded)
