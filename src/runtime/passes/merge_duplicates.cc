// Common subexpression elimination. Nodes are compared in topological order, so that inputs are merged before their
// consumers. Back edges of loops violate that order, but the nodes they start from are never merged.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "runtime/passes/passes.h"

namespace weir {
namespace {

constexpr size_t kMaxComparedBytes = 1 << 10;

// The value of a constant if it is small enough to be compared, else null.
const Tensor* SmallConstant(const PlanGraph::Node& node) {
  if (node.op().traits.kind != NodeKind::kConst) return nullptr;
  auto attr = node.props->attrs->find("value");
  // Packed constants are large.
  const Tensor* value = attr == node.props->attrs->end() ? nullptr : attr->second.As<Tensor>();
  return value != nullptr && IsPlain(value->dtype()) && value->num_bytes() <= kMaxComparedBytes ? value : nullptr;
}

size_t HashOf(const PlanGraph::Node& node) {
  size_t hash = absl::HashOf(node.props->op, node.placed, node.inputs.size());
  for (PlanValue input : node.inputs) hash = absl::HashOf(hash, input.node, input.output);
  for (int32_t control : node.control_inputs) hash = absl::HashOf(hash, control);
  if (const Tensor* value = SmallConstant(node))
    hash = absl::HashOf(hash, value->dtype(), value->rank(),
                        std::string_view(static_cast<const char*>(value->raw()), value->num_bytes()));
  return hash;
}

// Compares the attributes of two nodes of the same op, ignoring internal ones ("_..."), which do not affect the result.
bool SameAttrs(const AttrMap& a, const AttrMap& b) {
  auto skip = [](const AttrMap& map, AttrMap::const_iterator it) {
    while (it != map.end() && it->first.starts_with("_")) ++it;
    return it;
  };
  auto i = skip(a, a.begin());
  auto j = skip(b, b.begin());
  for (; i != a.end() && j != b.end(); i = skip(a, std::next(i)), j = skip(b, std::next(j))) {
    if (i->first != j->first || !(i->second == j->second)) return false;
  }
  return i == a.end() && j == b.end();
}

bool SameNode(const PlanGraph::Node& a, const PlanGraph::Node& b) {
  return a.props->op == b.props->op && a.placed == b.placed && a.inputs == b.inputs &&
         a.control_inputs == b.control_inputs && SameAttrs(*a.props->attrs, *b.props->attrs);
}

}  // namespace

Status MergeDuplicates(PlanGraph& graph, PassReport& report) {
  WEIR_ASSIGN(std::vector<int32_t> order, TopologicalOrder(graph, FindConsumers(graph)));
  std::vector<int32_t> kept(graph.nodes.size());
  for (size_t n = 0; n < kept.size(); ++n) kept[n] = static_cast<int32_t>(n);
  absl::flat_hash_map<size_t, std::vector<int32_t>> seen;
  for (int32_t n : order) {
    PlanGraph::Node& node = graph.nodes[n];
    for (PlanValue& input : node.inputs) {
      if (!input.fed()) input.node = kept[input.node];
    }
    for (int32_t& control : node.control_inputs) control = kept[control];
    std::sort(node.control_inputs.begin(), node.control_inputs.end());
    const bool has_inputs = !node.inputs.empty() || !node.control_inputs.empty();
    if (SmallConstant(node) == nullptr && (!has_inputs || !IsPure(graph, node))) continue;
    std::vector<int32_t>& alike = seen[HashOf(node)];
    auto same = std::find_if(alike.begin(), alike.end(), [&](int32_t m) { return SameNode(graph.nodes[m], node); });
    if (same == alike.end()) {
      alike.push_back(n);
    } else {
      kept[n] = *same;
      ++report.merged;
    }
  }
  for (PlanGraph::Fetch& fetch : graph.fetches) {
    if (!fetch.value.fed()) fetch.value.node = kept[fetch.value.node];
  }
  for (int32_t& target : graph.targets) target = kept[target];
  return OkStatus();
}

}  // namespace weir
