// Hooks around steps, stopping, and recovery of lost sessions. Sessions are local and fail on request.
#include "train/monitored_session.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "base/manual_clock.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/queue.h"
#include "graph/compose/summary.h"
#include "proto/event.pb.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/checkpoint_state.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A session that can be told to fail its next steps.
class FailingSession final : public Session {
 public:
  FailingSession(std::shared_ptr<Session> inner, std::vector<Status>* failures)
      : inner_(std::move(inner)), failures_(failures) {}
  Result<std::vector<Tensor>> Run(const RunRequest& request) override {
    WEIR_ASSIGN(std::vector<Tensor> values, inner_->Run(request));
    if (request.targets.empty() || failures_->empty()) return values;
    const Status failure = failures_->back();
    failures_->pop_back();
    WEIR_TRY(failure);
    return values;
  }
  Result<std::shared_ptr<Callable>> MakeCallable(const std::vector<Output>&, const std::vector<Output>&,
                                                 const std::vector<Node*>&) override {
    return Unimplemented("callables");
  }
  Result<std::string> PartialRunSetup(const std::vector<Output>&, const std::vector<Output>&, const std::vector<Node*>&,
                                      CancelToken*) override {
    return Unimplemented("partial runs");
  }
  Result<std::vector<Tensor>> PartialRun(const std::string&, const std::vector<Feed>&, const std::vector<Output>&,
                                         CancelToken*) override {
    return Unimplemented("partial runs");
  }
  Result<std::vector<DeviceInfo>> ListDevices(CancelToken*) override { return Unimplemented("devices"); }
  Status Close() override { return inner_->Close(); }

 private:
  const std::shared_ptr<Session> inner_;
  std::vector<Status>* const failures_;
};

class MonitoredSessionTest : public testing::Test {
 protected:
  MonitoredSessionTest() {
    VariableOptions options;
    options.name = "global_step";
    options.collections = {graph_keys::kGlobalVariables, graph_keys::kGlobalStep};
    options.trainable = false;
    step_ = Variable::Make(*graph_, Input(Tensor::Scalar<int64_t>(0)), options).value();
    train_ = step_->AssignAdd(Input(Tensor::Scalar<int64_t>(1))).node;
  }
  ~MonitoredSessionTest() override { std::filesystem::remove_all(folder_); }

