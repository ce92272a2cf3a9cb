"""Utilities around a graph: flags, logging, files, tests, versions."""

_GFILE = {
    "Exists": "exists", "IsDirectory": "is_directory", "ListDirectory": "list_directory", "MkDir": "mkdir", "MakeDirs": "make_dirs",
    "Remove": "remove", "DeleteRecursively": "delete_recursively", "Rename": "rename", "Copy": "copy", "Glob": "glob", "Stat": "stat",
    "Walk": "walk", "GFile": "GFile", "Open": "GFile", "FastGFile": "FastGFile",
}
_GFILE_PARAMETERS = {"Exists": "filename", "IsDirectory": "dirname", "ListDirectory": "dirname", "MkDir": "dirname", "MakeDirs": "dirname",
                     "Remove": "filename", "DeleteRecursively": "dirname"}
_IO_GFILE = {"exists": "exists", "isdir": "is_directory", "listdir": "list_directory", "mkdir": "mkdir", "makedirs": "make_dirs",
             "remove": "remove", "rmtree": "delete_recursively", "rename": "rename", "copy": "copy", "glob": "glob", "stat": "stat",
             "walk": "walk", "GFile": "GFile"}
_FILE_IO = {"file_exists": "exists", "is_directory": "is_directory", "list_directory": "list_directory", "create_dir": "mkdir",
            "recursive_create_dir": "make_dirs", "delete_file": "remove", "delete_recursively": "delete_recursively", "rename": "rename",
            "copy": "copy", "get_matching_files": "glob", "stat": "stat", "walk": "walk", "FileIO": "GFile"}
_COMPAT = ["as_bytes", "as_text", "as_str", "as_str_any", "path_to_str", "bytes_or_text_types", "complex_types", "integral_types",
           "real_types", "forward_compatible", "forward_compatibility_horizon", "dimension_value", "dimension_at_index"]

NAMES = {
    "version.VERSION": "weir.lib.version:VERSION",
    "version.GIT_VERSION": "weir.lib.version:GIT_VERSION",
    "version.COMPILER_VERSION": "weir.lib.version:COMPILER_VERSION",
    **{f"{prefix}{name}": f"weir.lib.version:{name}" for prefix in ("", "version.") for name in
       ("GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_PRODUCER")},
    "GIT_VERSION": "weir.lib.version:GIT_VERSION",
    "COMPILER_VERSION": "weir.lib.version:COMPILER_VERSION",
    "CXX11_ABI_FLAG": "weir.lib.version:CXX11_ABI_FLAG",
    "MONOLITHIC_BUILD": "weir.lib.version:MONOLITHIC_BUILD",
    "flags": "weir.lib.flags:",
    "app.flags": "weir.lib.flags:",
    "app.run": "weir.lib.app:run",
    "logging": "weir.lib.log:",
    "get_logger": "weir.lib.log:get_logger",
    "python.platform.flags": "weir.lib.flags:",
    "python.platform.app.run": "weir.lib.app:run",
    "python.platform.app.flags": "weir.lib.flags:",
    "python.platform.tf_logging": "weir.lib.log:",
    "test": "weir.lib.test:",
    "python.platform.test": "weir.lib.test:",
    "python.framework.test_util.TensorFlowTestCase": "weir.lib.test:TestCase",
    **{f"compat.{name}": f"weir.lib.text:{name}" for name in _COMPAT},
    "python.util.compat": "weir.lib.text:",
    "dimension_value": "weir.lib.text:dimension_value",
    "dimension_at_index": "weir.lib.text:dimension_at_index",
    **{f"gfile.{name}": f"weir.lib.gfile:{target}" for name, target in _GFILE.items()},
    **{f"gfile.{name}": f"({parameter}) weir.lib.gfile:{_GFILE[name]}[path={parameter}]" for name, parameter in _GFILE_PARAMETERS.items()},
    **{f"python.platform.gfile.{name}": f"weir.lib.gfile:{target}" for name, target in _GFILE.items()},
    **{f"io.gfile.{name}": f"weir.lib.gfile:{target}" for name, target in _IO_GFILE.items()},
    "io.gfile.copy": "(src, dst, overwrite=False) weir.lib.gfile:copy[oldpath=src, newpath=dst]",
    "io.gfile.rename": "(src, dst, overwrite=False) weir.lib.gfile:rename[oldname=src, newname=dst]",
    "io.gfile.glob": "(pattern) weir.lib.gfile:glob[filename=pattern]",
    "io.gfile.stat": "(path) weir.lib.gfile:stat[filename=path]",
    "io.gfile.walk": "weir.lib.gfile:walk_v2",
    **{f"python.lib.io.file_io.{name}": f"weir.lib.gfile:{target}" for name, target in _FILE_IO.items()},
}
