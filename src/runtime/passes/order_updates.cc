// For every variable, compares each use with each update. The use comes after the update in the graph (and sees the new
// value), before it, or neither. In the last case the update is made to wait for the use. If that would make it wait
// for something that may block, or would form a cycle, the use gets a copy of the value, and the update waits for the
// copy.
#include "runtime/passes/order_updates.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "runtime/frames.h"
#include "runtime/passes/added_nodes.h"
#include "runtime/passes/awaited_nodes.h"
#include "runtime/passes/order_cycles.h"
#include "runtime/passes/order_level.h"
#include "runtime/passes/variable_uses.h"

namespace weir {
namespace {

using Kind = VariableRead::Kind;

// A use of a variable at one level, compared with the updates of that variable.
struct Reader {
  int32_t variable = 0;
  VariableRead read;
  int32_t item = 0;
  std::vector<int32_t> after;  // updates that the reader comes after, but the value that it reads (read.from) does not
  std::vector<int32_t> open;   // updates that it comes neither before nor after, or that may overtake it
  std::vector<int32_t> late;   // updates that it comes after, but that it may overtake
  bool precedes_some = false;  // it comes before some update
};

// A node to be added that reads `from` in place of `consumers` and `fetches`, after the updates in `after`.
struct Copy {
  PlanValue from;
  std::vector<int32_t> consumers;  // nodes that get the copy
  std::vector<int32_t> fetches;
  std::vector<int32_t> after;
  bool deep = false;  // copies the memory; otherwise it only forwards the value after the updates
};

// `source` must end before `update` may start. It is the number of a reader, or readers_.size() + the number of a copy.
struct Order {
  int32_t source = 0;
  int32_t update = 0;
  bool dropped = false;
};

class Orderer {
 public:
  Orderer(PlanGraph& graph, const OpRegistry& registry, bool late_feeds, PassReport& report)
      : graph_(graph), late_feeds_(late_feeds), report_(report), added_(graph, registry) {}

  Status Run() {
    uses_ = VariableUses::Find(graph_);
    const bool needed = std::any_of(uses_.variables().begin(), uses_.variables().end(), [](const VariableUse& use) {
      return !use.updates.empty() && !(use.reads.empty() && use.fetches.empty());
    });
    if (!needed || !FindFrames()) return OkStatus();
    for (int32_t frame : LevelsNeeded()) OrderLevelOf(frame);
    std::optional<OrderLevel> in_pieces;
    if (late_feeds_) in_pieces = OrderLevel::Make(graph_, frames_, 0, true);
    WEIR_TRY(AddCopies());
    WEIR_TRY(ReadFetchedLast(in_pieces));
    return AddEdges();
  }

 private:
  const std::vector<VariableUse>& variables() const { return uses_.variables(); }
  int32_t num_frames() const { return static_cast<int32_t>(frames_.frames.size()); }

  // False if the graph is invalid. Compiling it will report the error.
  bool FindFrames() {
    std::vector<NodeKind> kinds;
    for (const PlanGraph::Node& node : graph_.nodes) {
      kinds.push_back(node.op().traits.kind);
      has_flow_ = has_flow_ || IsFlow(kinds.back());
    }
    if (has_flow_) {
      const Consumers consumers = FindConsumers(graph_);
      Result<FrameAssignment> frames = AssignFrames(graph_, consumers, kinds);
      Result<AwaitedNodes> awaited = AwaitedNodes::Make(graph_, consumers);
      if (!frames.ok() || !awaited.ok()) return false;
      frames_ = *std::move(frames);
      awaited_ = *std::move(awaited);
      exits_.resize(frames_.frames.size());
      for (size_t n = 0; n < kinds.size(); ++n) {
        if (kinds[n] == NodeKind::kExit) exits_[frames_.frame_of[n]].push_back(static_cast<int32_t>(n));
      }
    } else {
      frames_.frames.emplace_back();
      frames_.frame_of.assign(graph_.nodes.size(), 0);
      exits_.resize(1);
    }
    return true;
  }

  int32_t FrameOfRead(const VariableRead& read) const {
    return read.kind == Kind::kFetch ? 0 : frames_.frame_of[read.node];
  }

