// Reads checkpoints by tensor name, and manages the `checkpoint` state file.
#include <pybind11/stl.h>

#include "bind/files.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/process.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"

namespace weir::python {
namespace {

using Reader = io::CheckpointReader;

std::string OptionalText(py::handle text) { return text.is_none() ? "" : PathFrom(text); }

py::object OptionalPath(const std::optional<std::string>& path) {
  return path ? py::object(py::str(*path)) : py::none();
}

std::string LocalPathFrom(py::handle path) {
  std::string name = PathFrom(path);
  CheckFile(CheckFileScheme(name));
  return name;
}

std::vector<std::string> PathsFrom(py::handle paths) {
  std::vector<std::string> result;
  if (!paths.is_none())
    for (py::handle path : paths) result.push_back(PathFrom(path));
  return result;
}

std::shared_ptr<Reader> OpenReader(py::handle pattern) {
  const std::string prefix = PathFrom(pattern);
  Result<std::unique_ptr<Reader>> reader = nullptr;
  {
    const ReleaseGil waiting;
    reader = io::OpenCheckpoint(Process::Get().env(), prefix);
  }
  return TakeFile(std::move(reader));
}

py::list ListOfDims(const Shape& shape) {
  py::list dims;
  for (const int64_t dim : shape) dims.append(dim);
  return dims;
}

py::object GetTensor(const Reader& reader, const std::string& name) {
  Result<Tensor> value = Tensor();
  {
    const ReleaseGil waiting;
    value = reader.Read(name);
  }
  return NumpyFromTensor(TakeFile(std::move(value)));
}

// A directory means its latest checkpoint.
std::shared_ptr<Reader> LoadCheckpoint(py::handle ckpt_dir_or_file) {
  const std::string path = PathFrom(ckpt_dir_or_file);
  const Result<FileInfo> info = Process::Get().env().Stat(path);
  if (!info.ok() || !info->is_directory) return OpenReader(py::str(path));
  const std::optional<std::string> latest = Take(LatestCheckpoint(Process::Get().env(), path));
  if (!latest.has_value())
    RaiseValue(fmt::format("Couldn't find 'checkpoint' file or checkpoints in given directory {}", path));
  return OpenReader(py::str(*latest));
}

CheckpointStateOptions StateOptions(py::handle timestamps, py::handle last_preserved) {
  CheckpointStateOptions options;
  if (!timestamps.is_none()) options.timestamps = py::cast<std::vector<double>>(timestamps);
  if (!last_preserved.is_none()) options.last_preserved_timestamp = py::cast<double>(last_preserved);
  return options;
}

void BindReader(py::module_& m) {
  py::class_<Reader, std::shared_ptr<Reader>>(m, "CheckpointReader")
      .def("get_tensor", &GetTensor, py::arg("tensor_str"))
      .def(
          "has_tensor", [](const Reader& r, const std::string& name) { return r.tensors().contains(name); },
          py::arg("tensor_str"))
      .def("get_variable_to_shape_map",
           [](const Reader& r) {
             py::dict map;
             for (const auto& [name, tensor] : r.tensors()) map[py::str(name)] = ListOfDims(tensor.shape);
             return map;
           })
      .def("get_variable_to_dtype_map",
           [](const Reader& r) {
             py::dict map;
             for (const auto& [name, tensor] : r.tensors()) map[py::str(name)] = py::cast(tensor.dtype);
             return map;
           })
      .def("debug_string", [](const Reader& r) { return py::bytes(io::DescribeCheckpoint(r)); });
  m.def("NewCheckpointReader", &OpenReader, py::arg("filepattern"));
  m.def("load_checkpoint", &LoadCheckpoint, py::arg("ckpt_dir_or_file"));
  m.def(
      "list_variables",
      [](py::handle path) {
        py::list result;
        const std::shared_ptr<Reader> reader = LoadCheckpoint(path);
        for (const auto& [name, tensor] : reader->tensors())
          result.append(py::make_tuple(name, ListOfDims(tensor.shape)));
        return result;
      },
      py::arg("ckpt_dir_or_file"));
  m.def(
      "load_variable",
      [](py::handle path, std::string name) {
        if (name.ends_with(":0")) name.resize(name.size() - 2);
        return GetTensor(*LoadCheckpoint(path), name);
      },
      py::arg("ckpt_dir_or_file"), py::arg("name"));
}

}  // namespace

std::string PathFrom(py::handle path) {
  py::object object = py::reinterpret_borrow<py::object>(path);
  if (py::hasattr(object, "__fspath__")) object = object.attr("__fspath__")();
  if (std::string text; BytesOf(object, &text)) return text;
  RaiseType(fmt::format("expected a path (str, bytes or os.PathLike), got {}", Repr(path)));
}

void BindCheckpoints(py::module_& m) {
  BindReader(m);
  // Returns the path without a file:// prefix. Raises UnimplementedError for any other scheme.
  m.def(
      "local_path",
      [](py::handle path) {
        const std::string name = LocalPathFrom(path);
        return name.substr(FilePrefixSize(name));
      },
      py::arg("path"));
  m.def(
      "latest_checkpoint",
      [](py::handle dir, py::handle latest_filename) {
        const std::string path = LocalPathFrom(dir);
        return OptionalPath(Take(LatestCheckpoint(Process::Get().env(), path, OptionalText(latest_filename))));
      },
      py::arg("checkpoint_dir"), py::arg("latest_filename") = py::none());
  m.def(
      "get_checkpoint_state",
      [](py::handle dir, py::handle latest_filename) -> py::object {
        const std::string path = LocalPathFrom(dir);
        const auto state = Take(GetCheckpointState(Process::Get().env(), path, OptionalText(latest_filename)));
        return state ? MessageToPython("CheckpointState", *state) : py::none();
      },
      py::arg("checkpoint_dir"), py::arg("latest_filename") = py::none());
  m.def(
      "generate_checkpoint_state_proto",
      [](py::handle dir, py::handle latest, py::handle all, py::handle timestamps, py::handle last_preserved) {
        return MessageToPython("CheckpointState",
                               Take(MakeCheckpointState(PathFrom(dir), PathFrom(latest), PathsFrom(all),
                                                        StateOptions(timestamps, last_preserved))));
      },
      py::arg("save_dir"), py::arg("model_checkpoint_path"), py::arg("all_model_checkpoint_paths") = py::none(),
      py::arg("all_model_checkpoint_timestamps") = py::none(), py::arg("last_preserved_timestamp") = py::none());
  m.def(
      "update_checkpoint_state",
      [](py::handle dir, py::handle latest, py::handle all, py::handle latest_filename, py::handle timestamps,
         py::handle last_preserved) {
        CheckpointStateOptions options = StateOptions(timestamps, last_preserved);
        options.latest_filename = OptionalText(latest_filename);
        const Status status =
            UpdateCheckpointState(Process::Get().env(), PathFrom(dir), PathFrom(latest), PathsFrom(all), options);
        if (status.code() == StatusCode::kFailedPrecondition || status.code() == StatusCode::kInvalidArgument)
          Check(status);
        CheckFile(status);
      },
      py::arg("save_dir"), py::arg("model_checkpoint_path"), py::arg("all_model_checkpoint_paths") = py::none(),
      py::arg("latest_filename") = py::none(), py::arg("all_model_checkpoint_timestamps") = py::none(),
      py::arg("last_preserved_timestamp") = py::none());
  m.def(
      "checkpoint_exists",
      [](py::handle prefix) { return CheckpointExists(Process::Get().env(), LocalPathFrom(prefix)); },
      py::arg("checkpoint_prefix"));
  m.def(
      "get_checkpoint_mtimes",
      [](py::handle prefixes) {
        std::vector<double> times;
        for (const std::string& prefix : PathsFrom(prefixes)) {
          CheckFile(CheckFileScheme(prefix));
          if (const std::optional<double> time = CheckpointTime(Process::Get().env(), prefix)) times.push_back(*time);
        }
        return times;
      },
      py::arg("checkpoint_prefixes"));
  m.def(
      "remove_checkpoint",
      [](py::handle prefix, py::object, const std::string& suffix) {
        CheckFile(RemoveCheckpoint(Process::Get().env(), PathFrom(prefix), suffix));
      },
      py::arg("checkpoint_prefix"), py::arg("checkpoint_format_version") = 2, py::arg("meta_graph_suffix") = "meta");
}

}  // namespace weir::python
