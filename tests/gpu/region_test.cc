// Regions of nodes whose work is recorded once and then replayed (runtime/gpu_region.h), on a fake GPU.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include "device/fake_gpu/fake_gpu_stream.h"
#include "device/gpu_device.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "ops/register.h"
#include "runtime/executor.h"
#include "runtime/gpu_region.h"
#include "runtime/local_devices.h"
#include "runtime/plan.h"
#include "train/optimizers.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GpuRegionTest : public testing::Test {
 protected:
  GpuRegionTest() {
    setenv("WEIR_FAKE_GPUS", "1", 1);
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    devices_ = MakeLocalDevices({}, "/job:a/replica:0/task:0", RealRng(), &RealEnv());
  }

  Graph& graph() { return *graph_; }
  FakeGpuStream& stream() { return static_cast<FakeGpuStream&>(**devices_.back()->gpu()->stream()); }
  Output Input(DType dtype = kFloat) {
    return NodeBuilder(graph(), "Placeholder").Attr("dtype", dtype).Attr("shape", PartialShape()).BuildOutput();
  }
  VariablePtr VariableOf(const Tensor& value, bool use_resource) {
    auto made = Variable::Make(graph(), value, {.use_resource = use_resource});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }
  std::shared_ptr<Executor> Compile(const OutputList& feeds, const OutputList& fetches, std::vector<Node*> targets,
                                    bool regions = true) {
    EXPECT_TRUE(graph().TakeError().ok());
    PlanSignature signature;
    signature.feeds = feeds;
    signature.fetches = fetches;
    signature.targets = std::move(targets);
    PlanEnvironment environment{devices_, kernels_, PlacerOptions{}};
    environment.passes.order_updates = true;
    environment.passes.form_gpu_regions = regions;
    Result<std::shared_ptr<const Plan>> plan = CompilePlan(*graph_, signature, environment);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return std::make_shared<Executor>(*plan);
  }
  Result<std::vector<Tensor>> Run(const std::shared_ptr<Executor>& executor, std::vector<Tensor> feeds = {}) {
    StepArgs args;
    args.context.pool = args.pool = &pool_;
    args.context.blocking_pool = &blocking_pool_;
    args.context.env = &RealEnv();
    args.context.resources = &resources_;
    args.private_fetches = true;
    return executor->Run(args, feeds);
  }
  std::vector<float> Floats(const std::shared_ptr<Executor>& executor, std::vector<Tensor> feeds = {}) {
    const auto result = Run(executor, std::move(feeds));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const absl::Span<float> values = (*result)[0].flat<float>();
    return {values.begin(), values.end()};
  }
  void Initialize() {
    const auto done = Run(Compile({}, {}, {InitializeVariables(graph(), GlobalVariables(graph()))}));
    ASSERT_TRUE(done.ok()) << done.status();
  }
  static int CountRegions(const Executor& executor) {
    int count = 0;
    for (const PlanNode& node : executor.plan().nodes) count += IsGpuRegion(*node.info->op) ? 1 : 0;
    return count;
  }

  OpRegistry registry_;
  std::shared_ptr<Graph> graph_;
  std::vector<std::unique_ptr<Device>> devices_;
  ResourceManager resources_;
  KernelCache kernels_{RealEnv(), &resources_, nullptr};
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
};

TEST_F(GpuRegionTest, TrainingStepIsOneRegionAndReplaysWithTheSameBits) {
  for (const bool use_resource : {false, true}) {
    std::vector<std::vector<float>> losses;
    for (const bool regions : {false, true}) {
      const Output x = Input(), y = Input();
      const VariablePtr w = VariableOf(Tensor::Vector<float>({0.5, -0.5, 0.25}), use_resource);
      const VariablePtr b = VariableOf(Tensor::Scalar(0.0f), use_resource);
      const Output loss = ReduceMean(Square(Tanh(w->AsInput() * x + b->AsInput()) - y));
      AdagradOptimizer optimizer(0.3);
      Result<Node*> train = optimizer.Minimize(loss);
      ASSERT_TRUE(train.ok()) << train.status();
      ASSERT_NO_FATAL_FAILURE(Initialize());
      const auto step = Compile({x, y}, {loss}, {*train}, regions);
      EXPECT_EQ(CountRegions(*step), regions ? 1 : 0);
      const int before = stream().num_replays();
      losses.emplace_back();
      for (int i = 0; i < 12; ++i) {
        const float shift = static_cast<float>(i) / 10;
        losses.back().push_back(
            Floats(step, {Tensor::Vector<float>({0, shift, 2}), Tensor::Vector<float>({0.2f, 2.2f, shift})}).at(0));
      }
      EXPECT_EQ(stream().num_replays() - before, regions ? 11 : 0);
    }
    EXPECT_EQ(losses[0], losses[1]);
  }
}

