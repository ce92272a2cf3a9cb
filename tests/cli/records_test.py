"""Tests of `weir records`: converting a folder of images, and inspecting good and damaged record files."""
import gzip
import os
import pathlib
import pty
import struct
import subprocess
import sys
import zlib

import pytest

BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve()
WEIR = BUILD / "weir"
sys.path.insert(0, str(BUILD / "python"))
import weir as tf  # noqa: E402


def weir(*arguments, cwd):
    result = subprocess.run([WEIR, "records", *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=cwd)
    return result.returncode, result.stdout, result.stderr


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    filtered = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(filtered)) + chunk(b"IEND", b"")


@pytest.fixture
def pictures(tmp_path):
    """Creates ten gray images of 2 x 3 pixels in two classes, with pixels that identify them, and some other files."""
    for i in range(10):
        folder = tmp_path / "pictures" / ("odd" if i % 2 else "even")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i}.png").write_bytes(png([[i, 1, 2], [3, 4, 5]]))
    (tmp_path / "pictures" / "even" / "notes.txt").write_text("not a picture")
    (tmp_path / "pictures" / "no_pictures").mkdir()
    return tmp_path


def examples(path, options=None):
    return [tf.train.Example.FromString(record).features.feature for record in tf.python_io.tf_record_iterator(str(path), options)]


def test_pixels(pictures):
    assert weir("make", "pictures", "out.tfrecords", "--raw", cwd=pictures) == (0, "10 records of 2 classes in out.tfrecords\n", "")
    assert (pictures / "out.tfrecords.labels").read_text() == "even\nodd\n"
    found = {}
    for features in examples(pictures / "out.tfrecords"):
        pixels = features["image_raw"].bytes_list.value[0]
        assert pixels[1:] == bytes([1, 2, 3, 4, 5])
        assert [features[k].int64_list.value[0] for k in ("height", "width", "depth")] == [2, 3, 1]
        found[pixels[0]] = features["label"].int64_list.value[0]
    assert found == {i: i % 2 for i in range(10)}
    assert sorted(os.listdir(pictures)) == ["out.tfrecords", "out.tfrecords.labels", "pictures"]


def test_colours(pictures):
    assert weir("make", "pictures", "out", "--raw", "--channels=3", cwd=pictures)[0] == 0
    first = examples(pictures / "out")[0]
    assert first["depth"].int64_list.value[0] == 3 and first["image_raw"].bytes_list.value[0][3:6] == b"\1\1\1"


def test_raw_files_are_stored_unchanged(pictures):
    assert weir("make", "pictures", "out", "--compression", "GZIP", cwd=pictures)[0] == 0
    gzipped = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    for features in examples(pictures / "out", gzipped):
        bytes_of = {k: features[k].bytes_list.value[0] for k in ("image/encoded", "image/format", "image/class/text")}
        numbers = {k: features["image/" + k].int64_list.value[0] for k in ("height", "width", "channels", "class/label")}
        assert bytes_of["image/format"] == b"png"
        assert numbers == {"height": 2, "width": 3, "channels": 1, "class/label": [b"even", b"odd"].index(bytes_of["image/class/text"])}
        assert any(p.read_bytes() == bytes_of["image/encoded"] for p in (pictures / "pictures" / bytes_of["image/class/text"].decode()).glob("*.png"))
    assert weir("count", "out", cwd=pictures) == (0, "10 out\n", "")  # detects the compression


def test_every_compression_is_detected(pictures):
    for kind in ("", "GZIP", "ZLIB"):
        assert weir("make", "pictures", "out", "--compression", kind, cwd=pictures)[0] == 0
        assert weir("count", "out", cwd=pictures) == (0, "10 out\n", "")
        assert weir("show", "out", "--limit=1", cwd=pictures)[1].startswith("record 0: an example of ")


def test_which_files_are_pictures(pictures):
    even = pictures / "pictures" / "even"
    (even / "0.png").rename(even / "0.PNG")
    (even / ".0.png").write_bytes(b"what an editor left behind")
    assert weir("make", "pictures", "out", cwd=pictures)[1] == "10 records of 2 classes in out\n"


def test_unsupported_pictures_are_errors(pictures):
    frame = b",\0\0\0\0\3\0\2\0\0\2\5D\xa8Qa\1\0"
    moving = b"GIF89a\3\0\2\0\x81\0\0\1\2\3(2<FPZ\xff\0\x80" + frame + frame + b";"
    (pictures / "pictures" / "odd" / "moving.gif").write_bytes(moving)
    status, _, error = weir("make", "pictures", "out", cwd=pictures)
    assert status != 0 and "odd/moving.gif" in error and "2 frames" in error
    (pictures / "pictures" / "odd" / "moving.gif").write_bytes(moving.replace(frame + frame, frame))
    assert weir("make", "pictures", "out", cwd=pictures)[1].startswith("11 records")
    status, _, error = weir("make", "pictures", "out", "--channels=1", cwd=pictures)
    assert status != 0 and "odd/moving.gif" in error and "3 channels, but 1 were requested" in error


def test_the_order_mixes_classes_and_follows_the_seed(pictures):
    orders = []
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        assert weir("make", "pictures", name, "--raw", f"--seed={seed}", cwd=pictures)[0] == 0
        orders.append([features["label"].int64_list.value[0] for features in examples(pictures / name)])
    assert orders[0] == orders[1] and orders[0] != orders[2]
    assert orders[0] != sorted(orders[0])


