"""The embedding projector of TensorBoard: tf.contrib.tensorboard.plugins.projector."""
import os

_FILE = "projector_config.pbtxt"


class _Message:
    """A message of the projector's configuration, in protobuf's text format."""
    _fields: dict = {}  # in the order of their numbers; the value of a list field is the class of its items or str

    def __init__(self, **values):
        for name, default in self._fields.items():
            self.__dict__[name] = _Items(default[0]) if isinstance(default, list) else default() if isinstance(default, type) else default
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'")
        self.__dict__[name] = _Items(self._fields[name][0], value) if isinstance(self._fields[name], list) else value

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def HasField(self, name):
        value = self.__dict__[name]
        return value._set() if isinstance(value, _Message) else value != self._fields[name]

    def _set(self):
        return any(self._lines(0))

    def _lines(self, depth):
        pad = "  " * depth
        for name, default in self._fields.items():
            value = self.__dict__[name]
            for one in value if isinstance(default, list) else [value]:
                if isinstance(one, _Message):
                    inner = list(one._lines(depth + 1))
                    if inner or isinstance(default, list):
                        yield from [f"{pad}{name} {{", *inner, f"{pad}}}"]
                elif isinstance(one, str):
                    if one or isinstance(default, list):
                        yield f"{pad}{name}: {_quoted(one)}"
                elif one:
                    yield f"{pad}{name}: {one}"

    def __str__(self):
        return "".join(line + "\n" for line in self._lines(0))

    __repr__ = __str__

    def SerializeToText(self):
        return str(self)


def _quoted(text):
    plain = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\\'' else "\\" + (chr(b) if chr(b) in '"\\\'' else f"{b:03o}")
                    for b in text.encode())
    return f'"{plain}"'


class _Items(list):
    """A repeated field."""

    def __init__(self, kind, values=()):
        super().__init__(values)
        self._kind = kind

    def add(self, **values):
        self.append(self._kind(**values))
        return self[-1]


class SpriteMetadata(_Message):
    _fields = {"image_path": "", "single_image_dim": [int]}


class EmbeddingInfo(_Message):
    """An embedding: its tensor, and what the projector shows for its rows."""
    _fields = {"tensor_name": "", "metadata_path": "", "bookmarks_path": "", "tensor_shape": [int], "sprite": SpriteMetadata, "tensor_path": ""}


class ProjectorConfig(_Message):
    _fields = {"model_checkpoint_path": "", "embeddings": [EmbeddingInfo], "model_checkpoint_dir": ""}


def visualize_embeddings(summary_writer, config):
    """Writes the configuration to the directory of a FileWriter."""
    from weir._names import find
    directory = summary_writer.get_logdir()
    if directory is None:
        raise ValueError("Summary writer must have a logdir")
    directory = directory.decode() if isinstance(directory, bytes) else directory
    find("gfile.MakeDirs")(directory)
    with find("gfile.GFile")(os.path.join(directory, _FILE), "w") as file:
        file.write(str(config))
