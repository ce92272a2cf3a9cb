// tf.train.Saver. Runs steps through the given session object, so that wrapped sessions work, too.
#include <pybind11/stl.h>

#include "bind/collections.h"
#include "bind/files.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/variables.h"
#include "train/checkpoint_state.h"
#include "train/init_from_checkpoint.h"

namespace weir::python {
namespace {

// The variables, or parts of variables, in one item of var_list.
std::vector<VariablePtr> VariablesOfItem(py::handle item) {
  if (py::isinstance<py::list>(item) || py::isinstance<py::tuple>(item)) return VariablesFrom(item);
  if (py::isinstance<PartitionedVariable>(item)) return py::cast<PartitionedVariable&>(item).parts;
  if (!IsVariable(item) && !py::hasattr(item, "_variable_object"))
    RaiseType(fmt::format("Variable to save is not a Variable: {}", Repr(item)));
  return {VariableFrom(item)};
}

// Adds an item of the collection of saveables to the options. False for other objects.
bool AddSaveable(py::handle item, SaverOptions* options) {
  if (IsVariable(item) || py::isinstance<py::list>(item) || py::isinstance<py::tuple>(item)) return false;
  const std::any saveable = CollectionItemFrom(item);
  if (const auto* table = std::any_cast<SavedTable>(&saveable)) {
    options->tables.push_back(*table);
  } else if (const auto* iterator = std::any_cast<SavedIterator>(&saveable)) {
    options->iterators.push_back(*iterator);
  } else if (const auto* work = std::any_cast<SavedWorkQueue>(&saveable)) {
    options->work_queues.push_back(*work);
  } else {
    return false;
  }
  return true;
}

void SetVariables(py::handle var_list, SaverOptions* options) {
  if (var_list.is_none()) return;
  if (py::isinstance<py::dict>(var_list)) {
    options->variables.emplace();
    for (const auto& [name, item] : py::reinterpret_borrow<py::dict>(var_list))
      if (!AddSaveable(item, options)) (*options->variables)[py::cast<std::string>(name)] = VariablesOfItem(item);
    return;
  }
  std::vector<VariablePtr> all;
  for (py::handle item : py::iter(var_list)) {
    if (AddSaveable(item, options)) continue;
    for (VariablePtr& v : VariablesOfItem(item)) all.push_back(std::move(v));
  }
  options->variables = Take(VariablesBySavedName(all));
}

Graph& GraphOfSession(py::handle session) {
  if (!py::hasattr(session, "run") || !py::hasattr(session, "graph"))
    RaiseType(fmt::format("'sess' must be a Session; {}", Repr(session)));
  return *GraphObjectOf(session.attr("graph")).graph;
}

// Runs a saver's steps and records their status, so that an error of the step can be raised as the session raised it.
struct SessionRun {
  RunStep run;
  std::shared_ptr<Status> ended = std::make_shared<Status>();

