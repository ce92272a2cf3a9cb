"""tf.profiler: parameters, float operations and times of a graph's nodes, by name scope, by op type or by the graph's edges.

Results have the fields of TensorFlow's GraphNodeProto and MultiGraphNodeProto, but are Python objects.
"""
import copy
import re
import sys

from weir import _weir
from weir.lib.graph_keys import GraphKeys

_SUMS = ["parameters", "float_ops", "exec_micros", "cpu_exec_micros", "accelerator_exec_micros", "requested_bytes", "peak_bytes",
         "residual_bytes", "output_bytes", "run_count", "definition_count"]
_SELECTED = {"params": "parameters", "float_ops": "float_ops", "micros": "exec_micros", "bytes": "requested_bytes", "occurrence": "definition_count"}
_ROOT = "_TFProfRoot"


class GraphNodeProto:
    """A node or a scope, with its own numbers and, as total_*, those of all below it."""

    def __init__(self, name=""):
        self.name, self.children, self.devices, self.shapes, self.types = name, [], [], [], set()
        for field in _SUMS:
            setattr(self, field, 0)
            setattr(self, f"total_{field}", 0)

    def _add_totals(self, other):
        for field in _SUMS:
            setattr(self, f"total_{field}", getattr(self, f"total_{field}") + getattr(other, f"total_{field}"))

    def _count_own(self):
        for field in _SUMS:
            setattr(self, f"total_{field}", getattr(self, field))

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r} total_parameters={self.total_parameters} total_float_ops={self.total_float_ops}>"


class MultiGraphNodeProto(GraphNodeProto):
    """All nodes of an op type."""

    def __init__(self, name=""):
        super().__init__(name)
        self.graph_nodes = []


class ProfileOptionBuilder:
    """Builds the options of profile()."""

    def __init__(self, options=None):
        self._options = copy.deepcopy(options) if options is not None else {
            "max_depth": 100, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 0, "min_occurrence": 0, "order_by": "name",
            "account_type_regexes": [".*"], "start_name_regexes": [".*"], "trim_name_regexes": [], "show_name_regexes": [".*"],
            "hide_name_regexes": [], "account_displayed_op_only": False, "select": ["micros"], "step": -1, "output": "stdout"}

    @staticmethod
    def trainable_variables_parameter():
        """Counts the parameters of trainable variables."""
        return {"max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 0, "min_occurrence": 0, "order_by": "name",
                "account_type_regexes": ["_trainable_variables"], "start_name_regexes": [".*"],
                "trim_name_regexes": [], "show_name_regexes": [".*"], "hide_name_regexes": [], "account_displayed_op_only": True,
                "select": ["params"], "step": -1, "output": "stdout"}

    @staticmethod
    def float_operation():
        """Counts float operations."""
        return {"max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 1, "min_occurrence": 0,
                "order_by": "float_ops", "account_type_regexes": [".*"], "start_name_regexes": [".*"], "trim_name_regexes": [],
                "show_name_regexes": [".*"], "hide_name_regexes": [], "account_displayed_op_only": True, "select": ["float_ops"], "step": -1,
                "output": "stdout"}

    @staticmethod
    def time_and_memory(min_micros=1, min_bytes=1, min_accelerator_micros=0, min_cpu_micros=0, min_peak_bytes=0, min_residual_bytes=0,
                        min_output_bytes=0):
        return {"max_depth": 10000, "min_bytes": min_bytes, "min_micros": min_micros, "min_params": 0, "min_float_ops": 0, "min_occurrence": 0,
                "order_by": "micros", "account_type_regexes": [".*"], "start_name_regexes": [".*"], "trim_name_regexes": [],
                "show_name_regexes": [".*"], "hide_name_regexes": [], "account_displayed_op_only": True, "select": ["micros", "bytes"],
                "step": -1, "output": "stdout"}

    def build(self):
        return copy.deepcopy(self._options)

    def _set(self, **values):
        self._options.update(values)
        return self

    def with_max_depth(self, max_depth):
        return self._set(max_depth=max_depth)

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        return self._set(min_bytes=min_bytes)

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        return self._set(min_micros=min_micros)

    def with_min_parameters(self, min_params):
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence):
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops):
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes):
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(self, start_name_regexes=None, show_name_regexes=None, hide_name_regexes=None, trim_name_regexes=None):
        given = {"start_name_regexes": start_name_regexes, "show_name_regexes": show_name_regexes, "hide_name_regexes": hide_name_regexes,
                 "trim_name_regexes": trim_name_regexes}
        return self._set(**{name: copy.copy(value) for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true):
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self):
        return self._set(output="none")

    def with_stdout_output(self):
        return self._set(output="stdout")

    def with_file_output(self, outfile):
        return self._set(output=f"file:outfile={outfile}")

    def with_step(self, step):
        return self._set(step=step)

    def select(self, attributes):
        return self._set(select=copy.copy(attributes))

    def order_by(self, attribute):
        return self._set(order_by=attribute)


