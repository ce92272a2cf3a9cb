// Tests steps of a worker that pulls values from parameter servers and pushes to them: the number of calls, and that
// stages add no waits.
#include "cluster/step_stages.h"

#include <cmath>
#include <thread>

#include "cluster/counted_cluster_test.h"
#include "graph/build/queue_ops.h"
#include "graph/build/reduce.h"

namespace weir {
namespace {

class StepStagesTest : public CountedCluster {
 protected:
  // Like a training step: sends the variable to the worker, and adds ten times its value.
  Node* MakeUpdate(Output v, int task = 0) {
    const Output gradient = OnWorker(v);
    DeviceScope scope(*graph_, Ps(task));
    return AssignAdd(v, gradient).node;
  }
  // Increments a counter on a ps, after `before`.
  Output CountAfter(Output counter, const std::vector<Node*>& before) {
    DeviceScope scope(*graph_, Ps());
    const Output counted = AssignAdd(counter, Constant(*graph_, Tensor::Vector({1.0f})));
    for (Node* node : before) graph_->AddControlInput(counted.node, node);
    return counted;
  }
  struct Queue {
    Output taken;
    Node* put = nullptr;
  };
  // A queue of scalars, with an enqueue and a dequeue.
  Queue MakeQueue(const std::string& device) {
    DeviceScope scope(*graph_, device);
    FIFOQueueV2Attrs attrs;
    attrs.shapes = {PartialShape(Shape{})};
    const Output queue = FIFOQueueV2(*graph_, {kFloat}, attrs);
    return {QueueDequeueV2(*graph_, queue, {kFloat})[0],
            QueueEnqueueV2(*graph_, queue, {Constant(*graph_, Tensor::Scalar(1.0f))})};
  }
  Status RunTargets(const std::vector<Node*>& targets, const tensorflow::RunOptions* options = nullptr) {
    return session_->Run({.targets = targets, .options = options}).status();
  }
  float ValueOf(Output v) {
    Result<std::vector<Tensor>> values = session_->Run({.fetches = {v}});
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? (*values)[0].flat<float>()[0] : 0;
  }
  // Runs `targets` several times and returns the number of calls of each kind per step.
  struct PerStep {
    int run_graph = 0;
    int recv_tensor = 0;
  };
  PerStep CallsOf(const std::vector<Node*>& targets) {
    constexpr int kSteps = 3;
    const int runs = calls_.Of("RunGraph");
    const int receives = calls_.Of("RecvTensor");
    for (int i = 0; i < kSteps; ++i) {
      const Status status = RunTargets(targets);
      EXPECT_TRUE(status.ok()) << status;
    }
    return {(calls_.Of("RunGraph") - runs) / kSteps, (calls_.Of("RecvTensor") - receives) / kSteps};
  }
};

TEST_F(StepStagesTest, PullingAndPushingAreTwoCalls) {
  const Output a = MakeVariable(3);
  const Output b = MakeVariable(5);
  const Output steps = MakeVariable(1);
  const Output counted = CountAfter(steps, {MakeUpdate(a), MakeUpdate(b)});
  const PerStep calls = CallsOf({counted.node});
  EXPECT_EQ(calls.run_graph, 2);
  EXPECT_EQ(calls.recv_tensor, 0);
  EXPECT_EQ(ValueOf(a), 2 * 11 * 11 * 11);
  EXPECT_EQ(ValueOf(b), 2 * 11 * 11 * 11);
  EXPECT_EQ(ValueOf(steps), 5);
}

TEST_F(StepStagesTest, OrderBetweenServersNeedsNoCalls) {
  const Output a = MakeVariable(3, true, 0);
  const Output b = MakeVariable(3, true, 1);
  const Output steps = MakeVariable(1);
  const PerStep calls = CallsOf({CountAfter(steps, {MakeUpdate(a, 0), MakeUpdate(b, 1)}).node});
  EXPECT_EQ(calls.run_graph, 4);
  EXPECT_EQ(calls.recv_tensor, 0);
  EXPECT_EQ(ValueOf(a), 2 * 11 * 11 * 11);
  EXPECT_EQ(ValueOf(b), 2 * 11 * 11 * 11);
  EXPECT_EQ(ValueOf(steps), 5);
}

TEST_F(StepStagesTest, FeedsAndFetchesGoToTheStageThatHasThem) {
  const Output v = MakeVariable(3);
  const Output fed = Placeholder(*graph_, kFloat, {.shape = PartialShape({3})});
  const Output gradient = OnWorker(v);
  Output before;
  Output after;
  {
    DeviceScope scope(*graph_, Ps());
    before = v + fed;
    after = AssignAdd(v, gradient);
    graph_->AddControlInput(after.node, before.node);
    after = after + fed;
  }
  Result<std::vector<Tensor>> values =
      session_->Run({.feeds = {{fed, Tensor::Vector({1.0f, 1.0f, 1.0f})}}, .fetches = {after, gradient, before}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].flat<float>()[0], 23);
  EXPECT_EQ((*values)[1].flat<float>()[0], 20);
  EXPECT_EQ((*values)[2].flat<float>()[0], 3);
}

TEST_F(StepStagesTest, LargeGradientsUseRecvTensor) {
  constexpr int64_t kLarge = 1'000'000;
  const Output v = MakeVariable(kLarge);
  EXPECT_GT(CallsOf({MakeUpdate(v)}).recv_tensor, 0);
  EXPECT_EQ(ValueOf(v), 2 * 11 * 11 * 11);
}

TEST_F(StepStagesTest, LargeParametersAreRequestedAndSmallUpdatesCut) {
  constexpr int64_t kLarge = 1'000'000;
  const Output v = MakeVariable(kLarge);
  const Output small = MakeVariable(1);
  const Output sum = OnWorker(small);
  Node* update = nullptr;
  {
    DeviceScope scope(*graph_, Ps());
    update = AssignAdd(small, sum).node;
  }
  const PerStep calls = CallsOf({update, OnWorker(v).node});
  EXPECT_EQ(calls.run_graph, 2);
  EXPECT_EQ(calls.recv_tensor, 1);
  EXPECT_EQ(ValueOf(small), 2 * 11 * 11 * 11);
}

// The second stage needs a value that is computed from a requested output of the first one.
TEST_F(StepStagesTest, AnUpdateMayDependOnALargeParameterOfItsServer) {
  const Output v = MakeVariable(1'000'000);
  const Output small = MakeVariable(1);
  Output largest;
  {
    DeviceScope scope(*graph_, Worker());
    largest = OnWorker(small) + ReduceMax(v);
  }
  Node* update = nullptr;
  {
    DeviceScope scope(*graph_, Ps());
    update = AssignAdd(small, largest).node;
  }
  const PerStep calls = CallsOf({update});
  EXPECT_EQ(calls.run_graph, 2);
  EXPECT_EQ(calls.recv_tensor, 1);
  EXPECT_EQ(ValueOf(small), ((2 * 11 + 2) * 11 + 2) * 11 + 2);
}

TEST_F(StepStagesTest, ALargeGradientLeavesItsServerUncut) {
  constexpr int64_t kLarge = 1'000'000;
  const Output large = MakeVariable(kLarge, true, 0);
  const Output small = MakeVariable(3, true, 0);
  const Output other = MakeVariable(3, true, 1);
  const PerStep calls = CallsOf({MakeUpdate(large, 0), MakeUpdate(small, 0), MakeUpdate(other, 1)});
  EXPECT_EQ(calls.run_graph, 1 + 2);
  EXPECT_GE(calls.recv_tensor, 2);
  for (Output v : {large, small, other}) EXPECT_EQ(ValueOf(v), 2 * 11 * 11 * 11);
}

TEST_F(StepStagesTest, ASlowPartLeavesOthersCut) {
  const Output v = MakeVariable(3);
  Output slow;
  {
    DeviceScope scope(*graph_, Worker(1));
    slow = RandomUniform(Constant(*graph_, Tensor::Vector<int64_t>({3})), kFloat);
  }
  const PerStep calls = CallsOf({MakeUpdate(v), OnWorker(slow).node});
  EXPECT_EQ(calls.run_graph, 2 + 1);
  EXPECT_EQ(calls.recv_tensor, 1);
  EXPECT_EQ(ValueOf(v), 2 * 11 * 11 * 11);
}

// A value of a part that is not cut must be requested, so the part that needs it is not cut either.
TEST_F(StepStagesTest, APartThatNeedsAValueOfAnUncutPartIsNotCut) {
  const Output v = MakeVariable(3);
  Output slow;
  {
    DeviceScope scope(*graph_, Worker(1));
    slow = RandomUniform(Constant(*graph_, Tensor::Vector<int64_t>({3})), kFloat);
  }
  Node* update = MakeUpdate(v);
  Output after;
  {
    DeviceScope scope(*graph_, Ps());
    after = AssignAdd(v, slow);
    graph_->AddControlInput(after.node, update);
  }
  const PerStep calls = CallsOf({after.node});
  EXPECT_EQ(calls.run_graph, 1 + 1);
  EXPECT_GE(calls.recv_tensor, 2);
}

// A value that is sent to the worker and used again in a later stage must not be computed twice.
TEST_F(StepStagesTest, ValuesKeptBetweenStagesAreNotRecomputed) {
  const Output v = MakeVariable(3);
  Output sum;
  Output changed;
  {
    DeviceScope scope(*graph_, Ps());
    sum = v + Constant(*graph_, Tensor::Scalar(1.0f));
    changed = AssignAdd(v, Constant(*graph_, Tensor::Vector({100.0f, 100.0f, 100.0f})));
    graph_->AddControlInput(changed.node, sum.node);
  }
  const Output back = OnWorker(sum);
  DeviceScope scope(*graph_, Ps());
  const Output both = back + sum;
  graph_->AddControlInput(both.node, changed.node);
  ExpectStep(both, 3, 33);
}

// On its own task, a read of a reference variable aliases the variable, even if it was sent before.
TEST_F(StepStagesTest, AReadThatIsUsedAfterAnUpdateSeesIt) {
  const Output v = MakeVariable(3);
  Output read;
  {
    DeviceScope scope(*graph_, Ps());
    read = Identity(v);
  }
  const Output gradient = OnWorker(read);
  DeviceScope scope(*graph_, Ps());
  const Output update = AssignAdd(v, gradient);
  const Output seen = read + Constant(*graph_, Tensor::Scalar(0.0f));
  graph_->AddControlInput(seen.node, update.node);
  ExpectStep(seen, 3, 22);
}

TEST_F(StepStagesTest, FetchedVariableIsReadAfterUpdates) {
  const Output counter = MakeVariable(1);
  const Output v = MakeVariable(1);
  const Output counted = CountAfter(counter, {MakeUpdate(v)});
  Output read;
  {
    DeviceScope scope(*graph_, Ps());
    read = Identity(v);
  }
  const int runs = calls_.Of("RunGraph");
  for (int i = 1; i <= 6; ++i) {
    Result<std::vector<Tensor>> values = session_->Run({.fetches = {counter, read}, .targets = {counted.node}});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].flat<float>()[0], 2 + static_cast<float>(i));
    EXPECT_EQ((*values)[1].flat<float>()[0], 2 * std::pow(11.0f, static_cast<float>(i)));
  }
  EXPECT_EQ(calls_.Of("RunGraph") - runs, 2 * 6);
}