  explicit SessionRun(py::object session) {
    run = [inner = RunInPython(std::move(session)), ended = ended](const RunRequest& request) {
      Result<std::vector<Tensor>> result = inner(request);
      *ended = result.status();
      return result;
    };
  }
};

[[noreturn]] void RaiseSaverError(const Status& status, const Status& of_step, Graph& graph) {
  if (status == of_step) RaiseBuildError(status);  // raises the session's exception
  const bool callers_fault =
      status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kFailedPrecondition;
  const bool is_mismatch = status.message().find("Restoring from checkpoint failed") == 0;
  if (of_step.ok() && callers_fault && !is_mismatch) RaiseBuildError(status);
  if (status.message().find("Parent directory of") == 0) RaiseBuildError(status);
  RaiseRunError(MakeStatus(status.code(), std::string(status.message())), &graph);
}

// Converts a number, or a tensor or variable whose value the session provides.
std::optional<int64_t> GlobalStepFrom(py::object session, py::object step) {
  if (step.is_none()) return std::nullopt;
  if (PyIndex_Check(step.ptr()) != 0 && !IsTensor(step) && !IsVariable(step))
    return py::cast<int64_t>(step.attr("__index__")());
  return py::cast<int64_t>(
      py::module_::import("weir.lib.global_step").attr("global_step")(std::move(session), std::move(step)));
}

py::object Save(Saver& saver, py::object session, py::object save_path, py::object global_step,
                py::object latest_filename, const std::string& suffix, bool write_meta_graph, bool write_state,
                bool strip_default_attrs, py::object) {
  Graph& graph = GraphOfSession(session);
  SaveOptions options;
  options.global_step = GlobalStepFrom(session, std::move(global_step));
  if (!latest_filename.is_none()) options.latest_filename = PathFrom(latest_filename);
  options.meta_graph_suffix = suffix;
  options.write_meta_graph = write_meta_graph;
  options.write_state = write_state;
  options.meta_graph.strip_default_attrs = strip_default_attrs;
  options.meta_graph.codec = PythonCollectionCodec();
  const std::string path = PathFrom(save_path);
  const SessionRun run(session);
  Result<std::optional<std::string>> saved = std::nullopt;
  {
    const ReleaseGil waiting;
    saved = saver.Save(graph, run.run, path, options);
  }
  if (!saved.ok()) RaiseSaverError(saved.status(), *run.ended, graph);
  return saved->has_value() ? py::object(py::str(**saved)) : py::none();
}

void Restore(Saver& saver, py::object session, py::object save_path) {
  if (saver.is_empty()) return;
  if (save_path.is_none()) RaiseValue("Can't load save_path when it is None.");
  Graph& graph = GraphOfSession(session);
  const std::string path = PathFrom(save_path);
  const SessionRun run(session);
  Status status;
  {
    const ReleaseGil waiting;
    status = saver.Restore(graph, run.run, path);
  }
  if (!status.ok()) RaiseSaverError(status, *run.ended, graph);
}

std::shared_ptr<Saver> MakeSaver(py::object var_list, bool reshape, bool sharded, py::object max_to_keep,
                                 double keep_hours, const Name& name, py::object saver_def, bool defer_build,
                                 bool allow_empty, py::object write_version, bool pad_step_number,
                                 bool save_relative_paths, py::object filename, std::string object_graph) {
  SaverOptions options;
  options.graph.object_graph = std::move(object_graph);
  options.graph.reshape = reshape;
  options.graph.sharded = sharded;
  options.graph.name = name.text;
  if (!filename.is_none()) options.graph.filename = PathFrom(filename);
  options.max_to_keep = max_to_keep.is_none() ? 0 : py::cast<int>(max_to_keep);
  options.keep_checkpoint_every_n_hours = keep_hours;
  options.defer_build = defer_build;
  options.allow_empty = allow_empty;
  options.pad_step_number = pad_step_number;
  options.save_relative_paths = save_relative_paths;
  options.env = &Process::Get().env();
  if (!saver_def.is_none()) {
    if (defer_build) RaiseValue("If saver_def is given, defer_build must be False.");
    return Take(Saver::FromDef(MessageFrom<tensorflow::SaverDef>(saver_def), name.text, options));
  }
  options.graph.format_v1 = py::cast<int>(write_version) == tensorflow::SaverDef::V1;
  SetVariables(var_list, &options);
  Graph& graph = DefaultGraphRef();
  std::shared_ptr<Saver> saver = Take(Saver::Make(graph, std::move(options)));
  RecordOrigins(graph);
  return saver;
}

Saver::RetainedCheckpoints KeptFrom(py::handle list, bool with_time) {
  Saver::RetainedCheckpoints kept;
  for (py::handle item : list) {
    if (with_time) {
      const auto pair = py::cast<std::pair<py::object, double>>(item);
      kept.emplace_back(PathFrom(pair.first), pair.second);
    } else {
      kept.emplace_back(PathFrom(item), std::numeric_limits<double>::infinity());
    }
  }
  return kept;
}

using SaverClass = py::class_<Saver, std::shared_ptr<Saver>>;

void VisitGraphs(const Saver& saver, GraphVisitor visit) {
  if (saver.graph() != nullptr) visit(*saver.graph());
}

void BindSaving(SaverClass& cls) {
  cls.def("build",
          [](py::object self) {
            Graph& graph = DefaultGraphRef();
            Check(self.cast<Saver&>().Build(graph));
            HoldGraph(self, graph);
            RecordOrigins(graph);
          })
      .def("save", &Save, py::arg("sess"), py::arg("save_path"), py::arg("global_step") = py::none(),
           py::arg("latest_filename") = py::none(), py::arg("meta_graph_suffix") = "meta",
           py::arg("write_meta_graph") = true, py::arg("write_state") = true, py::arg("strip_default_attrs") = false,
           py::arg("save_debug_info") = false)
      .def("restore", &Restore, py::arg("sess"), py::arg("save_path"))
      .def_property_readonly("_is_empty", &Saver::is_empty);
}

// The checkpoints that a saver keeps.
void BindKept(SaverClass& cls) {
  cls.def_property_readonly("last_checkpoints", &Saver::last_checkpoints)
      .def(
          "set_last_checkpoints", [](Saver& s, py::handle list) { s.set_last_checkpoints(KeptFrom(list, false)); },
          py::arg("last_checkpoints"))
      .def(
          "set_last_checkpoints_with_time",
          [](Saver& s, py::handle list) { s.set_last_checkpoints(KeptFrom(list, true)); },
          py::arg("last_checkpoints_with_time"))
      .def(
          "recover_last_checkpoints",
          [](Saver& s, py::handle paths) {
            std::vector<std::string> prefixes;
            for (py::handle path : paths) {
              prefixes.push_back(PathFrom(path));
              CheckFile(CheckFileScheme(prefixes.back()));
            }
            s.RecoverLastCheckpoints(prefixes);
          },
          py::arg("checkpoint_paths"));
}

py::object ExportWithSaver(Saver& s, py::object filename, py::object collection_list, bool as_text,
                           py::object export_scope, bool clear_devices, bool clear_extraneous_savers,
                           bool strip_default_attrs, bool save_debug_info) {
  using namespace py::literals;
  return py::module_::import("weir._weir")
      .attr("export_meta_graph")("filename"_a = filename, "saver_def"_a = MessageToPython("SaverDef", s.def()),
                                 "collection_list"_a = collection_list, "as_text"_a = as_text,
                                 "export_scope"_a = export_scope, "clear_devices"_a = clear_devices,
                                 "clear_extraneous_savers"_a = clear_extraneous_savers,
                                 "strip_default_attrs"_a = strip_default_attrs, "save_debug_info"_a = save_debug_info);
}

void BindMessages(SaverClass& cls) {
  cls.def_property_readonly("saver_def", [](Saver& s) { return MessageToPython("SaverDef", s.def()); })
      .def("as_saver_def", [](Saver& s) { return MessageToPython("SaverDef", s.def()); })
      .def(
          "to_proto",
          [](Saver& s, py::object scope) -> py::object {
            const Result<tensorflow::SaverDef> def = s.Def(scope.is_none() ? "" : py::cast<std::string>(scope));
            return def.ok() ? MessageToPython("SaverDef", *def) : py::none();
          },
          py::arg("export_scope") = py::none())
      .def_static(
          "from_proto",
          [](py::object def, py::object scope) {
            SaverOptions options;
            options.env = &Process::Get().env();
            return Take(Saver::FromDef(MessageFrom<tensorflow::SaverDef>(def),
                                       scope.is_none() ? "" : py::cast<std::string>(scope), std::move(options)));
          },
          py::arg("saver_def"), py::arg("import_scope") = py::none())
      .def("export_meta_graph", &ExportWithSaver, py::arg("filename") = py::none(),
           py::arg("collection_list") = py::none(), py::arg("as_text") = false, py::arg("export_scope") = py::none(),
           py::arg("clear_devices") = false, py::arg("clear_extraneous_savers") = false,
           py::arg("strip_default_attrs") = false, py::arg("save_debug_info") = false);
}

// Savers in collections are serialized as SaverDefs.
void AddSaverCodec() {
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const auto* saver = std::any_cast<std::shared_ptr<Saver>>(&item);
        return saver == nullptr ? py::object() : py::cast(*saver);
      },
      .from_python = [](py::handle object) -> std::any {
        if (!py::isinstance<Saver>(object)) return {};
        return py::cast<std::shared_ptr<Saver>>(object);
      },
  });
  AddCollectionCodec(SaverCodec(Process::Get().env()));
}

}  // namespace

