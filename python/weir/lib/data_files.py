"""tf.data.experimental: datasets of CSV files, of files of Examples, and of database queries."""
import collections
import csv
import io

import numpy as np

from weir import _weir
from weir.lib import gfile
from weir.lib.data_experimental import shuffle_and_repeat
from weir.lib.datasets import AUTOTUNE, Dataset, TFRecordDataset, TextLineDataset

_COLUMN_TYPES = ("float32", "float64", "int32", "int64", "string")
_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)
_FLOAT32 = np.finfo(np.float32)


def _column_default(value):
    """A default of decode_csv: a type stands for a column that must have a value."""
    if isinstance(value, _weir.DType):
        return _weir.constant([], dtype=value)
    try:
        return _weir.constant([], dtype=_weir.as_dtype(value)) if isinstance(value, type) else _weir.convert_to_tensor(value, name="field")
    except TypeError:
        return _weir.convert_to_tensor(value, name="field")


def CsvDataset(filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",", use_quote_delim=True,
               na_value="", select_cols=None):
    """The rows of CSV files: a tuple with a tensor per column. A quoted field must not contain the end of a line."""
    defaults = [_column_default(value) for value in record_defaults]
    if select_cols is not None and (list(select_cols) != sorted(set(select_cols)) or len(select_cols) != len(defaults)):
        raise ValueError(f"select_cols must increase and have one entry per default, got {select_cols} for {len(defaults)} defaults")
    names = filenames if isinstance(filenames, Dataset) else Dataset.from_tensor_slices(
        _weir.op_function("Reshape")(filenames, [-1]) if isinstance(filenames, _weir.Tensor) else np.atleast_1d(filenames).astype(object))

    def lines(name):
        dataset = TextLineDataset(name, compression_type, buffer_size)
        return dataset.skip(1) if header else dataset

    def row(line):
        return tuple(_weir.decode_csv(line, defaults, field_delim, use_quote_delim, na_value=na_value,
                                      select_cols=None if select_cols is None else list(select_cols)))

    return names.flat_map(lines).map(row)


# --- make_csv_dataset
def _file_names(pattern, shuffle=False):
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    if not patterns:
        raise ValueError("Argument `file_pattern` should not be empty.")
    names = [name for one in patterns for name in gfile.glob(one)]
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return names if shuffle else sorted(names)


def _rows(name, field_delim, use_quote_delim, header, compression_type):
    with gfile.GFile(name, "rb") as file:
        data = file.read()
    if compression_type:
        import zlib
        data = zlib.decompress(data, 47 if compression_type in ("GZIP", "ZLIB") else -15)
    reader = csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape")), delimiter=field_delim,
                        quoting=csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE)
    if header:
        next(reader, None)
    return reader


def _column_names(names, read):
    """Returns the names in the header, which must be the same in all files."""
    first = None
    for name in names:
        found = next(read(name, header=False), None)
        if first is not None and found != first:
            raise ValueError(f"All input CSV files should have the same column names in the header row. File {name} has different column names.")
        first = found
    return first


def _kind_of(text, na_value, before):
    """Returns the narrowest type of this value and those before."""
    if text in ("", na_value):
        return before
    order = [None, "int32", "int64", "float32", "float64", "string"]
    try:
        number = int(text)
        kind = "int32" if _INT32.min <= number <= _INT32.max else "int64" if _INT64.min <= number <= _INT64.max else "float32"
    except ValueError:
        try:
            number = float(text)
            kind = "float32" if not np.isfinite(number) or abs(number) <= _FLOAT32.max else "float64"
        except ValueError:
            kind = "string"
    return max(before, kind, key=order.index)


def _inferred_defaults(names, read, columns, na_value, rows):
    kinds = {i: None for i in columns}
    left = rows
    for name in names:
        for row in read(name):
            if left is not None and left <= 0:
                break
            left = None if left is None else left - 1
            for i in columns:
                if i >= len(row):
                    raise ValueError(f"Problem inferring types: CSV row {row} has {len(row)} columns. Expected: at least {i + 1}.")
                kinds[i] = _kind_of(row[i], na_value, kinds[i])
    return [_weir.constant([""] if kinds[i] == "string" else [0], dtype=_weir.dtypes[kinds[i] or "int32"]) for i in columns]


