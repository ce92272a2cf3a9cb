// MetaGraphs: a graph with its collections and the saver of its variables, as a message that another program imports.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/env.h"
#include "graph/compose/variable.h"
#include "graph/graph.h"
#include "proto/collections.pb.h"
#include "proto/meta_graph.pb.h"

namespace weir {

// An item of a collection as a message holds it: the name of a node or tensor, bytes (a text or a serialized message),
// a number.
struct NodeNameItem {
  std::string name;
};
struct BytesItem {
  std::string bytes;
};
using CollectionItem = std::variant<NodeNameItem, BytesItem, int64_t, float>;
// An item as a graph's collection holds it.
struct GraphItem {
  std::any value;
};

// How items cross that C++ does not know: those of savers, Python objects. Either may be empty, and may
// give nothing for what is not theirs.
struct CollectionCodec {
  std::function<std::optional<CollectionItem>(const std::string& key, const std::any& item)> to_item;
  std::function<Result<std::optional<GraphItem>>(Graph& graph, const std::string& key, const CollectionItem& item,
                                                 const std::string& import_scope)>
      from_item;
};

struct MetaGraphOptions {
  std::optional<tensorflow::SaverDef> saver_def = {};
  std::optional<std::vector<std::string>> collections = {};  // all when not given
  bool clear_devices = false;
  bool clear_extraneous_savers = false;  // leave out other savers' nodes
  bool strip_default_attrs = false;
  std::optional<tensorflow::GraphDef> graph_def = {};  // instead of the graph's own
  // Only what lies below it, under names without it. What it takes from outside is named by the collection
  // kUnboundInputs. Of collections, what only the codec knows is left out.
  std::string export_scope = "";
  CollectionCodec codec = {};
};
inline constexpr char kUnboundInputs[] = "unbound_inputs";
// A collection with items that have no form in a message is left out, with a warning.
Result<tensorflow::MetaGraphDef> ExportMetaGraph(const Graph& graph, const MetaGraphOptions& options = {});

struct ImportMetaGraphOptions {
  bool clear_devices = false;
  std::string import_scope = "";
  std::map<std::string, Output> input_map = {};
  CollectionCodec codec = {};
};
struct ImportedMetaGraph {
  std::string scope;  // the names of what was imported begin with it and a slash; empty: as they were
  std::map<std::string, VariablePtr> variables;  // by name without the scope
};
// Adds nodes and collections to the graph. InvalidArgument where the input map lacks one of kUnboundInputs.
Result<ImportedMetaGraph> ImportMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                          const ImportMetaGraphOptions& options = {});

// A name in a message as it is in a graph that the message was imported into, below that scope.
std::string InScope(const std::string& scope, const std::string& name);

// A file that holds the message as bytes.
Result<tensorflow::MetaGraphDef> ReadMetaGraphFile(Env& env, const std::string& path);

tensorflow::VariableDef ToVariableDef(const Variable& variable);
Result<VariablePtr> FromVariableDef(Graph& graph, const tensorflow::VariableDef& def, const std::string& scope = "");

}  // namespace weir
