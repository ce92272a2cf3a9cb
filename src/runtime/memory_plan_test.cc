// Tests that values share a slot only if their lives do not overlap in any order that the graph allows, and that steps
// with planned memory compute the same values as without.
#include "runtime/memory_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <set>

#include "op/memory_slot.h"
#include "runtime/executor.h"
#include "runtime/local_devices.h"
#include "runtime/small_ops_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A graph of nodes that wait for earlier nodes, and the lives of their values.
struct LivesOfGraph {
  std::vector<int32_t> begin{0};
  std::vector<int32_t> waits_for;
  std::vector<BufferLifetime> lives;

  int32_t size() const { return static_cast<int32_t>(begin.size()) - 1; }
  void AddNode(const std::vector<int32_t>& before) {
    waits_for.insert(waits_for.end(), before.begin(), before.end());
    begin.push_back(static_cast<int32_t>(waits_for.size()));
  }
  // Adds a node that uses the values of `from` and produces a value of `bytes`.
  int32_t Add(const std::vector<int32_t>& from, int64_t bytes = 1000) {
    for (const int32_t n : from) lives[n].users.push_back(size());
    AddNode(from);
    lives.push_back({size() - 1, {}, bytes});
    return size() - 1;
  }
  std::vector<int32_t> Slots(int64_t max_bytes = int64_t{1} << 40) const {
    return AssignSlots(begin, waits_for, lives, max_bytes);
  }
  // Returns a row for each node that marks its direct and indirect ancestors.
  std::vector<std::vector<bool>> Ancestors() const {
    std::vector<std::vector<bool>> all(size(), std::vector<bool>(size()));
    for (int32_t n = 0; n < size(); ++n) {
      for (int32_t i = begin[n]; i < begin[n + 1]; ++i) {
        const int32_t before = waits_for[i];
        all[n][before] = true;
        for (int32_t m = 0; m < before; ++m) all[n][m] = all[n][m] || all[before][m];
      }
    }
    return all;
  }
};

void ExpectNoOverlap(const LivesOfGraph& graph, const std::vector<int32_t>& slots) {
  const std::vector<std::vector<bool>> ancestors = graph.Ancestors();
  for (size_t a = 0; a < slots.size(); ++a) {
    for (size_t b = a + 1; b < slots.size(); ++b) {
      if (slots[a] < 0 || slots[a] != slots[b]) continue;
      const std::vector<bool>& before = ancestors[graph.lives[b].producer];
      EXPECT_TRUE(before[graph.lives[a].producer]) << a << " and " << b;
      for (const int32_t taker : graph.lives[a].users) EXPECT_TRUE(before[taker]) << a << " and " << b;
    }
  }
}

TEST(AssignSlotsTest, AChainNeedsTwoSlots) {
  LivesOfGraph graph;
  graph.Add({});
  for (int i = 0; i < 5; ++i) graph.Add({i});
  EXPECT_THAT(graph.Slots(), ElementsAre(0, 1, 0, 1, 0, 1));
}

TEST(AssignSlotsTest, ConcurrentNodesShareNoSlot) {
  LivesOfGraph graph;
  const int32_t root = graph.Add({});
  const int32_t a = graph.Add({root}), b = graph.Add({root});
  const int32_t next_of_a = graph.Add({a}), next_of_b = graph.Add({b});
  const int32_t both = graph.Add({next_of_a, next_of_b});
  graph.Add({both});
  // The slot of the root is free only for a node that waits for both branches.
  EXPECT_THAT(graph.Slots(), ElementsAre(0, 1, 2, 3, 4, testing::AnyOf(0, 1, 2), testing::AnyOf(0, 1, 2, 3, 4)));
  ExpectNoOverlap(graph, graph.Slots());
}

