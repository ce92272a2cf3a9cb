"""tf.feature_column: values of layers, names of variables, collections, parsing specs, bucket numbers and errors."""
import numpy as np

from both.answers import evaluate


def features(tf):
    """Raw features of three examples: dense and sparse, with missing values."""
    words = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["green", "red", "green"], [3, 2])
    return {
        "age": tf.constant([[25.0], [61.0], [30.0]]),
        "size": tf.constant([[1.0, -2.0], [0.5, 7.0], [3.0, 3.5]]),
        "count": tf.constant([4, 0, -7]),
        "id": tf.constant([[1], [-1], [4]], tf.int64),
        "two": tf.constant([[3, 0], [2, 2], [-1, 1]]),
        "job": tf.constant([["clerk"], [""], ["smith"]]),
        "words": words,
        "weight": tf.SparseTensor(words.indices, [0.5, 2.0, -1.0], words.dense_shape),
        "number": tf.SparseTensor(words.indices, tf.constant([7, 123456789012, -5], tf.int64), words.dense_shape),
        "cube": tf.SparseTensor([[0, 0, 0], [0, 1, 1], [2, 0, 1]], tf.constant([1, 3, 2], tf.int64), [3, 2, 2]),
    }


def categorical(tf):
    """Categorical columns by name."""
    c = tf.feature_column
    age = c.bucketized_column(c.numeric_column("age"), [18, 30, 60])
    words = c.categorical_column_with_hash_bucket("words", 7)
    return {
        "hashed strings": words,
        "hashed dense strings": c.categorical_column_with_hash_bucket("job", 100),
        "hashed integers": c.categorical_column_with_hash_bucket("number", 10, tf.int64),
        "identity": c.categorical_column_with_identity("id", 5),
        "identity of several": c.categorical_column_with_identity("two", 4),
        "identity with a default": c.categorical_column_with_identity("two", 3, 1),
        "identity of a cube": c.categorical_column_with_identity("cube", 4),
        "vocabulary": c.categorical_column_with_vocabulary_list("words", ["red", "green", "blue"]),
        "vocabulary without a word": c.categorical_column_with_vocabulary_list("words", ["red", "blue"]),
        "vocabulary with a default": c.categorical_column_with_vocabulary_list("words", ["red", "blue"], default_value=1),
        "vocabulary with more buckets": c.categorical_column_with_vocabulary_list("words", ["red"], num_oov_buckets=3),
        "vocabulary of integers": c.categorical_column_with_vocabulary_list("two", [2, 3]),
        "vocabulary of int32": c.categorical_column_with_vocabulary_list("two", [2, 3], tf.int32, num_oov_buckets=2),
        "bucketized": age,
        "bucketized vector": c.bucketized_column(c.numeric_column("size", 2), [0.0, 3.25]),
        "crossed": c.crossed_column(["words", "job"], 20),
        "crossed with a key": c.crossed_column(["job", "words"], 20, hash_key=5),
        "crossed integers": c.crossed_column(["number", "two", age], 1000),
        "crossed crosses": c.crossed_column([c.crossed_column(["job", "id"], 10), "words"], 50),
        "crossed identities": c.crossed_column([c.categorical_column_with_identity("id", 5), age, "words"], 64),
        "weighted": c.weighted_categorical_column(words, "weight"),
    }


def dense(tf):
    """Dense columns by name."""
    c = tf.feature_column
    columns = {
        "numeric": c.numeric_column("age"),
        "numeric vector": c.numeric_column("size", 2),
        "numeric matrix": c.numeric_column("size", (1, 2)),
        "numeric integers": c.numeric_column("count", dtype=tf.int32),
        "numeric normalized": c.numeric_column("age", normalizer_fn=lambda x: (x - 30.0) / 2.0),
        "bucketized": c.bucketized_column(c.numeric_column("age"), [18, 30, 60]),
        "bucketized vector": c.bucketized_column(c.numeric_column("size", 2), [0.0, 3.25]),
    }
    for name, column in categorical(tf).items():
        columns[f"indicator of {name}"] = c.indicator_column(column)
    return columns


