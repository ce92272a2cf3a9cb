#include "train/supervisor.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <future>

#include "graph/compose/queue.h"
#include "graph/compose/summary.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/checkpoint_state.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Records the events written, in short form.
class SummaryRecorder final : public SummaryWriter {
 public:
  Status AddSummary(tensorflow::Summary summary, Step step) override {
    for (const auto& value : summary.value()) WEIR_TRY(Note(value.tag(), step));
    return OkStatus();
  }
  Status AddSessionLog(tensorflow::SessionLog log, Step step) override {
    const char* const names[] = {"unspecified", "start", "stop", "checkpoint"};
    return Note(names[log.status()], step);
  }
  Status AddGraph(const tensorflow::GraphDef&, Step step) override { return Note("graph", step); }
  Status AddMetaGraph(const tensorflow::MetaGraphDef&, Step step) override { return Note("meta graph", step); }
  Status AddRunMetadata(const tensorflow::RunMetadata&, const std::string& tag, Step step) override {
    return Note(tag, step);
  }
  Status Flush() override { return OkStatus(); }
  Status Close() override { return Note("close", {}); }
  Status Reopen() override { return Note("reopen", {}); }
  std::vector<std::string> Take() {
    std::lock_guard<std::mutex> lock(mu_);
    return std::exchange(notes_, {});
  }

 private:
  Status Note(const std::string& what, Step step) {
    std::lock_guard<std::mutex> lock(mu_);
    notes_.push_back(step ? fmt::format("{} at {}", what, *step) : what);
    return OkStatus();
  }
  std::mutex mu_;
  std::vector<std::string> notes_;
};

