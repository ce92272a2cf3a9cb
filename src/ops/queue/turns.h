// Turns: which member may take the next element of a queue of tokens. A batch of tokens begins a round. Where a round
// needs exactly one token of every expected member, each member has a share of the round and nobody takes the share of
// another; tokens that are left when the next round begins are dropped. Otherwise tokens are served first come, first
// served. In both cases the tokens of a member that leaves go to the others. Not thread-safe: the queue locks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace weir::ops {

class Turns final {
 public:
  // `needed`: how many tokens of a round must be used for the next round to begin; 0 switches turns off.
  // `expected`: how many members will come. Both are attributes of a graph and may have any value.
  Turns(int64_t needed, int64_t expected)
      : needed_(needed), expected_(std::max<int64_t>(0, expected)), awaited_(expected_) {}
  bool on() const { return needed_ > 0; }
  bool by_share() const { return on() && needed_ == expected_; }

  // A member belongs to the queue until it has left as often as it has joined.
  void Join(const std::string& member) {
    const auto [it, is_new] = members_.try_emplace(member);
    ++it->second.joined;
    if (is_new) Arrive(1);
  }
  struct Left {
    int64_t tokens = 0;       // tokens of this round that the member took; the others may need them
    bool round_ends = false;  // the last member has left: drop the tokens of this round
  };
  // Once all members have left, all are expected anew.
  Left Leave(const std::string& member) {
    auto it = members_.find(member);
    if (it == members_.end() || --it->second.joined > 0) return {};
    const int64_t taken = it->second.taken;
    present_ -= it->second.width;
    members_.erase(it);
    if (!members_.empty()) return {.tokens = taken};
    awaited_ = expected_;
    // Fewer members than a round needs tokens cannot begin without any.
    const bool round_ends = needed_ <= expected_;
    return {.tokens = round_ends ? 0 : taken, .round_ends = round_ends};
  }

  // `count` dequeues of this member wait at the same time. A session that trains in several threads counts as so many
  // replicas.
  void Waits(const std::string& member, int64_t count) {
    auto it = members_.find(member);
    if (it == members_.end() || count <= it->second.width) return;
    Arrive(count - it->second.width);
    it->second.width = count;
  }
  // Whether these members, each with its number of waiting dequeues, are all there are, and nobody is awaited.
  bool AreAll(const std::map<std::string, int64_t>& waiting) const {
    return awaited_ == 0 && !members_.empty() && std::all_of(members_.begin(), members_.end(), [&](const auto& item) {
             auto it = waiting.find(item.first);
             return it != waiting.end() && it->second >= item.second.width;
           });
  }

  void BeginRound() {
    for (auto& [name, member] : members_) member.taken = 0;
  }
  bool MayTake(const std::string& name) const {
    if (!by_share()) return true;
    auto it = members_.find(name);
    return it == members_.end() || it->second.taken / it->second.width < Share();
  }
  void Took(const std::string& name) {
    auto it = members_.find(name);
    if (it != members_.end()) ++it->second.taken;
  }

 private:
  struct Member {
    int joined = 0;
    int64_t width = 1;  // how many of its dequeues have waited at the same time
    int64_t taken = 0;  // in this round
  };
  void Arrive(int64_t count) {
    present_ += count;
    awaited_ = std::max<int64_t>(0, awaited_ - count);
  }
  // Tokens per round and replica. More than one where replicas have left.
  int64_t Share() const {
    if (awaited_ >= needed_ - present_) return 1;
    const int64_t count = std::max<int64_t>(1, awaited_ + present_);
    return needed_ / count + (needed_ % count == 0 ? 0 : 1);
  }

  const int64_t needed_;
  const int64_t expected_;
  int64_t awaited_;      // expected replicas that have not come yet
  int64_t present_ = 0;  // the sum of the members' widths
  std::map<std::string, Member> members_;
};

}  // namespace weir::ops
