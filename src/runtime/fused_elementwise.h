// FusedRegion: several elementwise nodes that run as one node. Only the last one has consumers outside the region. It
// computes block by block, so that intermediate values stay in the cache. Results and errors are the same as with
// separate nodes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "op/element_loop.h"

namespace weir {

// The op of a fused node. Its attribute "ops" lists the ops of the members.
inline constexpr std::string_view kFusedOp = "_FusedElementwise";

struct FusedRegion {
  struct Member {
    std::shared_ptr<const NodeProps> props;
    ElementLoop loop;
    // A member by its number, an input by ~number. Inputs are those of the fused node, followed by the constants.
    absl::InlinedVector<int32_t, 2> operands;
  };
  std::vector<Member> members;     // producers first; the last one computes the result
  std::vector<DType> input_types;  // of the inputs that are not constants
  std::vector<Tensor> constants;
  std::vector<std::string> constant_names;
};

// A node that replaces the last member, with its name. Null if too many intermediate values would be live at a time.
std::shared_ptr<const NodeProps> FuseRegion(FusedRegion region);
// The region of a fused node, or null if `op` is another op.
const FusedRegion* RegionOf(const OpDef& op);

}  // namespace weir
