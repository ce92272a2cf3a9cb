#include "train/session_manager.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <thread>

#include "base/manual_clock.h"
#include "graph/compose/queue.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/backoff.h"
#include "train/scaffold.h"

namespace weir {
namespace {

using testing::HasSubstr;

// A model with variables `a` and `b`. Its sessions share their state, like sessions of one cluster.
class SessionManagerTest : public ::testing::Test {
 protected:
  SessionManagerTest() {
    a_ = Must(Variable::Make(graph(), Tensor::Scalar<float>(1), {.name = "a"}));
    b_ = Must(Variable::Make(graph(), Tensor::Scalar<float>(2), {.name = "b"}));
    init_ = InitializeVariables(graph(), {a_, b_});
    init_a_ = InitializeVariables(graph(), {a_}, "init_a");
    ready_ = ReportUninitialized(graph(), {a_, b_});
    a_ready_ = ReportUninitialized(graph(), {a_}, "a_ready");
    set_b_ = b_->Assign(a_->value()).node;
    EXPECT_TRUE(graph().TakeError().ok());
    make_ = [this]() -> Result<SessionPtr> {
      ++sessions_made_;
      return NewSession();
    };
  }

  SessionPtr NewSession() {
    return std::make_shared<LocalSession>(
        graph_, LocalSession::Dependencies{
                    .pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv(), .resources = resources_});
  }
  Graph& graph() { return *graph_; }
  std::shared_ptr<SessionManager> Manager(SessionManagerOptions options) {
    return Must(SessionManager::Make(graph(), std::move(options)));
  }
  static float Value(const SessionPtr& session, const VariablePtr& variable) {
    const auto values = Must(session->Run({.fetches = {variable->value()}}));
    return values.empty() ? -1 : values[0].flat<float>()[0];
  }
  // Creates a directory with a checkpoint in which variable `a` has the given value.
  std::string Checkpoint(const std::shared_ptr<Saver>& saver, float a) {
    const SessionPtr session = std::make_shared<LocalSession>(
        graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
    EXPECT_TRUE(session->Run({.targets = {init_}}).ok());
    EXPECT_TRUE(session->Run({.feeds = {{a_->initial_value(), Tensor::Scalar<float>(a)}}, .targets = {init_a_}}).ok());
    std::string dir = testing::TempDir() + "session_manager_XXXXXX";
    EXPECT_NE(mkdtemp(dir.data()), nullptr);
    EXPECT_TRUE(saver->Save(graph(), RunIn(*session), dir + "/model").ok());
    return dir;
  }

  AllOps ops_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_.registry);
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<ResourceManager> resources_ = std::make_shared<ResourceManager>();
  VariablePtr a_;
  VariablePtr b_;
  Node* init_ = nullptr;
  Node* init_a_ = nullptr;
  Node* set_b_ = nullptr;
  Output ready_;
  Output a_ready_;
  SessionMaker make_;
  int sessions_made_ = 0;
};

TEST_F(SessionManagerTest, PrepareInitializes) {
  const SessionPtr session = Must(Manager({.ready = ready_})->Prepare(make_, {.init = {init_}}));
  EXPECT_EQ(Value(session, b_), 2);
}

TEST_F(SessionManagerTest, PrepareInitializesByFunctionAfterTheNodes) {
  const SessionPtr session =
      Must(Manager({.ready = ready_})->Prepare(make_, {.init = {init_a_}, .init_fn = [&](const SessionPtr& s) {
                                                         return s->Run({.targets = {set_b_}}).status();
                                                       }}));
  EXPECT_EQ(Value(session, b_), 1);
}

TEST_F(SessionManagerTest, PrepareFeedsTheInitializer) {
  const SessionPtr session =
      Must(Manager({.ready = ready_})
               ->Prepare(make_, {.init = {init_}, .init_feeds = {{a_->initial_value(), Tensor::Scalar<float>(9)}}}));
  EXPECT_EQ(Value(session, a_), 9);
}

TEST_F(SessionManagerTest, PrepareReportsUninitializedVariables) {
  const auto result = Manager({.ready = ready_})->Prepare(make_, {.init = {init_a_}});
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(IsSetupError(result.status()));
  EXPECT_EQ(Message(result),
            "Init operations did not make model ready.  Init op: init_a, init fn: None, local_init_op: None, error: "
            "Variables not initialized: b");
}

TEST_F(SessionManagerTest, PrepareNeedsAWayToInitialize) {
  const auto result = Manager({.ready = ready_})->Prepare(make_);
  EXPECT_TRUE(IsSetupError(result.status()));
  EXPECT_EQ(Message(result), "Model is not initialized and no init_op or init_fn or local_init_op was given");
}

TEST_F(SessionManagerTest, PrepareReturnsErrorsOfStepsUnchanged) {
  const auto result = Manager({})->Prepare(make_, {.init = {set_b_}});
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(IsSetupError(result.status()));
  EXPECT_THAT(Message(result), HasSubstr("uninitialized"));
}

TEST_F(SessionManagerTest, LocalInitializationWaitsForTheModel) {
  const auto manager = Manager({.local_init = {set_b_}, .ready = ready_, .ready_for_local_init = a_ready_});
  const auto result = manager->Prepare(make_);
  EXPECT_THAT(Message(result), HasSubstr("did not make model ready for local_init."));
  EXPECT_THAT(Message(result), HasSubstr("error: Variables not initialized: a"));
  EXPECT_EQ(Value(Must(manager->Prepare(make_, {.init = {init_a_}})), b_), 1);
}

TEST_F(SessionManagerTest, ReadyForLocalInitNeedsLocalInit) {
  const auto result = SessionManager::Make(graph(), {.ready_for_local_init = a_ready_});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(result), HasSubstr("you must also pass a local_init_op"));
}

TEST_F(SessionManagerTest, ReadyOpWithoutOutputIsReadyIfItSucceeds) {
  const auto manager = Manager({.ready = set_b_, .recovery_wait_secs = 0.01});
  EXPECT_EQ(manager->Wait(make_, {.max_wait_secs = 0}).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(NewSession()->Run({.targets = {init_a_}}).ok());
  EXPECT_TRUE(manager->Wait(make_).ok());
}

TEST_F(SessionManagerTest, PrepareRestoresInsteadOfInitializing) {
  const auto saver = Must(Saver::Make(graph()));
  const std::string dir = Checkpoint(saver, 5);
  bool called = false;
  const PrepareOptions options = {
      .restore = {.saver = saver, .checkpoint_dir = dir}, .init = {init_}, .init_fn = [&](const SessionPtr&) {
        called = true;
        return OkStatus();
      }};
  EXPECT_EQ(Value(Must(Manager({.ready = ready_})->Prepare(make_, options)), a_), 5);
  EXPECT_FALSE(called);
  const PrepareOptions by_path = {.restore = {.saver = saver, .checkpoint_path = dir + "/model"}};
  EXPECT_EQ(Value(Must(Manager({.ready = ready_})->Prepare(make_, by_path)), a_), 5);
}

TEST_F(SessionManagerTest, RestoringAdoptsTheCheckpointsOfAnEarlierRun) {
  const auto saver = Must(Saver::Make(graph()));
  const std::string dir = Checkpoint(saver, 5);
  const auto later = Must(Saver::FromDef(saver->def()));
  EXPECT_TRUE(Manager({})->Prepare(make_, {.restore = {.saver = later, .checkpoint_dir = dir}}).ok());
  EXPECT_THAT(later->last_checkpoints(), testing::ElementsAre(dir + "/model"));
}

TEST_F(SessionManagerTest, OnlyCheckpointDamagedIsAnError) {
  const auto saver = Must(Saver::Make(graph()));
  const std::string dir = Checkpoint(saver, 5);
  EXPECT_TRUE(RealEnv().DeleteFile(dir + "/model.index").ok());
  const auto result =
      Manager({})->Prepare(make_, {.restore = {.saver = saver, .checkpoint_dir = dir}, .init = {init_}});
  EXPECT_TRUE(IsSetupError(result.status())) << result.status();
  EXPECT_THAT(Message(result), HasSubstr("not a valid checkpoint"));
}

TEST_F(SessionManagerTest, ADirectoryAndAPathExcludeEachOther) {
  const auto result = Manager({})->Recover(make_, {.checkpoint_dir = "x", .checkpoint_path = "y"});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(SessionManagerTest, RecoverReportsWhetherAModelWasRestored) {
  const auto saver = Must(Saver::Make(graph()));
  const auto manager = Manager({.ready = ready_});
  const auto nothing = Must(manager->Recover(make_, {.saver = saver, .checkpoint_dir = testing::TempDir() + "none"}));
  EXPECT_FALSE(nothing.ready);
  EXPECT_NE(nothing.session, nullptr);
  const auto restored = Must(manager->Recover(make_, {.saver = saver, .checkpoint_dir = Checkpoint(saver, 7)}));
  EXPECT_TRUE(restored.ready);
  EXPECT_EQ(Value(restored.session, a_), 7);
}

TEST_F(SessionManagerTest, APartialRestoreIsNotReady) {
  const auto part = Must(Saver::Make(graph(), {.variables = SavedVariables{{"a", {a_}}}}));
  const std::string dir = Checkpoint(part, 7);
  const auto recovered = Must(Manager({.ready = ready_})->Recover(make_, {.saver = part, .checkpoint_dir = dir}));
  EXPECT_FALSE(recovered.ready);
  EXPECT_EQ(Value(recovered.session, a_), 7);
}

TEST_F(SessionManagerTest, WaitsForACheckpoint) {
  const auto saver = Must(Saver::Make(graph()));
  const std::string dir = Checkpoint(saver, 3);
  ASSERT_TRUE(RealEnv().Rename(dir + "/checkpoint", dir + "/aside").ok());
  std::thread other;
  const auto make = [&]() -> Result<SessionPtr> {
    other = std::thread([&] { EXPECT_TRUE(RealEnv().Rename(dir + "/aside", dir + "/checkpoint").ok()); });
    return NewSession();
  };
  const auto session =
      Must(Manager({.ready = ready_})
               ->Prepare(make, {.restore = {.saver = saver, .checkpoint_dir = dir, .wait_for_checkpoint = true}}));
  other.join();
  EXPECT_EQ(Value(session, a_), 3);
}

TEST_F(SessionManagerTest, WaitReturnsOnceAnotherTaskHasInitializedTheModel) {
  std::thread chief;
  const auto make = [&]() -> Result<SessionPtr> {
    if (!chief.joinable()) chief = std::thread([this] { EXPECT_TRUE(NewSession()->Run({.targets = {init_}}).ok()); });
    return NewSession();
  };
  const SessionPtr session = Must(Manager({.ready = ready_})->Wait(make));
  chief.join();
  EXPECT_EQ(Value(session, b_), 2);
}

TEST_F(SessionManagerTest, WaitEndsInTime) {
  const auto result = Manager({.ready = ready_})->Wait(make_, {.max_wait_secs = 0.02});
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(result), HasSubstr("Session was not ready after waiting 0.02 secs."));
  EXPECT_THAT(Message(result), HasSubstr("Variables not initialized: a, b"));
  EXPECT_EQ(sessions_made_, 1);
}

TEST_F(SessionManagerTest, WaitCanBeEnded) {
  CancelToken cancel;
  std::thread other([&] { cancel.Cancel(Cancelled("enough")); });
  const auto result = Manager({.ready = ready_})->Wait(make_, {.cancel = &cancel});
  other.join();
  EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
}

// A task that cannot be reached at first.
class LostSession final : public Session {
 public:
  Result<std::vector<Tensor>> Run(const RunRequest&) override { return Unavailable("the task is away"); }
  Result<std::shared_ptr<Callable>> MakeCallable(const std::vector<Output>&, const std::vector<Output>&,
                                                 const std::vector<Node*>&) override {
    return Unavailable("the task is away");
  }
  Result<std::string> PartialRunSetup(const std::vector<Output>&, const std::vector<Output>&, const std::vector<Node*>&,
                                      CancelToken*) override {
    return Unavailable("the task is away");
  }
  Result<std::vector<Tensor>> PartialRun(const std::string&, const std::vector<Feed>&, const std::vector<Output>&,
                                         CancelToken*) override {
    return Unavailable("the task is away");
  }
  Result<std::vector<DeviceInfo>> ListDevices(CancelToken*) override { return Unavailable("the task is away"); }
  Status Close() override { return OkStatus(); }
};

TEST_F(SessionManagerTest, WaitRetriesUnreachableTasks) {
  EXPECT_TRUE(NewSession()->Run({.targets = {init_}}).ok());
  int made = 0;
  const auto make = [&]() -> Result<SessionPtr> {
    if (++made < 4) return std::make_shared<LostSession>();
    return NewSession();
  };
  EXPECT_TRUE(Manager({.ready = ready_})->Wait(make).ok());
  EXPECT_EQ(made, 4);
  const auto chief =
      Manager({.ready = ready_})
          ->Prepare([]() -> Result<SessionPtr> { return std::make_shared<LostSession>(); }, {.init = {init_}});
  EXPECT_EQ(chief.status().code(), StatusCode::kUnavailable);
}

TEST_F(SessionManagerTest, ScaffoldCreatesMissingParts) {
  const VariablePtr local = Must(Variable::Make(graph(), Tensor::Scalar<float>(4),
                                                {.name = "local", .collections = {graph_keys::kLocalVariables}}));
  Scaffold scaffold;
  ASSERT_TRUE(scaffold.Finalize(graph()).ok());
  EXPECT_TRUE(graph().finalized());
  EXPECT_EQ(graph().collections().Of<Node*>(graph_keys::kInitOp), scaffold.init);
  EXPECT_EQ(graph().collections().Of<Node*>(graph_keys::kLocalInitOp), scaffold.local_init);
  EXPECT_FALSE(scaffold.summary.has_value());
  const auto manager = Manager(scaffold.session_manager_options(/*recovery_wait_secs=*/1));
  const SessionPtr session = Must(manager->Prepare(make_, scaffold.prepare_options({})));
  EXPECT_EQ(Value(session, a_), 1);
  EXPECT_EQ(Value(session, local), 4);
  const int nodes = graph().num_nodes();
  EXPECT_TRUE(scaffold.Finalize(graph()).ok());
  EXPECT_EQ(graph().num_nodes(), nodes);
}

TEST_F(SessionManagerTest, ScaffoldUsesTheGraphsCollections) {
  graph().collections().Add(graph_keys::kInitOp, init_a_);
  graph().collections().Add(graph_keys::kReadyOp, a_ready_);
  Scaffold scaffold;
  ASSERT_TRUE(scaffold.Finalize(graph()).ok());
  EXPECT_EQ(scaffold.init, std::vector<Node*>{init_a_});
  EXPECT_EQ(scaffold.ready.node, a_ready_.node);
}

TEST_F(SessionManagerTest, ScaffoldRefusesToChoose) {
  graph().collections().Add(graph_keys::kInitOp, init_a_);
  graph().collections().Add(graph_keys::kInitOp, init_);
  const Status status = Scaffold().Finalize(graph());
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("More than one item in the collection \"init_op\""));
}

TEST(Backoff, EndWhenTheLimitHasPassed) {
  Backoff none(/*longest_secs=*/1, /*limit_secs=*/0, nullptr);
  EXPECT_EQ(none.Wait().code(), StatusCode::kDeadlineExceeded);
  Backoff some(/*longest_secs=*/1, /*limit_secs=*/0.01, nullptr);
  int count = 0;
  while (some.Wait().ok()) ++count;
  EXPECT_GT(count, 0);
  EXPECT_GE(some.waited_secs(), 0.01);
}

TEST_F(SessionManagerTest, TimeoutCancelsAStep) {
  const Queue never = Queue::Fifo(graph(), 1, {kFloat});
  ManualClock clock;
  const auto manager = Manager({.ready = ReadyOp(never.Dequeue()[0].node), .clock = &clock});
  const auto result = manager->Wait(make_, {.max_wait_secs = 60});
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(result), HasSubstr("not ready after waiting 60 secs"));
}

TEST_F(SessionManagerTest, WaitsByItsClock) {
  ManualClock clock;
  const auto manager = Manager({.ready = ready_, .clock = &clock});
  const auto result = manager->Wait(make_, {.max_wait_secs = 3600});
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(result), HasSubstr("Variables not initialized: a, b"));
  EXPECT_GE(clock.MonotonicNanos(), 3600'000'000'000);
}

}  // namespace
}  // namespace weir
