#include "cluster/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "base/environment.h"
#include "base/process_memory.h"

namespace weir {
namespace {

constexpr bool RowsAreInOrder() {
  for (int i = 0; i < kNumLimits; ++i) {
    if (static_cast<int>(kLimitRows[i].limit) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder(), "the rows are indexed by Limit");

int64_t DefaultOf(const LimitRow& row) {
  if (row.value == 0) return std::max(row.unit, ProcessMemory::Get().limit() / row.memory_part);
  if (row.limit != Limit::kConnections) return row.value;
  // A part of the descriptors stays for files: without any, a server could not accept even a single connection.
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0 || descriptors.rlim_cur == RLIM_INFINITY) return row.value;
  return std::clamp<int64_t>(static_cast<int64_t>(descriptors.rlim_cur) / 4 * 3, 1, row.value);
}

}  // namespace

Limits::Limits(const Settings& settings) {
  for (const LimitRow& row : kLimitRows) {
    const auto i = static_cast<size_t>(row.limit);
    values_[i] = settings[i].has_value() ? *settings[i] * row.unit : DefaultOf(row);
  }
}

Result<Limits> Limits::FromEnvironment(const Settings& given) {
  Settings settings = given;
  for (const LimitRow& row : kLimitRows) {
    std::optional<int64_t>& setting = settings[static_cast<size_t>(row.limit)];
    if (setting.has_value()) continue;
    WEIR_ASSIGN(setting, ReadEnvironment(EnvironmentNumber<int64_t>{row.variable, row.what, 1,
                                                                    std::numeric_limits<int64_t>::max() / row.unit}));
  }
  return Limits(settings);
}

Status Limits::Reached(Limit limit, const std::string& who) const {
  const LimitRow& row = kLimitRows[static_cast<size_t>(limit)];
  return ResourceExhausted("{} has reached the limit of {} {} ({}, or {} of weir serve)", who,
                           (*this)[limit] / row.unit, row.what, row.variable, row.flag);
}

class QuotaCounts final {
 public:
  mutable std::mutex mu;
  int64_t used = 0;
  absl::flat_hash_map<std::string, int64_t> by_peer;  // of those that use something
};

Quota::Quota(const Limits& limits, Limit per_peer, std::optional<Limit> in_all)
    : limits_(limits), per_peer_(per_peer), in_all_(in_all), counts_(std::make_shared<QuotaCounts>()) {}

Result<Quota::Share> Quota::Take(const std::string& peer, int64_t amount) {
  Share share;
  if (peer.empty() || amount <= 0) return share;
  const int64_t all = in_all_.has_value() ? limits_[*in_all_] : std::numeric_limits<int64_t>::max();
  {
    std::lock_guard lock(counts_->mu);
    auto known = counts_->by_peer.find(peer);
    const int64_t before = known == counts_->by_peer.end() ? 0 : known->second;
    // Written without sums, which could overflow.
    if (before > 0 && amount > limits_[per_peer_] - before) return limits_.Reached(per_peer_, peer);
    if (amount > all - counts_->used) {
      const auto peers = static_cast<int64_t>(counts_->by_peer.size()) + (before == 0 ? 1 : 0);
      const int64_t part = std::max<int64_t>(1, all / peers);
      if (amount > part - before) return limits_.Reached(in_all_.value_or(per_peer_), peer);
    }
    counts_->used += amount;
    if (known == counts_->by_peer.end()) {
      counts_->by_peer.emplace(peer, amount);
    } else {
      known->second += amount;
    }
  }
  share.counts_ = counts_;
  share.peer_ = peer;
  share.amount_ = amount;
  return share;
}

int64_t Quota::used() const {
  std::lock_guard lock(counts_->mu);
  return counts_->used;
}

int64_t Quota::used_by(const std::string& peer) const {
  std::lock_guard lock(counts_->mu);
  auto known = counts_->by_peer.find(peer);
  return known == counts_->by_peer.end() ? 0 : known->second;
}

Quota::Share& Quota::Share::operator=(Share&& other) noexcept {
  std::swap(counts_, other.counts_);
  std::swap(peer_, other.peer_);
  std::swap(amount_, other.amount_);
  return *this;
}

Quota::Share::~Share() {
  if (counts_ == nullptr) return;
  std::lock_guard lock(counts_->mu);
  counts_->used -= amount_;
  auto known = counts_->by_peer.find(peer_);
  if (known == counts_->by_peer.end()) return;
  known->second -= amount_;
  if (known->second <= 0) counts_->by_peer.erase(known);
}

}  // namespace weir
