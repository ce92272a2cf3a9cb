// SimWorld: runs a simulation on the caller's thread, one event after the other. It has a queue of events by time, a
// clock that jumps from event to event, and random numbers from one seed. The same seed gives the same events and the
// same fingerprint of all notes. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/function_ref.h"
#include "base/rng.h"
#include "base/thread_pool.h"

namespace weir {

class SimWorld final {
 public:
  // If `verbose`, every note is printed to standard error.
  SimWorld(uint64_t seed, bool verbose);
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  int64_t now() const { return now_; }  // nanoseconds since the start
  Rng& rng() { return rng_; }
  Clock& clock() { return clock_; }
  Alarms& alarms() { return alarms_; }
  // For thread pools: runs scheduled work soon, in random order.
  Runner runner();

  using EventId = uint64_t;
  EventId After(int64_t nanos, std::function<void()> event);
  void Cancel(EventId id);

  // In [low, high).
  int64_t Between(int64_t low, int64_t high) { return low + static_cast<int64_t>(rng_.Below(high - low)); }
  bool Chance(double probability) { return rng_.NextUnit() < probability; }

  // Runs events until `enough` returns true, none is left, or the next one is later than `latest`. Returns the last
  // result of `enough`.
  bool RunUntil(FunctionRef<bool()> enough, int64_t latest);
  // False if there are events after `latest`.
  bool RunUntilIdle(int64_t latest);

  void Log(const std::string& line);
  uint64_t fingerprint() const { return fingerprint_; }
  int64_t num_events() const { return num_events_; }

 private:
  class SimClock final : public Clock {
   public:
    explicit SimClock(SimWorld& world) : world_(world) {}
    int64_t NowMicros() const override { return kEpochMicros + world_.now_ / 1000; }
    int64_t MonotonicNanos() const override { return world_.now_; }
    void SleepMicros(int64_t micros) override { world_.now_ += micros * 1000; }

   private:
    static constexpr int64_t kEpochMicros = 1'500'000'000'000'000;
    SimWorld& world_;
  };
  class SimAlarms final : public Alarms {
   public:
    explicit SimAlarms(SimWorld& world) : world_(world) {}
    Id After(int64_t nanos, std::function<void()> callback) override {
      return world_.After(nanos, std::move(callback));
    }
    void Cancel(Id id) override { world_.Cancel(id); }

   private:
    SimWorld& world_;
  };

  bool RunNext(int64_t latest);

  const bool verbose_;
  int64_t now_ = 0;
  int64_t num_events_ = 0;
  uint64_t fingerprint_ = 14695981039346656037u;
  SeededRng rng_;
  SimClock clock_{*this};
  SimAlarms alarms_{*this};
  EventId next_ = 1;
  std::map<std::pair<int64_t, EventId>, std::function<void()>> queue_;
  std::unordered_map<EventId, int64_t> times_;  // of the events in the queue
};

}  // namespace weir