RunStep RunInPython(py::object session) {
  return [item = SharedPyObject(std::move(session))](const RunRequest& request) -> Result<std::vector<Tensor>> {
    const AcquireGil gil;
    try {
      py::dict feeds;
      for (const Feed& feed : request.feeds) feeds[Wrap(feed.output)] = NumpyFromTensor(feed.value);
      py::list fetches;
      for (const Output& output : request.fetches) fetches.append(Wrap(output));
      for (Node* target : request.targets) fetches.append(Wrap(target));
      const py::list values = item.get().attr("run")(fetches, feeds);
      std::vector<Tensor> result;
      for (size_t i = 0; i < request.fetches.size(); ++i)
        result.push_back(TensorFromNumpy(values[i], request.fetches[i].base_dtype(), Memory::kCopy));
      return result;
    } catch (py::error_already_set& error) {
      return StatusOfRun(error);
    }
  };
}

void BindSaver(py::module_& m) {
  SaverClass cls(m, "Saver", py::dynamic_attr(), GarbageCollected<Saver>());
  HoldGraphsOf<Saver, VisitGraphs>(cls);
  cls.def(py::init([](py::object var_list, bool reshape, bool sharded, py::object max_to_keep, double keep_hours,
                      const Name& name, bool, py::object saver_def, py::object, bool defer_build, bool allow_empty,
                      py::object write_version, bool pad_step_number, bool save_relative_paths, py::object filename,
                      const py::bytes& object_graph) {
            return MakeSaver(std::move(var_list), reshape, sharded, std::move(max_to_keep), keep_hours, name,
                             std::move(saver_def), defer_build, allow_empty, std::move(write_version), pad_step_number,
                             save_relative_paths, std::move(filename), object_graph);
          }),
          py::arg("var_list") = py::none(), py::arg("reshape") = false, py::arg("sharded") = false,
          py::arg("max_to_keep") = 5, py::arg("keep_checkpoint_every_n_hours") = 10000.0, py::arg("name") = py::none(),
          py::arg("restore_sequentially") = false, py::arg("saver_def") = py::none(), py::arg("builder") = py::none(),
          py::arg("defer_build") = false, py::arg("allow_empty") = false, py::arg("write_version") = 2,
          py::arg("pad_step_number") = false, py::arg("save_relative_paths") = false, py::arg("filename") = py::none(),
          py::arg("_object_graph") = py::bytes());
  BindSaving(cls);
  BindKept(cls);
  BindMessages(cls);
  AddSaverCodec();
  m.def(
      "init_from_checkpoint",
      [](py::handle source, const py::dict& assignment_map) {
        std::vector<CheckpointAssignment> assignments;
        for (const auto& [saved, current] : assignment_map) {
          CheckpointAssignment& assignment = assignments.emplace_back();
          assignment.saved = py::cast<std::string>(saved);
          if (PyUnicode_Check(current.ptr()) != 0) {
            assignment.name = py::cast<std::string>(current);
          } else {
            assignment.variables = VariablesOfItem(current);
          }
        }
        Graph& graph = DefaultGraphRef();
        const Status status = InitFromCheckpoint(graph, Process::Get().env(), PathFrom(source), assignments);
        RecordOrigins(graph);
        if (status.code() == StatusCode::kNotFound || status.code() == StatusCode::kDataLoss) CheckFile(status);
        Check(status);
      },
      py::arg("ckpt_dir_or_file"), py::arg("assignment_map"));
}

}  // namespace weir::python
