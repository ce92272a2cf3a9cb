// TokenScheduler: decides which member may take the next element of a queue of tokens. Enqueueing a batch of tokens
// begins a round. If a round needs exactly one token per expected member, each member may take only its share of the
// round, and leftover tokens are dropped when the next round begins. Otherwise tokens are served first come, first
// served. In both modes the tokens of a member that leaves go to the others. Not thread-safe: the queue locks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace weir::ops {

class TokenScheduler final {
 public:
  // `needed`: the number of tokens of a round that must be used before the next round begins; 0: no scheduling.
  // `expected`: the number of members that will join. Both come from graph attributes and may have any value.
  TokenScheduler(int64_t needed, int64_t expected)
      : needed_(needed), expected_(std::max<int64_t>(0, expected)), awaited_(expected_) {}
  bool enabled() const { return needed_ > 0; }
  bool by_share() const { return enabled() && needed_ == expected_; }

  // A member belongs to the queue until Leave() was called as often as Join().
  void Join(const std::string& member) {
    const auto [it, is_new] = members_.try_emplace(member);
    ++it->second.joined;
    if (is_new) AddReplicas(1);
  }
  struct LeaveResult {
    int64_t tokens = 0;       // tokens of this round that the member took; the others may need them
    bool round_ends = false;  // the last member has left: drop the tokens of this round
  };
  // Once all members have left, the full number of members is expected again.
  LeaveResult Leave(const std::string& member) {
    auto it = members_.find(member);
    if (it == members_.end() || --it->second.joined > 0) return {};
    const int64_t taken = it->second.taken;
    present_ -= it->second.max_waiting;
    members_.erase(it);
    if (!members_.empty()) return {.tokens = taken};
    awaited_ = expected_;
    // If a round needs more tokens than there are members, new members need the leftover tokens to begin, so keep them.
    const bool round_ends = needed_ <= expected_;
    return {.tokens = round_ends ? 0 : taken, .round_ends = round_ends};
  }

  // Reports that `count` dequeues of this member wait at the same time. A session that trains in several threads counts
  // as that many replicas.
  void OnWaiting(const std::string& member, int64_t count) {
    auto it = members_.find(member);
    if (it == members_.end() || count <= it->second.max_waiting) return;
    AddReplicas(count - it->second.max_waiting);
    it->second.max_waiting = count;
  }
  // Returns true if every member has all of its dequeues waiting and no further member is expected. `waiting` maps a
  // member to its number of waiting dequeues.
  bool AllMembersWait(const std::map<std::string, int64_t>& waiting) const {
    return awaited_ == 0 && !members_.empty() && std::all_of(members_.begin(), members_.end(), [&](const auto& item) {
             auto it = waiting.find(item.first);
             return it != waiting.end() && it->second >= item.second.max_waiting;
           });
  }

  void BeginRound() {
    for (auto& [name, member] : members_) member.taken = 0;
  }
  bool MayTake(const std::string& name) const {
    if (!by_share()) return true;
    auto it = members_.find(name);
    return it == members_.end() || it->second.taken / it->second.max_waiting < Share();
  }
  void RecordTake(const std::string& name) {
    auto it = members_.find(name);
    if (it != members_.end()) ++it->second.taken;
  }

 private:
  struct Member {
    int joined = 0;
    int64_t max_waiting = 1;  // the largest number of its dequeues that waited at the same time
    int64_t taken = 0;        // in this round
  };
  void AddReplicas(int64_t count) {
    present_ += count;
    awaited_ = std::max<int64_t>(0, awaited_ - count);
  }
  // Tokens per round and replica; more than one if replicas have left.
  int64_t Share() const {
    if (awaited_ >= needed_ - present_) return 1;
    const int64_t count = std::max<int64_t>(1, awaited_ + present_);
    return needed_ / count + (needed_ % count == 0 ? 0 : 1);
  }

  const int64_t needed_;
  const int64_t expected_;
  int64_t awaited_;      // expected replicas that have not joined yet
  int64_t present_ = 0;  // the sum of the members' widths
  std::map<std::string, Member> members_;
};

}  // namespace weir::ops