# --- the numbers of nodes ---
def _times(run_meta):
    """Returns the microseconds of each node of a step."""
    micros = {}
    for device in run_meta.step_stats.dev_stats if run_meta is not None else []:
        for stats in device.node_stats:
            micros[stats.node_name] = micros.get(stats.node_name, 0) + stats.all_end_rel_micros
    return micros


def _measured(graph, run_meta):
    trainable = {var.op.name for var in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
    shapes = {var.op.name: var.shape for var in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(GraphKeys.LOCAL_VARIABLES)}
    micros = _times(run_meta)
    nodes = []
    for op in graph.get_operations():
        node = GraphNodeProto(op.name)
        node.types = {op.type, op.device} | ({"_trainable_variables"} if op.name in trainable else set())
        node.devices = [op.device] if op.device else []
        node.float_ops = _weir.float_ops(op) or 0
        node.definition_count = 1
        if op.name in shapes:
            node.parameters = shapes[op.name].num_elements() or 0
        if op.name in micros:
            node.exec_micros = node.cpu_exec_micros = micros[op.name]
            node.run_count = 1
        nodes.append((op, node))
    return nodes


def _matches(patterns, text):
    return any(re.match(f"(?:{pattern})$", text) for pattern in patterns)


def _accounted(node, options):
    return any(_matches(options["account_type_regexes"], kind) for kind in node.types)


_LIMITS = [("min_params", "parameters"), ("min_float_ops", "float_ops"), ("min_micros", "exec_micros"), ("min_bytes", "requested_bytes"),
           ("min_occurrence", "definition_count")]


def _shown(node, options):
    """Returns whether a node matches the filters. Minimum values are compared with its own numbers, not with the totals."""
    return (_matches(options["show_name_regexes"], node.name) and not _matches(options["hide_name_regexes"], node.name)
            and all(getattr(node, field) >= options.get(limit, 0) for limit, field in _LIMITS))


def _ordered(nodes, options):
    if options["order_by"] == "name":
        return sorted(nodes, key=lambda node: node.name)
    field = "total_" + _SELECTED.get(options["order_by"], "definition_count")
    return sorted(nodes, key=lambda node: (-getattr(node, field), node.name))


# --- views ---
def _by_scope(nodes, options):
    """A tree of name scopes: of the accounted nodes and of the scopes around them."""
    tree = {"": GraphNodeProto(_ROOT)}

    def place(name):
        if name not in tree:
            tree[name] = GraphNodeProto(name)
            place(name.rpartition("/")[0]).children.append(tree[name])
        return tree[name]
    known = {node.name for _, node in nodes}
    for _, node in nodes:
        if _accounted(node, options):
            placed = place(node.name)
            placed.types, placed.devices = node.types, node.devices
            for field in _SUMS:
                setattr(placed, field, getattr(node, field))
    root = tree[""]
    _finish(root, options, known, 1, _matches(options["start_name_regexes"], ""))
    return root


def _finish(node, options, known, depth, started):
    """Adds up the totals below a node, and replaces hidden children by their own children."""
    children, node.children = node.children, []
    totals = GraphNodeProto()
    if depth == 1 or not _matches(options["trim_name_regexes"], node.name):
        for child in children:
            begun = started or _matches(options["start_name_regexes"], child.name)
            _finish(child, options, known, depth + 1, begun)
            totals._add_totals(child)
            # Do not show an op node that is in the tree only because accounted nodes are below its name.
            visible = begun and depth < options["max_depth"] and (child.types or child.name not in known) and _shown(child, options)
            node.children += [child] if visible else child.children
            if options["account_displayed_op_only"] and not visible:
                for field in _SUMS:
                    setattr(totals, f"total_{field}", getattr(totals, f"total_{field}") - getattr(child, field))
    node._count_own()
    node._add_totals(totals)
    node.children = _ordered(node.children, options)


def _by_type(nodes, options):
    root = MultiGraphNodeProto(_ROOT)
    types = {}
    for op, node in nodes:
        if not _accounted(node, options):
            continue
        kind = types.setdefault(op.type, MultiGraphNodeProto(op.type))
        kind.graph_nodes.append(node)
        for field in _SUMS:
            setattr(kind, field, getattr(kind, field) + getattr(node, field))
    for kind in types.values():
        kind._count_own()
        root._add_totals(kind)
    root.children = _ordered([kind for kind in types.values() if _shown(kind, options)], options)
    return root


# --- output ---
def _number(value):
    for size, unit in ((1e9, "b"), (1e6, "m"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2f}{unit}"
    return str(value)


def _line(node, options):
    words = {"params": "params", "float_ops": "flops", "micros": "us", "bytes": "B", "occurrence": "nodes"}
    parts = [f"{_number(getattr(node, _SELECTED[name]))}/{_number(getattr(node, 'total_' + _SELECTED[name]))} {words[name]}"
             for name in options["select"] if name in words]
    return f"{node.name} ({', '.join(parts)})"


def _text(node, options, depth=0):
    return "".join([f"{'  ' * depth}{_line(node, options)}\n", *(_text(child, options, depth + 1) for child in node.children)])


def _write(root, options):
    output = options.get("output", "stdout")
    text = "node name | " + " | ".join(options["select"]) + "\n" + _text(root, options)
    if output == "stdout":
        sys.stdout.write(text)
    elif output.startswith("file:outfile="):
        with open(output.partition("=")[2], "w", encoding="utf-8") as file:
            file.write(text)


def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=0):
    """Returns the tree of a graph's nodes with their numbers, and writes it as the options say.

    cmd: "scope" or "graph" (by name scope), "op" or "code" (by op type).
    """
    options = options if isinstance(options, dict) else ProfileOptionBuilder().build()
    nodes = _measured(graph or _weir.get_default_graph(), run_meta)
    if cmd in ("scope", "graph"):
        root = _by_scope(nodes, options)
    elif cmd in ("op", "code"):
        root = _by_type(nodes, options)
    else:
        raise ValueError(f"unknown cmd: {cmd}")
    _write(root, options)
    return root


class Profiler:
    """Profiles a graph with the times of several steps."""

    def __init__(self, graph=None, op_log=None):
        self._graph, self._steps = graph or _weir.get_default_graph(), {}

    def add_step(self, step, run_meta):
        self._steps[step] = run_meta

    def _profile(self, cmd, options):
        step = options.get("step", -1)
        if step < 0 and self._steps:
            step = max(self._steps)
        return profile(self._graph, self._steps.get(step), cmd=cmd, options=options)

    def profile_name_scope(self, options):
        return self._profile("scope", options)

    def profile_graph(self, options):
        return self._profile("graph", options)

    def profile_operations(self, options):
        return self._profile("op", options)

    def profile_python(self, options):
        return self._profile("code", options)


# --- tf.contrib.tfprof.model_analyzer ---
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder.time_and_memory()


def print_model_analysis(graph, run_meta=None, op_log=None, tfprof_cmd="scope", tfprof_options=None):
    return profile(graph, run_meta, op_log, tfprof_cmd, TRAINABLE_VARS_PARAMS_STAT_OPTIONS if tfprof_options is None else tfprof_options)
