"""tf.gfile: file operations that raise tf.errors."""
import collections as _collections
import contextlib as _contextlib
import glob as _glob
import os as _os
import shutil as _shutil

from weir import _weir, errors as _errors
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
    name = _path(path)
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return _as_str(name)


def _local(path):
    """Returns the path for Python's file functions. Raises UnimplementedError for schemes other than file://."""
    name = _name(path)
    return _weir.local_path(name) if "://" in name else name


class GFile:
    """A file that is opened on first use. Text modes read and write str, binary modes bytes.

    Modes with "+" read and write through two handles: reading starts at the beginning of the file, and the first write
    truncates the file unless the mode appends.
    """

    def __init__(self, name, mode="r"):
        kind = "".join(c for c in mode if c != "b")
        if kind not in ("r", "w", "a", "r+", "w+", "a+"):
            raise _errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode, self._binary = _name(name), mode, "b" in mode
        self._may_read, self._may_write = "r" in kind or "+" in kind, kind != "r"
        self._write_mode = "ab" if "a" in kind else "wb"
        self._reader = self._writer = None

    @property
    def name(self):
        return self._name

    @property
    def mode(self):
        return self._mode

    def _for_reading(self):
        if not self._may_read:
            raise _errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            with _os_errors(self._name):
                self._reader = open(_local(self._name), "rb")
        return self._reader

    def _for_writing(self):
        if not self._may_write:
            raise _errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            with _os_errors(self._name):
                self._writer = open(_local(self._name), self._write_mode)
        return self._writer

    def _decode(self, data):
        return data if self._binary else _as_str(data)

    def read(self, n=-1):
        """Reads n bytes, or everything up to the end."""
        return self._decode(self._for_reading().read(n))

    def readline(self):
        return self._decode(self._for_reading().readline())

    def readlines(self):
        return [self._decode(line) for line in self._for_reading()]

    def write(self, file_content):
        self._for_writing().write(_as_bytes(file_content))

    def seek(self, offset=None, whence=0, position=None):
        """Sets the read position."""
        file = self._for_reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise _errors.InvalidArgumentError(None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        with _os_errors(self._name):
            file.seek(position if offset is None else offset, whence)

    def tell(self):
        return (self._for_reading() if self._may_read else self._for_writing()).tell()

    def size(self):
        return stat(self._name).length

    def flush(self):
        if self._writer is not None:
            self._writer.flush()

    def close(self):
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None

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
    return _os.path.exists(_local(path))


def is_directory(path):
    try:
        return _os.path.isdir(_local(path))
    except _errors.UnimplementedError:
        return False


def list_directory(path):
    try:
        with _os_errors(_name(path)):
            return sorted(_os.listdir(_local(path)))
    except _errors.UnimplementedError as error:
        raise _errors.NotFoundError(None, None, f"Could not find directory {_name(path)}: {error.message}") from None


def mkdir(path):
    with _os_errors(_name(path)):
        _os.mkdir(_local(path))


def make_dirs(path):
    if not _name(path):
        return
    with _os_errors(_name(path)):
        _os.makedirs(_local(path), exist_ok=True)


def remove(path):
    with _os_errors(_name(path)):
        _os.remove(_local(path))


def delete_recursively(path):
    with _os_errors(_name(path)):
        _shutil.rmtree(_local(path))


def rename(oldname, newname, overwrite=False):
    if exists(newname) and not overwrite:
        raise _errors.AlreadyExistsError(None, None, "file already exists")
    with _os_errors(_name(oldname)):
        _os.replace(_local(oldname), _local(newname))


def copy(oldpath, newpath, overwrite=False):
    if exists(newpath) and not overwrite:
        raise _errors.AlreadyExistsError(None, None, "file already exists")
    with _os_errors(_name(oldpath)):
        _shutil.copyfile(_local(oldpath), _local(newpath))


def glob(filename):
    patterns = [filename] if isinstance(filename, (str, bytes)) or hasattr(filename, "__fspath__") else filename
    found = []
    for pattern in map(_name, patterns):
        local = _local(pattern)
        scheme = pattern[:len(pattern) - len(local)]
        found += [scheme + path for path in sorted(_glob.glob(local))]
    return found


def stat(filename):
    with _os_errors(_name(filename)):
        found = _os.stat(_local(filename))
    return FileStatistics(found.st_size, found.st_mtime_ns, is_directory(filename))


def walk(top, in_order=True):
    if not is_directory(top):
        return
    local = _local(top)
    scheme = _name(top)[:len(_name(top)) - len(local)]
    for folder, folders, files in _os.walk(local, topdown=in_order):
        yield scheme + folder, folders, files


def walk_v2(top, topdown=True, onerror=None):
    """Calls `onerror` with the error if the folder does not exist."""
    if not is_directory(top) and onerror is not None:
        onerror(_errors.NotFoundError(None, None, f"Could not find directory {_name(top)}"))
    return walk(top, topdown)


def read_file_to_string(filename, binary_mode=False):
    """Returns the contents of a file as a string, or as bytes."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename, file_content):
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Writes a temporary file and renames it, so that readers see all of the contents or none."""
    import uuid
    temporary = f"{filename}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, filename, overwrite)
    except _errors.OpError:
        remove(temporary)
        raise