def counting(tf, scale=1.0):
    """An initializer: 0, 1, 2, ... times `scale`."""
    def initialize(shape, dtype=None, partition_info=None):
        size = int(np.prod([int(d) for d in shape]))
        return tf.constant(np.arange(size).reshape([int(d) for d in shape]) * scale, tf.float32)
    return initialize


def variables(tf):
    """Names, shapes and collections of all variables. TensorFlow adds a variable that is used again to its collections again."""
    def named(collection):
        return list(dict.fromkeys(v.name for v in tf.get_collection(collection)))
    return [[v.name, v.shape.as_list()] for v in tf.global_variables()] + [named("trainable_variables"), named("model_variables")]


def set_to_counting(tf, sess):
    """Gives all variables the values 1, 2, 3, ... / 8."""
    for v in tf.global_variables():
        shape = v.shape.as_list()
        v.load(np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape) / 8, sess)


def linear(tf, columns, **kwargs):
    """The value of a linear model whose weights are not zero, and its variables."""
    value = tf.feature_column.linear_model(features(tf), columns, **kwargs)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        zeros = sess.run(value)
        set_to_counting(tf, sess)
        return [zeros, sess.run(value), value.shape.as_list()[1:], variables(tf)]


# TensorFlow knows the number of examples, because all features are constants.
def embedded(tf, columns, **kwargs):
    value = tf.feature_column.input_layer(features(tf), columns, **kwargs)
    return [evaluate(tf, value), value.shape.as_list()[1:], variables(tf)]


CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def add_column_cases():
    class Names:
        """Stands for TensorFlow where only the names of the columns matter."""
        def __getattr__(self, name):
            return self

        def __call__(self, *args, **kwargs):
            return None
    for name in dense(Names()):
        CASES[f"input of {name}"] = lambda tf, name=name: embedded(tf, [dense(tf)[name]])
        CASES[f"linear model of {name}"] = lambda tf, name=name: linear(tf, [dense(tf)[name]])
    for name in categorical(Names()):
        CASES[f"linear model of {name} ids"] = lambda tf, name=name: linear(tf, [categorical(tf)[name]], units=2)
        CASES[f"mean of the linear model of {name} ids"] = lambda tf, name=name: linear(
            tf, [categorical(tf)[name]], sparse_combiner="mean")
        for combiner in ("mean", "sum", "sqrtn"):
            CASES[f"embedding of {name}, {combiner}"] = lambda tf, name=name, combiner=combiner: embedded(
                tf, [tf.feature_column.embedding_column(categorical(tf)[name], 3, combiner, counting(tf))])
        CASES[f"spec of {name}"] = lambda tf, name=name: str(sorted(
            tf.feature_column.make_parse_example_spec([categorical(tf)[name]]).items()))
        CASES[f"names of {name}"] = lambda tf, name=name: [
            categorical(tf)[name].name, tf.feature_column.indicator_column(categorical(tf)[name]).name,
            tf.feature_column.embedding_column(categorical(tf)[name], 2).name,
            categorical(tf)[name].num_buckets]


add_column_cases()


def many(tf):
    c, cat = tf.feature_column, categorical(tf)
    return [c.numeric_column("size", 2), c.numeric_column("age"), cat["bucketized"],
            c.embedding_column(cat["hashed dense strings"], 2, initializer=None), c.indicator_column(cat["vocabulary"]),
            c.indicator_column(cat["crossed"])]


@case
def many_columns(tf):
    columns = many(tf)
    to_vars, to_outputs = {}, {}
    value = tf.feature_column.input_layer(features(tf), columns, ["mine"], cols_to_vars=to_vars, cols_to_output_tensors=to_outputs)
    names = [v.name for v in tf.get_collection("mine")]
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        set_to_counting(tf, sess)
        values, outputs = sess.run(value), {k.name: sess.run(v) for k, v in to_outputs.items()}
    return [values, outputs, {k.name: [v.name for v in vs] for k, vs in to_vars.items()}, names, variables(tf)]


