// Regions grow backwards from their last node: a producer joins if all its consumers are in the region, and it is not
// fetched and has no control outputs. So only the value of the last node leaves a region. Hence no path leaves and
// re-enters a region, a node after any member comes after the last one, and a member is dead if and only if the last
// one is.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "runtime/fused_elementwise.h"
#include "runtime/kernel_cache.h"
#include "runtime/passes/passes.h"

namespace weir {
namespace {

constexpr int32_t kNone = -1;

bool MayBeEqual(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return a.rank() != 0 && b.rank() != 0;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    // If only one of the sizes is known to be 1, it is probably broadcast.
    const bool repeats = (a[i] == 1) != (b[i] == 1);
    if (repeats || (a[i] != b[i] && a[i] != kUnknownDim && b[i] != kUnknownDim)) return false;
  }
  return true;
}

// Whether `row` may be broadcast along the leading dimensions of `rows`.
bool MayBeRow(const PartialShape& row, const PartialShape& rows) {
  if (row.rank() > rows.rank()) return false;
  bool only_ones = false;
  for (int i = 1; i <= row.rank(); ++i) {
    const int64_t size = row[row.rank() - i];
    const int64_t other = rows[rows.rank() - i];
    only_ones = only_ones || (size != other && size == 1);
    if (only_ones ? size != 1 : size != other && size != kUnknownDim && other != kUnknownDim) return false;
  }
  return true;
}

class Fuser {
 public:
  explicit Fuser(PlanGraph& graph, PassReport& report) : graph_(graph), report_(report) {}

  Status Run() {
    WEIR_ASSIGN(order_, TopologicalOrder(graph_, FindConsumers(graph_)));
    FindLoops();
    TakeShapesFromOperands();
    MarkRegionEnds();
    MarkStateAliases();
    GrowRegions(FindConsumers(graph_));
    Replace();
    return OkStatus();
  }

 private:
  size_t size() const { return graph_.nodes.size(); }

  struct OpTypes {
    const OpDef* op;
    DType input;
    DType output;
    bool operator==(const OpTypes&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const OpTypes& t) {
      return H::combine(std::move(h), t.op, static_cast<int>(t.input), static_cast<int>(t.output));
    }
  };

  // The kernel factory of the node, if it publishes a loop; else null.
  const KernelWithLoop* FactoryOf(const PlanGraph::Node& node) {
    const OpTypes key{node.props->op, node.props->input_types[0], node.props->output_types[0]};
    auto [it, is_new] = factories_.try_emplace(key, nullptr);
    if (is_new) {
      Result<const KernelDef*> def = FindKernel(MakeNodeInfo(*node.props, ""), "CPU");
      if (def.ok()) it->second = LoopOf(**def);
    }
    return it->second;
  }

  ElementLoop LoopOfNode(const PlanGraph::Node& node) {
    const NodeProps& props = *node.props;
    if (props.input_types.empty() || props.output_types.size() != 1 || node.inputs.size() != props.input_types.size())
      return {};
    if (node.placed == nullptr || node.placed->kind() != "CPU" || !IsPlain(props.output_types[0])) return {};
    const KernelWithLoop* factory = FactoryOf(node);
    if (factory == nullptr) return {};
    ElementLoop loop = factory->choose == nullptr ? factory->loop
                                                  : factory->choose(*props.attrs, BaseType(props.input_types[0]),
                                                                    BaseType(props.output_types[0]));
    if (!loop.valid() || !IsPure(graph_, node)) return {};
    const size_t wanted = loop.unary != nullptr ? 1 : loop.binary != nullptr ? 2 : 3;
    if (loop.folds ? node.inputs.size() < 2 : node.inputs.size() != wanted) return {};
    return ShapesFit(node, loop) ? loop : ElementLoop{};
  }