  // The innermost frame that contains both. Inner frames have higher numbers than outer ones.
  int32_t FrameAround(int32_t a, int32_t b) const {
    while (a != b) (a > b ? a : b) = frames_.frames[a > b ? a : b].parent;
    return a;
  }

  std::set<int32_t> LevelsNeeded() const {
    std::set<int32_t> levels;
    if (num_frames() == 1) return {0};
    for (const VariableUse& use : variables()) {
      std::set<int32_t> reading, updating;
      for (const VariableRead& read : use.reads) reading.insert(FrameOfRead(read));
      for (int32_t update : use.updates) updating.insert(frames_.frame_of[update]);
      for (int32_t r : reading) {
        for (int32_t u : updating) levels.insert(FrameAround(r, u));
      }
    }
    return levels;
  }

  // ---- one level ----

  void OrderLevelOf(int32_t frame) {
    const std::optional<OrderLevel> level = OrderLevel::Make(graph_, frames_, frame, late_feeds_);
    if (!level.has_value()) return;
    level_ = &*level;
    level_frame_ = frame;
    readers_.clear();
    copies_.clear();
    copy_of_.clear();
    orders_.clear();
    early_.clear();
    late_.clear();
    if (awaited_.has_value()) sure_waits_ = awaited_->Spread(level->sources());
    CollectReaders();
    Compare();
    ReopenOvertaken();
    JoinRemoteReaders();
    for (size_t r = 0; r < readers_.size(); ++r) Decide(static_cast<int32_t>(r));
    if (DropCycles()) {
      CopyForDropped();
      DropCycles();
    }
    SaveLevel();
  }

  int32_t ItemOf(PlanValue value) const { return value.fed() ? kNoItem : level_->item_of(value.node); }
  int32_t ItemOfRead(const VariableRead& read) const {
    return read.kind == Kind::kFetch ? ItemOf(read.from) : level_->item_of(read.node);
  }

  // Updates of a variable at this level.
  std::vector<int32_t> UpdatesHere(const VariableUse& use) const {
    std::vector<int32_t> here;
    for (int32_t u : use.updates) {
      if (level_->item_of(u) != kNoItem) here.push_back(u);
    }
    return here;
  }

  void CollectReaders() {
    for (size_t v = 0; v < variables().size(); ++v) {
      const VariableUse& use = variables()[v];
      if (use.updates.empty() || use.reads.empty() || UpdatesHere(use).empty()) continue;
      const absl::flat_hash_set<int32_t> updates(use.updates.begin(), use.updates.end());
      absl::flat_hash_set<std::tuple<int32_t, int32_t, int32_t, bool>> seen;
      for (const VariableRead& read : use.reads) {
        const bool fetched = read.kind == Kind::kFetch;
        if (fetched ? level_frame_ != 0 : updates.contains(read.node)) continue;
        const int32_t item = ItemOfRead(read);
        if (item == kNoItem) continue;
        const bool in_loop = level_->loop_of(item) != kNoItem;
        const auto key = in_loop ? std::tuple(item, static_cast<int32_t>(read.kind), 0, true)
                                 : std::tuple(read.node, read.from.node, read.from.output, fetched);
        if (seen.insert(key).second) readers_.push_back({static_cast<int32_t>(v), read, item});
      }
    }
  }