@case
def linear_model_of_many_columns(tf):
    cat = categorical(tf)
    columns = [cat[name] for name in ("hashed dense strings", "identity", "weighted", "crossed", "bucketized")]
    to_vars = {}
    answer = linear(tf, columns + [tf.feature_column.numeric_column("size", 2)], units=3, weight_collections=["mine"], cols_to_vars=to_vars)
    return answer + [[v.name for v in tf.get_collection("mine")],
                     {getattr(k, "name", k): [v.name for v in vs] for k, vs in to_vars.items()}]


@case
def scopes_of_several_layers(tf):
    columns = many(tf)
    with tf.variable_scope("outer"):
        tf.feature_column.input_layer(features(tf), columns)
        tf.feature_column.input_layer(features(tf), columns)
        tf.feature_column.linear_model(features(tf), columns[:2])
        tf.feature_column.linear_model(features(tf), columns[:2])
    return variables(tf)


@case
def scopes_that_share(tf):
    columns = many(tf)
    for reuse in (None, True):
        with tf.variable_scope("outer", reuse=reuse):
            tf.feature_column.input_layer(features(tf), columns)
            tf.feature_column.linear_model(features(tf), columns[:3])
    return variables(tf)


@case
def layers_that_do_not_train(tf):
    columns = many(tf)
    tf.feature_column.input_layer(features(tf), columns, trainable=False)
    tf.feature_column.linear_model(features(tf), columns[:2], trainable=False)
    return variables(tf)


@case
def embeddings_that_do_not_train(tf):
    c = tf.feature_column
    words = categorical(tf)["hashed strings"]
    c.input_layer(features(tf), [c.embedding_column(words, 2, trainable=False)])
    return variables(tf)


