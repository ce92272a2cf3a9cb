// Tests the Accumulator class: waiting, staleness and cancellation, and inputs that crash TensorFlow.
#include "ops/queue/accumulator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::accumulator_test {
namespace {

struct Call {
  CancelToken cancel;
  std::optional<Status> status;
  std::vector<float> values;
};

class AccumulatorTest : public ::testing::Test {
 protected:
  static ResourcePtr<Accumulator> Make(bool mean = true) {
    AccumulatorSpec spec;
    spec.name = "sum";
    spec.mean = mean;
    return MakeIntrusive<Accumulator>(std::move(spec));
  }
  static Status Apply(Accumulator& accumulator, float value, int64_t step = 0) {
    GradientInput gradient;
    gradient.values = Tensor::Scalar(value);
    return accumulator.Apply(step, std::move(gradient));
  }
  static std::shared_ptr<Call> Take(Accumulator& accumulator, int64_t required) {
    auto call = std::make_shared<Call>();
    accumulator.Take(required, call->cancel, [call](Result<std::vector<Tensor>> taken) {
      call->status = taken.status();
      if (taken.ok()) call->values.push_back((*taken)[0].scalar<float>());
    });
    return call;
  }
};
using Floats = std::vector<float>;

TEST_F(AccumulatorTest, TakesAreServedInFifoOrder) {
  auto accumulator = Make();
  auto first = Take(*accumulator, 2);
  auto second = Take(*accumulator, 1);
  EXPECT_TRUE(Apply(*accumulator, 1).ok());
  EXPECT_FALSE(first->status.has_value());
  EXPECT_FALSE(second->status.has_value());  // although there are enough gradients for it
  EXPECT_TRUE(Apply(*accumulator, 4).ok());
  EXPECT_EQ(first->values, Floats{2.5});
  EXPECT_TRUE(Apply(*accumulator, 7).ok());  // stale: of step 0
  EXPECT_FALSE(second->status.has_value());
  EXPECT_TRUE(Apply(*accumulator, 7, 1).ok());
  EXPECT_EQ(second->values, Floats{7});
  EXPECT_EQ(accumulator->num_accumulated(), 0);
}

TEST_F(AccumulatorTest, ACancelledTakeTakesNothing) {
  auto accumulator = Make(/*mean=*/false);
  EXPECT_TRUE(Apply(*accumulator, 1).ok());
  auto first = Take(*accumulator, 3);
  auto second = Take(*accumulator, 1);
  first->cancel.Cancel(Cancelled("the step is over"));
  EXPECT_EQ(first->status->code(), StatusCode::kCancelled);
  EXPECT_EQ(second->values, Floats{1});
  auto late = std::make_shared<Call>();
  late->cancel.Cancel(Cancelled("over"));
  EXPECT_TRUE(Apply(*accumulator, 5, 1).ok());
  accumulator->Take(1, late->cancel, [late](Result<std::vector<Tensor>> taken) { late->status = taken.status(); });
  EXPECT_EQ(late->status->code(), StatusCode::kCancelled);
  EXPECT_EQ(accumulator->num_accumulated(), 1);
}

TEST_F(AccumulatorTest, TakesTheMeanOfAllGradients) {
  auto accumulator = Make();
  for (const float value : {1.f, 2.f, 6.f}) EXPECT_TRUE(Apply(*accumulator, value).ok());
  EXPECT_EQ(Take(*accumulator, 1)->values, Floats{3});
}

TEST_F(AccumulatorTest, GradientsAreNotSharedWithOthers) {
  auto accumulator = Make(/*mean=*/false);
  const Tensor shared = Tensor::Scalar(1.f);
  for (int i = 0; i < 2; ++i) {
    GradientInput gradient;
    gradient.values = shared;
    EXPECT_TRUE(accumulator->Apply(0, std::move(gradient)).ok());
  }
  EXPECT_EQ(Take(*accumulator, 2)->values, Floats{2});
  EXPECT_EQ(shared.scalar<float>(), 1);
}

TEST_F(AccumulatorTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  auto accumulator = Make(/*mean=*/false);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) ASSERT_TRUE(Apply(*accumulator, 1, 1 << 30).ok());
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; total + accumulator->num_accumulated() < kThreads * kEach; ++i) {
      CancelToken cancel;
      std::promise<float> taken;
      accumulator->Take(1, cancel, [&](const Result<std::vector<Tensor>>& got) {
        taken.set_value(got.ok() ? (*got)[0].scalar<float>() : 0);
      });
      if (i % 2 == 0) cancel.Cancel(Cancelled("over"));  // while it waits, or after it was served
      total += static_cast<int64_t>(taken.get_future().get());
    }
  });
  for (std::thread& thread : threads) thread.join();
  if (accumulator->num_accumulated() > 0) total += static_cast<int64_t>(Take(*accumulator, 1)->values[0]);
  EXPECT_EQ(total, kThreads * kEach);
}

// Inputs that crash TensorFlow.
TEST(AccumulatorOps, WrongTypesAndShapesAreErrors) {
  OpRegistry registry;
  RegisterQueueOps(registry);
  KernelTester tester(registry);
  for (const std::string prefix : {"", "Resource"}) {
    AttrMap attrs;
    attrs.emplace("shared_name", "a" + prefix);
    attrs.emplace("dtype", kFloat);
    attrs.emplace("shape", PartialShape());
    auto handle = tester.RunEdges(prefix + "ConditionalAccumulator", {}, attrs);
    ASSERT_TRUE(handle.ok()) << handle.status();
    auto take = [&](const Tensor& required, DType dtype) {
      AttrMap more;
      more.emplace("dtype", dtype);
      return tester.RunEdges(prefix + "AccumulatorTakeGradient", {(*handle)[0], KernelTester::Value(required)}, more)
          .status();
    };
    EXPECT_EQ(take(Tensor::Scalar(1), kDouble).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(take(Tensor::Vector<int32_t>({1, 2}), kFloat).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(take(Tensor::Vector<int32_t>({}), kFloat).code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace weir::ops::accumulator_test
