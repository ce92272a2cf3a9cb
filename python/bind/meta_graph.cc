// tf.train.export_meta_graph and import_meta_graph, and the conversion of collection items.
#include <pybind11/stl.h>

#include "bind/files.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "train/checkpoint_state.h"

namespace weir::python {
namespace {

std::vector<CollectionCodec>& Codecs() {
  static auto* codecs = new std::vector<CollectionCodec>;
  return *codecs;
}

// The functions registered with tf.register_proto_function for a collection: (to_proto, from_proto), or None.
py::object RegisteredFunctions(const std::string& key) {
  return py::module_::import("weir.lib.collection").attr("proto_functions")(key);
}

std::optional<CollectionItem> PythonToItem(const std::string& key, const std::any& item) {
  const SharedPyObject* held = std::any_cast<SharedPyObject>(&item);
  if (held == nullptr) return std::nullopt;
  const AcquireGil gil;
  py::object object = held->get();
  try {
    if (py::object functions = RegisteredFunctions(key); !functions.is_none() && !functions[py::int_(0)].is_none())
      return BytesItem{BytesOfMessage(functions[py::int_(0)](object))};
    if (std::string bytes; BytesOf(object, &bytes)) return BytesItem{bytes};
    if (PyBool_Check(object.ptr()) == 0 && PyLong_Check(object.ptr()) != 0) return py::cast<int64_t>(object);
    if (PyFloat_Check(object.ptr()) != 0) return py::cast<float>(object);
    if (py::hasattr(object, "to_proto")) return BytesItem{BytesOfMessage(object.attr("to_proto")())};
    if (py::hasattr(object, "name") && PyUnicode_Check(py::object(object.attr("name")).ptr()) != 0)
      return NodeNameItem{py::cast<std::string>(object.attr("name"))};
  } catch (py::error_already_set&) {
    return std::nullopt;  // not serializable: the collection is omitted
  }
  return std::nullopt;
}

Result<std::optional<GraphItem>> PythonFromItem(const std::string& key, const CollectionItem& item,
                                                const std::string& scope) {
  const AcquireGil gil;
  return CatchExceptions([&]() -> Result<std::optional<GraphItem>> {
    if (const auto* number = std::get_if<float>(&item)) return GraphItem{SharedPyObject(py::float_(*number))};
    const auto* bytes = std::get_if<BytesItem>(&item);
    if (bytes == nullptr) return std::nullopt;
    py::object functions = RegisteredFunctions(key);
    if (functions.is_none() || functions[py::int_(1)].is_none())
      return GraphItem{SharedPyObject(py::bytes(bytes->bytes))};
    return GraphItem{SharedPyObject(functions[py::int_(1)](py::bytes(bytes->bytes), scope))};
  });
}

Graph& GraphFrom(py::handle graph) { return graph.is_none() ? DefaultGraphRef() : *GraphObjectOf(graph).graph; }

// Reads a MetaGraphDef: a message, or the path of a binary or text file.
tensorflow::MetaGraphDef MetaGraphFrom(py::handle source) {
  if (py::hasattr(source, "SerializeToString")) return MessageFrom<tensorflow::MetaGraphDef>(source);
  const std::string path = PathFrom(source);
  CheckFile(CheckFileScheme(path));
  if (!Process::Get().env().Exists(path)) {
    PyErr_SetString(PyExc_OSError, fmt::format("File {} does not exist.", path).c_str());
    throw py::error_already_set();
  }
  Result<tensorflow::MetaGraphDef> read = ReadMetaGraphFile(Process::Get().env(), path);
  if (read.ok()) return *std::move(read);
  const std::string text = TakeFile(Process::Get().env().ReadFile(path));
  return MessageFrom<tensorflow::MetaGraphDef>(
      py::module_::import("weir.lib.collection").attr("meta_graph_from_text")(text));
}

}  // namespace

void AddCollectionCodec(CollectionCodec codec) { Codecs().push_back(std::move(codec)); }

CollectionCodec PythonCollectionCodec() {
  CollectionCodec codec;
  codec.to_item = [](const std::string& key, const std::any& item) -> std::optional<CollectionItem> {
    for (const CollectionCodec& one : Codecs())
      if (one.to_item)
        if (std::optional<CollectionItem> value = one.to_item(key, item)) return value;
    return PythonToItem(key, item);
  };
  codec.from_item = [](Graph& graph, const std::string& key, const CollectionItem& item,
                       const std::string& scope) -> Result<std::optional<GraphItem>> {
    for (const CollectionCodec& one : Codecs()) {
      if (!one.from_item) continue;
      WEIR_ASSIGN(std::optional<GraphItem> value, one.from_item(graph, key, item, scope));
      if (value.has_value()) return value;
    }
    return PythonFromItem(key, item, scope);
  };
  return codec;
}

void BindMetaGraph(py::module_& m) {
  m.def(
      "export_meta_graph",
      [](py::object filename, py::object meta_info_def, py::object graph_def, py::object saver_def,
         py::object collection_list, bool as_text, py::object graph, py::object export_scope, bool clear_devices,
         bool clear_extraneous_savers, bool strip_default_attrs, py::object) -> py::object {
        MetaGraphOptions options;
        if (!export_scope.is_none()) options.export_scope = py::cast<std::string>(export_scope);
        if (!saver_def.is_none()) options.saver_def = MessageFrom<tensorflow::SaverDef>(saver_def);
        if (!graph_def.is_none()) options.graph_def = MessageFrom<tensorflow::GraphDef>(graph_def);
        if (!collection_list.is_none()) options.collections = py::cast<std::vector<std::string>>(collection_list);
        options.clear_devices = clear_devices;
        options.clear_extraneous_savers = clear_extraneous_savers;
        options.strip_default_attrs = strip_default_attrs;
        options.codec = PythonCollectionCodec();
        tensorflow::MetaGraphDef meta = Take(ExportMetaGraph(GraphFrom(graph), options));
        if (!meta_info_def.is_none())
          meta.mutable_meta_info_def()->MergeFrom(MessageFrom<tensorflow::MetaGraphDef::MetaInfoDef>(meta_info_def));
        py::object message = MessageToPython("MetaGraphDef", meta);
        if (!filename.is_none()) {
          const std::string bytes = as_text ? py::cast<std::string>(py::str(message)) : meta.SerializeAsString();
          CheckFile(Process::Get().env().WriteFileAtomically(PathFrom(filename), bytes));
        }
        return message;
      },
      py::arg("filename") = py::none(), py::arg("meta_info_def") = py::none(), py::arg("graph_def") = py::none(),
      py::arg("saver_def") = py::none(), py::arg("collection_list") = py::none(), py::arg("as_text") = false,
      py::arg("graph") = py::none(), py::arg("export_scope") = py::none(), py::arg("clear_devices") = false,
      py::arg("clear_extraneous_savers") = false, py::arg("strip_default_attrs") = false,
      py::arg("save_debug_info") = false);
  m.def(
      "import_meta_graph",
      [](py::object source, bool clear_devices, py::object import_scope, const py::kwargs& kwargs) -> py::object {
        const tensorflow::MetaGraphDef def = MetaGraphFrom(source);
        Graph& graph = DefaultGraphRef();
        ImportMetaGraphOptions options;
        options.clear_devices = clear_devices;
        if (!import_scope.is_none()) options.import_scope = py::cast<std::string>(import_scope);
        if (kwargs.contains("input_map") && !kwargs["input_map"].is_none()) {
          const py::dict map = kwargs["input_map"];
          for (const auto& [name, value] : map) options.input_map[py::cast<std::string>(name)] = OutputOf(value);
        }
        options.codec = PythonCollectionCodec();
        const ImportedMetaGraph imported = Take(ImportMetaGraph(graph, def, options));
        RecordOrigins(graph);
        SaverOptions saver_options;
        saver_options.env = &Process::Get().env();
        const std::shared_ptr<Saver> saver =
            Take(SaverOfMetaGraph(graph, def, imported.scope, std::move(saver_options)));
        return saver == nullptr ? py::none() : py::cast(saver);
      },
      py::arg("meta_graph_or_file"), py::arg("clear_devices") = false, py::arg("import_scope") = py::none());
}

}  // namespace weir::python