@case
def partitioned_layers(tf):
    c = tf.feature_column
    cat = categorical(tf)
    columns = [c.embedding_column(cat["crossed"], 2), c.embedding_column(cat["hashed strings"], 3)]
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
        a = c.input_layer(features(tf), columns)
        b = c.linear_model(features(tf), [cat["crossed"], cat["weighted"]], units=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        set_to_counting(tf, sess)
        return [sess.run(a), sess.run(b), variables(tf)]


@case
def norm_of_embeddings(tf):
    c = tf.feature_column
    return embedded(tf, [c.embedding_column(categorical(tf)["identity of several"], 3, "sum", counting(tf), max_norm=2.0)])


@case
def shared_embeddings(tf):
    c = tf.feature_column
    cat = [c.categorical_column_with_hash_bucket("words", 5), c.categorical_column_with_hash_bucket("job", 5)]
    columns = c.shared_embedding_columns(cat, 2, initializer=counting(tf))
    answer = embedded(tf, columns)
    return answer + [[v.name for v in tf.get_collection("job_words_shared_embedding")], [x.name for x in columns],
                     columns[0].shared_embedding_collection_name]


@case
def shared_embeddings_with_a_name(tf):
    c = tf.feature_column
    cat = [c.categorical_column_with_identity("id", 5), c.categorical_column_with_identity("two", 5)]
    columns = c.shared_embedding_columns(cat, 2, "sum", counting(tf), shared_embedding_collection_name="both")
    return embedded(tf, columns + [c.numeric_column("age")])


@case
def a_default_embedding(tf):
    """The standard deviation of the initial values."""
    c = tf.feature_column
    c.input_layer(features(tf), [c.embedding_column(c.categorical_column_with_hash_bucket("job", 3000), 16)])
    values = evaluate(tf, tf.global_variables())[0]
    return [bool(abs(values.std() - 0.22) < 0.005), bool(np.abs(values).max() < 0.5001), bool(abs(values.mean()) < 0.005)]


@case
def gradients(tf):
    c = tf.feature_column
    cat = categorical(tf)
    value = c.input_layer(features(tf), [c.embedding_column(cat["weighted"], 2, "mean", counting(tf)), c.numeric_column("age")])
    logits = c.linear_model(features(tf), [cat["hashed strings"], c.numeric_column("age")])
    loss = tf.reduce_sum(tf.square(value)) + tf.reduce_sum(tf.square(logits - 1.0))
    return evaluate(tf, [tf.convert_to_tensor(g) for g in tf.gradients(loss, tf.trainable_variables())])


@case
def parsed_examples(tf):
    c = tf.feature_column
    def serialized(**values):
        made = tf.train.Example()
        for key, value in values.items():
            kind = {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(value[0])]
            getattr(made.features.feature[key], kind).value.extend(value)
        return made.SerializeToString()
    columns = [c.numeric_column("age", default_value=9.5), c.indicator_column(c.categorical_column_with_identity("id", 3)),
               c.indicator_column(c.crossed_column(["job", "town"], 5)), c.numeric_column("size", 2)]
    parsed = tf.parse_example([serialized(age=[3.0], id=[1, 2], job=[b"a", b"b"], town=[b"c"], size=[1.0, 2.0]),
                               serialized(job=[b"x"], town=[b"y"], size=[3.0, 4.0])], c.make_parse_example_spec(columns))
    return evaluate(tf, c.input_layer(parsed, columns))


@case
def unknown_shapes(tf):
    c = tf.feature_column
    x = tf.placeholder(tf.float32, None)
    y = tf.placeholder(tf.string, None)
    columns = [c.numeric_column("x"), c.indicator_column(c.categorical_column_with_vocabulary_list("y", ["a", "b"]))]
    value = c.input_layer({"x": x, "y": y}, columns)
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        return [value.shape.as_list(), sess.run(value, {x: [1.0, 2.0], y: ["b", "a"]}), sess.run(value, {x: [[1.0]], y: [["b", "b"]]})]


@case
def unknown_shape_of_a_scalar(tf):
    x = tf.placeholder(tf.float32, None)
    value = tf.feature_column.input_layer({"x": x}, [tf.feature_column.numeric_column("x")])
    with tf.Session() as sess:
        return sess.run(value, {x: 1.0})


def sequence_layer(tf, raw, columns):
    """contrib's function, or the class that replaced it."""
    if tf.__name__ == "weir":
        return tf.contrib.feature_column.sequence_input_layer(raw, columns)
    return tf.keras.experimental.SequenceFeatures(columns)(raw)


def steps(tf):
    indices = [[0, 0], [0, 1], [2, 0]]
    ids = tf.SparseTensor(indices, tf.constant([1, 3, 2], tf.int64), [4, 2])
    numbers = tf.SparseTensor(indices, [0.5, 1.5, 2.5], [4, 2])
    cube = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [0, 1, 1], [2, 0, 1]], tf.constant([1, 3, 3, 2], tf.int64), [4, 2, 2])
    wide = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]], [1.0, 2.0, 3.0, 4.0, 5.0], [4, 4])
    return {"ids": ids, "numbers": numbers, "cube": cube, "wide": wide}


def sequences(tf, *columns):
    value, lengths = sequence_layer(tf, steps(tf), list(columns))
    return evaluate(tf, [value, lengths]) + [value.shape.as_list()]


