"""tensorflow.python.platform.resource_loader: files in the folder of the calling module."""
import os
import sys


def load_resource(path):
    """Returns the bytes of a file in the folder of the calling module."""
    with open(os.path.join(_folder_of_caller(), path), "rb") as file:
        return file.read()


def _folder_of_caller():
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_globals.get("__file__", ".")))


def get_data_files_path():
    """Returns the folder of the calling module."""
    return _folder_of_caller()


def get_root_dir_with_all_resources():
    return _folder_of_caller()


def get_path_to_datafile(path):
    """Returns the path of a file in the folder of the calling module."""
    return os.path.join(_folder_of_caller(), path)


def readahead_file_path(path, readahead="128M"):
    return path