  // Classifies the updates of each reader's variable, 64 at a time.
  void Compare() {
    absl::flat_hash_map<int32_t, std::vector<int32_t>> readers_of;  // by variable
    for (size_t r = 0; r < readers_.size(); ++r) readers_of[readers_[r].variable].push_back(static_cast<int32_t>(r));
    struct Update {
      int32_t node;
      int32_t variable;
    };
    std::vector<Update> updates;
    for (size_t v = 0; v < variables().size(); ++v) {
      if (!readers_of.contains(static_cast<int32_t>(v))) continue;
      for (int32_t u : UpdatesHere(variables()[v])) updates.push_back({u, static_cast<int32_t>(v)});
    }
    constexpr size_t kBatch = 64;
    for (size_t begin = 0; begin < updates.size(); begin += kBatch) {
      const size_t end = std::min(begin + kBatch, updates.size());
      std::vector<int32_t> items;
      for (size_t i = begin; i < end; ++i) items.push_back(level_->item_of(updates[i].node));
      const std::vector<uint64_t> reached = level_->Reached(items);
      const std::vector<uint64_t> reaching = level_->Reaching(items);
      std::vector<uint64_t> awaiting(awaited_.has_value() ? graph_.nodes.size() : 0, 0);
      for (size_t i = begin; i < end && awaited_.has_value(); ++i)
        awaiting[updates[i].node] |= uint64_t{1} << (i - begin);
      if (awaited_.has_value()) awaiting = awaited_->Spread(std::move(awaiting));
      for (size_t i = begin; i < end; ++i) {
        const uint64_t bit = uint64_t{1} << (i - begin);
        for (int32_t r : readers_of.at(updates[i].variable))
          CompareOne(r, updates[i].node, items[i - begin], bit, {reached, reaching, awaiting});
      }
    }
  }

  // Bits of a batch of updates.
  struct Batch {
    const std::vector<uint64_t>& reached;   // by item
    const std::vector<uint64_t>& reaching;  // by item
    const std::vector<uint64_t>& awaiting;  // by node; empty if all nodes wait for all of their inputs
  };

  void CompareOne(int32_t r, int32_t update, int32_t update_item, uint64_t bit, const Batch& batch) {
    Reader& reader = readers_[r];
    const bool in_loop = level_->loop_of(reader.item) != kNoItem;
    // Uses inside a loop that updates the variable are ordered at the level of the loop, and values that leave the loop
    // come after its updates.
    if (reader.item == update_item && (reader.read.kind != Kind::kFetch || level_->loop_of(update_item) != kNoItem))
      return;
    if ((batch.reached[reader.item] & bit) != 0) {
      // A node may run before an update that it comes after, and may be made to wait for it.
      const auto is_late = [&](int32_t node) {
        return awaited_.has_value() && (batch.awaiting[node] & bit) == 0 &&
               AddsNoWait(WaitsOf(update), sure_waits_[node]);
      };
      // A loop reads its inputs when it is entered.
      const PlanValue from = reader.read.from;
      const int32_t from_item = in_loop ? kNoItem : ItemOf(from);
      if (from_item == kNoItem || (batch.reached[from_item] & bit) == 0 || is_late(from.node))
        reader.after.push_back(update);
      if (MayWait(reader) && !in_loop && is_late(reader.read.node)) {
        reader.late.push_back(update);
        late_.emplace(reader.read.node, update);
      }
    } else if (reader.read.kind != Kind::kFetch && (batch.reaching[reader.item] & bit) != 0) {
      reader.precedes_some = true;
      if (awaited_.has_value() && MayWait(reader)) early_.push_back({r, update});
    } else {
      reader.open.push_back(update);
    }
  }

  // Whether the reader is ordered by edges from and to its own node.
  static bool MayWait(const Reader& reader) {
    return reader.read.kind != Kind::kFetch && reader.read.kind != Kind::kRemote;
  }

  // A Merge waits for one of its inputs, and a loop may end before its first iteration. So an update may overtake a use
  // that it comes after. Adds such updates to the open ones of the reader.
  void ReopenOvertaken() {
    std::stable_sort(early_.begin(), early_.end(), [](const Order& a, const Order& b) { return a.source < b.source; });
    constexpr int kBatch = 64;
    for (size_t begin = 0, end = 0; begin < early_.size(); begin = end) {
      std::vector<uint64_t> awaiting(graph_.nodes.size(), 0);
      std::vector<uint64_t> bits;  // by entry of early_, from `begin`
      int last = -1;
      for (end = begin; end < early_.size(); ++end) {
        if (end == begin || early_[end].source != early_[end - 1].source) ++last;
        if (last == kBatch) break;
        bits.push_back(uint64_t{1} << last);
        awaiting[readers_[early_[end].source].read.node] |= bits.back();
      }
      awaiting = awaited_->Spread(std::move(awaiting));
      for (size_t i = begin; i < end; ++i) {
        const int32_t update = early_[i].update;
        Reader& reader = readers_[early_[i].source];
        // A reader in a loop stands for all readers of this kind there.
        const bool in_loop = level_->loop_of(reader.item) != kNoItem;
        const bool has_ends = !EndsOf(reader.item, reader.read.node, uses_.task_of(update)).empty();
        const bool overtakes = in_loop ? has_ends : (awaiting[update] & bits[i - begin]) == 0;
        if (overtakes && AddsNoWait(level_->waits(reader.item), sure_waits_[update])) reader.open.push_back(update);
      }
    }
  }

