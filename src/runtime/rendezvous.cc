// Callbacks run without the lock, because they may send or receive again.
#include "runtime/rendezvous.h"

#include <vector>

namespace weir {

Status LocalRendezvous::Send(const std::string& key, Value value) {
  Done receiver;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return aborted_;
    Meeting& meeting = meetings_[key];
    if (meeting.receivers.empty()) {
      meeting.values.push_back(std::move(value));
      return OkStatus();
    }
    receiver = std::move(meeting.receivers.front());
    meeting.receivers.pop_front();
    if (meeting.receivers.empty()) meetings_.erase(key);
  }
  receiver(std::move(value));
  return OkStatus();
}

void LocalRendezvous::RecvAsync(const std::string& key, Done done) {
  Result<Value> result = Internal("nothing received");
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) {
      result = aborted_;
    } else {
      Meeting& meeting = meetings_[key];
      if (meeting.values.empty()) {
        meeting.receivers.push_back(std::move(done));
        return;
      }
      result = std::move(meeting.values.front());
      meeting.values.pop_front();
      if (meeting.values.empty()) meetings_.erase(key);
    }
  }
  done(std::move(result));
}

void LocalRendezvous::Abort(Status reason) {
  std::unordered_map<std::string, Meeting> meetings;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = reason.ok() ? Cancelled("the rendezvous was aborted") : reason;
    meetings.swap(meetings_);
    reason = aborted_;
  }
  for (auto& [key, meeting] : meetings) {
    for (Done& receiver : meeting.receivers) receiver(reason);
  }
}

bool LocalRendezvous::idle() {
  std::lock_guard lock(mu_);
  return aborted_.ok() && meetings_.empty();
}

}  // namespace weir
