"""Names: templates, variable scopes and name scopes, imported graphs, caching devices."""
import contextlib
import itertools

CASES = {}


def variable(tf, name="v", **options):
    return tf.get_variable(name, [2], initializer=tf.ones_initializer(), **options)


def node_names(tf):
    return [node.name for node in tf.get_default_graph().get_operations()]


def plus_one(tf):
    return tf.add(variable(tf), 1.0, name="add")


def plus_one_below(tf):
    with tf.variable_scope("inner"):
        v = variable(tf)
    with tf.name_scope("ns"):
        return tf.add(v, 1.0, name="add")


def untrained(tf):
    return tf.add(tf.Variable(1.0, name="w", trainable=False), 1.0, name="add")


def template(body, around=None, calls=2, **options):
    def case(tf):
        made = tf.make_template("foo", lambda: body(tf), **options)
        names = []
        for _ in range(calls):
            with tf.name_scope(around) if around else contextlib.nullcontext():
                names.append(made().name)
        return [names, node_names(tf), made.variable_scope.name, made.variable_scope_name, [v.name for v in made.variables]]
    return case


for (name, body), (place, around) in itertools.product(
        {"": plus_one, " below": plus_one_below, " untrained": untrained}.items(), {"": None, " in a scope": "outer"}.items()):
    CASES[f"template{name}{place}"] = template(body, around)
    CASES[f"template{name}{place} at once"] = template(body, around, create_scope_now_=True)
CASES["template called three times"] = template(plus_one, calls=3)
CASES["template of a unique name"] = template(plus_one, unique_name_="unique")
CASES["template that makes a trained variable"] = template(lambda tf: tf.Variable(1.0, name="w"))


def two_templates(now):
    def case(tf):
        a, b = (tf.make_template("foo", lambda: plus_one(tf), create_scope_now_=now) for _ in range(2))
        return [[t().name for t in (b, a, b, a)], [v.name for v in tf.global_variables()]]
    return case


CASES["two templates"] = two_templates(False)
CASES["two templates at once"] = two_templates(True)


def nested_templates(inside):
    def case(tf):
        outer_inner = tf.make_template("in", lambda: plus_one(tf))

        def body():
            inner = tf.make_template("in", lambda: plus_one(tf)) if inside else outer_inner
            return tf.add(inner(), inner(), name="sum")
        outer = tf.make_template("out", body)
        return [outer().name, outer().name, node_names(tf)]
    return case


CASES["a template in a template"] = nested_templates(True)
CASES["a shared template in a template"] = nested_templates(False)


def template_elsewhere(tf):
    with tf.variable_scope("scope"):
        made = tf.make_template("foo", lambda: plus_one(tf))
        names = [made().name, made().name]
    names.append(made().name)
    with tf.variable_scope("other"):
        names.append(made().name)
    return names


CASES["a template called in other scopes"] = template_elsewhere


def scopes_by_name(tf):
    found = []
    for reuse in (None, True, tf.AUTO_REUSE):
        with tf.variable_scope("a", reuse=reuse) as scope:
            found += [variable(tf).name, tf.constant(1, name="c").name, scope.name, scope.original_name_scope]
    return found


def scopes_again(tf):
    found = []
    with tf.variable_scope("a") as scope:
        found.append(tf.constant(1, name="c").name)
    for auxiliary in (True, False):
        with tf.variable_scope(scope, auxiliary_name_scope=auxiliary) as again:
            found += [tf.constant(1, name="c").name, again.name, again.original_name_scope]
    with tf.name_scope(scope.original_name_scope):
        found.append(tf.constant(1, name="c").name)
    with tf.variable_scope("x"):
        for auxiliary in (True, False):
            with tf.variable_scope(scope, auxiliary_name_scope=auxiliary):
                found += [tf.constant(1, name="c").name, variable(tf, f"v{auxiliary}").name]
    return found


def scopes_without_names(tf):
    with tf.variable_scope("a", auxiliary_name_scope=False) as scope:
        found = [tf.constant(1, name="c").name, variable(tf).name, scope.original_name_scope]
        with tf.variable_scope("b"):
            found += [tf.constant(1, name="c").name, variable(tf).name]
        with tf.name_scope("n"):
            found.append(tf.constant(1, name="c").name)
    return found


def default_names(tf):
    found = []
    for _ in range(2):
        with tf.variable_scope(None, "d") as scope:
            found += [scope.name, scope.original_name_scope, variable(tf).name]
        with tf.variable_scope("q"):
            for _ in range(2):
                with tf.variable_scope(None, "d") as scope:
                    found += [scope.name, scope.original_name_scope]
    return found


def both_kinds(tf):
    found = []
    for reuse in (None, True):
        with tf.name_scope("n"), tf.variable_scope("a", reuse=reuse) as scope:
            found += [scope.original_name_scope, variable(tf).name, tf.constant(1, name="c").name]
    with tf.variable_scope("a"):
        for i, name in enumerate(["n", None, "absolute/"]):
            with tf.name_scope(name):
                found += [variable(tf, f"v{i}").name, tf.constant(1, name="c").name]
    return found


