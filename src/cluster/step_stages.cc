// Each node outside the master's task has a level: the number of times that a path to the node enters a task other than
// the master's. The nodes of one task and level form a stage. The stages of a task run one after the other, so order
// between them needs no edges. A stage starts when all its inputs have arrived and responds when all its nodes have
// run. A stage must not make a node wait for more blocking nodes than before. So each node has the set of blocking
// nodes before it.
#include "cluster/step_stages.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "cluster/response_values.h"
#include "graph/graph_def.h"

namespace weir {
namespace {

using BlockingNodes = uint64_t;  // a set of nodes that may block, by number
constexpr int kMaxWaits = 64;

bool IsPassedByReference(DType type) { return IsRef(type) || type == kResource || type == kVariant; }

class StageCutter {
 public:
  StageCutter(const std::string& own_task, const Graph& graph, const std::vector<Partition>& parts)
      : own_task_(own_task), graph_(graph), parts_(parts) {}

  std::optional<std::vector<Stage>> Run() {
    if (!Collect() || !Sort() || !ClassifyNodes()) return std::nullopt;
    for (int n : order_) SetLevelAndWaits(n);
    for (size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].task != own_task_ && !CutPart(static_cast<int>(p))) return std::nullopt;
    }
    if (stages_.empty() || static_cast<int>(stages_.size()) >= NumCalls()) return std::nullopt;
    return std::move(stages_);
  }

 private:
  struct Item {
    int part = 0;
    const tensorflow::NodeDef* def = nullptr;
    const OpDef* op = nullptr;  // null: the graph's registry does not have it
    std::vector<int> inputs;    // producers of inputs, in the same part
    std::vector<int> controls;  // control inputs, in the same part
    int sender = -1;            // of a receive: its send
    BlockingNodes own_bit = 0;  // this node, if it may block
    BlockingNodes waits = 0;    // the nodes before it that may block
    int level = 0;
    bool copied = false;  // in each stage that uses it (MayBeCopied)
  };
  using Nodes = std::vector<int>;
  enum class Speed { kFast, kMayBlock, kSlow };

  static bool HasRole(const Item& item, StateRole role) { return item.op != nullptr && item.op->traits.state == role; }
  bool own(const Item& item) const { return parts_[item.part].task == own_task_; }
  bool receives(const Item& item) const { return item.sender >= 0; }
  bool HasOutput(const Item& item) const { return item.def->op() == "_Send" && !IsClientEnd(*item.def); }

  // A variable that the client fetches. The client waits for the whole step, so the last stage reads it after its other
  // nodes: the fetched value includes the step's updates.
  bool IsReadAfterUpdates(const Item& item) const {
    if (item.def->op() != "_Send" || !IsClientEnd(*item.def) || own(item) || !item.controls.empty()) return false;
    return items_[item.inputs.at(0)].copied && HasRole(VariableSent(item), StateRole::kVariable);
  }

  // The node that is sent, or the variable that it reads.
  const Item& VariableSent(const Item& send) const {
    const Item& input = items_[send.inputs.at(0)];
    return input.def->op() == "Identity" ? items_[input.inputs.at(0)] : input;
  }