SEQUENCES = {
    "numbers": lambda tf, c: [c.sequence_numeric_column("numbers")],
    "numbers with a default": lambda tf, c: [c.sequence_numeric_column("numbers", default_value=-2.0)],
    "normalized numbers": lambda tf, c: [c.sequence_numeric_column(
        "numbers", normalizer_fn=lambda x: tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape))],
    "wide numbers": lambda tf, c: [c.sequence_numeric_column("wide", 2)],
    "embeddings": lambda tf, c: [c.embedding_column(c.sequence_categorical_column_with_identity("ids", 5), 2, initializer=counting(tf))],
    "embeddings of a cube": lambda tf, c: [c.embedding_column(c.sequence_categorical_column_with_identity("cube", 5), 2,
                                                              initializer=counting(tf))],
    "indicators": lambda tf, c: [c.indicator_column(c.sequence_categorical_column_with_identity("ids", 5))],
    "indicators of a cube": lambda tf, c: [c.indicator_column(c.sequence_categorical_column_with_identity("cube", 5))],
    "indicators of words": lambda tf, c: [c.indicator_column(c.sequence_categorical_column_with_vocabulary_list("ids", [3, 1]))],
    "several": lambda tf, c: [c.sequence_numeric_column("numbers"), c.indicator_column(c.sequence_categorical_column_with_identity("ids", 5))],
    "a column that is not a sequence": lambda tf, c: [c.indicator_column(c.categorical_column_with_identity("ids", 5))],
    "different lengths": lambda tf, c: [c.sequence_numeric_column("wide"),
                                        c.indicator_column(c.sequence_categorical_column_with_identity("ids", 5))],
}
for _name, _columns in SEQUENCES.items():
    CASES[f"sequence of {_name}"] = lambda tf, columns=_columns: sequences(tf, *columns(tf, tf.feature_column))


def cross_inputs(tf):
    return (tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2]), tf.constant([["x", "y"], ["z", "w"]]),
            tf.constant([[5], [7]]), tf.SparseTensor([[0, 0], [1, 0]], tf.constant([3, -4], tf.int64), [2, 1]))


CROSSES = {
    "strings": lambda tf, a, d, n, m: tf.sparse.cross([a, d]),
    "strings and numbers": lambda tf, a, d, n, m: tf.sparse.cross([d, a, n]),
    "hashed strings": lambda tf, a, d, n, m: tf.sparse.cross_hashed([a, d]),
    "hashes": lambda tf, a, d, n, m: tf.sparse.cross_hashed([d, a, n, m], 100),
    "hashes with a key": lambda tf, a, d, n, m: tf.sparse.cross_hashed([d, a, n, m], num_buckets=1000, hash_key=7),
    "one feature": lambda tf, a, d, n, m: tf.sparse.cross_hashed([m]),
    "a feature that is not a list": lambda tf, a, d, n, m: tf.sparse.cross(a),
    "a number": lambda tf, a, d, n, m: tf.sparse.cross([a, 3]),
}
for _name, _cross in CROSSES.items():
    CASES[f"cross of {_name}"] = lambda tf, cross=_cross: list(evaluate(tf, cross(tf, *cross_inputs(tf))))


def table(tf):
    return tf.get_variable("table", initializer=tf.constant(np.arange(10, dtype=np.float32).reshape(5, 2) - 3.0))


def lookup_ids(tf):
    indices = [[0, 0], [0, 1], [2, 0], [2, 1]]
    return (tf.SparseTensor(indices, tf.constant([1, 4, -1, 2], tf.int64), [4, 2]), tf.SparseTensor(indices, [1.0, -2.0, 3.0, 0.5], [4, 2]))


for _combiner in ("mean", "sum", "sqrtn"):
    for _default in (None, 3):
        for _weighted in (False, True):
            CASES[f"safe lookup {_combiner} default {_default} weighted {_weighted}"] = (
                lambda tf, combiner=_combiner, default=_default, weighted=_weighted: evaluate(tf, tf.nn.safe_embedding_lookup_sparse(
                    table(tf), lookup_ids(tf)[0], lookup_ids(tf)[1] if weighted else None, combiner, default)))


@case
def safe_lookup_in_a_cube(tf):
    ids = tf.SparseTensor([[0, 0, 1], [1, 1, 0]], tf.constant([1, 4]), [2, 3, 2])
    value = tf.nn.safe_embedding_lookup_sparse(table(tf), ids)
    return [evaluate(tf, value), value.shape.as_list()]


