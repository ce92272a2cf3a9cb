#include "runtime/passes/order_cycles.h"

#include <set>

namespace weir {
namespace {

class LevelRun {
 public:
  LevelRun(const OrderLevel& level, int32_t num_added, const std::vector<ItemEdge>& edges,
           const std::vector<ItemEdge>& optional_edges)
      : level_(level), wishes_(optional_edges) {
    const auto count = static_cast<size_t>(level.num_items() + num_added);
    added_.resize(count);
    wishes_of_.resize(count);
    pending_.assign(count, 0);
    wished_.assign(count, 0);
    done_.assign(count, false);
    given_up_.assign(optional_edges.size(), false);
    for (int32_t item = 0; item < level.num_items(); ++item)
      pending_[item] = static_cast<int32_t>(level.preds(item).size());
    for (const ItemEdge& edge : edges) {
      added_[edge.before].push_back(edge.after);
      ++pending_[edge.after];
    }
    for (size_t w = 0; w < optional_edges.size(); ++w) {
      wishes_of_[optional_edges[w].before].push_back(static_cast<int32_t>(w));
      ++wished_[optional_edges[w].after];
    }
  }

  std::vector<int32_t> Run() {
    for (size_t item = 0; item < pending_.size(); ++item) UpdateState(static_cast<int32_t>(item));
    for (;;) {
      while (!ready_.empty()) {
        const int32_t item = ready_.back();
        ready_.pop_back();
        End(item);
      }
      if (waiting_.empty()) break;
      DropOptionalEdgesOf(*waiting_.begin());
    }
    std::vector<int32_t> result;
    for (size_t w = 0; w < wishes_.size(); ++w) {
      if (given_up_[w]) result.push_back(static_cast<int32_t>(w));
    }
    return result;
  }

 private:
  void UpdateState(int32_t item) {
    if (pending_[item] > 0 || done_[item]) return;
    if (wished_[item] > 0) {
      waiting_.insert(item);
      return;
    }
    waiting_.erase(item);
    done_[item] = true;
    ready_.push_back(item);
  }

  void End(int32_t item) {
    const auto count_down = [&](int32_t after) {
      --pending_[after];
      UpdateState(after);
    };
    if (item < level_.num_items()) {
      for (int32_t after : level_.succs(item)) count_down(after);
    }
    for (int32_t after : added_[item]) count_down(after);
    for (int32_t w : wishes_of_[item]) {
      if (given_up_[w]) continue;
      --wished_[wishes_[w].after];
      UpdateState(wishes_[w].after);
    }
  }

  void DropOptionalEdgesOf(int32_t item) {
    for (size_t w = 0; w < wishes_.size(); ++w) {
      if (wishes_[w].after == item && !done_[wishes_[w].before]) given_up_[w] = true;
    }
    wished_[item] = 0;
    UpdateState(item);
  }

  const OrderLevel& level_;
  const std::vector<ItemEdge>& wishes_;
  std::vector<std::vector<int32_t>> added_;  // indexed by item: its successors along `edges`
  std::vector<std::vector<int32_t>> wishes_of_;
  std::vector<int32_t> pending_;
  std::vector<int32_t> wished_;
  std::vector<bool> done_;
  std::vector<bool> given_up_;
  std::vector<int32_t> ready_;
  std::set<int32_t> waiting_;  // items that wait only for optional_edges
};

}  // namespace

std::vector<int32_t> FindEdgesToDrop(const OrderLevel& level, int32_t num_added, const std::vector<ItemEdge>& edges,
                                     const std::vector<ItemEdge>& optional_edges) {
  return LevelRun(level, num_added, edges, optional_edges).Run();
}

}  // namespace weir