  // The number of calls without stages: one for each part and one for each value.
  int NumCalls() const {
    const auto is_other = [&](const Partition& part) { return part.task != own_task_; };
    return num_receives_ + static_cast<int>(std::count_if(parts_.begin(), parts_.end(), is_other));
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
    for (Item& item : items_) {
      for (const std::string& text : item.def->input()) {
        const InputName name = ParseInputName(text);
        const auto it = names[item.part].find(name.node);
        if (it == names[item.part].end()) return false;
        (name.is_control() ? item.controls : item.inputs).push_back(it->second);
      }
      if (item.def->op() != "_Recv" || IsClientEnd(*item.def)) continue;
      const auto it = sends.find(KeyOf(*item.def).ToString());
      if (it == sends.end()) return false;
      item.sender = it->second;
      ++num_receives_;
    }
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

  // Checks that every node may be in a stage, and finds the nodes that may block.
  bool ClassifyNodes() {
    int num_waits = 0;
    for (Item& item : items_) {
      const Speed speed = SpeedOf(item);
      if (speed == Speed::kSlow && !own(item)) return false;
      if (speed == Speed::kMayBlock) {
        if (num_waits == kMaxWaits) return false;
        item.own_bit = BlockingNodes{1} << num_waits++;
      }
      item.copied = !own(item) && MayBeCopied(item);
    }
    return true;
  }

  // A node that exists only in the plan and forwards a value: it replaces a control edge between tasks, or reads a
  // variable before or after its updates.
  bool IsMadeByPlan(const tensorflow::NodeDef& def) const {
    const std::string& op = def.op();
    return (op == "Identity" || op == "RefIdentity" || op == "DeepCopy") && graph_.FindNode(def.name()) == nullptr;
  }

  // For nodes of the master's task it only matters whether they may block.
  Speed SpeedOf(const Item& item) const {
    const std::string& op = item.def->op();
    // A receive is ready when its sender has run, which the levels count.
    if (item.op != nullptr && item.op->traits.kind == NodeKind::kTransfer) return Speed::kFast;
    if (item.op != nullptr && (item.op->traits.brief || own(item)))
      return item.op->may_block() ? Speed::kMayBlock : Speed::kFast;
    const Speed other = own(item) ? Speed::kMayBlock : Speed::kSlow;
    if (IsMadeByPlan(*item.def)) return Speed::kFast;
    if (item.op == nullptr || item.op->stateful || item.op->may_block()) return other;
    const Node* node = graph_.FindNode(item.def->name());
    if (node == nullptr || node->type() != op) return other;
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
    const std::string& op = item.def->op();
    if (!item.controls.empty()) return false;
    if (HasRole(item, StateRole::kVariable) || HasRole(item, StateRole::kVariableHandle) ||
        HasRole(item, StateRole::kHandle) || op == "Const")
      return true;
    if (op == "_Recv") return IsClientEnd(*item.def);
    return op == "Identity" && HasRole(items_[item.inputs.at(0)], StateRole::kVariable);
  }

  // The outputs of a queue have the shapes that the queue was made with.
  static PartialShape ShapeOf(const Node& node, int output) {
    if (node.type() == "QueueDequeueV2" && node.num_inputs() > 0) {
      const auto shapes = node.input(0).node->Attr<std::vector<PartialShape>>("shapes");
      if (shapes.ok() && static_cast<size_t>(output) < shapes->size()) return (*shapes)[output];
    }
    return node.output_shape(output);
  }

  // The size of the value that is sent.
  size_t BytesSent(const Item& send) const {
    InputName name = ParseInputName(send.def->input(0));
    const Item* sent = &items_[send.inputs.at(0)];
    while (IsMadeByPlan(*sent->def) && !sent->inputs.empty()) {
      name = ParseInputName(sent->def->input(0));
      sent = &items_[sent->inputs[0]];
    }
    const Node* node = graph_.FindNode(name.node);
    if (node != nullptr && name.output < node->num_outputs())
      return InlineValueBytes(node->output_type(name.output), ShapeOf(*node, name.output));
    const tensorflow::NodeDef& def = *sent->def;
    return def.op() == "Const" ? def.attr().at("value").tensor().ByteSizeLong() : kUnknownBytes;
  }

  void SetLevelAndWaits(int n) {
    Item& item = items_[n];
    ForEachBefore(item, [&](int before) {
      item.level = std::max(item.level, items_[before].level);
      item.waits |= items_[before].waits | items_[before].own_bit;
    });
    if (receives(item) && !own(item)) ++item.level;
  }

  // ---- stages ----

  bool CutPart(int part) {
    std::map<int, Nodes> levels;
    for (size_t n = 0; n < items_.size(); ++n) {
      const Item& item = items_[n];
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
    int after = -1;
    for (size_t s = 0; s < stages.size(); ++s) {
      if (!AddsNoWait(stages[s], before) || !AddStage(part, stages, s, after)) return false;
      for (int n : stages[s]) before |= items_[n].waits | items_[n].own_bit;
      after = static_cast<int>(stages_.size()) - 1;
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

  bool AddStage(int part, const std::vector<Nodes>& stages, size_t number, int after) {
    std::set<int> in_stage(stages[number].begin(), stages[number].end());
    for (int n : stages[number]) {
      if (!AddCopies(n, &in_stage)) return false;
    }
    if (number == 0) AddUnused(part, &in_stage);
    absl::flat_hash_set<std::string_view> names;
    for (int n : in_stage) names.insert(items_[n].def->name());
    Stage& stage = stages_.emplace_back();
    stage.after = after;
    stage.part.task = parts_[part].task;
    size_t taken = 0;
    size_t given = 0;
    std::set<std::string> ends;
    for (int n : in_stage) {
      const Item& item = items_[n];
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
      } else if (HasOutput(item)) {
        if (!Fits(BytesSent(item), &given)) return false;
        stage.outputs.push_back(KeyOf(*def).ToString());
      } else {
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
      const std::string& op = items_[n].def->op();
      if (op != "_Send" && op != "_Recv") read->add_input("^" + items_[n].def->name());
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
  const std::vector<Partition>& parts_;
  std::vector<Item> items_;
  Nodes order_;
  int num_receives_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace

std::optional<std::vector<Stage>> CutIntoStages(const std::string& own_task, const Graph& graph,
                                                const std::vector<Partition>& parts) {
  return StageCutter(own_task, graph, parts).Run();
}

}  // namespace weir
