#include "cluster/sent_values.h"

#include "cluster/kept_responses.h"

namespace weir {

std::optional<Result<Rendezvous::Value>> SentValues::Request(const std::string& key) {
  std::lock_guard lock(mu_);
  Entry& entry = entries_[key];
  if (entry.sent) return ValueOf(key, entry);
  ++entry.waiting;
  return std::nullopt;
}

bool SentValues::Send(const std::string& key, const Rendezvous::Value& value) {
  std::lock_guard lock(mu_);
  auto it = entries_.find(key);
  if (it == entries_.end()) return false;
  Entry& entry = it->second;
  --entry.waiting;
  if (!keeps_) {
    if (entry.waiting <= 0) entries_.erase(it);
    return false;
  }
  if (!std::exchange(entry.sent, true)) {
    expects_copies_ = true;
    const size_t bytes = value.dead ? 0 : KeptBytes(value.tensor);
    if (bytes_ + bytes <= kKeptValueBytes) {
      entry.value = value;
      bytes_ += bytes;
    }
  }
  return entry.waiting > 0;
}

void SentValues::GiveUp(const std::string& key) {
  std::lock_guard lock(mu_);
  auto it = entries_.find(key);
  if (it != entries_.end() && --it->second.waiting <= 0 && !it->second.sent) entries_.erase(it);
}

Result<Rendezvous::Value> SentValues::Sent(const std::string& key) const {
  std::lock_guard lock(mu_);
  auto it = entries_.find(key);
  if (it == entries_.end() || !it->second.sent)
    return MakeStatus(StatusCode::kInvalidArgument, fmt::format("no value was sent for rendezvous key {}", key));
  return ValueOf(key, it->second);
}

Result<Rendezvous::Value> SentValues::ValueOf(const std::string& key, const Entry& entry) {
  if (entry.value.has_value()) return *entry.value;
  return Aborted(
      "the value for rendezvous key {} was lost with its connection, and was too large to be kept: a step keeps {} "
      "bytes",
      key, kKeptValueBytes);
}

void SentValues::Clear() {
  std::lock_guard lock(mu_);
  entries_.clear();
  bytes_ = 0;
  keeps_ = false;
  expects_copies_ = false;
}

}  // namespace weir
