// Builds the nodes that save and restore variables, with TensorFlow's names ("save/SaveV2", "save/restore_all", ...).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weir/graph/compose/lookup.h"
#include "weir/graph/compose/variable.h"
#include "weir/graph/compose/work_queue.h"
#include "weir/proto/messages.h"

namespace weir {

// Variables by their names in checkpoints. Several variables under one name are partitions of one.
using SavedVariables = std::map<std::string, std::vector<VariablePtr>>;

// Variables under their own names, partitions under the name of the whole. Duplicate names are an error.
Result<SavedVariables> VariablesBySavedName(const std::vector<VariablePtr>& variables);

// "4 3 0,2:0,3": the shape of the whole variable, then the start and length of the partition in each dimension.
std::string SliceSpec(const SaveSlice& slice);

// The name of the description of objects in an object-based checkpoint (tf.train.Checkpoint).
inline constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

struct SaverGraphOptions {
  std::string name = "";      // name of the scope; default: "save"
  std::string filename = "";  // default value of the filename tensor; default: "model"
  bool sharded = false;       // one file per device
  bool reshape = false;       // values may have another shape in the checkpoint
  bool format_v1 = false;     // write V1 tables instead of V2 bundles; both can be restored
  // A serialized TrackableObjectGraph, saved under kObjectGraphKey beside the variables. Not written if empty.
  std::string object_graph = "";
};
// An iterator in the collection kSaveableObjects, and its state as SerializeIterator gives it.
struct SavedIterator {
  Output handle;
  Output state;
};
struct SavedObjects {
  SavedVariables variables = {};
  std::vector<SavedTable> tables = {};
  std::vector<SavedIterator> iterators = {};
  std::vector<SavedWorkQueue> work_queues = {};
  bool empty() const { return variables.empty() && tables.empty() && iterators.empty() && work_queues.empty(); }
};
// Sets the three tensor and op names of `def` and keeps its other fields. Duplicate names are an error.
Result<tensorflow::SaverDef> BuildSaverGraph(Graph& graph, const SavedObjects& objects,
                                             const SaverGraphOptions& options, tensorflow::SaverDef def);

}  // namespace weir