for case in (scopes_by_name, scopes_again, scopes_without_names, default_names, both_kinds):
    CASES[case.__name__] = case


def scope_error(enter):
    def case(tf):
        with enter(tf):
            return variable(tf).name
    return case


CASES["a scope without a name"] = scope_error(lambda tf: tf.variable_scope(None))
CASES["reuse of a default name"] = scope_error(lambda tf: tf.variable_scope(None, "d", reuse=True))
CASES["a scope of no kind"] = scope_error(lambda tf: tf.variable_scope(3))
CASES["reuse of nothing"] = scope_error(lambda tf: tf.variable_scope("a", reuse=True))
CASES["a name scope that is no name"] = scope_error(lambda tf: tf.name_scope("a b"))


def meta_graph(tf):
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        total = tf.add(v, 2.0, name="add")
        with tf.name_scope("s"):
            tf.identity(total, name="i")
        tf.add_to_collection("tensors", total)
        tf.add_to_collection("nodes", total.op)
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
        saver = tf.train.Saver()
        return tf.train.export_meta_graph(saver_def=saver.as_saver_def())


def imported(scope, around, in_variable_scope):
    def case(tf):
        meta = meta_graph(tf)
        with tf.variable_scope("vs") if in_variable_scope else contextlib.nullcontext():
            with tf.name_scope(around) if around else contextlib.nullcontext():
                saver = tf.train.import_meta_graph(meta, import_scope=scope)
                node = tf.import_graph_def(meta.graph_def, return_elements=["add"], name=scope)[0]
        names = {key: [item.name for item in tf.get_collection(key)] for key in ("variables", "trainable_variables", "tensors", "nodes")}
        return [names, saver.saver_def.filename_tensor_name, node.name]
    return case


for scope, around, in_variable_scope in itertools.product([None, "imp"], [None, "outer", "outer/"], [False, True]):
    CASES[f"import {scope} {around} {in_variable_scope}"] = imported(scope, around, in_variable_scope)


def imported_with_inputs(tf):
    meta, given = meta_graph(tf), tf.constant(5.0, name="given")
    with tf.name_scope("o"):
        tf.train.import_meta_graph(meta, input_map={"v/read:0": given})
    return [tensor.name for tensor in tf.get_default_graph().get_operation_by_name("o/add").inputs]


CASES["import with inputs"] = imported_with_inputs


def cached(make):
    def case(tf):
        v = make(tf)
        reads = [(node.name, node.type, node.device) for node in tf.get_default_graph().get_operations()
                 if node.type in ("Identity", "ReadVariableOp", "VariableV2", "VarHandleOp")]
        used = tf.add(v, 1.0)
        return [v.name, reads, v.value().device, v.device, used.op.inputs[0].name]
    return case


def in_scope(use_resource=False, **options):
    def make(tf):
        with tf.variable_scope("s", **options):
            with tf.variable_scope("t"):
                return variable(tf, use_resource=use_resource)
    return make


def on_ps(**options):
    def make(tf):
        with tf.device("/job:ps"):
            return tf.Variable([1.0], **options)
    return make


for kind in (False, True):
    text = " of a resource" if kind else ""
    CASES["caching device" + text] = cached(lambda tf, kind=kind: variable(tf, use_resource=kind, caching_device="/job:worker/task:1"))
    CASES["caching device in a scope" + text] = cached(in_scope(kind, caching_device="/job:worker"))
    CASES["caching device by a function" + text] = cached(in_scope(kind, caching_device=lambda op: "/job:worker"))
    CASES["caching device elsewhere" + text] = cached(on_ps(caching_device="/job:worker", use_resource=kind))
CASES["no caching device"] = cached(on_ps(use_resource=False))


def caching_device_off(tf):
    with tf.variable_scope("s", caching_device="/job:worker") as scope:
        with tf.variable_scope("t", caching_device=""):
            inner = variable(tf).value().device
        with tf.variable_scope("u") as live:
            live.set_caching_device("/job:live")
            return [inner, variable(tf).value().device, variable(tf, "w", caching_device="").value().device]


CASES["caching device off"] = caching_device_off


# ---- lookup tables ----

WORDS = ["a", "b", "c"]
FILE = "/tmp/words.txt"  # is never read


def functions_of_tables(tf):
    """The functions of tf.contrib.lookup; newer versions of TensorFlow have them only below tensorflow.python."""
    if hasattr(tf, "contrib"):
        return tf.contrib.lookup
    from tensorflow.python.ops import lookup_ops
    return lookup_ops


def pairs(tf, **options):
    return tf.lookup.KeyValueTensorInitializer(WORDS, [0, 1, 2], tf.string, tf.int64, **options)


def lines(tf, **options):
    index = tf.lookup.TextFileIndex
    return tf.lookup.TextFileInitializer(FILE, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, **options)


