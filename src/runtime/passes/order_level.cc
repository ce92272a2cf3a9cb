#include "runtime/passes/order_level.h"

#include "absl/container/flat_hash_map.h"
#include "runtime/passes/variable_uses.h"

namespace weir {
namespace {

bool IsNextIteration(const OpDef& op) { return op.traits.kind == NodeKind::kNextIteration; }

}  // namespace

std::optional<OrderLevel> OrderLevel::Make(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame,
                                           bool late_feeds) {
  OrderLevel level;
  level.AddItems(graph, frames, frame);
  level.AddEdges(graph, frames, frame);
  if (!level.Sort()) return std::nullopt;
  level.FindWaits(graph, late_feeds);
  return level;
}

void OrderLevel::AddItems(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame) {
  // Indexed by frame: the loop directly inside `frame` that is or contains the indexed frame. below[frame] is `frame`.
  std::vector<int32_t> below(frames.frames.size(), kNoItem);
  below[frame] = frame;
  for (size_t f = 1; f < frames.frames.size(); ++f) {  // inner loops have higher numbers than outer ones
    const int32_t parent = frames.frames[f].parent;
    if (static_cast<int32_t>(f) == frame || parent < 0 || below[parent] == kNoItem) continue;
    below[f] = parent == frame ? static_cast<int32_t>(f) : below[parent];
  }
  std::vector<int32_t> item_of_loop(frames.frames.size(), kNoItem);
  item_of_.assign(graph.nodes.size(), kNoItem);
  for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
    const int32_t in = below[frames.frame_of[n]];
    if (in == kNoItem) continue;
    nodes_.push_back(n);
    const auto next = static_cast<int32_t>(loop_of_.size());
    if (in == frame) {
      item_of_[n] = next;
      loop_of_.push_back(kNoItem);
      continue;
    }
    if (item_of_loop[in] == kNoItem) {
      item_of_loop[in] = next;
      loop_of_.push_back(in);
    }
    item_of_[n] = item_of_loop[in];
  }
}

void OrderLevel::AddEdges(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame) {
  const auto for_each_edge = [&](auto visit) {
    for (int32_t n : nodes_) {
      const auto edge = [&](int32_t before) {
        if (item_of_[before] == kNoItem || item_of_[before] == item_of_[n]) return;
        // Ignore the back edge to the next iteration of this frame.
        if (frames.frame_of[before] == frame && frame != 0 && IsNextIteration(graph.nodes[before].op())) return;
        visit(item_of_[before], item_of_[n]);
      };
      for (PlanValue input : graph.nodes[n].inputs) {
        if (!input.fed()) edge(input.node);
      }
      for (int32_t control : graph.nodes[n].control_inputs) edge(control);
    }
  };
  pred_begin_.assign(loop_of_.size() + 1, 0);
  for_each_edge([&](int32_t, int32_t after) { ++pred_begin_[after + 1]; });
  for (size_t i = 1; i < pred_begin_.size(); ++i) pred_begin_[i] += pred_begin_[i - 1];
  pred_.resize(pred_begin_.back());
  std::vector<int32_t> next(pred_begin_.begin(), pred_begin_.end() - 1);
  for_each_edge([&](int32_t before, int32_t after) { pred_[next[after]++] = before; });
}

bool OrderLevel::Sort() {
  succ_begin_.assign(num_items() + 1, 0);
  for (int32_t before : pred_) ++succ_begin_[before + 1];
  for (size_t i = 1; i < succ_begin_.size(); ++i) succ_begin_[i] += succ_begin_[i - 1];
  succ_.resize(pred_.size());
  std::vector<int32_t> next(succ_begin_.begin(), succ_begin_.end() - 1);
  std::vector<int32_t> pending(num_items());
  for (int32_t item = 0; item < num_items(); ++item) {
    pending[item] = static_cast<int32_t>(preds(item).size());
    for (int32_t before : preds(item)) succ_[next[before]++] = item;
    if (pending[item] == 0) order_.push_back(item);
  }
  for (size_t i = 0; i < order_.size(); ++i) {
    for (int32_t after : succs(order_[i])) {
      if (--pending[after] == 0) order_.push_back(after);
    }
  }
  return static_cast<int32_t>(order_.size()) == num_items();
}

void OrderLevel::FindWaits(const PlanGraph& graph, bool late_feeds) {
  waits_.assign(num_items(), 0);
  sources_.assign(graph.nodes.size(), 0);
  int used = 0;
  const auto new_wait = [&]() -> WaitSet { return used < 63 ? WaitSet{1} << used++ : kManyWaits; };
  std::vector<WaitSet> of_feed(graph.feeds.size(), 0);
  for (int32_t n : nodes_) {
    WaitSet waits = graph.nodes[n].op().may_block() ? new_wait() : 0;
    for (PlanValue input : graph.nodes[n].inputs) {
      if (!late_feeds || !input.fed()) continue;
      if (of_feed[input.output] == 0) of_feed[input.output] = new_wait();
      waits |= of_feed[input.output];
    }
    sources_[n] = waits;
    waits_[item_of_[n]] |= waits;
  }
  for (int32_t item : order_) {
    for (int32_t before : preds(item)) waits_[item] |= waits_[before];
  }
}

std::vector<uint64_t> OrderLevel::Reached(absl::Span<const int32_t> from) const {
  std::vector<uint64_t> bits(num_items(), 0);
  for (size_t i = 0; i < from.size(); ++i) bits[from[i]] |= uint64_t{1} << i;
  for (int32_t item : order_) {
    uint64_t all = bits[item];
    for (int32_t before : preds(item)) all |= bits[before];
    bits[item] = all;
  }
  return bits;
}

std::vector<uint64_t> OrderLevel::Reaching(absl::Span<const int32_t> to) const {
  std::vector<uint64_t> bits(num_items(), 0);
  for (size_t i = 0; i < to.size(); ++i) bits[to[i]] |= uint64_t{1} << i;
  for (auto item = order_.rbegin(); item != order_.rend(); ++item) {
    if (bits[*item] == 0) continue;
    for (int32_t before : preds(*item)) bits[before] |= bits[*item];
  }
  return bits;
}

}  // namespace weir
