#include "cluster/sim/sim_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace weir {

SimWorld::SimWorld(uint64_t seed, bool verbose) : verbose_(verbose), rng_(seed) {}

SimWorld::EventId SimWorld::After(int64_t nanos, std::function<void()> event) {
  const int64_t time = now_ + std::max<int64_t>(nanos, 0);
  const EventId id = next_++;
  queue_.emplace(std::pair(time, id), std::move(event));
  times_.emplace(id, time);
  return id;
}

void SimWorld::Cancel(EventId id) {
  auto it = times_.find(id);
  if (it == times_.end()) return;
  auto dropped = queue_.extract({it->second, id});  // destroyed when the queue is consistent again
  times_.erase(it);
}

// Mostly within microseconds; occasionally a thread is starved.
Runner SimWorld::runner() {
  return [this](std::function<void()> work) {
    constexpr int64_t kUsual = 50'000;
    constexpr int64_t kStarved = 30'000'000;
    After(Between(0, Chance(0.02) ? kStarved : kUsual), std::move(work));
  };
}

bool SimWorld::RunNext(int64_t latest) {
  if (queue_.empty() || queue_.begin()->first.first > latest) return false;
  auto first = queue_.extract(queue_.begin());
  times_.erase(first.key().second);
  now_ = std::max(now_, first.key().first);
  ++num_events_;
  first.mapped()();
  return true;
}

bool SimWorld::RunUntil(FunctionRef<bool()> enough, int64_t latest) {
  while (!enough()) {
    if (!RunNext(latest)) return false;
  }
  return true;
}

bool SimWorld::RunUntilIdle(int64_t latest) {
  while (RunNext(latest)) {
  }
  return queue_.empty();
}

void SimWorld::Log(const std::string& line) {
  constexpr uint64_t kPrime = 1099511628211u;
  fingerprint_ = (fingerprint_ ^ static_cast<uint64_t>(now_)) * kPrime;
  for (const char c : line) fingerprint_ = (fingerprint_ ^ static_cast<uint8_t>(c)) * kPrime;
  if (verbose_) std::fprintf(stderr, "%11.6f  %s\n", static_cast<double>(now_) / 1e9, line.c_str());
}

}  // namespace weir