def table_names(make, key="string", around=None):
    """All names of the nodes of a table and of its uses. 1.15 selects with Select, newer versions with SelectV2."""
    def case(tf):
        with tf.name_scope(around) if around else contextlib.nullcontext():
            table = make(tf, functions_of_tables(tf))
            found = table.lookup(tf.constant(["a"] if key == "string" else [1], getattr(tf, key)))
            named = table.lookup(tf.constant(["a"] if key == "string" else [1], getattr(tf, key)), name="named")
            table.size()
            table.size("size")
        files = [path.name for path in tf.get_collection("asset_filepaths")]
        initializers = [op.name for op in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)]
        names = [name.replace("SelectV2", "Select") for name in node_names(tf)]
        return [table.name, names, found.name.replace("SelectV2", "Select"), named.name.replace("SelectV2", "Select"), initializers, files]
    return case


INT = [5, 6]
for name, (make, key) in {
        "static": (lambda tf, f: tf.lookup.StaticHashTable(pairs(tf), -1), "string"),
        "static of a name": (lambda tf, f: tf.lookup.StaticHashTable(pairs(tf, name="init"), -1, name="t"), "string"),
        "static of tensors": (lambda tf, f: tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant(WORDS), tf.constant([0, 1, 2], tf.int64)), -1), "string"),
        "static of a file": (lambda tf, f: tf.lookup.StaticHashTable(lines(tf), -1), "string"),
        "static of a file and a name": (lambda tf, f: tf.lookup.StaticHashTable(lines(tf, vocab_size=3, name="i"), -1, name="t"), "string"),
        "static of an unknown file": (lambda tf, f: tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
            tf.placeholder(tf.string), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1), "string"),
        "vocabulary": (lambda tf, f: tf.lookup.StaticVocabularyTable(pairs(tf), 2), "string"),
        "vocabulary of a name": (lambda tf, f: tf.lookup.StaticVocabularyTable(pairs(tf), 2, name="voc"), "string"),
        "from tensor": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=WORDS), "string"),
        "from tensor of a name": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=WORDS, name="voc"), "string"),
        "from tensor with buckets": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=WORDS, num_oov_buckets=2, name="voc"), "string"),
        "from integers": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=tf.constant(INT, tf.int64), dtype=tf.int64), "int64"),
        "from short integers": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=tf.constant(INT), dtype=tf.int32), "int64"),
        "from short integers with buckets": (lambda tf, f: f.index_table_from_tensor(
            vocabulary_list=tf.constant(INT), dtype=tf.int32, num_oov_buckets=2), "int32"),
        "from a placeholder": (lambda tf, f: f.index_table_from_tensor(vocabulary_list=tf.placeholder(tf.string, [None])), "string"),
        "from a file": (lambda tf, f: f.index_table_from_file(FILE), "string"),
        "from a file of a name": (lambda tf, f: f.index_table_from_file(FILE, vocab_size=3, name="f"), "string"),
        "from a file with buckets": (lambda tf, f: f.index_table_from_file(FILE, num_oov_buckets=2), "string"),
        "from a file of integers": (lambda tf, f: f.index_table_from_file(FILE, key_dtype=tf.int64, num_oov_buckets=1), "int64"),
        "to strings": (lambda tf, f: f.index_to_string_table_from_tensor(vocabulary_list=WORDS), "int64"),
        "to strings of a name": (lambda tf, f: f.index_to_string_table_from_tensor(vocabulary_list=WORDS, name="n"), "int64"),
        "to strings from a placeholder": (lambda tf, f: f.index_to_string_table_from_tensor(
            vocabulary_list=tf.placeholder(tf.string, [None])), "int64"),
        "to strings from a file": (lambda tf, f: f.index_to_string_table_from_file(FILE), "int64")}.items():
    CASES[f"table {name}"] = table_names(make, key)
    CASES[f"table {name} in a scope"] = table_names(make, key, "outer")


def two_tables(tf):
    tables = [tf.lookup.StaticHashTable(pairs(tf), -1) for _ in range(2)]
    return [[t.name for t in tables], [t.lookup(tf.constant(["a"])).name for t in tables], node_names(tf)]


def mutable_table(dense):
    def case(tf):
        kind = functions_of_tables(tf)
        if dense:
            make = getattr(kind, "DenseHashTable", None) or kind.MutableDenseHashTable
            table = make(tf.string, tf.int64, -1, empty_key="", deleted_key="-")
        else:
            table = kind.MutableHashTable(tf.string, tf.int64, -1)
        table.lookup(tf.constant(["a"]))
        table.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
        table.remove(tf.constant(["a"]))
        table.size()
        table.export()
        return [table.name, node_names(tf)]
    return case


CASES["two tables"] = two_tables
CASES["table that can change"] = mutable_table(False)
CASES["dense table that can change"] = mutable_table(True)
CASES["table that is exported"] = lambda tf: [t.name for t in tf.lookup.StaticHashTable(pairs(tf), -1).export()]