  // A value is sent to another task only once. So if one reader there precedes an update, all its readers do.
  void JoinRemoteReaders() {
    std::map<std::tuple<int32_t, int32_t, int32_t, int32_t, std::vector<int32_t>>, std::vector<int32_t>> groups;
    for (size_t r = 0; r < readers_.size(); ++r) {
      const Reader& reader = readers_[r];
      if (reader.read.kind != Kind::kRemote || level_->loop_of(reader.item) != kNoItem) continue;
      groups[{reader.variable, reader.read.from.node, reader.read.from.output, uses_.task_of(reader.read.node),
              reader.after}]
          .push_back(static_cast<int32_t>(r));
    }
    for (const auto& group : groups) {
      const std::vector<int32_t>& members = group.second;
      std::map<int32_t, size_t> times;
      for (int32_t r : members) {
        for (int32_t u : readers_[r].open) ++times[u];
      }
      for (int32_t r : members) std::erase_if(readers_[r].open, [&](int32_t u) { return times[u] < members.size(); });
    }
  }

  WaitSet WaitsOf(int32_t node) const {
    const int32_t item = level_->item_of(node);
    return item == kNoItem ? 0 : level_->waits(item);
  }
  WaitSet WaitsOfCopy(const Reader& reader, PlanValue value) const {
    const int32_t from = ItemOf(value);
    WaitSet waits = from == kNoItem ? 0 : level_->waits(from);
    for (int32_t u : reader.after) waits |= WaitsOf(u);
    return waits;
  }
  bool CanCopyBefore(const Reader& reader, int32_t update) const {
    if (reader.read.kind == Kind::kResource) return false;
    const int32_t loop = level_->loop_of(reader.item);
    if (loop == kNoItem) return AddsNoWait(WaitsOfCopy(reader, reader.read.from), WaitsOf(update));
    const std::vector<int32_t> enters = EntersOf(loop, reader.variable);
    return std::all_of(enters.begin(), enters.end(), [&](int32_t enter) {
      return AddsNoWait(WaitsOfCopy(reader, graph_.nodes[enter].inputs[0]), WaitsOf(update));
    });
  }

  // The nodes at this level to wait for so that the item has ended. Empty if `task` cannot tell when a loop has ended.
  std::vector<int32_t> EndsOf(int32_t item, int32_t node, int32_t task) const {
    const int32_t loop = level_->loop_of(item);
    if (loop == kNoItem) return {node};
    for (int32_t exit : exits_[loop]) {
      if (uses_.task_of(exit) != task) return {};
    }
    return exits_[loop];
  }

  // The nodes at this level that must wait to make `update` wait.
  std::vector<int32_t> StartsOf(int32_t update, int32_t variable) const {
    const int32_t loop = level_->loop_of(level_->item_of(update));
    return loop == kNoItem ? std::vector<int32_t>{update} : EntersOf(loop, variable);
  }

  std::vector<int32_t> EntersOf(int32_t loop, int32_t variable) const {
    std::vector<int32_t> enters;
    for (const auto& [enter, child] : frames_.child_of) {
      const PlanValue value = graph_.nodes[enter].inputs[0];
      if (child == loop && uses_.Carries(value, variable)) enters.push_back(enter);
    }
    std::sort(enters.begin(), enters.end());
    return enters;
  }

