// OrderLevel: the nodes of one frame as a graph without cycles, in which every loop inside of the frame is one item.
// What comes after any result of a loop comes after everything that enters it. A value once built.
#pragma once

#include <optional>
#include <vector>

#include "runtime/frames.h"

namespace weir {

using WaitSet = uint64_t;  // which nodes and late feeds an item comes after that may block, by number
// Set when the sources outnumber the bits: an item with this bit may come after any source.
constexpr WaitSet kManyWaits = WaitSet{1} << 63;

constexpr int32_t kNoItem = -1;

// True if waiting for what has `before` makes nobody wait for more than `after` already says.
constexpr bool AddsNoWait(WaitSet before, WaitSet after) {
  return (before & kManyWaits) == 0 && (before & ~after) == 0;
}

class OrderLevel final {
 public:
  // Returns nothing if the items form a cycle. Only hand-written GraphDefs do.
  static std::optional<OrderLevel> Make(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame,
                                        bool late_feeds);

  int32_t num_items() const { return static_cast<int32_t>(pred_begin_.size()) - 1; }
  // The item that a node is, or is in; -1 if it is outside of the frame.
  int32_t item_of(int32_t node) const { return item_of_[node]; }
  // The loop that an item is, as the number of its frame; -1: it is a node.
  int32_t loop_of(int32_t item) const { return loop_of_[item]; }
  WaitSet waits(int32_t item) const { return waits_[item]; }
  absl::Span<const int32_t> preds(int32_t item) const {
    return absl::MakeConstSpan(pred_).subspan(pred_begin_[item], pred_begin_[item + 1] - pred_begin_[item]);
  }
  absl::Span<const int32_t> succs(int32_t item) const {
    return absl::MakeConstSpan(succ_).subspan(succ_begin_[item], succ_begin_[item + 1] - succ_begin_[item]);
  }

  // By item, as bits: which of up to 64 items it is or comes after.
  std::vector<uint64_t> Reached(absl::Span<const int32_t> from) const;
  // By item, as bits: which of up to 64 items it is or comes before.
  std::vector<uint64_t> Reaching(absl::Span<const int32_t> to) const;

 private:
  void AddItems(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame);
  void AddEdges(const PlanGraph& graph, const FrameAssignment& frames, int32_t frame);
  bool Sort();
  void FindWaits(const PlanGraph& graph, bool late_feeds);

  std::vector<int32_t> nodes_;    // of the frame and of the loops in it
  std::vector<int32_t> item_of_;  // by node of the graph
  std::vector<int32_t> loop_of_;  // by item, as the rest
  std::vector<int32_t> pred_begin_;
  std::vector<int32_t> pred_;
  std::vector<int32_t> succ_begin_;
  std::vector<int32_t> succ_;
  std::vector<int32_t> order_;  // what comes before an item first
  std::vector<WaitSet> waits_;
};

}  // namespace weir
