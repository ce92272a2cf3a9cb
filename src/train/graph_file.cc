#include "train/graph_file.h"

namespace weir {

Status WriteGraphFile(Env& env, const std::string& directory, const tensorflow::GraphDef& def, const GraphText& text) {
  std::string data;
  if (text) {
    WEIR_ASSIGN(data, text(def));
  } else {
    data = def.SerializeAsString();
  }
  WEIR_TRY(env.MakeDirectories(directory));
  return env.WriteFileAtomically(JoinPath(directory, text ? "graph.pbtxt" : "graph.pb"), data);
}

}  // namespace weir
