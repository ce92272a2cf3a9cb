"""Tests tf.string_*, tf.strings and file functions under their public names."""
import os

import numpy as np
import pytest
import weir as tf


def value(made, feed=None):
    with tf.Session() as session:
        return session.run(made, feed)


def test_numbers_and_text():
    assert value(tf.as_string([1, -2])).tolist() == [b"1", b"-2"]
    assert value(tf.as_string([1.5], precision=2)).tolist() == [b"1.50"]
    assert value(tf.strings.as_string(True)) == b"true"
    assert value(tf.string_to_number(["1.5", "-2"])).tolist() == [1.5, -2]
    assert value(tf.strings.to_number("7", tf.int64)) == 7
    assert value(tf.string_to_number(input="7", out_type=tf.int32)) == 7
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string: seven"):
        value(tf.string_to_number("seven"))


def test_join_and_split():
    assert value(tf.string_join([["a", "b"], "+"], separator="_")).tolist() == [b"a_+", b"b_+"]
    sparse = tf.string_split(["hello world", "a"])
    assert isinstance(sparse, tf.SparseTensor) and sparse.values.op.name == "StringSplit/StringSplit"
    split = value(sparse)
    assert split.indices.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert split.values.tolist() == [b"hello", b"world", b"a"]
    assert split.dense_shape.tolist() == [2, 2]
    assert value(tf.string_split(["a,b;c"], delimiter=",;", skip_empty=True)).values.tolist() == [b"a", b"b", b"c"]
    assert value(tf.strings.split([" a  b ", ""])).values.tolist() == [b"a", b"b"]
    assert value(tf.strings.split(["a<>b<>c"], sep="<>", maxsplit=1)).values.tolist() == [b"a", b"b<>c"]
    words = [["a", "b"], ["c", "d"]]
    assert value(tf.reduce_join(words)) == b"abcd"
    assert value(tf.reduce_join(words, 0)).tolist() == [b"ac", b"bd"]
    assert value(tf.reduce_join(words, reduction_indices=[1], keep_dims=True, separator=".")).tolist() == [[b"a.b"], [b"c.d"]]
    assert value(tf.strings.reduce_join(tf.placeholder_with_default(words, None))) == b"abcd"
    assert value(tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, ":")).tolist() == [b"b", b"a:c", b""]


def test_parts_of_text():
    assert value(tf.substr(["hello", "world"], 1, 3)).tolist() == [b"ell", b"orl"]
    assert value(tf.strings.substr("wörld", -4, 2, unit="UTF8_CHAR")) == "ör".encode()
    assert value(tf.strings.length("wörld")) == 6
    assert value(tf.strings.length("wörld", unit="UTF8_CHAR")) == 5
    assert value(tf.string_strip(" a\t")) == b"a"
    assert value(tf.strings.lower("ÀB", encoding="utf-8")) == "àb".encode()
    assert value(tf.strings.upper("ab")) == b"AB"
    assert value(tf.strings.unicode_script([ord("a"), ord("中")])).tolist() == [25, 17]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"pos 9 out of range for string b'\\xff'"):
        value(tf.substr(b"\xff", 9, 1))
    with pytest.raises(ValueError):
        tf.substr(["a", "b"], [0, 1, 2], [1, 1, 1])


def test_regular_expressions():
    assert value(tf.regex_replace(["banana"], "(a)(n)", r"\2\1")).tolist() == [b"bnanaa"]
    assert value(tf.strings.regex_replace("banana", tf.constant("a"), "o", replace_global=False)) == b"bonana"
    assert value(tf.strings.regex_full_match(["ab", "b"], "a.")).tolist() == [True, False]
    assert tf.regex_replace("a", "b", "c").op.type == "StaticRegexReplace"
    assert tf.strings.regex_full_match("a", tf.constant("b")).op.type == "RegexFullMatch"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        value(tf.regex_replace("a", "[", ""))


def test_hashes():
    texts = ["", "a", "hello"]
    most = 2**63 - 1
    assert value(tf.string_to_hash_bucket(texts, most)).tolist() == [105434511174508092, 2996632905371535868, 5943547241907780938]
    assert value(tf.string_to_hash_bucket_fast(texts, most)).tolist() == [1936946117179621456, 3694432073954588132, 3786372426573024489]
    assert value(tf.strings.to_hash_bucket_strong(texts, most, [1, -2])).tolist() == [1583518726171341606, 3067518542778738979, 2121554780776262445]
    with pytest.raises(ValueError):
        tf.string_to_hash_bucket_fast(texts, 0)


def test_bytes():
    assert value(tf.decode_raw(b"\x01\x00\x02\x00", tf.int16)).tolist() == [1, 2]
    assert value(tf.decode_raw([b"\x01\x00", b"\x02\x00"], tf.int16, little_endian=False)).tolist() == [[256], [512]]
    data = np.arange(6, dtype=np.float32)
    assert value(tf.io.decode_raw(bytes=data.tobytes(), out_type=tf.float32)).tolist() == data.tolist()
    assert value(tf.encode_base64(["a", "\u00ff"])).tolist() == [b"YQ", b"w78"]
    assert value(tf.encode_base64("a", pad=True)) == b"YQ=="
    assert value(tf.decode_base64("YQ==")) == b"a"
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.decode_base64("*"))


def test_csv():
    columns = tf.decode_csv(["1,a,2", "3,b,"], [[0], ["x"], [1.5]])
    assert [c.dtype for c in columns] == [tf.int32, tf.string, tf.float32]
    assert [c.tolist() for c in value(columns)] == [[1, 3], [b"a", b"b"], [2, 1.5]]
    assert value(tf.io.decode_csv("1|2|3", [[0.0]], field_delim="|", select_cols=[1]))[0] == 2
    with pytest.raises(ValueError, match="do not match"):
        tf.decode_csv("1", [[0]], select_cols=[1, 2])
    with pytest.raises(ValueError, match="strictly increasing"):
        tf.decode_csv("1", [[0], [0]], select_cols=[1, 1])
    with pytest.raises(TypeError):
        tf.decode_csv("1", [True])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 1 fields but have 2 in record 0"):
        value(tf.decode_csv("1,2", [[0]]))


def test_files(tmp_path):
    name = os.path.join(tmp_path, "new", "a.txt")
    write = tf.write_file(name, b"some\0bytes")
    with tf.Session() as session:
        assert session.run(write) is None
        assert session.run(tf.read_file(name)) == b"some\0bytes"
        assert session.run(tf.matching_files(os.path.join(tmp_path, "*", "*.txt"))).tolist() == [name.encode()]
        assert session.run(tf.io.matching_files([str(tmp_path) + "/none*"])).size == 0
        with pytest.raises(tf.errors.NotFoundError, match="none.txt"):
            session.run(tf.io.read_file(os.path.join(tmp_path, "none.txt")))
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(tf.read_file(str(tmp_path)))


def test_text_has_no_gradient():
    x = tf.constant(1.0)
    assert tf.gradients(tf.string_to_number(tf.as_string(x)), x) == [None]
