// A thousand simulated clusters, each with the faults of its seed. WEIR_SIM_SEED=n runs one of them and prints all
// events; WEIR_SIM_SEEDS=n runs more or fewer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "base/environment.h"
#include "cluster/sim_workload.h"
#include "ops/register.h"

namespace weir {
namespace {

constexpr uint64_t kSeeds = 1000;

// Ends the process and names the seed if one takes too long: a thread is blocked.
class Watchdog final {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mu_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void Begin(uint64_t seed) {
    std::lock_guard lock(mu_);
    seed_ = seed;
    ++begun_;
  }

 private:
  void Watch() {
    constexpr std::chrono::seconds kLimit(60);
    std::unique_lock lock(mu_);
    for (int64_t last = -1; !stopped_;) {
      if (changed_.wait_for(lock, kLimit, [&] { return stopped_; })) return;
      if (last == begun_) {
        std::fprintf(stderr, "seed %llu is stuck: WEIR_SIM_SEED=%llu replays it\n",
                     static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(seed_));
        std::abort();
      }
      last = begun_;
    }
  }

  std::mutex mu_;
  std::condition_variable changed_;
  uint64_t seed_ = 0;
  int64_t begun_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

class SimTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("WEIR_LOG", "warning", /*replace=*/0);  // do not log some 20,000 sessions
    registry_ = new OpRegistry;
    ops::RegisterAllOps(*registry_);
  }
  static void TearDownTestSuite() {
    delete registry_;
    registry_ = nullptr;
  }

  // False if something is wrong.
  bool Check(uint64_t seed, bool tell, SimOutcome* total) {
    const SimOutcome outcome = RunSimulation(*registry_, seed, FaultsOf(seed), tell);
    for (const std::string& wrong : outcome.wrong)
      ADD_FAILURE() << "seed " << seed << " (WEIR_SIM_SEED=" << seed << " replays it): " << wrong;
    total->steps += outcome.steps;
    total->errors += outcome.errors;
    total->events += outcome.events;
    total->nanos += outcome.nanos;
    return outcome.wrong.empty();
  }

  static OpRegistry* registry_;
};

OpRegistry* SimTest::registry_ = nullptr;

TEST_F(SimTest, EverySeedEndsInTheRightValuesOrTheRightErrors) {
  SimOutcome total;
  const Result<std::optional<int64_t>> one = ReadEnvironment(EnvironmentNumber<int64_t>{"WEIR_SIM_SEED", "a seed", 0});
  ASSERT_TRUE(one.ok()) << one.status();
  if (one->has_value()) {
    Check(static_cast<uint64_t>(**one), /*tell=*/true, &total);
    return;
  }
  const Result<std::optional<int64_t>> wanted =
      ReadEnvironment(EnvironmentNumber<int64_t>{"WEIR_SIM_SEEDS", "seeds", 1});
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  const auto seeds = static_cast<uint64_t>(wanted->value_or(kSeeds));
  Watchdog watchdog;
  int failed = 0;
  for (uint64_t seed = 1; seed <= seeds && failed < 10; ++seed) {
    watchdog.Begin(seed);
    if (!Check(seed, /*tell=*/false, &total)) ++failed;
  }
  std::printf("%llu seeds: %d steps, %d errors, %lld events, %.0f simulated seconds\n",
              static_cast<unsigned long long>(seeds), total.steps, total.errors, static_cast<long long>(total.events),
              static_cast<double>(total.nanos) / 1e9);
  if (seeds >= kSeeds) {  // check that errors did occur
    EXPECT_GT(total.steps, 10 * static_cast<int>(seeds));
    EXPECT_GT(total.errors, static_cast<int>(seeds));
  }
}

TEST_F(SimTest, ASeedReplays) {
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const SimOutcome first = RunSimulation(*registry_, seed, FaultsOf(seed), false);
    const SimOutcome second = RunSimulation(*registry_, seed, FaultsOf(seed), false);
    EXPECT_EQ(first.fingerprint, second.fingerprint) << "seed " << seed;
    EXPECT_EQ(first.events, second.events) << "seed " << seed;
    const SimOutcome other = RunSimulation(*registry_, seed + 1000, FaultsOf(seed), false);
    EXPECT_NE(first.fingerprint, other.fingerprint) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir
