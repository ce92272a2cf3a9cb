// FusedRegion: elementwise nodes of which only the last one's value is wanted, run as one node: block by block, so that
// the values in between stay in the cache. What comes out, and what is said of errors, is the same as of the nodes one
// by one.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "op/element_loop.h"

namespace weir {

// The op of a node that stands for such a region. Its attribute "ops" says what is in it.
inline constexpr std::string_view kFusedOp = "_FusedElementwise";

struct FusedRegion {
  struct Member {
    std::shared_ptr<const NodeProps> props;
    ElementLoop loop;
    // Members by their number, inputs by ~number: first those that come with a step, then the constants.
    absl::InlinedVector<int32_t, 2> operands;
  };
  std::vector<Member> members;     // producers first; the last one gives the result
  std::vector<DType> input_types;  // of what comes with a step
  std::vector<Tensor> constants;
  std::vector<std::string> constant_names;
};

// A node in place of the last member, under its name. Null where too many values would have to be kept at a time.
std::shared_ptr<const NodeProps> FuseRegion(FusedRegion region);
// What a node of that op stands for; null: it is of another one.
const FusedRegion* RegionOf(const OpDef& op);

}  // namespace weir