  // False if the known shapes need broadcasting of anything other than rows and single elements. Such nodes are not
  // fused.
  bool ShapesFit(const PlanGraph::Node& node, const ElementLoop& loop) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!IsPlain(BaseType(node.props->input_types[i]))) return false;
      const PlanValue input = node.inputs[i];
      if (!input.fed() && input.output != 0) continue;  // shape unknown
      const PartialShape& shape = input.fed() ? graph_.feeds[input.output].shape : graph_.nodes[input.node].shape;
      if (MayBeEqual(shape, node.shape) || !shape.known_rank() || !node.shape.known_rank()) continue;
      if (loop.folds || ((loop.may_be_scalar >> i) & 1) == 0) return false;
      if (shape.num_elements() != 1 && !MayBeRow(shape, node.shape)) return false;
    }
    return true;
  }

  void FindLoops() {
    loops_.resize(size());
    for (size_t n = 0; n < size(); ++n) loops_[n] = LoopOfNode(graph_.nodes[n]);
  }

  // The operand with the shape of the node's value, if all other operands are scalar constants; else kNone.
  int OperandOfShape(int32_t n) const {
    const PlanGraph::Node& node = graph_.nodes[n];
    if (!loops_[n].valid() || !node.control_inputs.empty()) return kNone;
    if (loops_[n].unary != nullptr) return 0;
    int found = kNone;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* constant = ConstantValue(node.inputs[i]);
      if (constant != nullptr && constant->rank() == 0) continue;
      if (found != kNone) return kNone;
      found = static_cast<int>(i);
    }
    return found;
  }

  // Gradients use the shapes of values that have no other consumers. Lets Shape nodes read an operand of the same shape
  // instead.
  void TakeShapesFromOperands() {
    for (int32_t n : order_) {
      PlanGraph::Node& node = graph_.nodes[n];
      if (!IsShapeNode(node)) continue;
      PlanValue& input = node.inputs[0];
      while (!input.fed()) {
        const int operand = OperandOfShape(input.node);
        if (operand == kNone) break;
        const PlanValue instead = graph_.nodes[input.node].inputs[operand];
        if (graph_.type_of(instead) != node.props->input_types[0]) break;
        input = instead;
      }
    }
  }

  // Marks fetched values, targets, and nodes with control outputs.
  void MarkRegionEnds() {
    must_be_end_.assign(size(), false);
    for (const PlanGraph::Node& node : graph_.nodes) {
      for (int32_t control : node.control_inputs) must_be_end_[control] = true;
    }
    for (const PlanGraph::Fetch& fetch : graph_.fetches) {
      if (!fetch.value.fed()) must_be_end_[fetch.value.node] = true;
    }
    for (int32_t target : graph_.targets) must_be_end_[target] = true;
  }

  // Marks values that may alias the memory of a variable: values read from one, and values that may be forwarded from
  // those. If the plan updates variables, a node that reads such a value must not run later than it would alone, so it
  // can only be the last node of a region.
  void MarkStateAliases() {
    bool updates = false;
    aliases_.assign(size(), false);
    for (int32_t n : order_) {
      const PlanGraph::Node& node = graph_.nodes[n];
      for (DType t : node.props->input_types) {
        updates = updates || IsRef(t) || (t == kResource && node.op().traits.state != StateRole::kReads);
        if (IsRef(t) || t == kResource) aliases_[n] = true;
      }
      for (DType t : node.props->output_types) aliases_[n] = aliases_[n] || IsRef(t);
      if (aliases_[n] || node.op().output_memory() == OutputMemory::kOwn) continue;
      for (PlanValue input : node.inputs) aliases_[n] = aliases_[n] || (!input.fed() && aliases_[input.node]);
    }
    if (!updates) aliases_.assign(size(), false);
  }

  bool ReadsState(const PlanGraph::Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](PlanValue input) { return !input.fed() && aliases_[input.node]; });
  }

  // The region that node n can join, or kNone.
  int32_t RegionToJoin(int32_t n, absl::Span<const int32_t> consumers) const {
    const PlanGraph::Node& node = graph_.nodes[n];
    if (must_be_end_[n] || consumers.empty() || ReadsState(node)) return kNone;
    const int32_t region = region_of_[consumers[0]];
    if (region == kNone) return kNone;
    for (int32_t taker : consumers) {
      if (region_of_[taker] != region) return kNone;
    }
    const PlanGraph::Node& end = graph_.nodes[region];
    // A scalar is computed once per block, which costs almost nothing.
    const bool fits = node.shape.rank() == 0 || MayBeEqual(node.shape, end.shape);
    return node.placed == end.placed && fits ? region : kNone;
  }

  // A region is identified by its last node.
  void GrowRegions(const Consumers& consumers) {
    region_of_.assign(size(), kNone);
    members_.assign(size(), 0);
    for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
      if (!loops_[*n].valid()) continue;
      const int32_t region = RegionToJoin(*n, consumers.of(*n));
      region_of_[*n] = region == kNone ? *n : region;
      ++members_[region_of_[*n]];
    }
  }

  const Tensor* ConstantValue(PlanValue value) const {
    const Tensor* tensor = ConstantOf(graph_, value);
    return tensor != nullptr && tensor->dtype() == graph_.type_of(value) ? tensor : nullptr;
  }

  void Replace() {
    absl::flat_hash_map<int32_t, std::vector<int32_t>> regions;
    std::vector<int32_t> ends;
    for (int32_t n : order_) {
      if (region_of_[n] == kNone || members_[region_of_[n]] < 2) continue;
      regions[region_of_[n]].push_back(n);
      if (region_of_[n] == n) ends.push_back(n);
    }
    std::vector<int32_t> number(size(), kNone);
    for (int32_t end : ends) ReplaceRegion(end, regions[end], number);
  }

  // The inputs of a region without duplicates.
  struct Inputs {
    std::vector<PlanValue> given;
    std::vector<DType> types;
    std::vector<Tensor> constants;
    std::vector<std::string> constant_names;
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> given_number;
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> constant_number;
  };

  void CollectInputs(const std::vector<int32_t>& members, int32_t end, Inputs* inputs) const {
    for (int32_t n : members) {
      for (PlanValue input : graph_.nodes[n].inputs) {
        if (!input.fed() && region_of_[input.node] == end) continue;
        const std::pair<int32_t, int32_t> key(input.node, input.output);
        if (const Tensor* constant = ConstantValue(input)) {
          if (!inputs->constant_number.try_emplace(key, inputs->constants.size()).second) continue;
          inputs->constants.push_back(*constant);
          inputs->constant_names.push_back(graph_.NameOf(input));
        } else if (inputs->given_number.try_emplace(key, inputs->given.size()).second) {
          inputs->given.push_back(input);
          inputs->types.push_back(BaseType(graph_.type_of(input)));
        }
      }
    }
  }

  void ReplaceRegion(int32_t end, const std::vector<int32_t>& members, std::vector<int32_t>& number) {
    Inputs inputs;
    CollectInputs(members, end, &inputs);
    if (inputs.given.empty()) return;  // only constants, e.g. too large to be folded
    FusedRegion region;
    absl::InlinedVector<int32_t, 1> waits;
    PassReport::Fusion fusion{"elementwise loop", graph_.nodes[end].name(), {}};
    for (int32_t n : members) {
      const PlanGraph::Node& node = graph_.nodes[n];
      number[n] = static_cast<int32_t>(region.members.size());
      FusedRegion::Member& member = region.members.emplace_back();
      member.props = node.props;
      member.loop = loops_[n];
      for (PlanValue input : node.inputs) {
        const std::pair<int32_t, int32_t> key(input.node, input.output);
        if (!input.fed() && region_of_[input.node] == end) {
          member.operands.push_back(number[input.node]);
        } else if (auto given = inputs.given_number.find(key); given != inputs.given_number.end()) {
          member.operands.push_back(~given->second);
        } else {
          member.operands.push_back(~static_cast<int32_t>(inputs.given.size() + inputs.constant_number.at(key)));
        }
      }
      waits.insert(waits.end(), node.control_inputs.begin(), node.control_inputs.end());
      fusion.ops.push_back(node.op().name);
    }
    region.input_types = std::move(inputs.types);
    region.constants = std::move(inputs.constants);
    region.constant_names = std::move(inputs.constant_names);
    std::shared_ptr<const NodeProps> fused = FuseRegion(std::move(region));
    if (fused == nullptr) return;
    PlanGraph::Node& node = graph_.nodes[end];
    node.props = std::move(fused);
    node.inputs.assign(inputs.given.begin(), inputs.given.end());
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    node.control_inputs = std::move(waits);
    report_.fused.push_back(std::move(fusion));
  }

  PlanGraph& graph_;
  PassReport& report_;
  std::vector<int32_t> order_;
  absl::flat_hash_map<OpTypes, const KernelWithLoop*> factories_;
  std::vector<ElementLoop> loops_;  // by node; not valid() if the node cannot be fused
  std::vector<bool> must_be_end_;
  std::vector<bool> aliases_;
  std::vector<int32_t> region_of_;
  std::vector<int32_t> members_;  // indexed by region: the number of its members
};

}  // namespace

Status FuseElementwise(PlanGraph& graph, PassReport& report) { return Fuser(graph, report).Run(); }

}  // namespace weir
