"""tf.load_op_library and related functions."""
import os

from weir import errors


def _refuse(function, path, advice):
    if not os.path.exists(path):
        raise errors.NotFoundError(None, None, f"{path}: cannot open shared object file: No such file or directory")
    raise errors.UnimplementedError(None, None, f"{function}: Weir cannot load '{path}': libraries for TensorFlow call its C++ code. {advice}")


def load_op_library(library_filename):
    """Raises an error: ops compiled for TensorFlow cannot run in Weir."""
    _refuse("load_op_library", library_filename, "Write the op as a composition of others, as a tf.py_func, or add it to Weir (src/ops).")


def load_library(library_location):
    """Raises an error: libraries compiled for TensorFlow cannot be used in Weir."""
    _refuse("load_library", library_location, "Write its ops as compositions of others, as a tf.py_func, or add them to Weir (src/ops).")


def load_file_system_library(library_filename):
    """Raises an error: file systems compiled for TensorFlow cannot run in Weir."""
    _refuse("load_file_system_library", library_filename, "Copy the files to a local folder, or mount the file system.")