TEST(AssignSlotsTest, VeryDifferentSizesShareNoSlot) {
  LivesOfGraph graph;
  graph.Add({}, 1000);
  graph.Add({0}, 1000);
  graph.Add({1}, 100'000);
  graph.Add({2}, 900);
  EXPECT_THAT(graph.Slots(), ElementsAre(0, 1, 2, testing::AnyOf(0, 1)));
}

TEST(AssignSlotsTest, SlotsTakeAtMostTheLimit) {
  LivesOfGraph graph;
  for (int i = 0; i < 5; ++i) graph.Add({}, 1000);
  EXPECT_THAT(graph.Slots(3000), ElementsAre(0, 1, 2, -1, -1));
}

class RandomLivesTest : public testing::TestWithParam<int> {};

TEST_P(RandomLivesTest, NeverOverlap) {
  std::mt19937 random(GetParam());
  const auto below = [&](int32_t n) { return static_cast<int32_t>(random() % n); };
  LivesOfGraph graph;
  const int32_t size = GetParam() < 45 ? 2 + below(120) : 4500;  // some larger than the window of ancestors
  const int32_t reach = 1 + below(GetParam() % 2 == 0 ? 6 : 200);
  for (int32_t n = 0; n < size; ++n) {
    std::vector<int32_t> before;
    for (int32_t i = below(4); i > 0 && n > 0; --i) before.push_back(n - 1 - below(std::min(n, reach)));
    if (below(3) == 0) {
      graph.AddNode(before);  // a node that only waits and has no value
      continue;
    }
    graph.AddNode(before);
    for (const int32_t from : before) {
      for (BufferLifetime& life : graph.lives) {
        if (life.producer == from && below(2) == 0) life.users.push_back(n);
      }
    }
    for (int32_t i = 1 + below(2); i > 0; --i) graph.lives.push_back({n, {}, 1 + below(3000)});
  }
  const std::vector<int32_t> slots = graph.Slots();
  ASSERT_EQ(slots.size(), graph.lives.size());
  ExpectNoOverlap(graph, slots);
  if (size == 4500 && reach < 6) {
    EXPECT_LT(std::set<int32_t>(slots.begin(), slots.end()).size(), slots.size() * 3 / 4);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLivesTest, testing::Range(0, 50));

TEST(MemorySlotTest, ReusesReleasedMemory) {
  MemorySlot slot;
  slot.max_bytes = 10'000;
  Tensor first = *AllocateIn(slot, kFloat, {500});
  void* const memory = first.raw();
  {
    Tensor copy = first;
    ReturnToSlot(slot, copy);
  }
  Tensor second = *AllocateIn(slot, kFloat, {500});
  EXPECT_NE(second.raw(), memory);  // `first` was still referenced
  ReturnToSlot(slot, first);
  EXPECT_FALSE(slot.free_buffer);  // `first` does not belong to the slot any more
  void* const other = second.raw();
  ReturnToSlot(slot, second);
  Tensor third = *AllocateIn(slot, kInt32, {20, 24});  // another type and shape, almost as large
  EXPECT_EQ(third.raw(), other);
  EXPECT_TRUE(third.OwnsMemoryAlone());
  EXPECT_EQ(third.shape(), (Shape{20, 24}));
}

TEST(MemorySlotTest, LeasedMemoryIsNotReturnedToTheSlot) {
  MemorySlot slot;
  slot.max_bytes = 10'000;
  Tensor value = *AllocateIn(slot, kFloat, {500});
  const Tensor lease = value.Lease();
  ReturnToSlot(slot, value);
  EXPECT_FALSE(slot.free_buffer);
}

TEST(MemorySlotTest, LargeOrNonTrivialBuffersAreNotReturnedToTheSlot) {
  std::atomic<bool> outgrown{false};
  MemorySlot slot;
  slot.max_bytes = 10'000;
  slot.outgrown = &outgrown;
  Tensor text = *AllocateIn(slot, kString, {2});
  EXPECT_EQ(text.data<std::string>()[1], "");
  ReturnToSlot(slot, text);
  EXPECT_FALSE(slot.free_buffer);
  EXPECT_FALSE(outgrown);
  Tensor large = *AllocateIn(slot, kFloat, {2501});
  ReturnToSlot(slot, large);
  EXPECT_FALSE(slot.free_buffer);
  EXPECT_TRUE(outgrown);
  EXPECT_FALSE(AllocateIn(slot, kFloat, {int64_t{1} << 40, int64_t{1} << 20}).ok());
}

// Advances with every call, so that all kernels seem expensive and run on pool threads.
class SlowClock final : public Clock {
 public:
  int64_t NowMicros() const override { return MonotonicNanos() / 1000; }
  int64_t MonotonicNanos() const override { return nanos_ += 1'000'000; }
  void SleepMicros(int64_t) override {}

 private:
  mutable std::atomic<int64_t> nanos_{1};
};

class MemoryPlanTest : public SmallGraph {
 protected:
  MemoryPlanTest() {
    // Fresh allocates its output, View aliases an input, Hold keeps a reference to its input.
    registry_.Add({.name = "Fresh",
                   .signature = "x: float, y: float -> z: float",
                   .kernels = SmallKernel([this] {
                     return Kernel::Sync([this](KernelContext& ctx) -> Status {
                       WEIR_ASSIGN(Tensor z, ctx.Allocate(0, ctx.input(0).shape()));
                       for (int64_t i = 0; i < z.num_elements(); ++i)
                         z.data<float>()[i] = ctx.input(0).data<float>()[i] - 2 * ctx.input(1).data<float>()[i] + 1;
                       std::lock_guard lock(mu_);
                       made_.push_back(z.raw());
                       return OkStatus();
                     });
                   })});
    registry_.Add({.name = "View",
                   .signature = "x: float, y: float -> z: float",
                   .kernels = SmallKernel([] {
                     return Kernel::Sync([](KernelContext& ctx) -> Status {
                       ctx.set_output(0, ctx.input(0));
                       return OkStatus();
                     });
                   })});
    registry_.Add({.name = "Hold",
                   .signature = "x: float -> y: float",
                   .kernels = SmallKernel([this] {
                     return Kernel::Sync([this](KernelContext& ctx) -> Status {
                       std::lock_guard lock(mu_);
                       held_.push_back(ctx.input(0));
                       WEIR_ASSIGN(Tensor y, ctx.Allocate(0, ctx.input(0).shape()));
                       std::fill_n(y.data<float>(), y.num_elements(), 0.f);
                       return OkStatus();
                     });
                   })});
  }

  std::shared_ptr<Executor> Compile(const OutputList& feeds, const OutputList& fetches, bool plan_memory = true) {
    PlanSignature signature;
    signature.feeds = feeds;
    signature.fetches = fetches;
    PlanEnvironment environment{devices_, kernels_, PlacerOptions{}};
    environment.passes.plan_memory = plan_memory;
    Result<std::shared_ptr<const Plan>> plan = CompilePlan(*graph_, signature, environment);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return std::make_shared<Executor>(*plan);
  }
  // Without threads, no thread uses the step after Run has returned.
  std::vector<Tensor> Step(const std::shared_ptr<Executor>& executor, const Tensor& feed, bool threads = false) {
    StepArgs args;
    if (threads) args.context.pool = args.pool = &pool_;
    args.context.blocking_pool = &blocking_pool_;
    args.clock = &clock_;
    Result<std::vector<Tensor>> result = executor->Run(args, {feed});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : std::vector<Tensor>();
  }
  static Tensor Numbers(int64_t size, float start) {
    Tensor t = *Tensor::Allocate(kFloat, {size});
    for (int64_t i = 0; i < size; ++i) t.data<float>()[i] = start + static_cast<float>(i % 7);
    return t;
  }
  static std::vector<float> ValuesOf(const Tensor& t) { return {t.flat<float>().begin(), t.flat<float>().end()}; }
  Output FreshChain(Output x, int length) {
    for (int i = 0; i < length; ++i) x = Op("Fresh", {x, x});
    return x;
  }

  SlowClock clock_;
  std::vector<std::unique_ptr<Device>> devices_ = MakeLocalDevices({}, "/job:a/replica:0/task:0", RealRng());
  KernelCache kernels_{RealEnv(), nullptr, nullptr};
  std::mutex mu_;
  std::vector<void*> made_;
  std::vector<Tensor> held_;
};

TEST_F(MemoryPlanTest, TheFourthStepHasThePlanAndTheFifthTheMemory) {
  Output x = Placeholder("x");
  const auto executor = Compile({x}, {FreshChain(x, 6)});
  const Tensor feed = Numbers(300, 1);
  for (int step = 0; step < 2; ++step) Step(executor, feed);
  EXPECT_EQ(executor->memory_plan(), nullptr);  // the first steps do not plan memory
  Step(executor, feed);
  const MemoryPlan* plan = executor->memory_plan();
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->ToString(), "5 outputs in 2 slots of 2400 bytes, 6000 without sharing");  // the 6th is fetched
  Step(executor, feed);
  made_.clear();
  Step(executor, feed);
  const std::vector<void*> before = std::exchange(made_, {});
  const std::vector<Tensor> others(10, *Numbers(300, 2).Clone());  // takes the memory that the heap would return next
  Step(executor, feed);
  ASSERT_EQ(made_.size(), 6u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(made_[i], before[i]) << i;
    EXPECT_EQ(made_[i], made_[i % 2]) << i;
  }
}

TEST_F(MemoryPlanTest, SmallValuesShareSlots) {
  Output x = Placeholder("x");
  OutputList fetches;
  for (int i = 0; i < 3; ++i) fetches.push_back(Op("Fresh", {FreshChain(x, 2), x}));
  const auto apart = Compile({x}, fetches);
  const auto in_turns = Compile({x}, {FreshChain(x, 9)});
  for (int step = 0; step < 4; ++step) {
    Step(apart, Numbers(1, 1));
    Step(in_turns, Numbers(1, 1));
  }
  EXPECT_EQ(apart->memory_plan(), nullptr);
  ASSERT_NE(in_turns->memory_plan(), nullptr);
  EXPECT_EQ(in_turns->memory_plan()->ToString(), "8 outputs in 2 slots of 8 bytes, 32 without sharing");
}

TEST_F(MemoryPlanTest, FetchedOrHeldValuesAreNotOverwritten) {
  Output x = Placeholder("x");
  Output inside = FreshChain(x, 3);
  Output end = Op("Fresh", {FreshChain(inside, 4), Op("Hold", {inside})});
  const auto executor = Compile({x}, {inside, Op("View", {end, inside})});
  std::vector<std::vector<Tensor>> fetched;
  std::vector<std::vector<float>> values;
  for (int step = 0; step < 8; ++step) {
    fetched.push_back(Step(executor, Numbers(400, static_cast<float>(step)), /*threads=*/true));
    for (const Tensor& t : fetched.back()) values.push_back(ValuesOf(t));
    values.push_back(ValuesOf(held_.back()));
    EXPECT_EQ(values.back(), values[values.size() - 3]);
  }
  size_t at = 0;
  for (int step = 0; step < 8; ++step) {
    EXPECT_EQ(ValuesOf(fetched[step][0]), values[at++]);
    EXPECT_EQ(ValuesOf(fetched[step][1]), values[at++]);
    EXPECT_EQ(ValuesOf(held_[step]), values[at++]);
  }
}

TEST_F(MemoryPlanTest, LargerStepsAreReplanned) {
  Output x = Placeholder("x");
  const auto executor = Compile({x}, {FreshChain(x, 6)});
  for (int step = 0; step < 3; ++step) Step(executor, Numbers(300, 1));
  const MemoryPlan* const small = executor->memory_plan();
  for (int step = 0; step < 3; ++step) Step(executor, Numbers(10'000, 1));
  const MemoryPlan* const large = executor->memory_plan();
  EXPECT_NE(large, small);
  EXPECT_EQ(large->slot_bytes, (std::vector<int64_t>{40'000, 40'000}));
  for (int step = 0; step < 3; ++step) EXPECT_EQ(Step(executor, Numbers(300, 1))[0].num_elements(), 300);
  EXPECT_EQ(executor->memory_plan(), large);
  // Blocks of this size are not kept in slots.
  for (int step = 0; step < 3; ++step) Step(executor, Numbers(100'000, 1));
  EXPECT_EQ(executor->memory_plan(), nullptr);
}

TEST_F(MemoryPlanTest, AFailedStepIsNotRecorded) {
  Output x = Placeholder("x");
  const auto executor = Compile({x}, {Op("Add", {FreshChain(x, 6), FreshChain(x, 1)})});
  StepArgs args;
  args.context.blocking_pool = &blocking_pool_;
  for (int step = 0; step < 2; ++step) Step(executor, Numbers(300, 1));
  CancelToken cancelled;
  cancelled.Cancel(Cancelled("not now"));
  args.cancelled_by = {&cancelled};
  EXPECT_FALSE(executor->Run(args, {Numbers(300, 1)}).ok());
  EXPECT_EQ(executor->memory_plan(), nullptr);
  Step(executor, Numbers(300, 1));
  EXPECT_NE(executor->memory_plan(), nullptr);
  EXPECT_FALSE(executor->Run(args, {Numbers(300, 1)}).ok());
  Step(executor, Numbers(300, 1));
}

TEST_F(MemoryPlanTest, AnOutputThatIsNotSetIsStillMissing) {
  Output x = Placeholder("x");
  Output missing = Op("Forget", {FreshChain(x, 4)});
  const auto executor = Compile({x}, {Op("Fresh", {missing, missing})});
  StepArgs args;
  args.context.blocking_pool = &blocking_pool_;
  for (int step = 0; step < 4; ++step)
    EXPECT_THAT(std::string(executor->Run(args, {Numbers(300, 1)}).status().message()),
                HasSubstr("Missing 0-th output"));
}

TEST_F(MemoryPlanTest, PlansWithLoopsOrWithoutPlanMemoryHaveNoMemoryPlan) {
  Output x = Placeholder("x");
  const auto asked_not = Compile({x}, {FreshChain(x, 6)}, /*plan_memory=*/false);
  for (int step = 0; step < 4; ++step) Step(asked_not, Numbers(300, 1));
  EXPECT_EQ(asked_not->memory_plan(), nullptr);
  Output end = While(x, Const(10), "loop", [&](Output i) { return Op("Add", {i, i}); });
  const auto loops = Compile({x}, {FreshChain(end, 9)});
  for (int step = 0; step < 4; ++step) Step(loops, Float(1));
  EXPECT_EQ(loops->memory_plan(), nullptr);
}

TEST_F(MemoryPlanTest, ReportListsSharedMemory) {
  setenv("WEIR_EXPLAIN", "1", 1);
  Output x = Placeholder("x");
  Output y = Op("View", {FreshChain(x, 9), x}, "y");
  testing::internal::CaptureStderr();
  for (int step = 0; step < 5; ++step) EXPECT_TRUE(Run({y}, {{x, Numbers(300, 1)}}).ok());
  const std::string said = testing::internal::GetCapturedStderr();
  unsetenv("WEIR_EXPLAIN");
  EXPECT_EQ(said,
            "plan for y:0: 10 nodes, 10 after the passes\n"
            "plan for y:0: memory of 8 outputs in 2 slots of 2400 bytes, 9600 without sharing\n");
}

TEST_F(MemoryPlanTest, MemoryPlanningCanBeDisabled) {
  config_.mutable_graph_options()->mutable_rewrite_options()->set_memory_optimization(
      tensorflow::RewriterConfig::NO_MEM_OPT);
  setenv("WEIR_EXPLAIN", "1", 1);
  Output x = Placeholder("x");
  Output y = FreshChain(x, 9);
  testing::internal::CaptureStderr();
  for (int step = 0; step < 5; ++step) EXPECT_TRUE(Run({y}, {{x, Numbers(300, 1)}}).ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::Not(HasSubstr("memory")));
  unsetenv("WEIR_EXPLAIN");
}

// Random graphs with all kinds of memory use. Concurrent steps on several threads give the same bits as without a plan.
class RandomGraphTest : public MemoryPlanTest, public testing::WithParamInterface<int> {};

TEST_P(RandomGraphTest, GivesTheSameBits) {
  std::mt19937 random(GetParam());
  const auto below = [&](size_t n) { return random() % n; };
  Output x = Placeholder("x");
  OutputList values = {x};
  const char* const ops[] = {"Fresh", "Fresh", "Add", "Mul", "View"};
  const size_t size = 10 + below(80);
  for (size_t i = 0; i < size; ++i) {
    const size_t reach = std::min<size_t>(values.size(), 1 + below(12));
    const Output a = values[values.size() - 1 - below(reach)], b = values[values.size() - 1 - below(reach)];
    values.push_back(Op(ops[below(std::size(ops))], {a, b}));
  }
  OutputList fetches = {values.back()};
  for (size_t i = below(4); i > 0; --i) fetches.push_back(values[below(values.size())]);
  const auto planned = Compile({x}, fetches);
  const auto plain = Compile({x}, fetches, /*plan_memory=*/false);
  const auto feed_of = [](int step) { return Numbers(step % 5 == 4 ? 700 : 300, 0.125f * static_cast<float>(step)); };
  constexpr int kSteps = 12;
  std::vector<std::vector<std::vector<float>>> expected(kSteps);
  for (int step = 0; step < kSteps; ++step) {
    for (const Tensor& t : Step(plain, feed_of(step))) expected[step].push_back(ValuesOf(t));
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<std::vector<Tensor>> fetched;
      for (int step = 0; step < kSteps; ++step)
        fetched.push_back(Step(planned, feed_of((step + thread) % kSteps), /*threads=*/true));
      for (int step = 0; step < kSteps; ++step) {
        const auto& wanted = expected[(step + thread) % kSteps];
        ASSERT_EQ(fetched[step].size(), wanted.size());
        for (size_t k = 0; k < wanted.size(); ++k) {
          const std::vector<float> got = ValuesOf(fetched[step][k]);
          ASSERT_EQ(got.size(), wanted[k].size());
          EXPECT_EQ(std::memcmp(got.data(), wanted[k].data(), got.size() * sizeof(float)), 0) << step << ' ' << k;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest, testing::Range(0, 60));

}  // namespace
}  // namespace weir
