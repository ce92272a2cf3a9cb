// Each node outside the master's task has a level: the number of times that a path to the node enters a task other than
// the master's. The nodes of one task and level form a stage. The stages of a task run one after the other, so order
// between them needs no edges. A stage starts when all its inputs have arrived and responds when all its nodes have
// run. A stage must not make a node wait for more blocking nodes than before. So each node has the set of blocking
// nodes before it.
//
// A part is cut only if all its inputs can come with calls: a large input should leave as soon as it exists and not
// wait for the others. Outputs that cannot come with a response are requested instead, like those of parts that are not
// cut. Then the parts that need them cannot be cut either, so the parts to cut are found by elimination.
#include "cluster/step_stages.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph_def.h"

namespace weir {
namespace {

using BlockingNodes = uint64_t;  // a set of nodes that may block, by number
constexpr int kMaxWaits = 64;

// The limit for the values that are sent along with a call, and for those of a response. Larger values are sent in
// separate calls, so that other values need not wait for them.
constexpr size_t kMaxInlineValueBytes = size_t{128} << 10;
constexpr size_t kUnknownBytes = std::numeric_limits<size_t>::max();

// The size of a value; kUnknownBytes if it is unknown, or too large to be sent along anyway.
size_t InlineValueBytes(DType type, const PartialShape& shape) {
  const DType base = BaseType(type);
  const int64_t elements = shape.num_elements();
  if (elements < 0 || !IsPlain(base) || elements > static_cast<int64_t>(kMaxInlineValueBytes)) return kUnknownBytes;
  return static_cast<size_t>(elements) * ElementSize(base);
}

bool IsPassedByReference(DType type) { return IsRef(type) || type == kResource || type == kVariant; }

class StageCutter {
 public:
  StageCutter(const std::string& own_task, const Graph& graph, const std::set<std::string>& may_cut,
              std::vector<Partition>& parts)
      : own_task_(own_task), graph_(graph), parts_(parts), stages_(parts.size()) {
    for (const Partition& part : parts) cut_.push_back(part.task != own_task && may_cut.contains(part.task));
  }