TEST_F(StepStagesTest, QueueTokenComesWithTheResponse) {
  const Output v = MakeVariable(3);
  const Queue tokens = MakeQueue(Ps());
  graph_->AddControlInput(tokens.taken.node, MakeUpdate(v));
  const Output result = OnWorker(tokens.taken);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(RunTargets({tokens.put}).ok());
  const PerStep calls = CallsOf({result.node});
  EXPECT_EQ(calls.run_graph, 2);
  EXPECT_EQ(calls.recv_tensor, 0);
}

TEST_F(StepStagesTest, WorkerQueueDelaysNothingElse) {
  const Output slow = MakeVariable(1);
  const Output quick = MakeVariable(1);
  const Queue queue = MakeQueue(Worker());
  const Output late = OnWorker(queue.taken);
  Node* late_update = nullptr;
  {
    DeviceScope scope(*graph_, Ps());
    late_update = AssignAdd(slow, Reshape(late, Constant(*graph_, Tensor::Vector<int32_t>({1})))).node;
  }
  Node* update = MakeUpdate(quick);
  std::thread step([&] {
    const Status status = RunTargets({late_update, update});
    EXPECT_TRUE(status.ok()) << status;
  });
  while (ValueOf(quick) == 2) {
  }
  EXPECT_EQ(ValueOf(slow), 2);
  EXPECT_TRUE(RunTargets({queue.put}).ok());
  step.join();
  EXPECT_EQ(ValueOf(slow), 12);
}

