// Reads the attributes and shape hints of one NodeDef, and checks them against the schema of its op.
#pragma once

#include <string>
#include <vector>

#include "op/op_def.h"
#include "proto/graph.pb.h"

namespace weir {

struct NodeContent {
  AttrMap attrs;                          // complete; "_class" is a list of strings, "_output_shapes" is left out
  std::vector<PartialShape> shape_hints;  // from _output_shapes
};

// `producer` is the producer version of the def: some attributes changed their meaning over time.
Result<NodeContent> ReadNodeContent(const OpDef& op, const tensorflow::NodeDef& def, int producer);

// Types as TensorFlow's messages spell them ("float", "int32_ref"). Long lists are truncated.
std::string TypeText(DType type);
std::string TypeText(const std::vector<DType>& types);

}  // namespace weir
