#include "graph/order_effects.h"

#include <map>
#include <utility>

namespace weir {
namespace {

// Stands for all side effects of nodes without a resource input.
constexpr std::pair<const Node*, int> kOtherEffects{nullptr, 0};

bool HasOtherEffects(const Node& node) {
  if (!node.op().stateful || node.op().traits.placeholder || node.FindAttr("seed2") != nullptr) return false;
  // A node that creates a resource or a dataset has no other effect.
  for (int i = 0; i < node.num_outputs(); ++i) {
    const DType type = BaseType(node.output_type(i));
    if (type == kResource || type == kVariant) return false;
  }
  return true;
}

}  // namespace

void OrderEffects(Graph& body) {
  using Effect = std::pair<const FlowContext*, std::pair<const Node*, int>>;
  std::map<Effect, Node*> last;
  for (Node* node : body.Nodes()) {
    auto follow = [&](std::pair<const Node*, int> what) {
      Node*& before = last[{node->flow_context(), what}];
      if (before != nullptr && before != node) body.AddControlInput(node, before);
      before = node;
    };
    bool uses_resource = false;
    if (node->op().stateful) {
      for (const Output& input : node->inputs()) {
        if (input.base_dtype() != kResource) continue;
        uses_resource = true;
        follow({input.node, input.index});
      }
    }
    if (!uses_resource && HasOtherEffects(*node)) follow(kOtherEffects);
  }
}

}  // namespace weir
