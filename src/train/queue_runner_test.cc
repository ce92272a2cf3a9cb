// Queue runners over plain nodes: a counter with a limit stands for the input, other counters record the enqueue, close
// and cancel runs.
#include "train/queue_runner.h"

#include <gmock/gmock.h>

#include "graph/compose/queue.h"
#include "graph/compose/variable.h"
#include "graph/node_builder.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class QueueRunnerTest : public ::testing::Test {
 protected:
  QueueRunnerTest() {
    parts_.queue_name = "queue";
    parts_.enqueue = {CountTo(3, "first"), CountTo(5, "second")};
    parts_.close = closed_->AssignAdd(1.0f).node;
    parts_.cancel = cancelled_->AssignAdd(1.0f).node;
    Node* initialize = InitializeVariables(graph(), GlobalVariables(graph()));
    EXPECT_TRUE(session_->Run({.targets = {initialize}}).ok());
  }

  Graph& graph() { return *graph_; }
  Node* CountTo(int limit, const std::string& name) {
    const VariablePtr counter = Must(Variable::Make(graph(), Tensor::Scalar<int32_t>(0), {.name = name}));
    return NodeBuilder(graph(), "CountUpTo", name + "_up")
        .In(counter->handle())
        .Attr("limit", static_cast<int64_t>(limit))
        .BuildNode();
  }
  float Value(const VariablePtr& variable) {
    const auto values = Must(session_->Run({.fetches = {variable->value()}}));
    return values.empty() ? -1 : values[0].flat<float>()[0];
  }
  static std::vector<std::string> Names(const std::vector<QueueRunner::Loop>& loops) {
    std::vector<std::string> names;
    for (const QueueRunner::Loop& loop : loops) names.push_back(loop.name);
    return names;
  }

  const AllOps ops_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_.registry);
  VariablePtr closed_ = Must(Variable::Make(graph(), 0.0f, {.name = "closed"}));
  VariablePtr cancelled_ = Must(Variable::Make(graph(), 0.0f, {.name = "cancelled"}));
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Session> session_ = std::make_shared<LocalSession>(
      graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
  QueueRunnerParts parts_;
};

TEST_F(QueueRunnerTest, TheLastLoopClosesTheQueue) {
  const QueueRunnerPtr runner = Must(QueueRunner::Make(parts_));
  std::vector<QueueRunner::Loop> loops = runner->Loops(session_, nullptr);
  EXPECT_THAT(Names(loops), ElementsAre("QueueRunnerThread-queue-first_up", "QueueRunnerThread-queue-second_up"));
  EXPECT_TRUE(loops[0].run().ok());
  EXPECT_EQ(Value(closed_), 0);
  EXPECT_TRUE(loops[1].run().ok());
  EXPECT_EQ(Value(closed_), 1);
  EXPECT_EQ(Value(cancelled_), 0);
}

TEST_F(QueueRunnerTest, IsNotStartedAgainWhileItRuns) {
  const QueueRunnerPtr runner = Must(QueueRunner::Make(parts_));
  std::vector<QueueRunner::Loop> loops = runner->Loops(session_, nullptr);
  EXPECT_TRUE(runner->Loops(session_, nullptr).empty());
  EXPECT_TRUE(runner->Loops(session_, std::make_shared<Coordinator>()).empty());
  EXPECT_TRUE(loops[0].run().ok());
  EXPECT_TRUE(runner->Loops(session_, nullptr).empty());
  EXPECT_TRUE(loops[1].run().ok());
  EXPECT_EQ(runner->Loops(session_, nullptr).size(), 2u);
}

TEST_F(QueueRunnerTest, AStopEndsTheLoopsAndCancels) {
  auto coord = std::make_shared<Coordinator>();
  Node* endless = cancelled_->AssignAdd(0.0f).node;
  parts_.enqueue = {endless};
  AddQueueRunner(graph(), Must(QueueRunner::Make(parts_)));
  const auto threads = StartQueueRunners(graph(), session_, coord);
  const auto again = StartQueueRunners(graph(), session_, coord);
  coord->RequestStop();
  EXPECT_TRUE(coord->Join().ok());
  EXPECT_EQ(Value(cancelled_), 1);
  EXPECT_EQ(Value(closed_), 0);
}