@pytest.mark.parametrize("damage", [lambda b: b[:40], lambda b: b"no picture", lambda b: b""])
def test_a_damaged_picture_leaves_no_file(pictures, damage):
    bad = pictures / "pictures" / "odd" / "5.png"
    bad.write_bytes(damage(bad.read_bytes()))
    status, out, error = weir("make", "pictures", "out", cwd=pictures)
    assert status != 0 and out == "" and "odd/5.png" in error
    assert os.listdir(pictures) == ["pictures"]


def test_every_damaged_picture_is_reported_and_can_be_skipped(pictures):
    for name in ("odd/5.png", "even/2.png"):
        (pictures / "pictures" / name).write_bytes(b"no picture")
    status, out, error = weir("make", "pictures", "out", "--raw", cwd=pictures)
    assert (status, out) == (1, "") and "odd/5.png" in error and "even/2.png" in error
    assert error.splitlines()[-1] == "weir records make: 2 of 10 images cannot be read; use --skip_damaged to skip them"
    status, out, error = weir("make", "pictures", "out", "--raw", "--skip_damaged", cwd=pictures)
    assert (status, out) == (0, "8 records of 2 classes in out\n") and len(error.splitlines()) == 2
    assert sorted(features["image_raw"].bytes_list.value[0][0] for features in examples(pictures / "out")) == [0, 1, 3, 4, 6, 7, 8, 9]


def test_labels_of_another_file(pictures):
    assert weir("make", "pictures", "train", "--raw", cwd=pictures)[0] == 0
    for path in (pictures / "pictures" / "even").glob("*.png"):
        path.unlink()
    assert weir("make", "pictures", "test", "--raw", "--labels=train.labels", cwd=pictures) == (0, "5 records of 2 classes in test\n", "")
    assert {features["label"].int64_list.value[0] for features in examples(pictures / "test")} == {1}
    assert (pictures / "test.labels").read_text() == "even\nodd\n"
    (pictures / "pictures" / "odd").rename(pictures / "pictures" / "strange")
    status, _, error = weir("make", "pictures", "test", "--labels=train.labels", cwd=pictures)
    assert status == 2 and "'pictures/strange' has images, but 'strange' is none of the 2 classes" in error


def test_a_folder_without_pictures(pictures):
    status, _, error = weir("make", "pictures/no_pictures", "out", cwd=pictures)
    assert status == 2 and "'pictures/no_pictures'" in error and "a folder for each class" in error


def test_show(pictures):
    weir("make", "pictures", "out", "--raw", cwd=pictures)
    status, out, error = weir("show", "out", "--limit", "2", cwd=pictures)
    lines = out.splitlines()
    assert (status, error) == (0, "")
    assert [line for line in lines if not line.startswith("  ")][:2] == [f"record {i}: an example of {n} bytes" for i, n in enumerate(
        [len(r) for r in tf.python_io.tf_record_iterator(str(pictures / "out"))][:2])]
    assert "  height     int64 [2]" in lines and lines[-1].startswith("... more records follow")
    with tf.python_io.TFRecordWriter(str(pictures / "plain")) as writer:
        writer.write(b"any \x00 bytes")
    assert weir("show", "plain", cwd=pictures) == (0, 'record 0: "any \\x00 bytes"\n', "")
    assert "more" not in weir("show", "out", "--limit", "10", cwd=pictures)[1]
    numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=range(100, 120)))
    text = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * 50]))
    with tf.python_io.TFRecordWriter(str(pictures / "long")) as writer:
        writer.write(tf.train.Example(features=tf.train.Features(feature={"n": numbers, "text": text})).SerializeToString())
    assert weir("show", "long", cwd=pictures)[1].splitlines()[1:] == [
        "  n     int64 [100, 101, 102, 103, 104, 105, 106, 107, ... 20 values]", f'  text  bytes ["{"x" * 40}"... 50 bytes]']
    (pictures / "empty").write_bytes(b"")
    assert weir("show", "empty", cwd=pictures) == (0, "empty has no records\n", "")


def test_damage_is_reported_with_file_and_offset(pictures):
    weir("make", "pictures", "good", cwd=pictures)
    whole = (pictures / "good").read_bytes()
    (pictures / "cut").write_bytes(whole[:-3])
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    (pictures / "changed").write_bytes(changed)
    (pictures / "cut.gz").write_bytes(gzip.compress(whole)[:-20])
    status, out, error = weir("count", "cut", "good", "changed", "cut.gz", cwd=pictures)
    assert status == 1 and out == "10 good\n"
    cut, changed, zipped, last, *_ = error.splitlines()
    assert "cut" in cut and "9 good records" in cut
    assert "changed" in changed and "good records" in changed
    assert "cut.gz" in zipped
    assert "3 of 4 files" in last


def test_progress_on_a_terminal(pictures):
    parent, child = pty.openpty()
    process = subprocess.Popen([WEIR, "records", "make", "pictures", "out"], cwd=pictures, stderr=child, stdout=subprocess.DEVNULL,
                               env=dict(os.environ, TERM="xterm"))
    os.close(child)
    text = b""
    try:
        while data := os.read(parent, 4096):
            text += data
    except OSError:  # the other end was closed
        pass
    os.close(parent)
    assert process.wait(60) == 0
    assert b"] 10 of 10" in text and text.endswith(b"\n")
