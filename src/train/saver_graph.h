// The nodes that save and restore variables, named as TensorFlow names them ("save/SaveV2", "save/restore_all", ...).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/compose/lookup.h"
#include "graph/compose/variable.h"
#include "proto/saver.pb.h"

namespace weir {

// What a saver saves: variables by the names they have in checkpoints. Several under one name are the parts of one.
using SavedVariables = std::map<std::string, std::vector<VariablePtr>>;

// Variables under their own names; parts under the name of the whole. Two of one name are an error.
Result<SavedVariables> NamedForSaving(const std::vector<VariablePtr>& variables);

// "4 3 0,2:0,3": the shape of the whole, then where the part lies.
std::string SliceSpec(const SaveSlice& slice);

struct SaverGraphOptions {
  std::string name = "";      // of the scope: "save" when empty
  std::string filename = "";  // what is saved to when nothing is fed: "model" when empty
  bool sharded = false;       // a file per device
  bool reshape = false;       // values may have another shape in the checkpoint
  bool format_v1 = false;     // write tables instead of bundles; both can be restored
};
// Sets the three names of the def; the rest of it stays as it is in `def`. Two things of one name are an error.
Result<tensorflow::SaverDef> BuildSaverGraph(Graph& graph, const SavedVariables& variables,
                                             const std::vector<SavedTable>& tables, const SaverGraphOptions& options,
                                             tensorflow::SaverDef def);

}  // namespace weir