TEST_F(StepStagesTest, ServerQueueDelaysNothingElse) {
  const Output quick = MakeVariable(1);
  const Queue queue = MakeQueue(Ps());
  Node* update = MakeUpdate(quick);
  std::thread step([&] {
    const Status status = RunTargets({queue.taken.node, update});
    EXPECT_TRUE(status.ok()) << status;
  });
  while (ValueOf(quick) == 2) {
  }
  EXPECT_TRUE(RunTargets({queue.put}).ok());
  step.join();
}

TEST_F(StepStagesTest, AnErrorOfTheWorkerEndsTheStepAndNothingIsPushed) {
  const Output v = MakeVariable(1);
  Output empty;
  {
    DeviceScope scope(*graph_, Worker());
    empty = VariableV2(*graph_, PartialShape({1}), kFloat);
  }
  const Output sum = OnWorker(v) + OnWorker(empty);
  DeviceScope scope(*graph_, Ps());
  const Status status = RunTargets({AssignAdd(v, sum).node});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
  EXPECT_EQ(ValueOf(v), 2);
}

TEST_F(StepStagesTest, AnErrorOfALaterStageEndsTheStep) {
  const Output v = MakeVariable(1);
  const Output empty = MakeVariable(1, /*initialized=*/false);
  const Output gradient = OnWorker(v);
  DeviceScope scope(*graph_, Ps());
  const Status status = RunTargets({AssignAdd(empty, gradient).node});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
}

