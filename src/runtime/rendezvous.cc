// Callbacks run without the lock, because they may send or receive again.
#include "runtime/rendezvous.h"

#include <algorithm>

namespace weir {

Status LocalRendezvous::Send(const std::string& key, Value value) {
  Receiver receiver;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return aborted_;
    PendingValue& meeting = pending_[key];
    if (meeting.receivers.empty()) {
      meeting.values.push_back(std::move(value));
      return OkStatus();
    }
    receiver = std::move(meeting.receivers.front());
    meeting.receivers.pop_front();
    if (meeting.receivers.empty()) pending_.erase(key);
  }
  receiver.done(std::move(value));
  return OkStatus();
}

bool LocalRendezvous::Recv(const std::string& key, uint64_t receiver, Done done) {
  Result<Value> result = Internal("nothing received");
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) {
      result = aborted_;
    } else {
      PendingValue& meeting = pending_[key];
      if (meeting.values.empty()) {
        meeting.receivers.push_back({receiver, std::move(done)});
        return true;
      }
      result = std::move(meeting.values.front());
      meeting.values.pop_front();
      if (meeting.values.empty()) pending_.erase(key);
    }
  }
  done(std::move(result));
  return false;
}

bool LocalRendezvous::Withdraw(const std::string& key, uint64_t receiver) {
  Receiver withdrawn;  // destroyed without the lock
  std::lock_guard lock(mu_);
  const auto meeting = pending_.find(key);
  if (meeting == pending_.end()) return false;
  std::deque<Receiver>& receivers = meeting->second.receivers;
  const auto it =
      std::find_if(receivers.begin(), receivers.end(), [&](const Receiver& r) { return r.number == receiver; });
  if (it == receivers.end()) return false;
  withdrawn = std::move(*it);
  receivers.erase(it);
  if (receivers.empty()) pending_.erase(meeting);
  return true;
}

void LocalRendezvous::Abort(Status reason) {
  std::unordered_map<std::string, PendingValue> meetings;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = reason.ok() ? Cancelled("the rendezvous was aborted") : reason;
    meetings.swap(pending_);
    reason = aborted_;
  }
  for (auto& [key, meeting] : meetings) {
    for (Receiver& receiver : meeting.receivers) receiver.done(reason);
  }
}

bool LocalRendezvous::idle() {
  std::lock_guard lock(mu_);
  return aborted_.ok() && pending_.empty();
}

}  // namespace weir
