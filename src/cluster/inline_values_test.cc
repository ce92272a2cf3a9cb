// Steps of a worker that reads from a parameter server, and the calls between them.
#include "cluster/step_stages.h"

#include <thread>

#include "cluster/counted_cluster_test.h"
#include "graph/build/queue_ops.h"

namespace weir {
namespace {

using InlineValuesTest = CountedCluster;

TEST_F(InlineValuesTest, ReadsComeWithTheResponse) {
  const Output result = OnWorker(MakeVariable(3));
  const int before = calls_.Of("RunGraph");
  constexpr int kSteps = 5;
  for (int i = 0; i < kSteps; ++i) ExpectStep(result, 3, 20);
  EXPECT_EQ(calls_.Of("RunGraph"), before + kSteps);
  EXPECT_EQ(calls_.Of("RecvTensor"), 0);
}

TEST_F(InlineValuesTest, FetchedValueIsDeliveredTwice) {
  const Output v = MakeVariable(3);
  const Output result = OnWorker(v);
  Result<std::vector<Tensor>> values = session_->Run({.fetches = {v, result}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].flat<float>()[0], 2);
  EXPECT_EQ((*values)[1].flat<float>()[0], 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 0);
}

TEST_F(InlineValuesTest, LargeValuesUseRecvTensor) {
  constexpr int64_t kLarge = 1'000'000;
  ExpectStep(OnWorker(MakeVariable(kLarge)), kLarge, 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 1);
}

TEST_F(InlineValuesTest, TotalSizeIsLimited) {
  constexpr int64_t kMost = 128 << 10;
  constexpr int64_t kThird = kMost / sizeof(float) / 3;
  std::vector<Output> results;
  for (int i = 0; i < 5; ++i) results.push_back(OnWorker(MakeVariable(kThird)));
  Result<std::vector<Tensor>> values = session_->Run({.fetches = results});
  ASSERT_TRUE(values.ok()) << values.status();
  for (const Tensor& value : *values) EXPECT_EQ(value.flat<float>()[kThird - 1], 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 2);
}

TEST_F(InlineValuesTest, OtherTasksUseRecvTensor) {
  const Output v = MakeVariable(3);
  Node* slow = nullptr;  // may take time, so that the step does not run in stages, which would pass the value along
  {
    DeviceScope scope(*graph_, Worker(1));
    slow = RandomUniform(Constant(*graph_, Tensor::Vector<int64_t>({1})), kFloat).node;
  }
  Result<std::vector<Tensor>> values = session_->Run({.fetches = {OnWorker(v), OnWorker(v, 1)}, .targets = {slow}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].flat<float>()[0], 20);
  EXPECT_EQ((*values)[1].flat<float>()[0], 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 1);
}

TEST_F(InlineValuesTest, PartThatNeedsTheWorkerDoesNotDeadlock) {
  const Output v = MakeVariable(3);
  const Output sum = OnWorker(v);
  DeviceScope scope(*graph_, "/job:ps/task:0");
  ExpectStep(AssignAdd(v, sum), 3, 22);
}

TEST_F(InlineValuesTest, BlockingPartDoesNotDelayValues) {
  const Output v = MakeVariable(3);
  Output taken;
  Node* put = nullptr;
  {
    DeviceScope scope(*graph_, "/job:ps/task:0");
    const Output queue = FIFOQueueV2(*graph_, {kFloat});
    taken = QueueDequeueV2(*graph_, queue, {kFloat})[0];
    put = QueueEnqueueV2(*graph_, queue, {Constant(*graph_, Tensor::Scalar(1.0f))});
  }
  Output seen;
  Output init;
  Output see;
  {
    DeviceScope scope(*graph_, "/job:worker/task:0");
    seen = VariableV2(*graph_, PartialShape({3}), kFloat);
    init = Assign(seen, Constant(*graph_, Tensor::Vector({0.0f, 0.0f, 0.0f})));
    see = Assign(seen, OnWorker(v));
  }
  ASSERT_TRUE(session_->Run({.targets = {init.node}}).ok());
  std::thread step([&] {
    const Status status = session_->Run({.targets = {see.node, taken.node}}).status();
    EXPECT_TRUE(status.ok()) << status;
  });
  // While the ps still waits for its queue, the worker gets the value that it has requested.
  for (float value = 0; value != 20;) {
    Result<std::vector<Tensor>> values = session_->Run({.fetches = {seen}});
    ASSERT_TRUE(values.ok()) << values.status();
    value = (*values)[0].flat<float>()[0];
  }
  EXPECT_TRUE(session_->Run({.targets = {put}}).ok());
  step.join();
}

TEST_F(InlineValuesTest, ErrorsOfThePartEndTheStep) {
  const Output result = OnWorker(MakeVariable(3, /*initialized=*/false));
  const Status status = session_->Run({.fetches = {result}}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
}

TEST_F(InlineValuesTest, PartialRunUsesRecvTensor) {
  const Output result = OnWorker(MakeVariable(3));
  const Output fed = Placeholder(*graph_, kFloat);
  const Output sum = OnWorker(fed) + result;
  Result<std::string> handle = session_->PartialRunSetup({fed}, {result, sum}, {}, nullptr);
  ASSERT_TRUE(handle.ok()) << handle.status();
  Result<std::vector<Tensor>> first = session_->PartialRun(*handle, {}, {result}, nullptr);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].flat<float>()[0], 20);
  Result<std::vector<Tensor>> second = session_->PartialRun(*handle, {{fed, Tensor::Scalar(1.0f)}}, {sum}, nullptr);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].flat<float>()[0], 30);
}

}  // namespace
}  // namespace weir