TEST_F(StepStagesTest, TimeoutNamesTasksAndNextStepRuns) {
  const Output v = MakeVariable(1);
  const Queue tokens = MakeQueue(Ps());
  graph_->AddControlInput(tokens.taken.node, MakeUpdate(v));
  const Output result = OnWorker(tokens.taken);
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(50);
  const Status status = RunTargets({result.node}, &options);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
  EXPECT_NE(status.message().find("/job:ps/replica:0/task:0"), std::string::npos) << status;
  EXPECT_TRUE(RunTargets({tokens.put}).ok());
  EXPECT_TRUE(RunTargets({result.node}).ok());
}

TEST_F(StepStagesTest, ACancelledStepEndsWhileAStageWaitsForItsValues) {
  const Output v = MakeVariable(1);
  const Queue queue = MakeQueue(Worker());
  const Output late = OnWorker(queue.taken) + OnWorker(v);
  Node* update = nullptr;
  {
    DeviceScope scope(*graph_, Ps());
    update = AssignAdd(v, late).node;
  }
  CancelToken cancel;
  Status status;
  std::thread step([&] { status = session_->Run({.targets = {update}, .cancel = &cancel}).status(); });
  while (calls_.Of("RunGraph") < 2) {
  }
  cancel.Cancel(Cancelled("enough"));
  step.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
  EXPECT_EQ(ValueOf(v), 2);
}

TEST_F(StepStagesTest, PartialRunPushesToo) {
  const Output v = MakeVariable(1);
  const Output fed = Placeholder(*graph_, kFloat, {.shape = PartialShape({1})});
  const Output gradient = OnWorker(v);
  const Output sum = gradient + OnWorker(fed);
  Output updated;
  {
    DeviceScope scope(*graph_, Ps());
    updated = AssignAdd(v, sum);
  }
  Result<std::string> handle = session_->PartialRunSetup({fed}, {gradient, updated}, {}, nullptr);
  ASSERT_TRUE(handle.ok()) << handle.status();
  Result<std::vector<Tensor>> first = session_->PartialRun(*handle, {}, {gradient}, nullptr);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].flat<float>()[0], 20);
  Result<std::vector<Tensor>> second =
      session_->PartialRun(*handle, {{fed, Tensor::Vector({1.0f})}}, {updated}, nullptr);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].flat<float>()[0], 32);
}

}  // namespace
}  // namespace weir