def _selected(columns, select):
    """Returns the indices of the selected columns."""
    if len(set(select)) != len(list(select)):
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {[c for c in select if list(select).count(c) > 1]}.")
    chosen = []
    for column in select:
        if isinstance(column, int):
            if not 0 <= column < len(columns):
                raise ValueError(f"Column index {column} specified in `select_columns` should be > 0  and <= {len(columns)} (number of columns).")
            chosen.append(column)
        elif column in columns:
            chosen.append(columns.index(column))
        else:
            raise ValueError(f"Column {column} specified in `select_columns` must be of one of the columns: {columns}.")
    return sorted(chosen)


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None, field_delim=",",
                     use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                     prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100, compression_type=None,
                     ignore_errors=False):
    """Batches of CSV rows: a dict with a tensor per column, or the pair of the other columns and the label."""
    names = _file_names(file_pattern)

    def read(name, header=header):
        return _rows(name, field_delim, use_quote_delim, header, compression_type)

    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = _column_names(names, read)
    if len(column_names) != len(set(column_names)):
        raise ValueError(f"Column names contain duplicates: {column_names}.")
    chosen = list(range(len(column_names))) if select_columns is None else _selected(list(column_names), select_columns)
    defaults = _inferred_defaults(names, read, chosen, na_value, num_rows_for_inference) if column_defaults is None else column_defaults
    if len(defaults) != len(chosen):
        raise ValueError(f"column_defaults has {len(defaults)} entries for {len(chosen)} columns")
    column_names = [column_names[i] for i in chosen]
    if label_name is not None and label_name not in column_names:
        raise ValueError(f"`label_name` provided must be one of the columns: {column_names}. Received: {label_name}.")
    defaults = [_column_default(value) for value in defaults]

    def rows(name):
        return CsvDataset(name, defaults, compression_type, None, header, field_delim, use_quote_delim, na_value,
                          None if select_columns is None else chosen)

    def labelled(*columns):
        features = collections.OrderedDict(zip(column_names, columns))
        return (features, features.pop(label_name)) if label_name is not None else features

    files = Dataset.from_tensor_slices(np.array(names, dtype=object))
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    reads = num_parallel_reads or 1
    dataset = files.interleave(rows, reads, 1, None if reads == 1 else reads, deterministic=not sloppy)
    if ignore_errors:
        from weir.lib import data_experimental
        dataset = dataset.apply(data_experimental.ignore_errors())
    dataset = _repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(labelled)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _repeated(dataset, num_epochs, shuffle, buffer_size, seed):
    if shuffle and num_epochs != 1:
        return dataset.apply(shuffle_and_repeat(buffer_size, num_epochs, seed))
    if shuffle:
        return dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


# --- Examples
def parse_example_dataset(features, num_parallel_calls=1):
    """Parses batches of serialized Examples."""
    if features is None:
        raise ValueError("Argument `features` is required.")

    def parsed(serialized):
        return _weir.parse_example(serialized, features)

    return lambda dataset: dataset.map(parsed, num_parallel_calls=num_parallel_calls)


def make_batched_features_dataset(file_pattern, batch_size, features, reader=TFRecordDataset, label_key=None, reader_args=None, num_epochs=None,
                                  shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None, reader_num_threads=None,
                                  parser_num_threads=None, sloppy_ordering=False, drop_final_batch=False):
    """Batches of parsed Examples: a dict of features, or the pair of the other features and the label."""
    if label_key is not None and label_key not in features:
        raise ValueError(f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {features.keys()}.")
    names = _file_names(file_pattern)
    files = Dataset.from_tensor_slices(np.array(names, dtype=object))
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    threads = reader_num_threads or 1
    dataset = files.interleave(lambda name: reader(name, *(reader_args or [])), threads, 1, None if threads == 1 else threads,
                               deterministic=not sloppy_ordering)
    if isinstance(dataset.output_types, tuple):  # a reader of keys and values
        dataset = dataset.map(lambda _, value: value)
    dataset = _repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        dataset = dataset.map(lambda parsed: (dict((k, v) for k, v in parsed.items() if k != label_key), parsed[label_key]))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


# --- databases
_SQL_TYPES = ("string", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "float64")


def _sql_value(value, dtype):
    """Converts a value of a database to an element type; NULL becomes zero or an empty string."""
    if dtype.name == "string":
        return b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
    if value is None:
        return dtype.as_numpy_dtype(0)
    return np.array(value).astype(dtype.as_numpy_dtype)[()]


def SqlDataset(driver_name, data_source_name, query, output_types):
    """The rows of a query to an SQLite database, which Python's sqlite3 module reads."""
    types = tuple(_weir.as_dtype(dtype) for dtype in output_types)
    if driver_name != "sqlite":
        raise ValueError(f"The database type, {driver_name}, is not supported: only 'sqlite' is")
    for dtype in types:
        if dtype.name not in _SQL_TYPES:
            raise ValueError(f"SqlDataset cannot read columns as {dtype.name}; it can as {', '.join(_SQL_TYPES)}")

    def rows(source, text):
        import sqlite3
        connection = sqlite3.connect(f"file:{source.decode()}?mode=ro", uri=True, check_same_thread=False)
        try:
            for row in connection.execute(text.decode()):
                if len(row) != len(types):
                    raise ValueError(f"The number of columns in query ({len(row)}) must match the number of elements in output_types ({len(types)}).")
                yield tuple(_sql_value(value, dtype) for value, dtype in zip(row, types))
        finally:
            connection.close()

    return Dataset.from_generator(rows, types, tuple(_weir.TensorShape([]) for _ in types), args=(data_source_name, query))
