// tf.saved_model: builders and loading. weir/lib/saved_model.py creates the signature messages.
#include <pybind11/stl.h>

#include "bind/files.h"
#include "bind/gil.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "train/saved_model.h"

namespace weir::python {
namespace {

// As in TensorFlow, calls in the wrong order raise AssertionError. Errors of steps are raised unchanged.
void CheckBuilder(const Status& status) {
  if (status.code() == StatusCode::kFailedPrecondition) {
    PyErr_SetString(PyExc_AssertionError, std::string(status.message()).c_str());
    throw py::error_already_set();
  }
  if (status.code() == StatusCode::kNotFound) CheckFile(status);
  Check(status);
}

SavedMetaGraphOptions OptionsFrom(const py::dict& signatures, py::handle assets, py::handle main_op,
                                  py::handle legacy_init_op, py::handle train_op, bool clear_devices,
                                  bool strip_default_attrs, py::handle saver) {
  SavedMetaGraphOptions options;
  for (const auto& [key, signature] : signatures)
    options.signatures[py::cast<std::string>(key)] = MessageFrom<tensorflow::SignatureDef>(signature);
  for (py::handle asset : assets) options.assets.push_back(OutputOf(asset));
  if (!main_op.is_none()) options.main_op = NodeOf(main_op);
  if (!legacy_init_op.is_none()) options.legacy_init_op = NodeOf(legacy_init_op);
  if (!train_op.is_none()) options.train_op = NodeOf(train_op);
  if (!saver.is_none()) options.saver = py::cast<std::shared_ptr<Saver>>(saver);
  options.meta_graph.clear_devices = clear_devices;
  options.meta_graph.strip_default_attrs = strip_default_attrs;
  options.meta_graph.codec = PythonCollectionCodec();
  return options;
}

void BindBuilder(py::module_& m) {
  py::class_<SavedModelBuilder>(m, "SavedModelWriter")
      .def(py::init([](py::handle directory) {
             Result<std::unique_ptr<SavedModelBuilder>> made =
                 SavedModelBuilder::Make(PathFrom(directory), Process::Get().env());
             CheckBuilder(made.status());
             return *std::move(made);
           }),
           py::arg("export_dir"))
      .def("_add",
           [](SavedModelBuilder& builder, py::object session, const std::vector<std::string>& tags,
              const py::dict& signatures, py::object assets, py::object main_op, py::object legacy_init_op,
              py::object train_op, bool clear_devices, bool strip_default_attrs, py::object saver) {
             const SavedMetaGraphOptions options = OptionsFrom(signatures, assets, main_op, legacy_init_op, train_op,
                                                               clear_devices, strip_default_attrs, saver);
             const bool with_variables = !session.is_none();
             Graph& graph = with_variables ? *GraphObjectOf(session.attr("graph")).graph : DefaultGraphRef();
             Status status;
             if (with_variables) {
               const RunStep run = RunInPython(session);
               const ReleaseGil waiting;
               status = builder.AddMetaGraphAndVariables(graph, run, tags, options);
             } else {
               status = builder.AddMetaGraph(graph, tags, options);
             }
             RecordOrigins(graph);
             CheckBuilder(status);
           })
      .def(
          "save",
          [](SavedModelBuilder& builder, bool as_text) {
            if (!as_text) return py::bytes(TakeFile(builder.Save()));
            const std::string path = JoinPath(builder.directory(), saved_model::kTextFile);
            const py::str text(MessageToPython("SavedModel", builder.model()));
            CheckFile(Process::Get().env().WriteFileAtomically(path, py::cast<std::string>(text)));
            return py::bytes(path);
          },
          py::arg("as_text") = false);
}

// Reads the binary file, or else the text file.
tensorflow::SavedModel ModelIn(const std::string& directory) {
  CheckFile(CheckFileScheme(directory));
  const std::string text_path = JoinPath(directory, saved_model::kTextFile);
  if (!Process::Get().env().Exists(JoinPath(directory, saved_model::kFile))) {
    if (!Process::Get().env().Exists(text_path)) {
      PyErr_SetString(PyExc_OSError, fmt::format("SavedModel file does not exist at: {}/{{{}|{}}}", directory,
                                                 saved_model::kTextFile, saved_model::kFile)
                                         .c_str());
      throw py::error_already_set();
    }
    return MessageFrom<tensorflow::SavedModel>(
        py::module_::import("weir.lib.saved_model")
            .attr("model_from_text")(TakeFile(Process::Get().env().ReadFile(text_path))));
  }
  return TakeFile(ReadSavedModel(directory, Process::Get().env()));
}

}  // namespace

void BindSavedModel(py::module_& m) {
  BindBuilder(m);
  m.def("load_saved_model",
        [](py::object session, const std::set<std::string>& tags, py::handle path, py::object import_scope) {
          const std::string directory = PathFrom(path);
          const Result<tensorflow::MetaGraphDef> def = FindMetaGraph(ModelIn(directory), directory, tags);
          if (!def.ok()) {
            PyErr_SetString(PyExc_RuntimeError, std::string(def.status().message()).c_str());
            throw py::error_already_set();
          }
          ImportMetaGraphOptions options;
          if (!import_scope.is_none()) options.import_scope = py::cast<std::string>(import_scope);
          options.codec = PythonCollectionCodec();
          Graph& graph = *GraphObjectOf(session.attr("graph")).graph;
          const RunStep run = RunInPython(session);
          Status status;
          {
            const ReleaseGil waiting;
            status = LoadMetaGraph(graph, run, *def, directory, options, Process::Get().env());
          }
          RecordOrigins(graph);
          if (status.code() == StatusCode::kNotFound || status.code() == StatusCode::kDataLoss) CheckFile(status);
          Check(status);
          return MessageToPython("MetaGraphDef", *def);
        });
}

}  // namespace weir::python
