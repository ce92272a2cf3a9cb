// Turns: who may take an element of a queue of tokens next. A batch of tokens begins a round; in a round every member
// gets its share before any gets more, and what is left of a round is worth nothing in the next one. So nobody takes
// what another was meant to get, however late that one comes for it. No lock: the queue guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace weir::ops {

class Turns final {
 public:
  // So many tokens of a round must be used for the next round to begin; 0: there are no turns. As many members are
  // expected, and what they are to get is kept until they come.
  Turns(int64_t needed, int64_t expected) : needed_(needed), expected_(expected) {}
  bool on() const { return needed_ > 0; }

  // A member is one as long as it has not left as often as it has joined.
  void Join(const std::string& member) { ++members_[member].joined; }
  // How many tokens of this round it leaves behind: those that it had taken, and will not use.
  int64_t Leave(const std::string& member) {
    auto it = members_.find(member);
    if (it == members_.end() || --it->second.joined > 0) return 0;
    const int64_t taken = it->second.taken;
    members_.erase(it);
    if (expected_ > 0) --expected_;
    return taken;
  }

  void BeginRound() {
    for (auto& [name, member] : members_) member.taken = 0;
  }
  // Members that are too few for a round by one token each have a larger share.
  bool MayTake(const std::string& name) const {
    auto it = members_.find(name);
    const int64_t count = std::max({int64_t{1}, expected_, static_cast<int64_t>(members_.size())});
    return it == members_.end() || it->second.taken < (needed_ + count - 1) / count;
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
  const int64_t needed_;
  int64_t expected_;  // without those who have left
  std::map<std::string, Member> members_;
};

}  // namespace weir::ops