TEST_F(GpuRegionTest, EachShapeHasItsGraph) {
  const Output x = Input();
  const auto step = Compile({x}, {Exp(Neg(x)) + ReduceSum(x)}, {});
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(Floats(step, {Tensor::Vector<float>({0})}), ElementsAre(1));
    EXPECT_THAT(Floats(step, {Tensor::Vector<float>({0, 0})}), ElementsAre(1, 1));
    EXPECT_TRUE(Floats(step, {*Tensor::Zeros(kFloat, {0})}).empty());
  }
  EXPECT_EQ(stream().num_replays(), 9);
}

TEST_F(GpuRegionTest, GraphsOfManyShapesAreDropped) {
  const Output x = Input();
  const auto step = Compile({x}, {Exp(Neg(x))}, {});
  for (int64_t size = 1; size <= 12; ++size) {
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(Floats(step, {*Tensor::Zeros(kFloat, {size})}).size(), static_cast<size_t>(size));
  }
  EXPECT_EQ(stream().num_replays(), 24);
}

TEST_F(GpuRegionTest, SeesNewValuesOfVariables) {
  for (const bool use_resource : {false, true}) {
    const VariablePtr v = VariableOf(Tensor::Vector<float>({1, 2}), use_resource);
    const auto step = Compile({}, {Exp(Neg(v->ReadValue()))}, {});
    const auto result = Run(step);
    EXPECT_FALSE(result.ok());  // not initialized
    ASSERT_NO_FATAL_FAILURE(Initialize());
    for (int i = 0; i < 12; ++i) {
      const float value = static_cast<float>(i / 4);
      if (i % 4 == 0) {
        const Output assign = v->Assign(Constant(graph(), Tensor::Vector<float>({value, 0})));
        ASSERT_TRUE(Run(Compile({}, {}, {assign.node})).ok());
      }
      EXPECT_THAT(Floats(step), ElementsAre(testing::FloatEq(std::exp(-value)), 1));
    }
  }
}

TEST_F(GpuRegionTest, HeldValuesDoNotChange) {
  const VariablePtr v = VariableOf(Tensor::Vector<float>({1, 2}), /*use_resource=*/true);
  ASSERT_NO_FATAL_FAILURE(Initialize());
  const Output add = v->AssignAdd(Constant(graph(), Tensor::Vector<float>({1, 1})));
  const auto step = Compile({}, {Neg(Identity(add))}, {});
  std::vector<Tensor> held;
  for (int i = 0; i < 6; ++i) {
    auto result = Run(step);
    ASSERT_TRUE(result.ok()) << result.status();
    held.push_back((*result)[0]);
  }
  for (int i = 0; i < 6; ++i) EXPECT_THAT(held[static_cast<size_t>(i)].flat<float>()[0], -2 - i);
}

TEST_F(GpuRegionTest, ErrorsOfReplaysEndTheirStep) {
  const Output labels = Input(kInt64);
  const Output logits = Exp(Neg(Constant(graph(), *Tensor::Zeros(kFloat, {2, 3}))));
  const auto step = Compile({labels}, {SparseSoftmaxCrossEntropyWithLogits(logits, labels).loss}, {});
  for (int i = 0; i < 6; ++i) {
    const bool wrong = i % 2 == 1;
    const auto result = Run(step, {Tensor::Vector<int64_t>({1, wrong ? 3 : 2})});
    EXPECT_EQ(result.ok(), !wrong) << i;
    if (wrong) {
      EXPECT_THAT(std::string(result.status().message()), HasSubstr("label value of 3"));
    }
  }
  EXPECT_EQ(stream().num_replays(), 5);
}

TEST_F(GpuRegionTest, StepsAtTheSameTime) {
  const Output x = Input();
  const auto step = Compile({x}, {Exp(Neg(Neg(x)))}, {});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto value = static_cast<float>(t);
      for (int i = 0; i < 20; ++i)
        EXPECT_THAT(Floats(step, {Tensor::Vector<float>({value, 0})}),
                    ElementsAre(testing::FloatEq(std::exp(value)), 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(stream().num_replays(), 0);
}

TEST_F(GpuRegionTest, MemoryOfGraphsIsFreed) {
  const uint64_t before = stream().memory_use().in_use;
  {
    const Output x = Input();
    const auto step = Compile({x}, {Exp(Neg(x))}, {});
    for (int i = 0; i < 3; ++i) Floats(step, {*Tensor::Zeros(kFloat, {1000})});
    EXPECT_GT(stream().memory_use().in_use, before);
  }
  ASSERT_TRUE(stream().Synchronize().ok());
  EXPECT_EQ(stream().memory_use().in_use, before);
}

}  // namespace
}  // namespace weir