  void Decide(int32_t r) {
    const Reader& reader = readers_[r];
    const Kind kind = reader.read.kind;
    if (kind == Kind::kKeeps || kind == Kind::kRemote || kind == Kind::kFetch) {
      const bool takes_late = kind != Kind::kKeeps || level_->loop_of(reader.item) != kNoItem;
      const bool reads_later = takes_late && std::any_of(reader.after.begin(), reader.after.end(), [&](int32_t u) {
                                 return kind != Kind::kFetch || !late_.contains(std::pair(reader.read.from.node, u));
                               });
      const bool may_change = !reader.open.empty() || (kind == Kind::kKeeps && reader.precedes_some);
      if (may_change || reads_later) OrderCopy(r, reader.open, /*deep=*/may_change);
      return;
    }
    std::vector<int32_t> waiting, copied;
    for (int32_t u : reader.open) {
      const bool can_wait = AddsNoWait(level_->waits(reader.item), WaitsOf(u)) &&
                            !EndsOf(reader.item, reader.read.node, uses_.task_of(u)).empty();
      if (can_wait) {
        waiting.push_back(u);
      } else if (CanCopyBefore(reader, u)) {
        copied.push_back(u);
      }
    }
    if (!copied.empty()) {
      copied.insert(copied.end(), waiting.begin(), waiting.end());
      return OrderCopy(r, copied, /*deep=*/true);
    }
    for (int32_t u : waiting) orders_.push_back({r, u});
    const bool is_loop = level_->loop_of(reader.item) != kNoItem;
    if (is_loop && !reader.after.empty()) OrderCopy(r, {}, /*deep=*/false);  // enter the loop after these updates
  }

  // Gives the reader a copy. Makes each of `updates` wait for the copy if it may.
  void OrderCopy(int32_t r, const std::vector<int32_t>& updates, bool deep) {
    const Reader& reader = readers_[r];
    const int32_t loop = level_->loop_of(reader.item);
    if (loop == kNoItem) {
      const bool fetched = reader.read.kind == Kind::kFetch;
      AddCopy(r, reader.read.from, reader.read.node, fetched, updates, deep);
      return;
    }
    for (int32_t enter : EntersOf(loop, reader.variable)) {
      const PlanValue from = graph_.nodes[enter].inputs[0];
      if (!from.fed()) AddCopy(r, from, enter, false, updates, deep);
    }
  }

  void AddCopy(int32_t r, PlanValue from, int32_t taker, bool fetched, const std::vector<int32_t>& updates, bool deep) {
    const Reader& reader = readers_[r];
    constexpr int32_t kHere = -1, kFetched = -2;
    const bool elsewhere = reader.read.kind == Kind::kRemote;
    const int32_t where = fetched ? kFetched : elsewhere ? uses_.task_of(taker) : kHere;
    auto [it, is_new] =
        copy_of_.try_emplace({from.node, from.output, where, reader.after}, static_cast<int32_t>(copies_.size()));
    if (is_new) copies_.push_back({.from = from, .after = reader.after});
    Copy& copy = copies_[it->second];
    copy.deep = copy.deep || deep;
    (fetched ? copy.fetches : copy.consumers).push_back(taker);
    const WaitSet waits = WaitsOfCopy(reader, from);
    for (int32_t u : updates) {
      if (AddsNoWait(waits, WaitsOf(u))) orders_.push_back({CopyNumber(it->second), u});
    }
  }

  int32_t CopyNumber(int32_t copy) const { return static_cast<int32_t>(readers_.size()) + copy; }
  bool IsCopy(int32_t source) const { return source >= static_cast<int32_t>(readers_.size()); }

  // ---- cycles ----

  // Drops orders that would form cycles. Returns whether there were any.
  bool DropCycles() {
    const int32_t first_copy = level_->num_items();
    std::vector<ItemEdge> edges, optional_edges;
    const auto add = [&](int32_t before, int32_t after) {
      if (before != kNoItem && after != kNoItem) edges.push_back({before, after});
    };
    for (size_t c = 0; c < copies_.size(); ++c) {
      const auto copy = first_copy + static_cast<int32_t>(c);
      add(ItemOf(copies_[c].from), copy);
      for (int32_t u : copies_[c].after) add(level_->item_of(u), copy);
      for (int32_t taker : copies_[c].consumers) add(copy, level_->item_of(taker));
    }
    std::vector<Order*> wished;
    for (Order& order : orders_) {
      if (order.dropped) continue;
      const int32_t before =
          IsCopy(order.source) ? first_copy + order.source - CopyNumber(0) : readers_[order.source].item;
      optional_edges.push_back({before, level_->item_of(order.update)});
      wished.push_back(&order);
    }
    const std::vector<int32_t> impossible =
        FindEdgesToDrop(*level_, static_cast<int32_t>(copies_.size()), edges, optional_edges);
    for (int32_t w : impossible) wished[w]->dropped = true;
    return !impossible.empty();
  }