TEST_F(QueueRunnerTest, ALostTaskLeavesTheQueueToTheNextSession) {
  for (const Status& lost : {Unavailable("gone"), Aborted("another one")}) {
    auto coord = std::make_shared<Coordinator>();
    const Queue never = Queue::Fifo(graph(), 1, {kFloat});
    parts_.enqueue = {never.Dequeue()[0].node};
    const auto runner = Must(QueueRunner::Make(parts_));
    const QueueRunnerThreads threads(coord, runner->Loops(session_, coord));
    coord->RequestStop(lost);
    EXPECT_EQ(coord->Join(), lost);
    EXPECT_EQ(Value(cancelled_), 0);
  }
}

TEST_F(QueueRunnerTest, ALostTaskEndsStepsThatWaitForAQueueOfTheSession) {
  for (const bool is_shared : {false, true}) {
    auto coord = std::make_shared<Coordinator>();
    const Queue never = Queue::Fifo(graph(), 1, {kFloat});
    const Queue queue = Queue::Fifo(graph(), 1, {kFloat}, {.shared_name = is_shared ? "shared" : ""});
    const Output is_closed = queue.IsClosed();
    parts_.enqueue = {never.Dequeue()[0].node};
    parts_.cancel = queue.Close(/*cancel_pending_enqueues=*/true);
    const auto runner = Must(QueueRunner::Make(parts_));
    const QueueRunnerThreads threads(coord, runner->Loops(session_, coord));
    coord->RequestStop(Unavailable("gone"));
    EXPECT_EQ(coord->Join(), Unavailable("gone"));
    EXPECT_EQ(Must(session_->Run({.fetches = {is_closed}}))[0].scalar<bool>(), !is_shared);
  }
}

TEST_F(QueueRunnerTest, AStopEndsStepsThatWaitForSomethingElse) {
  auto coord = std::make_shared<Coordinator>();
  const Queue never = Queue::Fifo(graph(), 1, {kFloat});
  parts_.enqueue = {never.Dequeue()[0].node};
  const auto runner = Must(QueueRunner::Make(parts_));
  const QueueRunnerThreads threads(coord, runner->Loops(session_, coord));
  coord->RequestStop();
  EXPECT_TRUE(coord->Join().ok());
  EXPECT_EQ(Value(cancelled_), 1);
}

TEST_F(QueueRunnerTest, AFailureStopsTheCoordinator) {
  auto coord = std::make_shared<Coordinator>();
  const VariablePtr empty = Must(Variable::Make(graph(), 0.0f, {.name = "empty"}));
  parts_.enqueue = {empty->value().node};
  const auto runner = Must(QueueRunner::Make(parts_));
  const QueueRunnerThreads threads(coord, runner->Loops(session_, coord));
  const Status status = coord->Join();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("empty"));
  EXPECT_EQ(Value(closed_), 0);
}

TEST_F(QueueRunnerTest, MessagesNameTheNodes) {
  parts_.closed = {StatusCode::kOutOfRange, StatusCode::kCancelled};
  parts_.queue_name = "closed";  // any node works
  const QueueRunnerPtr runner = Must(QueueRunner::Make(parts_));
  const tensorflow::QueueRunnerDef def = runner->ToProto().value_or(tensorflow::QueueRunnerDef());
  EXPECT_EQ(def.queue_name(), "closed");
  EXPECT_THAT(def.enqueue_op_name(), ElementsAre("first_up", "second_up"));
  const QueueRunnerPtr read = Must(QueueRunner::FromProto(graph(), def));
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->parts().enqueue, parts_.enqueue);
  EXPECT_EQ(read->parts().cancel, parts_.cancel);
  EXPECT_EQ(read->parts().closed, parts_.closed);
  EXPECT_FALSE(runner->ToProto("elsewhere").has_value());
  EXPECT_THAT(Message(QueueRunner::FromProto(graph(), def, "nope")), HasSubstr("'nope/closed'"));
  EXPECT_THAT(Message(QueueRunner::Make({})), HasSubstr("Must provide queue and enqueue_ops."));
}

}  // namespace
}  // namespace weir
