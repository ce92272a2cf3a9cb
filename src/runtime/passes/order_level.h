// OrderLevel: the nodes of one frame as an acyclic graph, in which every loop inside the frame is a single item. So an
// item after any result of a loop comes after everything that enters the loop. Immutable after Make.
#pragma once

#include <optional>
#include <vector>

#include "runtime/frames.h"

namespace weir {

// A bit set of sources: late feeds and nodes that may block. A bit is set if the item is that source or comes after it.
using WaitSet = uint64_t;
// The shared bit of all sources beyond the first 63. An item with this bit may come after any of them.
constexpr WaitSet kManyWaits = WaitSet{1} << 63;

constexpr int32_t kNoItem = -1;

// Whether an item with waits `after` may wait for an item with waits `before` without waiting for more sources.
constexpr bool AddsNoWait(WaitSet before, WaitSet after) {
  return (before & kManyWaits) == 0 && (before & ~after) == 0;
}

class OrderLevel final {
 public:
  // Returns nothing if the items form a cycle, which happens only in hand-written GraphDefs.
  static std::optional<OrderLevel> Make(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame,
                                        bool late_feeds);

  int32_t num_items() const { return static_cast<int32_t>(pred_begin_.size()) - 1; }
  // The item of a node, or of the loop that contains it; -1 if the node is outside of the frame.
  int32_t item_of(int32_t node) const { return item_of_[node]; }
  // The frame of the loop, if the item is a loop; -1 if it is a node.
  int32_t loop_of(int32_t item) const { return loop_of_[item]; }
  WaitSet waits(int32_t item) const { return waits_[item]; }
  // By node of the graph: the sources that the node itself is.
  const std::vector<WaitSet>& sources() const { return sources_; }
  absl::Span<const int32_t> preds(int32_t item) const {
    return absl::MakeConstSpan(pred_).subspan(pred_begin_[item], pred_begin_[item + 1] - pred_begin_[item]);
  }
  absl::Span<const int32_t> succs(int32_t item) const {
    return absl::MakeConstSpan(succ_).subspan(succ_begin_[item], succ_begin_[item + 1] - succ_begin_[item]);
  }

  // Returns a bit set for each item: bit i is set if the item is from[i] or comes after it. REQUIRES: at most 64 items.
  std::vector<uint64_t> Reached(absl::Span<const int32_t> from) const;
  // Returns a bit set for each item: bit i is set if the item is to[i] or comes before it. REQUIRES: at most 64 items.
  std::vector<uint64_t> Reaching(absl::Span<const int32_t> to) const;

 private:
  void AddItems(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame);
  void AddEdges(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame);
  bool Sort();
  void FindWaits(const PlanGraph& graph, bool late_feeds);

  std::vector<int32_t> nodes_;    // of the frame and of the loops inside it
  std::vector<int32_t> item_of_;  // by node of the graph
  std::vector<int32_t> loop_of_;  // by item
  std::vector<int32_t> pred_begin_;
  std::vector<int32_t> pred_;
  std::vector<int32_t> succ_begin_;
  std::vector<int32_t> succ_;
  std::vector<int32_t> order_;  // items in topological order
  std::vector<WaitSet> waits_;
  std::vector<WaitSet> sources_;
};

}  // namespace weir