  // Readers whose orders were dropped get copies, which can be made before the cycle begins.
  void CopyForDropped() {
    std::map<int32_t, std::vector<int32_t>> updates_of;  // by reader
    for (const Order& order : orders_) {
      if (order.dropped && !IsCopy(order.source) && readers_[order.source].read.kind != Kind::kResource)
        updates_of[order.source];
    }
    for (Order& order : orders_) {
      auto it = IsCopy(order.source) ? updates_of.end() : updates_of.find(order.source);
      if (it == updates_of.end()) continue;
      it->second.push_back(order.update);
      order.dropped = true;
    }
    for (const auto& [r, updates] : updates_of) OrderCopy(r, updates, /*deep=*/true);
  }

  // ---- results ----

  // Saves copies and edges of this level. Nodes to be added are numbered from the end of the graph.
  void SaveLevel() {
    const auto first_copy = static_cast<int32_t>(all_copies_.size());
    all_copies_.insert(all_copies_.end(), copies_.begin(), copies_.end());
    const auto node_of_copy = [&](int32_t copy) {
      return static_cast<int32_t>(graph_.nodes.size()) + first_copy + copy;
    };
    for (size_t c = 0; c < copies_.size(); ++c) {
      for (int32_t u : copies_[c].after) {
        const std::vector<int32_t> ends = EndsOf(level_->item_of(u), u, uses_.task_of(copies_[c].from.node));
        edges_[node_of_copy(static_cast<int32_t>(c))].insert(ends.begin(), ends.end());
      }
    }
    for (const Reader& reader : readers_) {
      for (int32_t u : reader.late) {
        const std::vector<int32_t> ends = EndsOf(level_->item_of(u), u, uses_.task_of(reader.read.node));
        if (!ends.empty()) edges_[reader.read.node].insert(ends.begin(), ends.end());
      }
    }
    // A reader whose result another reader uses needs no edge if the update already waits for that other reader.
    absl::flat_hash_set<std::pair<int32_t, int32_t>> handed_on;
    for (const Order& order : orders_) {
      if (!order.dropped && !IsCopy(order.source))
        handed_on.emplace(readers_[order.source].read.from.node, order.update);
    }
    for (const Order& order : orders_) {
      if (order.dropped) continue;
      std::vector<int32_t> ends;
      int32_t variable = kNoItem;
      if (IsCopy(order.source)) {
        ends = {node_of_copy(order.source - CopyNumber(0))};
      } else {
        const Reader& reader = readers_[order.source];
        variable = reader.variable;
        if (level_->loop_of(reader.item) == kNoItem && handed_on.contains(std::pair(reader.read.node, order.update)))
          continue;
        ends = EndsOf(reader.item, reader.read.node, uses_.task_of(order.update));
      }
      if (level_->loop_of(level_->item_of(order.update)) == kNoItem) {
        edges_[order.update].insert(ends.begin(), ends.end());
        continue;
      }
      for (int32_t v = 0; v < static_cast<int32_t>(variables().size()); ++v) {
        if (variable != kNoItem && v != variable) continue;
        const std::vector<int32_t>& updates = variables()[v].updates;
        if (std::find(updates.begin(), updates.end(), order.update) == updates.end()) continue;
        for (int32_t start : StartsOf(order.update, v)) edges_[start].insert(ends.begin(), ends.end());
      }
    }
  }

  Status AddCopies() {
    for (const Copy& copy : all_copies_) {
      WEIR_ASSIGN(const int32_t added, added_.AddConsumer(copy.from, copy.deep ? "DeepCopy" : "Identity", "read"));
      for (int32_t taker : copy.consumers) {
        for (PlanValue& input : graph_.nodes[taker].inputs) {
          if (input == copy.from) input = {added, 0};
        }
      }
      for (int32_t fetch : copy.fetches) graph_.fetches[fetch].value = {added, 0};
      report_.copied += copy.deep ? 1 : 0;
    }
    return OkStatus();
  }