class SupervisorTest : public ::testing::Test {
 protected:
  SupervisorTest() {
    std::string dir = testing::TempDir() + "supervisor_XXXXXX";
    EXPECT_NE(mkdtemp(dir.data()), nullptr);
    logdir_ = dir + "/logs";
    NewGraph();
  }
  void NewGraph() {
    graph_ = std::make_shared<Graph>(ops_.registry);
    step_ = Must(Variable::Make(graph(), Tensor::Scalar<int64_t>(0), {.name = "global_step"}));
    more_ = step_->AssignAdd(Tensor::Scalar<int64_t>(1)).node;
    EXPECT_TRUE(graph().TakeError().ok());
  }
  Graph& graph() { return *graph_; }
  SessionMaker make() {
    return [this]() -> Result<SessionPtr> {
      return std::make_shared<LocalSession>(
          graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
    };
  }
  int64_t Step(const SessionPtr& session) {
    const auto values = Must(session->Run({.fetches = {step_->value()}}));
    return values.empty() ? -1 : values[0].flat<int64_t>()[0];
  }
  Status RunSteps(Supervisor& sv, int64_t last) {
    return sv.RunManaged(make(), [&](const SessionPtr& session) -> Status {
      while (!sv.should_stop() && Step(session) < last) WEIR_TRY(session->Run({.targets = {more_}}).status());
      return OkStatus();
    });
  }

  AllOps ops_;
  std::shared_ptr<Graph> graph_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::string logdir_;
  VariablePtr step_;
  Node* more_ = nullptr;
};

TEST_F(SupervisorTest, CompletesTheGraph) {
  const auto sv = Must(Supervisor::Make(graph()));
  EXPECT_TRUE(graph().finalized());
  EXPECT_EQ(graph().collections().Of<Node*>(graph_keys::kInitOp), sv->init());
  EXPECT_EQ(graph().collections().Of<Node*>(graph_keys::kLocalInitOp), sv->local_init());
  EXPECT_EQ(graph().collections().Of<Output>(graph_keys::kReadyOp)[0].node, sv->ready().node);
  EXPECT_EQ(graph().collections().Of<std::shared_ptr<Saver>>(graph_keys::kSavers)[0], sv->saver());
  EXPECT_EQ(sv->global_step()->node->name(), "global_step");
  EXPECT_EQ(sv->ready_for_local_init().node, nullptr);
  EXPECT_FALSE(sv->summary().has_value());
  EXPECT_EQ(sv->summary_writer(), nullptr);
  EXPECT_EQ(sv->save_path(), "");
}

TEST_F(SupervisorTest, UsesArgumentsAndTheGraphsCollections) {
  Node* const init = InitializeVariables(graph(), {step_}, "mine");
  graph().collections().Add(graph_keys::kInitOp, init);
  const auto sv = Must(Supervisor::Make(
      graph(), {.ready = ReadyOp(), .local_init = std::vector<Node*>{}, .saver = nullptr, .global_step = Output()}));
  EXPECT_EQ(sv->init(), std::vector<Node*>{init});
  EXPECT_EQ(sv->ready().node, nullptr);
  EXPECT_THAT(sv->local_init(), IsEmpty());
  EXPECT_EQ(sv->saver(), nullptr);
  EXPECT_FALSE(sv->global_step().has_value());
}

TEST_F(SupervisorTest, NonChiefNeedsVariableDevices) {
  const auto sv = Supervisor::Make(graph(), {.is_chief = false});
  EXPECT_EQ(sv.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(sv.status().message()), HasSubstr("must have their device set: global_step"));
}

TEST_F(SupervisorTest, NonChiefsWriteNothing) {
  graph_ = std::make_shared<Graph>(ops_.registry);
  DeviceScope on(graph(), "/cpu:0");
  step_ = Must(Variable::Make(graph(), Tensor::Scalar<int64_t>(0), {.name = "global_step"}));
  const auto sv = Must(Supervisor::Make(graph(), {.is_chief = false, .logdir = logdir_}));
  EXPECT_EQ(sv->summary_writer(), nullptr);
  EXPECT_EQ(sv->StandardServices(nullptr).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(RealEnv().Exists(logdir_));
}

TEST_F(SupervisorTest, SavesAndContinues) {
  {
    const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .save_model_secs = 1e-3}));
    Status status = sv->RunManaged(make(), [&](const SessionPtr& session) -> Status {
      for (int i = 0; i < 5; ++i) WEIR_TRY(session->Run({.targets = {more_}}).status());
      // The service saves periodically: wait for a checkpoint of the last step.
      while (!RealEnv().Exists(logdir_ + "/model.ckpt-5.index"))
        if (sv->should_stop()) return DataLoss("stopped");
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(RealEnv().Exists(logdir_ + "/graph.pb"));
    EXPECT_EQ(Must(RealEnv().Match(logdir_ + "/events.out.tfevents.*")).size(), 1u);
  }
  NewGraph();
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_}));
  int64_t first = -1;
  EXPECT_TRUE(sv->RunManaged(make(), [&](const SessionPtr& session) {
                  first = Step(session);
                  return OkStatus();
                }).ok());
  EXPECT_EQ(first, 5);
}

TEST_F(SupervisorTest, WritesSessionLogs) {
  SummarizeScalar(graph(), "value", 3.0f);
  auto writer = std::make_shared<SummaryRecorder>();
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .summary_writer = writer}));
  const SessionPtr session = Must(sv->GetSession(make(), {}));
  EXPECT_THAT(writer->Take(), ElementsAre("reopen", "graph", "meta graph"));
  EXPECT_TRUE(session->Run({.targets = {more_}}).ok());
  std::vector<Supervisor::Service> services = Must(sv->StandardServices(session));
  EXPECT_THAT(writer->Take(), ElementsAre("start at 1"));
  for (Supervisor::Service& service : services) {
    EXPECT_TRUE(service.start().ok());
    EXPECT_TRUE(service.run().ok()) << service.name;
  }
  EXPECT_THAT(writer->Take(), ElementsAre("value at 1", "global_step/sec at 1", "checkpoint at 1"));
  tensorflow::Summary computed;
  computed.add_value()->set_tag("mine");
  EXPECT_TRUE(sv->SummaryComputed(session, computed).ok());
  EXPECT_TRUE(sv->SummaryComputed(session, computed, 7).ok());
  EXPECT_THAT(writer->Take(), ElementsAre("mine at 1", "mine at 7"));
  EXPECT_TRUE(sv->Stop().ok());
  EXPECT_THAT(writer->Take(), ElementsAre("stop", "close"));
}