  SessionMaker Sessions() {
    return [this]() -> Result<SessionPtr> {
      ++made_;
      auto local = std::make_shared<LocalSession>(
          graph_,
          LocalSession::Dependencies{
              .pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv(), .resources = nullptr, .config = {}});
      return std::make_shared<FailingSession>(std::move(local), &failures_);
    };
  }
  std::unique_ptr<MonitoredSession> Start(TrainingSessionOptions options) {
    options.recovery_wait_secs = 0.01;
    auto session = MonitoredTrainingSession(*graph_, Sessions(), writers_, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  // Runs until the session stops; returns the number of steps.
  int RunToTheEnd(MonitoredSession& session) {
    int steps = 0;
    while (!session.ShouldStop().value()) {
      const auto values = session.Run({.fetches = {step_->value()}, .targets = {train_}});
      EXPECT_TRUE(values.ok()) << values.status();
      if (!values.ok()) break;
      ++steps;
    }
    EXPECT_TRUE(session.Close().ok());
    return steps;
  }

  AllOps ops_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_.registry);
  VariablePtr step_;
  Node* train_ = nullptr;
  FileWriterCache writers_;
  std::vector<Status> failures_;  // for steps with targets, last one first
  int made_ = 0;
  const std::string folder_ =
      testing::TempDir() + "monitored_session_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MonitoredSessionTest, StopsAtAStep) {
  const auto session = Start({.hooks = {StopAtStepHook::Make({}, 5).value()}});
  EXPECT_EQ(RunToTheEnd(*session), 5);
  EXPECT_EQ(session->Close().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(session->Run({.targets = {train_}}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(graph_->finalized());
}

TEST_F(MonitoredSessionTest, ContinuesFromItsCheckpoint) {
  TrainingSessionOptions options{.checkpoint_dir = folder_, .hooks = {StopAtStepHook::Make(3, {}).value()}};
  EXPECT_EQ(RunToTheEnd(*Start(options)), 3);
  options.hooks = {StopAtStepHook::Make({}, 5).value()};
  EXPECT_EQ(RunToTheEnd(*Start(options)), 2);
  EXPECT_THAT(LatestCheckpoint(RealEnv(), folder_).value().value(), HasSubstr("model.ckpt-5"));
  ASSERT_TRUE(writers_.Clear().ok());
}

TEST_F(MonitoredSessionTest, MakesAnotherSessionWhenAThreadReportsALostTask) {
  for (const Status& lost : {Aborted("lost"), Unavailable("lost")}) {
    const auto session = Start({});
    const int made = made_;
    const std::shared_ptr<Coordinator> coordinator = session->coordinator();
    coordinator->ReportError(lost);
    EXPECT_TRUE(session->Run({.targets = {train_}}).ok());  // the session itself still works
    EXPECT_EQ(made_, made);
    EXPECT_FALSE(session->ShouldStop().value());
    EXPECT_GT(made_, made);
    EXPECT_NE(session->coordinator(), coordinator);
    EXPECT_FALSE(session->coordinator()->should_stop());
    EXPECT_TRUE(session->Close().ok());
  }
}

TEST_F(MonitoredSessionTest, StopsWhenAThreadReportsAnotherError) {
  const auto session = Start({});
  const int made = made_;
  session->coordinator()->ReportError(DataLoss("broken"));
  EXPECT_TRUE(session->ShouldStop().value());
  EXPECT_TRUE(session->Run({.targets = {train_}}).ok());
  EXPECT_EQ(made_, made);
  EXPECT_EQ(session->Close().code(), StatusCode::kDataLoss);
}

TEST_F(MonitoredSessionTest, MakesAnotherSessionWhenATaskIsLost) {
  failures_ = {OkStatus(), OkStatus(), Unavailable("lost"), OkStatus()};
  TrainingSessionOptions options{.checkpoint_dir = folder_, .hooks = {StopAtStepHook::Make({}, 6).value()}};
  options.save_checkpoint = {.every_steps = 1};
  const auto session = Start(std::move(options));
  RunToTheEnd(*session);
  EXPECT_EQ(made_, 2);
  EXPECT_THAT(LatestCheckpoint(RealEnv(), folder_).value().value(), HasSubstr("model.ckpt-6"));
}

TEST_F(MonitoredSessionTest, OtherErrorsAreTheCallers) {
  const auto session = Start({});
  failures_ = {Internal("broken")};
  EXPECT_EQ(session->Run({.targets = {train_}}).status().code(), StatusCode::kInternal);
  EXPECT_TRUE(session->Run({.targets = {train_}}).ok());
  EXPECT_EQ(made_, 1);
}

// Records the calls of its methods.
class Recorder final : public SessionRunHook {
 public:
  explicit Recorder(HookRequest wanted) : wanted_(std::move(wanted)) {}
  Status Begin(Graph&) override { return Note("begin"); }
  Status AfterCreateSession(const SessionPtr&, const std::shared_ptr<Coordinator>&, CancelToken*) override {
    return Note("created");
  }
  Result<HookRequest> BeforeRun(RunContext&) override {
    Note("before").IgnoreError();
    return wanted_;
  }
  Status AfterRun(RunContext&, const RunValues& values) override {
    results = values.results;
    return Note("after");
  }
  Status End(const SessionPtr&, CancelToken*) override { return Note("end"); }

  std::vector<std::string> calls;
  std::vector<Tensor> results;

 private:
  Status Note(const char* call) {
    calls.emplace_back(call);
    return OkStatus();
  }
  const HookRequest wanted_;
};

TEST_F(MonitoredSessionTest, HooksFetchAndFeedAlong) {
  const Output x = Placeholder(*graph_, kFloat, {.name = "x"});
  const Output y = Mul(x, Input(2.0f));
  const auto feeds = std::make_shared<Recorder>(HookRequest{.feeds = {{x, Tensor::Scalar(3.0f)}}});
  const auto fetches = std::make_shared<Recorder>(HookRequest{.fetches = {y, x}});
  auto session = Start({.hooks = {feeds, fetches}});
  const auto values = session->Run({.fetches = {y}});
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_EQ(values->size(), 1u);
  EXPECT_EQ((*values)[0].scalar<float>(), 6);
  ASSERT_EQ(fetches->results.size(), 2u);
  EXPECT_EQ(fetches->results[1].scalar<float>(), 3);
  EXPECT_TRUE(feeds->results.empty());
  const auto twice = session->Run({.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {y}});
  EXPECT_THAT(std::string(twice.status().message()), HasSubstr("fed by a SessionRunHook and user"));
  ASSERT_TRUE(session->Close().ok());
  EXPECT_THAT(fetches->calls, ElementsAre("begin", "created", "before", "after", "end"));
}

TEST_F(MonitoredSessionTest, SummariesAndRatesAreWritten) {
  SummarizeScalar(*graph_, "two", Input(2.0f));
  TrainingSessionOptions options{.hooks = {StopAtStepHook::Make({}, 4).value()}};
  options.summary_dir = folder_;
  options.save_summaries = {.every_steps = 2};
  options.log_step_count_steps = 1;
  EXPECT_EQ(RunToTheEnd(*Start(std::move(options))), 4);
  const std::string path = writers_.Get(folder_).value().writer->path();
  ASSERT_TRUE(writers_.Clear().ok());
  const auto reader = io::RecordReader::Open(RealEnv(), path).value();
  std::set<std::string> tags;
  for (auto record = reader->Next().value(); record.has_value(); record = reader->Next().value()) {
    tensorflow::Event event;
    ASSERT_TRUE(event.ParseFromString(*record));
    for (const auto& value : event.summary().value()) tags.insert(fmt::format("{} {}", value.tag(), event.step()));
  }
  for (const char* tag : {"two 1", "two 3", "global_step/sec 2", "global_step/sec 4"})
    EXPECT_TRUE(tags.contains(tag)) << tag;
}

TEST_F(MonitoredSessionTest, LogsAndLooksForNan) {
  std::vector<std::string> lines;
  LoggingTensorOptions logging;
  logging.interval.every_steps = 2;
  logging.log = [&](const std::string& line) { lines.push_back(line); };
  const Output nan_value = Constant(*graph_, Tensor::Scalar(std::numeric_limits<float>::quiet_NaN()));
  const auto nan = std::make_shared<NanTensorHook>(nan_value, /*fail_on_nan=*/true, logging.log, logging.log);
  auto session = Start({.hooks = {LoggingTensorHook::Make({{"step", step_->value()}}, logging).value(), nan}});
  const auto values = session->Run({.targets = {train_}});
  EXPECT_TRUE(IsNanLoss(values.status())) << values.status();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("step = "));
  EXPECT_EQ(lines[1], "Model diverged with loss = NaN.");
}

TEST_F(MonitoredSessionTest, BacksOffIfSessionsAreLostRepeatedly) {
  ManualClock clock;
  const auto session = Start({.clock = &clock});
  constexpr int kLosses = 20;
  // The initializer of each new session is also a step with targets.
  for (int i = 0; i < kLosses; ++i) failures_.insert(failures_.end(), {Unavailable("lost"), OkStatus(), OkStatus()});
  failures_.push_back(Unavailable("lost"));
  const int64_t begin = clock.MonotonicNanos();
  EXPECT_TRUE(session->Run({.targets = {train_}}).ok());
  EXPECT_GE(made_, kLosses / 2);
  constexpr int64_t kMilli = 1'000'000;
  EXPECT_GE(clock.MonotonicNanos() - begin, (made_ - 3) * kMilli);
}

TEST_F(MonitoredSessionTest, ACancelledTokenEndsTheWaitForTheFirstSession) {
  CancelToken cancel;
  cancel.Cancel(Cancelled("enough"));
  const auto session = MonitoredTrainingSession(*graph_, Sessions(), writers_, {.is_chief = false}, &cancel);
  EXPECT_EQ(session.status().code(), StatusCode::kCancelled);
}

// Runs a step in End that blocks.
class WaitsAtTheEnd final : public SessionRunHook {
 public:
  Status Begin(Graph& graph) override {
    never_ = Queue::Fifo(graph, 1, {kFloat}).Dequeue()[0].node;
    return graph.TakeError();
  }
  Status End(const SessionPtr& session, CancelToken* cancel) override {
    return session->Run({.targets = {never_}, .cancel = cancel}).status();
  }

 private:
  Node* never_ = nullptr;
};

TEST_F(MonitoredSessionTest, ACancelledTokenEndsTheStepsOfHooksAtTheEnd) {
  const auto session = Start({.hooks = {std::make_shared<WaitsAtTheEnd>()}});
  CancelToken cancel;
  std::thread soon([&] { cancel.Cancel(Cancelled("enough")); });
  EXPECT_EQ(session->Close(/*failed=*/false, &cancel).code(), StatusCode::kCancelled);
  soon.join();
  EXPECT_TRUE(session->closed());
}

}  // namespace
}  // namespace weir