  // The outermost loop around a frame; 0 if the frame is outside of loops.
  int32_t OutermostLoop(int32_t frame) const {
    while (frame != 0 && frames_.frames[frame].parent != 0) frame = frames_.frames[frame].parent;
    return frame;
  }

  // Makes fetches of variables read after all updates. In a partial run (`level` is set), a fetch does not wait for
  // updates that depend on late feeds or on nodes that may block.
  Status ReadFetchedLast(const std::optional<OrderLevel>& level) {
    for (const VariableUse& use : variables()) {
      if (use.fetches.empty() || use.updates.empty() || !use.is_reference) continue;
      std::set<int32_t> ends;
      for (int32_t u : use.updates) {
        if (level.has_value() && level->waits(level->item_of(u)) != 0) continue;
        const int32_t loop = OutermostLoop(frames_.frame_of[u]);
        if (loop == 0) {
          ends.insert(u);
        } else {
          ends.insert(exits_[loop].begin(), exits_[loop].end());
        }
      }
      if (ends.empty()) continue;
      WEIR_ASSIGN(const int32_t last, added_.AddConsumer(use.variable, "RefIdentity", "last"));
      edges_[last] = std::move(ends);
      for (int32_t fetch : use.fetches) graph_.fetches[fetch].value = {last, 0};
    }
    return OkStatus();
  }

  // With control flow, the edges go through a ControlTrigger, which runs when all its inputs have ended, dead or live.
  Status AddEdges() {
    std::map<std::set<int32_t>, std::vector<int32_t>> waiting;  // nodes to wait for -> nodes that wait
    for (auto& [node, ends] : edges_) {
      ++report_.ordered;
      waiting[std::move(ends)].push_back(node);
    }
    for (const auto& [ends, nodes] : waiting) {
      constexpr size_t kFew = 2;
      if (!has_flow_ && (nodes.size() == 1 || ends.size() <= kFew)) {
        for (int32_t n : nodes) {
          auto& controls = graph_.nodes[n].control_inputs;
          for (int32_t end : ends) {
            if (std::find(controls.begin(), controls.end(), end) == controls.end()) controls.push_back(end);
          }
        }
        continue;
      }
      const PlanGraph::Node near = graph_.nodes[nodes.front()];
      WEIR_ASSIGN(const int32_t gate,
                  added_.Add(near.name(), "order", has_flow_ ? "ControlTrigger" : "NoOp", {}, near));
      graph_.nodes[gate].control_inputs.assign(ends.begin(), ends.end());
      for (int32_t n : nodes) graph_.nodes[n].control_inputs.push_back(gate);
    }
    return OkStatus();
  }

  PlanGraph& graph_;
  const bool late_feeds_;
  PassReport& report_;
  AddedNodes added_;
  VariableUses uses_;
  bool has_flow_ = false;
  FrameAssignment frames_;
  std::vector<std::vector<int32_t>> exits_;  // by frame
  std::optional<AwaitedNodes> awaited_;      // with control flow

  // State of the current level.
  const OrderLevel* level_ = nullptr;
  int32_t level_frame_ = 0;
  std::vector<Reader> readers_;
  std::vector<Copy> copies_;
  std::map<std::tuple<int32_t, int32_t, int32_t, std::vector<int32_t>>, int32_t> copy_of_;
  std::vector<Order> orders_;
  std::vector<Order> early_;  // readers and the updates that come after them, with control flow
  absl::flat_hash_set<std::pair<int32_t, int32_t>> late_;  // readers that will wait for an update
  std::vector<WaitSet> sure_waits_;  // by node: what it waits for in every step; with control flow

  std::vector<Copy> all_copies_;
  std::map<int32_t, std::set<int32_t>> edges_;  // keyed by node: the nodes it has to wait for
};

}  // namespace

Status OrderUpdates(PlanGraph& graph, const OpRegistry& registry, bool late_feeds, PassReport& report) {
  return Orderer(graph, registry, late_feeds, report).Run();
}

}  // namespace weir