ERRORS = """
numeric_column(3)
numeric_column('a', shape=[1.0])
numeric_column('a', shape=0)
numeric_column('a', dtype=tf.string)
numeric_column('a', default_value='x')
numeric_column('a', default_value=1.5, dtype=tf.int32)
numeric_column('a', shape=3, default_value=[1, 2])
numeric_column('a', shape=2, default_value=[1, 'x'])
numeric_column('a', normalizer_fn=3)
bucketized_column('a', [1, 2])
bucketized_column(c.numeric_column('a', shape=[2, 2]), [1, 2])
bucketized_column(c.numeric_column('a'), [])
bucketized_column(c.numeric_column('a'), [2, 1])
bucketized_column(c.numeric_column('a'), 1)
bucketized_column(c.numeric_column('a'), None)
categorical_column_with_hash_bucket('x', None)
categorical_column_with_hash_bucket('x', 0)
categorical_column_with_hash_bucket('x', 3, dtype=tf.float32)
categorical_column_with_hash_bucket(('x',), 3)
categorical_column_with_identity('x', 0)
categorical_column_with_identity('x', 3, 3)
categorical_column_with_identity('x', 3, -1)
categorical_column_with_vocabulary_list('x', [])
categorical_column_with_vocabulary_list('x', None)
categorical_column_with_vocabulary_list('x', ['a', 'a'])
categorical_column_with_vocabulary_list('x', [1, 2], dtype=tf.string)
categorical_column_with_vocabulary_list('x', ['a'], dtype=tf.int32)
categorical_column_with_vocabulary_list('x', [1.0, 2.0])
categorical_column_with_vocabulary_list('x', ['a'], default_value=1, num_oov_buckets=1)
categorical_column_with_vocabulary_list('x', ['a'], num_oov_buckets=-1)
categorical_column_with_vocabulary_file('x', None)
categorical_column_with_vocabulary_file('x', '/nope')
categorical_column_with_vocabulary_file('x', '/nope', 0)
categorical_column_with_vocabulary_file('x', '/nope', 3, num_oov_buckets=2, default_value=1)
categorical_column_with_vocabulary_file('x', '/nope', 3, dtype=tf.float32)
crossed_column(['a'], 3)
crossed_column(None, 3)
crossed_column(['a', 'b'], 0)
crossed_column(['b', c.numeric_column('a')], 3)
crossed_column(['b', c.categorical_column_with_hash_bucket('a', 3)], 3)
crossed_column(['b', 5], 3)
weighted_categorical_column(c.categorical_column_with_hash_bucket('a', 3), 'w', dtype=tf.string)
embedding_column(c.categorical_column_with_hash_bucket('a', 3), None)
embedding_column(c.categorical_column_with_hash_bucket('a', 3), 0)
embedding_column(c.categorical_column_with_hash_bucket('a', 3), 2, ckpt_to_load_from='x')
embedding_column(c.categorical_column_with_hash_bucket('a', 3), 2, initializer=3)
indicator_column(c.numeric_column('a'))
shared_embedding_columns([c.categorical_column_with_hash_bucket('a', 3), c.categorical_column_with_hash_bucket('b', 4)], 2)
shared_embedding_columns([c.categorical_column_with_hash_bucket('a', 3), c.categorical_column_with_identity('b', 3)], 2)
shared_embedding_columns([c.categorical_column_with_hash_bucket('a', 3)], None)
sequence_numeric_column('a', dtype=tf.string)
sequence_numeric_column('a', normalizer_fn=2)
make_parse_example_spec([c.numeric_column('a'), c.numeric_column('a', shape=2)])
make_parse_example_spec([3])
make_parse_example_spec(3)
make_parse_example_spec(c.numeric_column('a'))
input_layer({'a': [[1.0]]}, [])
input_layer({'a': [[1.0]]}, [c.numeric_column('a'), c.numeric_column('a')])
input_layer({'a': [[1.0]]}, [c.numeric_column('b')])
input_layer({'a': [[1.0]]}, [c.categorical_column_with_hash_bucket('a', 3)])
input_layer({'a': [[1.0]]}, ['a'])
input_layer({'a': [[1.0]]}, {'a': c.numeric_column('a')})
input_layer({'a': 1.0}, [c.numeric_column('a')])
input_layer({'a': [[1.0, 2.0]]}, [c.numeric_column('a')])
input_layer({'a': [[1.0], [2.0]], 'b': [[1.0]]}, [c.numeric_column('a'), c.numeric_column('b')])
input_layer({'a': tf.SparseTensor([[0, 0]], [1.0], [1, 1])}, [c.numeric_column('a')])
input_layer({'a': [[1.0]]}, [c.indicator_column(c.categorical_column_with_hash_bucket('a', 3))])
input_layer({'a': [[1]]}, [c.indicator_column(c.categorical_column_with_hash_bucket('a', 3))])
input_layer({'a': [['1']]}, [c.indicator_column(c.categorical_column_with_hash_bucket('a', 3, dtype=tf.int32))])
input_layer({'a': [['1']]}, [c.indicator_column(c.categorical_column_with_identity('a', 3))])
input_layer({'a': [['1']]}, [c.indicator_column(c.categorical_column_with_vocabulary_list('a', [1, 2]))])
input_layer({'a': [[1]]}, [c.embedding_column(c.sequence_categorical_column_with_identity('a', 3), 2)])
input_layer({'a': [[1]]}, [c.indicator_column(c.sequence_categorical_column_with_identity('a', 3))])
input_layer({'a': [[1]]}, [c.sequence_numeric_column('a')])
input_layer({'a': [[1]]}, [c.embedding_column(c.categorical_column_with_identity('a', 3), 2, combiner='max')])
linear_model({'a': [[1.0]]}, [])
linear_model({'a': [[1.0]]}, ['a'])
linear_model({'a': [[1.0], [2.0]], 'b': [[1.0]]}, [c.numeric_column('a'), c.numeric_column('b')])
linear_model({'a': [[1.0]]}, [c.numeric_column('a'), c.numeric_column('a')])
"""
# Columns and specs of correct calls, as text.
TEXTS = """
numeric_column('a', shape=3)
numeric_column('a', shape=[2, 3], dtype=tf.float64)
numeric_column('a', default_value=1)
numeric_column('a', shape=[2, 2], default_value=1.5)
numeric_column('a', shape=[3, 2], default_value=[[1, 2], [3, 4], [5, 6]])
bucketized_column(c.numeric_column('a'), (1, 2.5))
categorical_column_with_hash_bucket('x', 3, dtype=tf.int32)
categorical_column_with_identity('x', 3, 2)
categorical_column_with_vocabulary_list('x', 'abc')
categorical_column_with_vocabulary_list('x', [1, 2])
categorical_column_with_vocabulary_list('x', ['a'], default_value=2)
crossed_column(['b', c.bucketized_column(c.numeric_column('a'), [1])], 3)
weighted_categorical_column(c.categorical_column_with_hash_bucket('a', 3), 'w', dtype=tf.int32)
indicator_column(c.bucketized_column(c.numeric_column('a'), [1]))
sequence_numeric_column('a')
sequence_categorical_column_with_identity('a', 3)
make_parse_example_spec([])
make_parse_example_spec([c.numeric_column('a', default_value=2)])
make_parse_example_spec([c.numeric_column('a', shape=[1, 2], default_value=((2, 3),)), c.numeric_column('b', dtype=tf.int64)])
"""


def call(tf, text):
    return eval(f"c.{text}", {"tf": tf, "c": tf.feature_column})


for _text in ERRORS.strip().split("\n"):
    CASES[f"error of {_text}"] = lambda tf, text=_text: str(call(tf, text))
for _text in TEXTS.strip().split("\n"):
    CASES[f"text of {_text}"] = lambda tf, text=_text: str(call(tf, text))
