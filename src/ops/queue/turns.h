// Turns: who may take an element of a queue of tokens next. A batch of tokens begins a round; in a round every member
// gets its share before any gets more, and what is left of a round is worth nothing in the next one. So nobody takes
// what another was meant to get, however late that one comes for it. No lock: the queue guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace weir::ops {

class Turns final {
 public:
  // So many tokens of a round must be used for the next round to begin; 0: there are no turns. As many members are
  // expected, and what they are to get is kept until they come.
  Turns(int64_t needed, int64_t expected) : needed_(needed), expected_(expected), awaited_(expected) {}
  bool on() const { return needed_ > 0; }

  // A member is one as long as it has not left as often as it has joined.
  void Join(const std::string& member) {
    const auto [it, is_new] = members_.try_emplace(member);
    ++it->second.joined;
    if (is_new && awaited_ > 0) --awaited_;
  }
  struct Left {
    int64_t tokens = 0;       // of this round, that it had taken and will not use
    bool round_ends = false;  // nobody is left whom the tokens of this round were for
  };
  // Who has left is not waited for; but once all have, they all begin anew.
  Left Leave(const std::string& member) {
    auto it = members_.find(member);
    if (it == members_.end() || --it->second.joined > 0) return {};
    const int64_t taken = it->second.taken;
    members_.erase(it);
    if (!members_.empty()) return {.tokens = taken};
    awaited_ = expected_;
    // Members who are fewer than the tokens that a round needs cannot begin without any.
    const bool round_ends = needed_ <= expected_;
    return {.tokens = round_ends ? 0 : taken, .round_ends = round_ends};
  }

  // Whether these are all that take tokens, and no other has yet to come.
  bool AreAll(const std::set<std::string>& names) const {
    return awaited_ <= 0 && !members_.empty() &&
           std::all_of(members_.begin(), members_.end(), [&](const auto& item) { return names.contains(item.first); });
  }

  void BeginRound() {
    for (auto& [name, member] : members_) member.taken = 0;
  }
  // Members that are too few for a round by one token each have a larger share.
  bool MayTake(const std::string& name) const {
    auto it = members_.find(name);
    return it == members_.end() || it->second.taken < Share();
  }
  void Took(const std::string& name) {
    auto it = members_.find(name);
    if (it != members_.end()) ++it->second.taken;
  }

 private:
  struct Member {
    int joined = 0;
    int64_t taken = 0;  // in this round
  };
  // Both numbers are a graph's, and may be anything.
  int64_t Share() const {
    const auto there = static_cast<int64_t>(members_.size());
    if (awaited_ >= needed_ - there) return 1;
    const int64_t count = std::max<int64_t>(1, awaited_ + there);
    return needed_ / count + (needed_ % count == 0 ? 0 : 1);
  }

  const int64_t needed_;
  const int64_t expected_;
  int64_t awaited_;  // of those expected, how many have never come
  std::map<std::string, Member> members_;
};

}  // namespace weir::ops
