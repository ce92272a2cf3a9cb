"""Strings of all lengths and kinds. Hashes must be bit-identical."""
import numpy as np

from oracle.tensorflow1 import tf


def texts(*items):
    array = np.empty(len(items), dtype=object)
    array[:] = [item.encode() if isinstance(item, str) else item for item in items]
    return array


def make(recorder):
    values(recorder.case)
    errors(recorder.error)


def values(case):
    rng = np.random.RandomState(3)
    raw = tf.raw_ops
    random_bytes = texts(*[rng.bytes(n) for n in range(301)])
    for buckets in (1, 10, 2**63 - 1):
        case("hash_bucket%d" % buckets, lambda x, n=buckets: tf.string_to_hash_bucket(x, n), [random_bytes])
        case("hash_bucket_fast%d" % buckets, lambda x, n=buckets: tf.string_to_hash_bucket_fast(x, n), [random_bytes])
        case("hash_bucket_strong%d" % buckets, lambda x, n=buckets: tf.string_to_hash_bucket_strong(x, n, [2**40 + 7, -3]), [random_bytes])
    case("sdca_fprint", lambda x: tf.raw_ops.SdcaFprint(input=x), [random_bytes])
    case("base64", lambda x: [tf.encode_base64(x), tf.encode_base64(x, pad=True), tf.decode_base64(tf.encode_base64(x))], [random_bytes])
    case("string_length", lambda x: [tf.strings.length(x), tf.strings.length(x, unit="UTF8_CHAR")], [random_bytes])

    numbers = np.array([0.0, -0.0, 1.5, -2.25, 3.14159265, 1e10, 1e-10, 123456789.0, np.inf, -np.inf])
    for dtype in (np.float16, np.float32, np.float64, np.complex64, np.int8, np.int32, np.int64, np.uint8, np.bool_):
        whole = not np.issubdtype(dtype, np.inexact)
        x = np.array([0, 1, 1, 0], dtype) if dtype == np.bool_ else np.array([0, 1, 7, 100], dtype) if whole else numbers.astype(dtype)
        formats = [{}, {"width": 12}, {"width": 12, "fill": "0"}, {"width": 9, "fill": "-"}, {"fill": "+"}]
        formats += [] if whole else [{"precision": 3}, {"scientific": True}, {"shortest": True}, {"precision": 17, "shortest": True}]
        for i, attributes in enumerate(formats):
            case("as_string%s%d" % (np.dtype(dtype).name, i), lambda x, a=attributes: tf.as_string(x, **a), [x], grad=False)
    decimals = texts("1", " -2 ", "+3", "007", "2147483647")
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
        case("to_number_" + dtype.name, lambda x, t=dtype: tf.string_to_number(x, t), [decimals])
    case("to_number_fractions", lambda x: tf.string_to_number(x, tf.float64), [texts("1.5", "1e-3", ".5", "5.", "inf", "-Infinity", "nan", "0x1A", "1e400", "0.1")])

    words = texts("hello world", " a b  c, d ", "", ",,a,b,,", "\t x\ny \r", "h\u00e9llo w\u00f6rld", "\u4e2d\u6587 \U0001d11e", b"\xff\xfe")
    for sep in ("", " ", ",", ", "):
        for skip in (False, True):
            case("split%r%d" % (sep, skip), lambda x, s=sep, k=skip: raw.StringSplit(input=x, delimiter=s, skip_empty=k), [words])
        for most in (-1, 0, 1, 2):
            case("split_v2%r%d" % (sep, most), lambda x, s=sep, n=most: raw.StringSplitV2(input=x, sep=s, maxsplit=n), [words])
    case("strip", tf.string_strip, [words])
    for encoding in ("", "utf-8"):
        case("case" + encoding, lambda x, e=encoding: [tf.strings.lower(x, encoding=e), tf.strings.upper(x, encoding=e)],
             [texts("HeLLo", "\u00c9t\u00e9 \u00df \u0130 \u03a3\u03a3 \ufb01 \u01c5", b"A\xff\xe4\xb8", "")])
    case("string_join", lambda x, y: tf.string_join([x, "-", y], separator="|"), [words, words[::-1]])
    grid = texts(*"abcdefgh").reshape(2, 2, 2)
    for axes in ([0], [1], [-1], [0, 1], [1, 0], [2, 0, 1], []):
        for keep in (False, True):
            case("reduce_join%s%d" % (axes, keep), lambda x, a=axes, k=keep: raw.ReduceJoin(inputs=x, reduction_indices=np.array(a, np.int32), keep_dims=k, separator="."), [grid])
    case("segment_join", lambda x: raw.UnsortedSegmentJoin(inputs=x, segment_ids=[2, 0], num_segments=4, separator=":"), [grid])
    for unit in ("BYTE", "UTF8_CHAR"):
        for pos, length in ((0, 2), (1, 3), (-4, 2), (-3, 9), (5, 1)):
            case("substr%s%d,%d" % (unit, pos, length), lambda x, p=pos, n=length, u=unit: tf.substr(x, p, n, unit=u), [texts("hello", "w\u00f6rld", "\u4e2d\u6587ab\u00e9")])
        case("substr_rows" + unit, lambda x, u=unit: tf.substr(x, [0, 1, -1], [1, 2, 3], unit=u), [texts("abc", "d\u00e9f").reshape(2, 1)])
    for pattern, rewrite in (("l+", "L"), ("(\\w)(\\w)", "\\2\\1"), ("", "-"), ("^.", "<\\0>"), ("(?i)H", "j"), ("x*", "_")):
        for everywhere in (False, True):
            case("regex%s%d" % (pattern, everywhere), lambda x, p=pattern, r=rewrite, g=everywhere: tf.regex_replace(x, p, r, replace_global=g), [words[:-1]])
        case("regex_full_match" + pattern, lambda x, p=pattern: tf.strings.regex_full_match(x, tf.constant(p)), [words[:-1]])

    blocks = texts(bytes(range(1, 33)), bytes(range(33, 1, -1)))
    for dtype in (tf.uint8, tf.int8, tf.int16, tf.uint16, tf.int32, tf.int64, tf.complex64, tf.bool):
        for little in (False, True):
            case("decode_raw%s%d" % (dtype.name, little), lambda x, t=dtype, e=little: tf.decode_raw(x, t, little_endian=e), [blocks], grad=False)
    lines = texts('1.5,2,"a,""b",3', "NA, 4 ,,", '"1",-3,x y,NA', '2,5,"two\nlines",6')
    case("decode_csv", lambda x: tf.decode_csv(x, [[7.0], np.array([], np.int32), ["none"], np.array([5], np.int64)], na_value="NA"), [lines], grad=False)
    case("decode_csv_columns", lambda x: tf.decode_csv(x, [["none"], [0]], field_delim=";", select_cols=[1, 3]), [texts("a;b;c;1;e", "a;;c;2;e")], grad=False)
    for widths, pad, keep in (([1, 2], 0, False), ([2], -1, False), ([3], 1, True), ([5], 0, True)):
        case("ngrams%s%d%d" % (widths, pad, keep),
             lambda x, w=widths, p=pad, k=keep: raw.StringNGrams(data=x, data_splits=np.array([0, 3, 3, 4, 6]), separator=" ", ngram_widths=w, left_pad="<", right_pad=">",
                                                                 pad_width=p, preserve_short_sequences=k), [texts(*"abcdef")])
    case("unicode_script", lambda x: raw.UnicodeScript(input=x), [np.array([97, 48, 0x4e2d, 0x3b1, 0x410, -1, 0x10ffff, 0x110000, 0x1f600], np.int32)])


