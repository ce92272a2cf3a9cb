"""Tests the Python message classes of weir.proto: wire format, private descriptor pool, text format and enums."""
import copy
import pickle
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, text_format

from weir.proto import PB2_MODULES, enum_type, message_class, module


def make_graph():
    graph = message_class("GraphDef")()
    graph.versions.producer = 24
    node = graph.node.add(name="c", op="Const", device="/job:ps/task:1")
    node.attr["dtype"].type = enum_type("DataType").Value("DT_FLOAT")
    tensor = node.attr["value"].tensor
    tensor.dtype = module("types_pb2").DT_FLOAT
    tensor.tensor_shape.dim.add(size=2)
    tensor.float_val.extend([1.5, -2.0])
    graph.node.add(name="n", op="Neg", input=["c"]).attr["axes"].list.i.extend([0, -1])
    return graph


def test_round_trip():
    graph = make_graph()
    again = message_class("GraphDef").FromString(graph.SerializeToString())
    assert again == graph
    assert again.node[0].attr["value"].tensor.float_val[1] == -2.0
    assert list(again.node[1].attr["axes"].list.i) == [0, -1]
    assert again.node[1].attr["axes"].WhichOneof("value") == "list"


def test_known_bytes():
    config = message_class("ConfigProto")(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    config.device_count["CPU"] = 3
    assert config.SerializeToString() == b"\x0a\x07\x0a\x03CPU\x10\x03" b"\x32\x02\x20\x01" b"\x38\x01"
    event = message_class("Event")(wall_time=1.0, step=7, file_version="brain.Event:2")
    assert event.SerializeToString() == b"\x09\0\0\0\0\0\0\xf0\x3f" b"\x10\x07" b"\x1a\x0dbrain.Event:2"
    entry = message_class("BundleEntryProto")(dtype=1, size=4, crc32c=0x01020304)
    assert entry.SerializeToString() == b"\x08\x01\x28\x04\x35\x04\x03\x02\x01"


def test_unknown_fields_survive():
    object_graph = b"\x3a\x03abc"  # field 7 of MetaGraphDef, which has no message here
    assert message_class("MetaGraphDef").FromString(object_graph).SerializeToString() == object_graph


def test_a_field_has_the_class_of_its_message():
    graph = make_graph()
    assert type(graph.node[0]) is message_class("NodeDef")
    assert type(graph.node[1].attr["axes"].list) is message_class("AttrValue.ListValue")
    assert message_class("AttrValue").ListValue is message_class("AttrValue.ListValue")
    assert message_class("tensorflow.GraphDef") is message_class("GraphDef")
    for path, names in PB2_MODULES.items():
        for name in names:
            assert hasattr(module(path), name.rpartition(".")[2]), f"{path} lacks {name}"


def test_every_message_and_field_can_be_made():
    for names in PB2_MODULES.values():
        for name in names:
            try:
                instance = message_class(name)()
            except KeyError:
                enum_type(name)
                continue
            for field in instance.DESCRIPTOR.fields:
                getattr(instance, field.name)
            assert instance.SerializeToString() == b""


def test_private_pool_does_not_collide():
    file = descriptor_pb2.FileDescriptorProto(name="proto/graph.proto", package="tensorflow", syntax="proto3")
    file.message_type.add(name="GraphDef").field.add(name="other", number=1, type=5, label=1)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    other = pool.FindMessageTypeByName("tensorflow.GraphDef")
    assert list(other.fields_by_name) == ["other"]
    assert "node" in message_class("GraphDef").DESCRIPTOR.fields_by_name
    assert message_class("GraphDef").DESCRIPTOR is not other


def test_text_format():
    graph = make_graph()
    text = text_format.MessageToString(graph)
    assert 'name: "c"' in text and "type: DT_FLOAT" in text
    assert text_format.Parse(text, message_class("GraphDef")()) == graph
    state = text_format.Parse('model_checkpoint_path: "m-1"\nall_model_checkpoint_paths: "m-1"',
                              module("checkpoint_state_pb2").CheckpointState())
    assert list(state.all_model_checkpoint_paths) == ["m-1"]
    with pytest.raises(text_format.ParseError):
        text_format.Parse("nodes { }", message_class("GraphDef")())


def test_enums():
    types = module("types_pb2")
    assert (types.DT_FLOAT, types.DT_STRING, types.DT_FLOAT_REF) == (1, 7, 101)
    assert types.DataType.Name(3) == "DT_INT32"
    assert types.DataType.Value("DT_BFLOAT16") == 14
    assert "DT_HALF" in types.DataType.keys()
    config = module("tensorflow.core.protobuf.config_pb2")
    assert config.RunOptions.FULL_TRACE == 3
    assert config.RunOptions.TraceLevel.Name(1) == "SOFTWARE_TRACE"
    assert config.OptimizerOptions.L0 == -1
    assert module("saver_pb2").SaverDef.V2 == 2
    assert module("event_pb2").SessionLog.START == 1
    for path in ("tensorflow.core.lib.core.error_codes_pb2", "tensorflow.core.protobuf.error_codes_pb2"):
        assert module(path).NOT_FOUND == 5
        assert module(path).Code.Name(11) == "OUT_OF_RANGE"


def test_modules():
    graph_pb2 = module("graph_pb2")
    assert graph_pb2 is module("tensorflow.core.framework.graph_pb2")
    assert graph_pb2.__name__ == "tensorflow.core.framework.graph_pb2"
    assert graph_pb2.GraphDef is message_class("GraphDef")
    assert not hasattr(graph_pb2, "NodeDef")
    with pytest.raises(ModuleNotFoundError, match="no_such_pb2"):
        module("no_such_pb2")
    for name in ("NoSuchMessage", "GraphDef.NoSuchMessage", "DataType", ""):
        with pytest.raises(KeyError):
            message_class(name)
    with pytest.raises(KeyError):
        enum_type("GraphDef")


def test_copies_and_pickles():
    graph = make_graph()
    assert copy.deepcopy(graph) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    values = graph.node[1].attr["axes"].list
    assert pickle.loads(pickle.dumps(values)) == values


def test_any_packs_and_unpacks():
    meta = message_class("MetaGraphDef")()
    meta.meta_info_def.any_info.Pack(make_graph())
    graph = message_class("GraphDef")()
    assert meta.meta_info_def.any_info.Unpack(graph)
    assert graph == make_graph()


def test_malformed_bytes_are_an_error():
    from google.protobuf.message import DecodeError
    with pytest.raises(DecodeError):
        message_class("GraphDef").FromString(b"\x0a\xff\xff\xff\xff\x7f")


def test_nothing_is_loaded_before_first_use():
    program = "import sys, weir.proto; assert weir.proto._loaded is None; print('google.protobuf' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
