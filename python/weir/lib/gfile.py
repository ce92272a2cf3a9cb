"""tf.gfile: files and folders by their paths, with errors of tf.errors."""
import collections as _collections
import contextlib as _contextlib
import glob as _glob
import os as _os
import shutil as _shutil

from weir import errors as _errors
from weir.lib.text import as_bytes as _as_bytes, path_to_str as _path, as_str_any as _as_str

_CODES = [(FileNotFoundError, _errors.NotFoundError), (FileExistsError, _errors.AlreadyExistsError),
          (PermissionError, _errors.PermissionDeniedError), (IsADirectoryError, _errors.FailedPreconditionError),
          (NotADirectoryError, _errors.FailedPreconditionError)]


@_contextlib.contextmanager
def _os_errors(path):
    try:
        yield
    except OSError as error:
        for kind, code in _CODES:
            if isinstance(error, kind):
                raise code(None, None, f"{path}; {error.strerror}") from None
        raise _errors.UnknownError(None, None, f"{path}; {error}") from None


def _name(path):
    return _as_str(_path(path))


class GFile:
    """A file that is opened at its first use. Text modes give and take str, binary modes bytes."""

    def __init__(self, name, mode="r"):
        if mode not in ("r", "w", "a", "rb", "wb", "ab", "r+", "w+", "a+", "rb+", "wb+", "ab+"):
            raise _errors.InvalidArgumentError(None, None, f"mode is not 'r', 'w', 'a' or one of these with 'b' or '+': {mode}")
        self._name, self._mode, self._file = _name(name), mode, None

    @property
    def name(self):
        return self._name

    @property
    def mode(self):
        return self._mode

    def _open(self):
        if self._file is None:
            with _os_errors(self._name):
                self._file = open(self._name, self._mode, **({} if "b" in self._mode else {"encoding": "utf-8", "newline": ""}))
        return self._file

    def _readable(self):
        if not self._mode.startswith("r") and "+" not in self._mode:
            raise _errors.PermissionDeniedError(None, None, "File isn't open for reading")
        return self._open()

    def read(self, n=-1):
        return self._readable().read(n)

    def readline(self):
        return self._readable().readline()

    def readlines(self):
        return list(self._readable())

    def write(self, file_content):
        if self._mode.startswith("r") and "+" not in self._mode:
            raise _errors.PermissionDeniedError(None, None, "File isn't open for writing")
        self._open().write(_as_bytes(file_content) if "b" in self._mode else _as_str(file_content))

    def seek(self, offset=None, whence=0, position=None):
        with _os_errors(self._name):
            self._open().seek(position if offset is None else offset, whence)

    def tell(self):
        return self._open().tell()

    def size(self):
        return stat(self._name).length

    def flush(self):
        if self._file is not None:
            self._file.flush()

    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def seekable(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line


class FastGFile(GFile):
    pass


FileStatistics = _collections.namedtuple("FileStatistics", ["length", "mtime_nsec", "is_directory"])


def exists(path):
    return _os.path.exists(_name(path))


def is_directory(path):
    return _os.path.isdir(_name(path))


def list_directory(path):
    with _os_errors(_name(path)):
        return sorted(_os.listdir(_name(path)))


def mkdir(path):
    with _os_errors(_name(path)):
        _os.mkdir(_name(path))


def make_dirs(path):
    with _os_errors(_name(path)):
        _os.makedirs(_name(path), exist_ok=True)


def remove(path):
    with _os_errors(_name(path)):
        _os.remove(_name(path))


def delete_recursively(path):
    with _os_errors(_name(path)):
        _shutil.rmtree(_name(path))


def rename(oldname, newname, overwrite=False):
    if exists(newname) and not overwrite:
        raise _errors.AlreadyExistsError(None, None, "file already exists")
    with _os_errors(_name(oldname)):
        _os.replace(_name(oldname), _name(newname))


def copy(oldpath, newpath, overwrite=False):
    if exists(newpath) and not overwrite:
        raise _errors.AlreadyExistsError(None, None, "file already exists")
    with _os_errors(_name(oldpath)):
        _shutil.copyfile(_name(oldpath), _name(newpath))


def glob(filename):
    patterns = [filename] if isinstance(filename, (str, bytes)) or hasattr(filename, "__fspath__") else filename
    return [path for pattern in patterns for path in sorted(_glob.glob(_name(pattern)))]


def stat(filename):
    with _os_errors(_name(filename)):
        found = _os.stat(_name(filename))
    return FileStatistics(found.st_size, found.st_mtime_ns, is_directory(filename))


def walk(top, in_order=True):
    return _os.walk(_name(top), topdown=in_order)