TEST_F(SupervisorTest, WithoutALogdirThereAreNoServices) {
  const auto sv = Must(Supervisor::Make(graph()));
  EXPECT_TRUE(RunSteps(*sv, 3).ok());
  EXPECT_TRUE(sv->should_stop());
  EXPECT_THAT(Must(sv->StandardServices(nullptr)), IsEmpty());
  EXPECT_EQ(sv->SummaryComputed(nullptr, tensorflow::Summary()).code(), StatusCode::kFailedPrecondition);
}

TEST_F(SupervisorTest, TheErrorOfTheBodyIsTheResult) {
  const auto sv = Must(Supervisor::Make(graph()));
  const auto run = [&](Status status) { return sv->RunManaged(make(), [&](const SessionPtr&) { return status; }); };
  EXPECT_EQ(run(DataLoss("mine")), DataLoss("mine"));
  EXPECT_TRUE(run(OutOfRange("the end of the input")).ok());
  EXPECT_TRUE(RunSteps(*sv, 1).ok());  // sessions one after the other
}

TEST_F(SupervisorTest, AThreadThatFailsStopsTheOthers) {
  const auto sv = Must(Supervisor::Make(graph()));
  const Status status = sv->RunManaged(make(), [&](const SessionPtr&) -> Status {
    sv->Loop(std::nullopt, [] { return DataLoss("of the loop"); });
    sv->coordinator()->WaitForStop();
    return OkStatus();
  });
  EXPECT_EQ(status, DataLoss("of the loop"));
}

TEST_F(SupervisorTest, ASessionThatCannotBeMadeReadyIsAnError) {
  const auto sv = Must(Supervisor::Make(graph(), {.init = std::vector<Node*>{}}));
  const Status status = RunSteps(*sv, 1);
  EXPECT_TRUE(IsSetupError(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("Variables not initialized: global_step"));
}

TEST_F(SupervisorTest, OutOfRangeBeforeSessionIsAnError) {
  const auto sv = Must(Supervisor::Make(graph()));
  const SessionMaker none = []() -> Result<SessionPtr> { return OutOfRange("no session"); };
  EXPECT_EQ(sv->RunManaged(none, [](const SessionPtr&) { return OkStatus(); }), OutOfRange("no session"));
}

TEST_F(SupervisorTest, ASessionWhoseServicesFailIsClosed) {
  const VariablePtr empty =
      Must(Variable::Make(graph(), Tensor::Scalar<int64_t>(0), {.name = "empty", .collections = {"elsewhere"}}));
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .global_step = empty->value()}));
  SessionPtr made;
  const SessionMaker make_one = [&]() -> Result<SessionPtr> {
    made = make()().value();
    return made;
  };
  const auto session = sv->PrepareOrWaitForSession(make_one);
  EXPECT_THAT(Message(session), HasSubstr("empty"));
  ASSERT_NE(made, nullptr);
  EXPECT_THAT(Message(made->Run({.targets = {more_}})), HasSubstr("closed"));
}

TEST_F(SupervisorTest, HangingThreadIsAbandonedAfterTheGracePeriod) {
  std::promise<void> go_on;
  std::promise<void> ended;
  {
    const auto sv = Must(Supervisor::Make(graph(), {.stop_grace_secs = 0.01}));
    const Status status = sv->RunManaged(make(), [&](const SessionPtr&) -> Status {
      std::promise<void> begun;
      sv->Loop(std::nullopt, [&, may = std::make_shared<std::future<void>>(go_on.get_future())] {
        begun.set_value();
        may->wait();
        ended.set_value();
        return Aborted("over");
      });
      begun.get_future().wait();
      return OkStatus();
    });
    EXPECT_THAT(std::string(status.message()), HasSubstr("threads still running: loop"));
  }
  go_on.set_value();
  ended.get_future().wait();
}

TEST_F(SupervisorTest, TheStepsOfServicesEndAfterTheGracePeriod) {
  const Queue never = Queue::Fifo(graph(), 1, {kString});
  const Output summary = never.Dequeue()[0];
  const auto sv = Must(Supervisor::Make(graph(), {.logdir = logdir_, .summary = summary, .stop_grace_secs = 0.01}));
  const Status status = sv->RunManaged(make(), [](const SessionPtr&) { return OkStatus(); });
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kFailedPrecondition) << status;
}

}  // namespace
}  // namespace weir