def errors(error):
    raw = tf.raw_ops
    for text in ("", "a", "1 2", "2147483648", "1.5"):
        error("to_number%r" % text, lambda x: tf.string_to_number(x, tf.int32), [texts("1", text)])
    for pos in (6, -6):
        for unit in ("BYTE", "UTF8_CHAR"):
            error("substr%d%s" % (pos, unit), lambda x, p=pos, u=unit: tf.substr(x, p, 1, unit=u), [texts("hello")])
    for text in ("Y", "YQ=", "====", "+/+/", "YW J", "YWJj="):
        error("decode_base64" + text, tf.decode_base64, [texts(text)])
    for line in ("", "1", "1,2,3", ",2", "a,2", '1,"2', '1,"2"3', '1,2"3', "1,2\n"):
        error("decode_csv%r" % line, lambda x: tf.decode_csv(x, [np.array([], np.int32), [""]]), [texts(line)])
    error("decode_raw size", lambda x: tf.decode_raw(x, tf.int16), [texts("abc")])
    error("decode_raw sizes", lambda x: tf.decode_raw(x, tf.int16), [texts("ab", "abcd")])
    error("pattern", lambda x: tf.regex_replace(x, "[", ""), [texts("a")])
    error("as_string precision", lambda x: tf.as_string(x, precision=3), [np.array([1])])
    error("as_string fill", lambda x: tf.as_string(x, fill="x"), [np.array([1])])
    error("reduce_join axis", lambda x, i: raw.ReduceJoin(inputs=x, reduction_indices=i), [texts("a"), np.array([1], np.int32)])
    error("reduce_join twice", lambda x, i: raw.ReduceJoin(inputs=x, reduction_indices=i), [texts("a"), np.array([0, 0], np.int32)])
    error("split of a matrix", lambda x: raw.StringSplitV2(input=x, sep=","), [texts("a").reshape(1, 1)])
    error("ngram splits", lambda x, s: raw.StringNGrams(data=x, data_splits=s, separator="", ngram_widths=[1], left_pad="", right_pad="", pad_width=0,
                                                       preserve_short_sequences=False), [texts("a", "b"), np.array([0, 3])])
    error("no file", lambda x: tf.read_file(x), [np.array(b"/none/at/all", object)])
    error("a folder", lambda x: tf.read_file(x), [np.array(b"/", object)])
