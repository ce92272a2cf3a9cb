// MetaGraphs: a graph with its collections and saver, as a message that another program can import.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/base/env.h"
#include "weir/graph/compose/variable.h"
#include "weir/graph/graph.h"
#include "weir/proto/messages.h"

namespace weir {

// A collection item in a message: the name of a node or tensor, bytes (text or a serialized message), or a number.
struct NodeNameItem {
  std::string name;
};
struct BytesItem {
  std::string bytes;
};
using CollectionItem = std::variant<NodeNameItem, BytesItem, int64_t, float>;
// A collection item in a graph.
struct GraphItem {
  std::any value;
};

// Converts items that C++ does not know, such as savers and Python objects. Either function may be empty, and returns
// nullopt for items that it does not handle.
struct CollectionCodec {
  std::function<std::optional<CollectionItem>(const std::string& key, const std::any& item)> to_item;
  std::function<Result<std::optional<GraphItem>>(Graph& graph, const std::string& key, const CollectionItem& item,
                                                 const std::string& import_scope)>
      from_item;
};

struct MetaGraphOptions {
  OptionalMessage<tensorflow::SaverDef> saver_def = {};
  std::optional<std::vector<std::string>> collections = {};  // default: all
  bool clear_devices = false;
  bool clear_extraneous_savers = false;  // drop the nodes of other savers
  bool strip_default_attrs = false;
  OptionalMessage<tensorflow::GraphDef> graph_def = {};  // replaces the graph's own def
  // Exports only the nodes in this scope, with the scope removed from their names. Inputs from outside are listed in
  // the collection kUnboundInputs. Collection items that only the codec knows are left out.
  std::string export_scope = "";
  CollectionCodec codec = {};
};
inline constexpr char kUnboundInputs[] = "unbound_inputs";
// A collection with items that cannot be written to a message is left out, with a warning.
Result<tensorflow::MetaGraphDef> ExportMetaGraph(const Graph& graph, const MetaGraphOptions& options = {});

struct ImportMetaGraphOptions {
  bool clear_devices = false;
  std::string import_scope = "";
  std::map<std::string, Output> input_map = {};
  CollectionCodec codec = {};
};
struct ImportedMetaGraph {
  std::string scope;  // prefix of the imported names, without the slash; empty: names are unchanged
  std::map<std::string, VariablePtr> variables;  // by name without the scope
};
// Adds nodes and collections to the graph. InvalidArgument if input_map lacks one of kUnboundInputs.
Result<ImportedMetaGraph> ImportMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                          const ImportMetaGraphOptions& options = {});

// Prefixes a name of the message with the scope that it was imported into.
std::string InScope(const std::string& scope, const std::string& name);

// Reads a file with a serialized message.
Result<tensorflow::MetaGraphDef> ReadMetaGraphFile(Env& env, const std::string& path);

tensorflow::VariableDef ToVariableDef(const Variable& variable);
Result<VariablePtr> FromVariableDef(Graph& graph, const tensorflow::VariableDef& def, const std::string& scope = "");

}  // namespace weir
