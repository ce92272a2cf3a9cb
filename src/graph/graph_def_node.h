// What one NodeDef says, held against the schema of its op: attributes, and hints about shapes.
#pragma once

#include <string>
#include <vector>

#include "op/op_def.h"
#include "proto/graph.pb.h"

namespace weir {

struct NodeContent {
  AttrMap attrs;                          // complete; "_class" as a list of strings, "_output_shapes" left out
  std::vector<PartialShape> shape_hints;  // of _output_shapes
};

// `producer` is the version of the def: what attributes mean has changed over time.
Result<NodeContent> ReadNodeContent(const OpDef& op, const tensorflow::NodeDef& def, int producer);

// "float", "int32_ref", as TensorFlow's messages spell types; lists are shortened.
std::string TypeText(DType type);
std::string TypeText(const std::vector<DType>& types);

}  // namespace weir