  std::vector<Stage> Run() {
    CutParts();
    std::vector<Stage> all;
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].task == own_task_) continue;
      if (stages_[p].empty()) stages_[p].push_back({.part = std::move(parts_[p])});
      for (size_t s = 0; s < stages_[p].size(); ++s) {
        stages_[p][s].after = s == 0 ? -1 : static_cast<int>(all.size()) - 1;
        all.push_back(std::move(stages_[p][s]));
      }
    }
    return all;
  }

 private:
  struct Item {
    int part = 0;
    const tensorflow::NodeDef* def = nullptr;
    const OpDef* op = nullptr;  // null: the graph's registry does not have it
    std::vector<int> inputs;    // producers of inputs, in the same part
    std::vector<int> controls;  // control inputs, in the same part
    int sender = -1;            // of a receive: its send
    int receiver = -1;          // of a send: its receive
    bool requested = false;     // of a send: the value does not fit in calls and responses
    BlockingNodes own_bit = 0;  // this node, if it may block
    BlockingNodes waits = 0;    // the nodes before it that may block
    bool untracked = false;     // it is, or is after, a node that may block and has no bit
    int level = 0;
    bool copied = false;  // in each stage that uses it (MayBeCopied)
  };
  using Nodes = std::vector<int>;
  enum class Speed { kFast, kMayBlock, kSlow };

  static bool HasRole(const Item& item, StateRole role) { return item.op != nullptr && item.op->traits.state == role; }
  bool own(const Item& item) const { return parts_[item.part].task == own_task_; }
  bool receives(const Item& item) const { return item.sender >= 0; }
  static bool IsTransfer(const Item& item) { return item.op != nullptr && item.op->traits.kind == NodeKind::kTransfer; }
  static bool IsSend(const Item& item) { return IsTransfer(item) && item.op->outputs.empty(); }
  static bool IsReceive(const Item& item) { return IsTransfer(item) && !item.op->outputs.empty(); }
  static bool IsConstant(const Item& item) { return item.op != nullptr && item.op->traits.kind == NodeKind::kConst; }
  // A node that gives the value of its input, not a reference.
  static bool IsRead(const Item& item) {
    return item.op != nullptr && IsAlias(item.op->traits) && !item.op->outputs[0].is_ref;
  }
  bool HasOutput(const Item& item) const { return IsSend(item) && !IsClientEnd(*item.def); }

  // Whether the master passes the value on: it comes with calls and responses.
  bool IsPassed(const Item& send) const {
    const auto passes = [&](const Item& end) { return own(end) || cut_[end.part]; };
    return send.receiver >= 0 && !send.requested && passes(send) && passes(items_[send.receiver]);
  }

  // A variable that the client fetches. The client waits for the whole step, so the last stage reads it after its other
  // nodes: the fetched value includes the step's updates.
  bool IsReadAfterUpdates(const Item& item) const {
    if (!IsSend(item) || !IsClientEnd(*item.def) || !item.controls.empty()) return false;
    return items_[item.inputs.at(0)].copied && HasRole(VariableSent(item), StateRole::kVariable);
  }

  // The node that is sent, or the variable that it reads.
  const Item& VariableSent(const Item& send) const {
    const Item& input = items_[send.inputs.at(0)];
    return IsRead(input) ? items_[input.inputs.at(0)] : input;
  }

  // The number of calls if the part is not cut, as far as it depends on that: one for the part and one for each value
  // that would be passed on.
  size_t NumCallsUncut(size_t part) const {
    size_t calls = 1;
    for (const Item& item : items_) {
      if (!IsPassed(item)) continue;
      if (item.part == static_cast<int>(part) || items_[item.receiver].part == static_cast<int>(part)) ++calls;
    }
    return calls;
  }

  // Sets the stages of all parts that are cut.
  void CutParts() {
    if (std::find(cut_.begin(), cut_.end(), true) == cut_.end()) return;
    if (!Collect() || !Sort()) return;
    ClassifyNodes();
    for (int n : order_) SetLevelAndWaits(n);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Item& item : items_) {
        if (!receives(item) || !cut_[item.part] || IsPassed(items_[item.sender])) continue;
        cut_[item.part] = false;
        stages_[item.part].clear();
        changed = true;
      }
      if (changed) continue;
      const size_t requested = NumRequested();
      for (size_t p = 0; p < parts_.size(); ++p) {
        if (!cut_[p]) continue;
        stages_[p].clear();
        if (CutPart(static_cast<int>(p)) && stages_[p].size() < NumCallsUncut(p)) continue;
        cut_[p] = false;
        stages_[p].clear();
        changed = true;
      }
      changed = changed || NumRequested() != requested;
    }
  }

  size_t NumRequested() const {
    return static_cast<size_t>(
        std::count_if(items_.begin(), items_.end(), [](const Item& item) { return item.requested; }));
  }

  // ---- the graph of all parts ----

  bool Collect() {
    absl::flat_hash_map<std::string, int> sends;
    std::vector<absl::flat_hash_map<std::string_view, int>> names(parts_.size());
    for (size_t p = 0; p < parts_.size(); ++p) {
      for (const tensorflow::NodeDef& node : parts_[p].graph.node()) {
        const int n = static_cast<int>(items_.size());
        items_.push_back({.part = static_cast<int>(p), .def = &node, .op = graph_.registry().Find(node.op())});
        names[p].emplace(node.name(), n);
        if (HasOutput(items_.back())) sends.emplace(KeyOf(node).ToString(), n);
      }
    }
    for (size_t n = 0; n < items_.size(); ++n) {
      Item& item = items_[n];
      for (const std::string& text : item.def->input()) {
        const InputName name = ParseInputName(text);
        const auto it = names[item.part].find(name.node);
        if (it == names[item.part].end()) return false;
        (name.is_control() ? item.controls : item.inputs).push_back(it->second);
      }
      if (!IsReceive(item) || IsClientEnd(*item.def)) continue;
      const auto it = sends.find(KeyOf(*item.def).ToString());
      if (it == sends.end()) return false;
      item.sender = it->second;
      items_[it->second].receiver = static_cast<int>(n);
    }
    for (Item& item : items_) item.requested = item.receiver >= 0 && BytesSent(item) == kUnknownBytes;
    return true;
  }

  template <class Visit>
  void ForEachBefore(const Item& item, Visit visit) const {
    for (int n : item.inputs) visit(n);
    for (int n : item.controls) visit(n);
    if (item.sender >= 0) visit(item.sender);
  }

  // Producers before consumers.
  bool Sort() {
    std::vector<Nodes> after(items_.size());
    std::vector<int> left(items_.size());
    for (size_t n = 0; n < items_.size(); ++n) {
      ForEachBefore(items_[n], [&](int before) {
        after[before].push_back(static_cast<int>(n));
        ++left[n];
      });
      if (left[n] == 0) order_.push_back(static_cast<int>(n));
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      for (int n : after[order_[i]]) {
        if (--left[n] == 0) order_.push_back(n);
      }
    }
    return order_.size() == items_.size();
  }

  // ---- properties of nodes ----

  // Excludes parts with slow nodes, and finds the nodes that may block.
  void ClassifyNodes() {
    for (const Item& item : items_) {
      if (cut_[item.part] && SpeedOf(item) == Speed::kSlow) cut_[item.part] = false;
    }
    int num_waits = 0;
    for (Item& item : items_) {
      if (SpeedOf(item) == Speed::kMayBlock) {
        item.untracked = num_waits == kMaxWaits;
        if (!item.untracked) item.own_bit = BlockingNodes{1} << num_waits++;
      }
      item.copied = cut_[item.part] && MayBeCopied(item);
    }
  }

  // A node that exists only in the plan and forwards a value: it replaces a control edge between tasks, or reads a
  // variable before or after its updates.
  bool IsMadeByPlan(const Item& item) const {
    return item.op != nullptr && item.op->traits.identity && graph_.FindNode(item.def->name()) == nullptr;
  }

  // For nodes of parts that are not cut it only matters whether they may block.
  Speed SpeedOf(const Item& item) const {
    // A receive is ready when its sender has run, which the levels count.
    if (IsTransfer(item)) return Speed::kFast;
    if (item.op != nullptr && (item.op->traits.brief || !cut_[item.part]))
      return item.op->may_block() ? Speed::kMayBlock : Speed::kFast;
    const Speed other = cut_[item.part] ? Speed::kSlow : Speed::kMayBlock;
    if (IsMadeByPlan(item)) return Speed::kFast;
    if (item.op == nullptr || item.op->stateful || item.op->may_block()) return other;
    const Node* node = graph_.FindNode(item.def->name());
    if (node == nullptr || node->type() != item.def->op()) return other;
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (IsPassedByReference(node->output_type(i))) return other;
    }
    for (DType type : node->props()->input_types) {
      if (IsPassedByReference(type)) return other;
    }
    // With small inputs and outputs it cannot take long.
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (InlineValueBytes(node->output_type(i), node->output_shape(i)) == kUnknownBytes) return other;
    }
    for (const Output& input : node->inputs()) {
      if (InlineValueBytes(input.dtype(), input.shape()) == kUnknownBytes) return other;
    }
    return Speed::kFast;
  }

  // Whether each stage that uses the node may have a copy of it: handles of resources, constants, feeds, and reads of
  // reference variables, because each copy aliases the variable.
  bool MayBeCopied(const Item& item) const {
    if (!item.controls.empty()) return false;
    if (HasRole(item, StateRole::kVariable) || HasRole(item, StateRole::kVariableHandle) ||
        HasRole(item, StateRole::kHandle) || IsConstant(item))
      return true;
    if (IsReceive(item)) return IsClientEnd(*item.def);
    return IsRead(item) && HasRole(items_[item.inputs.at(0)], StateRole::kVariable);
  }

  // The outputs of a queue have the shapes that the queue was made with.
  static PartialShape ShapeOf(const Node& node, int output) {
    if (node.op().traits.gives_element) {
      const auto shapes = node.input(0).node->Attr<std::vector<PartialShape>>("shapes");
      if (shapes.ok() && static_cast<size_t>(output) < shapes->size()) return (*shapes)[output];
    }
    return node.output_shape(output);
  }

  // The size of the value that is sent.
  size_t BytesSent(const Item& send) const {
    InputName name = ParseInputName(send.def->input(0));
    const Item* sent = &items_[send.inputs.at(0)];
    while (IsMadeByPlan(*sent) && !sent->inputs.empty()) {
      name = ParseInputName(sent->def->input(0));
      sent = &items_[sent->inputs[0]];
    }
    const Node* node = graph_.FindNode(name.node);
    if (node != nullptr && name.output < node->num_outputs())
      return InlineValueBytes(node->output_type(name.output), ShapeOf(*node, name.output));
    return IsConstant(*sent) ? sent->def->attr().at("value").tensor().ByteSizeLong() : kUnknownBytes;
  }

  void SetLevelAndWaits(int n) {
    Item& item = items_[n];
    ForEachBefore(item, [&](int before) {
      item.level = std::max(item.level, items_[before].level);
      item.waits |= items_[before].waits | items_[before].own_bit;
      item.untracked = item.untracked || items_[before].untracked;
    });
    if (receives(item) && !own(item)) ++item.level;
  }

  // ---- stages ----

  bool CutPart(int part) {
    std::map<int, Nodes> levels;
    for (size_t n = 0; n < items_.size(); ++n) {
      const Item& item = items_[n];
      if (item.part == part && item.untracked) return false;
      if (item.part == part && !item.copied && !IsReadAfterUpdates(item))
        levels[item.level].push_back(static_cast<int>(n));
    }
    std::vector<Nodes> stages;
    for (auto& [level, nodes] : levels) {
      if (!stages.empty() && CanMergeWithLast(stages, nodes)) {
        stages.back().insert(stages.back().end(), nodes.begin(), nodes.end());
      } else {
        stages.push_back(std::move(nodes));
      }
    }
    if (stages.empty()) stages.emplace_back();
    for (size_t n = 0; n < items_.size(); ++n) {
      if (items_[n].part == part && IsReadAfterUpdates(items_[n])) stages.back().push_back(static_cast<int>(n));
    }
    BlockingNodes before = 0;
    for (size_t s = 0; s < stages.size(); ++s) {
      if (!AddsNoWait(stages[s], before) || !AddStage(part, stages, s)) return false;
      for (int n : stages[s]) before |= items_[n].waits | items_[n].own_bit;
    }
    return true;
  }

  // Whether the last stage can be merged with the next level: it has no outputs for other stages, and no node waits
  // longer.
  bool CanMergeWithLast(const std::vector<Nodes>& stages, const Nodes& next) const {
    Nodes both = stages.back();
    if (std::any_of(both.begin(), both.end(), [&](int n) { return HasOutput(items_[n]); })) return false;
    both.insert(both.end(), next.begin(), next.end());
    BlockingNodes before = 0;
    for (size_t s = 0; s + 1 < stages.size(); ++s) {
      for (int n : stages[s]) before |= items_[n].waits | items_[n].own_bit;
    }
    return AddsNoWait(both, before);
  }

  // True if no node and no output of a stage waits for more nodes than without stages. `begin` is the set of nodes that
  // earlier stages wait for.
  bool AddsNoWait(const Nodes& nodes, BlockingNodes begin) const {
    for (int n : nodes) {
      if (receives(items_[n])) begin |= items_[n].waits;
    }
    BlockingNodes end = begin;
    for (int n : nodes) {
      const Item& item = items_[n];
      end |= item.waits | item.own_bit;
      if (!receives(item) && !IsReadAfterUpdates(item) && (begin & ~item.waits) != 0) return false;
    }
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](int n) { return !HasOutput(items_[n]) || (end & ~items_[n].waits) == 0; });
  }

  // Adds the copied nodes that node `n` needs. False if it needs a value of an earlier stage.
  bool AddCopies(int n, std::set<int>* in_stage) const {
    // Copied nodes need only copied nodes.
    for (int input : items_[n].inputs) {
      if (!items_[input].copied && !in_stage->contains(input)) return false;
    }
    std::vector<int> todo = {n};
    while (!todo.empty()) {
      const Item& item = items_[todo.back()];
      todo.pop_back();
      for (int input : item.inputs) {
        if (in_stage->insert(input).second) todo.push_back(input);
      }
      for (int before : item.controls) {
        if (items_[before].copied && in_stage->insert(before).second) todo.push_back(before);
      }
    }
    return true;
  }

  bool AddStage(int part, const std::vector<Nodes>& stages, size_t number) {
    std::set<int> in_stage(stages[number].begin(), stages[number].end());
    for (int n : stages[number]) {
      if (!AddCopies(n, &in_stage)) return false;
    }
    if (number == 0) AddUnused(part, &in_stage);
    absl::flat_hash_set<std::string_view> names;
    for (int n : in_stage) names.insert(items_[n].def->name());
    Stage& stage = stages_[part].emplace_back();
    stage.part.task = parts_[part].task;
    size_t taken = 0;
    size_t given = 0;
    std::set<std::string> ends;
    for (int n : in_stage) {
      Item& item = items_[n];
      tensorflow::NodeDef* def = stage.part.graph.add_node();
      *def = *item.def;
      def->clear_input();
      for (const std::string& text : item.def->input()) {
        const InputName name = ParseInputName(text);
        // A node that is not in this stage belongs to an earlier one, which has run.
        if (!name.is_control() || names.contains(name.node)) def->add_input(text);
      }
      if (IsReadAfterUpdates(item)) ReadLast(item, stages[number], def, &stage.part.graph);
      if (receives(item)) {
        if (!Fits(BytesSent(items_[item.sender]), &taken)) return false;
        stage.inputs.push_back(KeyOf(*def).ToString());
      } else if (IsPassed(item) && Fits(BytesSent(item), &given)) {
        stage.outputs.push_back(KeyOf(*def).ToString());
      } else {
        if (IsPassed(item)) item.requested = true;
        if (IsClientEnd(*def)) ends.insert(KeyOf(*def).ToString());
        continue;
      }
      (*def->mutable_attr())["client_terminated"].set_b(true);
    }
    for (const Partition::ClientEdge& feed : parts_[part].feeds) {
      if (ends.contains(feed.key)) stage.part.feeds.push_back(feed);
    }
    for (const Partition::ClientEdge& fetch : parts_[part].fetches) {
      if (ends.contains(fetch.key)) stage.part.fetches.push_back(fetch);
    }
    return true;
  }

  // Makes a send read its variable after all other nodes of the stage.
  void ReadLast(const Item& item, const Nodes& stage, tensorflow::NodeDef* send, tensorflow::GraphDef* graph) const {
    tensorflow::NodeDef* read = graph->add_node();
    read->set_name(send->name() + "/read");
    read->set_op("Identity");
    read->set_device(send->device());
    const tensorflow::NodeDef& variable = *VariableSent(item).def;
    (*read->mutable_attr())["T"] = variable.attr().at("dtype");
    read->add_input(variable.name());
    for (int n : stage) {
      if (!IsTransfer(items_[n])) read->add_input("^" + items_[n].def->name());
    }
    send->set_input(0, read->name());
  }

  // Copied nodes without consumers run, too: the client may have requested them.
  void AddUnused(int part, std::set<int>* in_stage) const {
    std::vector<bool> used(items_.size());
    for (const Item& item : items_) ForEachBefore(item, [&](int before) { used[before] = true; });
    for (size_t n = 0; n < items_.size(); ++n) {
      if (items_[n].part != part || !items_[n].copied || used[n]) continue;
      in_stage->insert(static_cast<int>(n));
      AddCopies(static_cast<int>(n), in_stage);
    }
  }

  static bool Fits(size_t bytes, size_t* total) {
    if (bytes > kMaxInlineValueBytes - *total) return false;
    *total += bytes;
    return true;
  }

  const std::string& own_task_;
  const Graph& graph_;
  std::vector<Partition>& parts_;
  std::vector<bool> cut_;  // by part
  std::vector<Item> items_;
  Nodes order_;
  std::vector<std::vector<Stage>> stages_;  // by part; none if it is not cut
};

}  // namespace

std::vector<Stage> CutIntoStages(const std::string& own_task, const Graph& graph, const std::set<std::string>& may_cut,
                                 std::vector<Partition>& parts) {
  return StageCutter(own_task, graph, may_cut, parts).Run();
}

}  // namespace weir
