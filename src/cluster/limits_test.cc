// The limits of a server: how they are counted and set, and that each of them holds.
#include "cluster/limits.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "base/process_memory.h"
#include "cluster/await.h"
#include "cluster/service_fuzz.h"
#include "ops/register.h"

namespace weir {
namespace {

Limits With(std::initializer_list<std::pair<Limit, int64_t>> values) {
  Limits::Settings settings;
  for (const auto& [limit, value] : values) settings[static_cast<size_t>(limit)] = value;
  return Limits(settings);
}

// ---- settings ----

TEST(LimitsTest, EveryLimitHasItsNamesAndAPositiveDefault) {
  std::set<std::string> names;
  const Limits limits;
  for (const LimitRow& row : kLimitRows) {
    EXPECT_GT(limits[row.limit], 0) << row.what;
    EXPECT_TRUE(std::string(row.variable).starts_with("WEIR_MAX_")) << row.variable;
    EXPECT_TRUE(std::string(row.flag).starts_with("--max_")) << row.flag;
    EXPECT_TRUE(names.insert(row.variable).second && names.insert(row.flag).second && names.insert(row.what).second);
    EXPECT_EQ(row.value == 0, row.memory_part > 0) << row.what;
    const Status reached = limits.Reached(row.limit, "client/a");
    EXPECT_EQ(reached.code(), StatusCode::kResourceExhausted);
    for (const char* part : {row.what, row.variable, row.flag, "client/a"})
      EXPECT_NE(reached.message().find(part), std::string::npos) << reached;
  }
  EXPECT_EQ(limits[Limit::kUnreadOfPeer], std::max(kMegabyte, ProcessMemory::Get().limit() / 2));
}

TEST(LimitsTest, SettingsComeBeforeTheEnvironment) {
  for (const LimitRow& row : kLimitRows) {
    const auto i = static_cast<size_t>(row.limit);
    setenv(row.variable, "7", 1);
    EXPECT_EQ(Limits::FromEnvironment().value()[row.limit], 7 * row.unit) << row.variable;
    Limits::Settings given;
    given[i] = 3;
    EXPECT_EQ(Limits::FromEnvironment(given).value()[row.limit], 3 * row.unit) << row.variable;
    for (const char* bad : {"0", "-1", "", "7 ", "many", "99999999999999999999"}) {
      setenv(row.variable, bad, 1);
      const Status status = Limits::FromEnvironment().status();
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << row.variable << "=" << bad;
      EXPECT_NE(status.message().find(row.variable), std::string::npos) << status;
    }
    unsetenv(row.variable);
  }
}

// ---- counting ----

TEST(QuotaTest, CountsEachPeerUntilItsSharesAreGone) {
  Quota quota(With({{Limit::kStepsOfPeer, 3}, {Limit::kSteps, 100}}), Limit::kStepsOfPeer, Limit::kSteps);
  {
    Quota::Share two = quota.Take("a", 2).value();
    Quota::Share one = quota.Take("a").value();
    const Status status = quota.Take("a").status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("WEIR_MAX_PEER_STEPS"), std::string::npos) << status;
    EXPECT_TRUE(quota.Take("b").ok()) << "another peer";
    two = Quota::Share();
    EXPECT_TRUE(quota.Take("a", 2).ok());
    EXPECT_EQ(quota.used_by("a"), 1);
    Quota::Share moved = std::move(one);
    EXPECT_EQ(quota.used(), 1);
  }
  EXPECT_EQ(quota.used(), 0);
  EXPECT_EQ(quota.used_by("a"), 0);
}

TEST(QuotaTest, ThisProcessIsNotLimited) {
  Quota quota(With({{Limit::kStepsOfPeer, 1}, {Limit::kSteps, 1}}), Limit::kStepsOfPeer, Limit::kSteps);
  std::vector<Quota::Share> shares;
  for (int i = 0; i < 10; ++i) shares.push_back(quota.Take("").value());
  EXPECT_EQ(quota.used(), 0);
}

TEST(QuotaTest, ThoseWhoFillTheQuotaDoNotKeepOthersOut) {
  Quota quota(With({{Limit::kStepsOfPeer, 50}, {Limit::kSteps, 100}}), Limit::kStepsOfPeer, Limit::kSteps);
  std::vector<Quota::Share> shares;
  for (const char* greedy : {"a", "b"}) shares.push_back(quota.Take(greedy, 50).value());
  EXPECT_EQ(quota.used(), 100);
  shares.push_back(quota.Take("modest", 30).value());
  const Status status = quota.Take("modest", 10).status();
  EXPECT_NE(status.message().find("WEIR_MAX_STEPS"), std::string::npos) << status;
  EXPECT_EQ(quota.Take("a").status().code(), StatusCode::kResourceExhausted);
}

TEST(QuotaTest, AnythingFitsOnce) {
  Quota quota(With({{Limit::kUnreadOfPeer, 1}, {Limit::kUnread, 8}}), Limit::kUnreadOfPeer, Limit::kUnread);
  Quota::Share large = quota.Take("a", 5 * kMegabyte).value();
  EXPECT_EQ(quota.Take("a", 1).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(quota.Take("b", 9 * kMegabyte).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(quota.Take("b", std::numeric_limits<int64_t>::max()).status().code(), StatusCode::kResourceExhausted);
}

TEST(QuotaTest, ASharesMayOutliveTheQuota) {
  Quota::Share share;
  {
    Quota quota(Limits(), Limit::kStreams);
    share = quota.Take("a").value();
  }
  share = Quota::Share();
}

// ---- the master's limits ----

using fuzz::MemoryCluster;

class MasterLimits : public testing::Test {
 protected:
  MasterLimits() : pool_("limits", 2), blocking_pool_("limits_blocking") { ops::RegisterAllOps(registry_); }
  void Start(const Limits& limits, int64_t idle_session_ms = 0) {
    cluster_ = std::make_unique<MemoryCluster>(registry_, pool_, blocking_pool_, nullptr, limits, idle_session_ms);
  }
  std::shared_ptr<MasterService> MasterFor(const PeerIdentity& caller) {
    return MakeRemoteMaster(cluster_->transport().ConnectAs(caller, fuzz::kWorker));
  }
  static tensorflow::GraphDef Nodes(int count, const std::string& prefix) {
    tensorflow::GraphDef graph;
    for (int i = 0; i < count; ++i) {
      graph.add_node()->set_name(fmt::format("{}{}", prefix, i));
      graph.mutable_node(i)->set_op("NoOp");
    }
    return graph;
  }
  static Result<std::string> Create(MasterService& master, const tensorflow::GraphDef& graph = {}) {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = graph;
    const auto created = Await<tensorflow::CreateSessionResponse>(
        [&](Reply<tensorflow::CreateSessionResponse> done) { master.CreateSession(request, {}, std::move(done)); });
    if (!created.ok()) return created.status();
    return created->session_handle();
  }
  static Status Extend(MasterService& master, const std::string& session, const tensorflow::GraphDef& graph,
                       int64_t version) {
    tensorflow::ExtendSessionRequest request;
    request.set_session_handle(session);
    request.set_current_graph_version(version);
    *request.mutable_graph_def() = graph;
    return Await<tensorflow::ExtendSessionResponse>([&](Reply<tensorflow::ExtendSessionResponse> done) {
             master.ExtendSession(request, {}, std::move(done));
           })
        .status();
  }
  static Status Close(MasterService& master, const std::string& session) {
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(session);
    return Await<tensorflow::CloseSessionResponse>(
               [&](Reply<tensorflow::CloseSessionResponse> done) { master.CloseSession(request, {}, std::move(done)); })
        .status();
  }
  static void Run(MasterService& master, const std::string& session, const std::string& target,
                  const CallOptions& options, Reply<RunStepReply> done) {
    RunStepCall call;
    call.message.set_session_handle(session);
    call.message.add_target(target);
    master.RunStep(std::move(call), options, std::move(done));
  }
  static Status RunAndWait(MasterService& master, const std::string& session, const std::string& target) {
    return Await<RunStepReply>([&](Reply<RunStepReply> done) { Run(master, session, target, {}, std::move(done)); })
        .status();
  }
  static void ExpectReached(const Status& status, const char* variable) {
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    EXPECT_NE(status.message().find(variable), std::string::npos) << status;
  }

  const PeerIdentity alice_{Role::kClient, "client/alice", "connection 1"};
  const PeerIdentity bob_{Role::kClient, "client/bob", "connection 2"};
  const PeerIdentity plain_{Role::kTrusted, "", "connection 3"};
  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_pool_;
  std::unique_ptr<MemoryCluster> cluster_;
};

TEST_F(MasterLimits, Sessions) {
  Start(With({{Limit::kSessionsOfPeer, 2}, {Limit::kSessions, 3}}));
  const auto alice = MasterFor(alice_);
  const std::string first = Create(*alice).value();
  ASSERT_TRUE(Create(*alice).ok());
  ExpectReached(Create(*alice).status(), "WEIR_MAX_PEER_SESSIONS");
  ExpectReached(Create(*MasterFor({Role::kClient, "client/alice", "connection 9"})).status(), "WEIR_MAX_PEER_SESSIONS");
  EXPECT_TRUE(Create(*MasterFor(bob_)).ok());
  EXPECT_TRUE(Create(*MasterFor(plain_)).ok()) << "its part of all sessions";
  ExpectReached(Create(*MasterFor(plain_)).status(), "WEIR_MAX_SESSIONS");
  EXPECT_TRUE(Create(*MasterFor(TrustedPeer())).ok()) << "this process";
  ASSERT_TRUE(Close(*alice, first).ok());
  ExpectReached(Create(*alice).status(), "WEIR_MAX_SESSIONS");
}

TEST_F(MasterLimits, FailedSessionsDoNotCount) {
  Start(With({{Limit::kSessionsOfPeer, 1}}));
  const auto alice = MasterFor(alice_);
  tensorflow::GraphDef bad;
  bad.add_node()->set_name("x");
  bad.mutable_node(0)->set_op("NoSuchOp");
  for (int i = 0; i < 3; ++i) EXPECT_NE(Create(*alice, bad).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(Create(*alice).ok());
}

TEST_F(MasterLimits, ASessionBelongsToItsPeer) {
  Start(Limits());
  const auto alice = MasterFor(alice_);
  const auto bob = MasterFor(bob_);
  const std::string session = Create(*alice, Nodes(1, "a")).value();
  for (const Status& status :
       {Close(*bob, session), Extend(*bob, session, Nodes(1, "b"), 1), RunAndWait(*bob, session, "a0"),
        RunAndWait(*MasterFor({Role::kTask, "task/a/0", "c"}), session, "a0")})
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
  EXPECT_TRUE(RunAndWait(*MasterFor({Role::kAdministrator, "admin/x", "c"}), session, "a0").ok());
  EXPECT_TRUE(RunAndWait(*alice, session, "a0").ok());
}

TEST_F(MasterLimits, NodesOfOneGraph) {
  Start(With({{Limit::kNodes, 10}}));
  const auto alice = MasterFor(alice_);
  ExpectReached(Create(*alice, Nodes(11, "a")).status(), "WEIR_MAX_NODES");
  const std::string session = Create(*alice, Nodes(6, "a")).value();
  ExpectReached(Extend(*alice, session, Nodes(5, "b"), 1), "WEIR_MAX_NODES");
  ASSERT_TRUE(Extend(*alice, session, Nodes(3, "c"), 1).ok());
  ExpectReached(Extend(*alice, session, Nodes(2, "d"), 2), "WEIR_MAX_NODES");
  tensorflow::GraphDef function;
  for (int i = 0; i < 2; ++i) function.mutable_library()->add_function()->add_node_def();
  ExpectReached(Extend(*alice, session, function, 2), "WEIR_MAX_NODES");
  EXPECT_TRUE(RunAndWait(*alice, session, "c2").ok());
  EXPECT_TRUE(Create(*MasterFor(TrustedPeer()), Nodes(11, "a")).ok());
}

// A graph whose step waits until it is cancelled.
tensorflow::GraphDef WaitingGraph() {
  tensorflow::GraphDef graph;
  auto* queue = graph.add_node();
  queue->set_name("queue");
  queue->set_op("FIFOQueueV2");
  (*queue->mutable_attr())["component_types"].mutable_list()->add_type(tensorflow::DT_FLOAT);
  auto* size = graph.add_node();
  size->set_name("value");
  size->set_op("QueueDequeueV2");
  size->add_input("queue");
  (*size->mutable_attr())["component_types"].mutable_list()->add_type(tensorflow::DT_FLOAT);
  graph.add_node()->set_name("nothing");
  graph.mutable_node(2)->set_op("NoOp");
  return graph;
}

TEST_F(MasterLimits, StepsInFlight) {
  Start(With({{Limit::kStepsOfPeer, 2}, {Limit::kSteps, 4}}));
  const auto alice = MasterFor(alice_);
  const std::string session = Create(*alice, WaitingGraph()).value();
  const std::string other = Create(*MasterFor(bob_), WaitingGraph()).value();
  CancelToken cancel;
  std::mutex mu;
  std::condition_variable ended;
  int left = 2;
  for (int i = 0; i < 2; ++i) {
    Run(*alice, session, "value", CallOptions{.cancel = &cancel}, [&](const Result<RunStepReply>& reply) {
      EXPECT_FALSE(reply.ok());
      std::lock_guard lock(mu);
      --left;
      ended.notify_all();
    });
  }
  ExpectReached(RunAndWait(*alice, session, "nothing"), "WEIR_MAX_PEER_STEPS");
  EXPECT_TRUE(RunAndWait(*MasterFor(bob_), other, "nothing").ok());
  cancel.Cancel(Cancelled("enough"));
  std::unique_lock lock(mu);
  ended.wait(lock, [&] { return left == 0; });
  // The master's own step ends a moment after its caller has gone.
  Status status;
  for (int i = 0; i < 200; ++i) {
    status = RunAndWait(*alice, session, "nothing");
    if (status.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(MasterLimits, CopiesOfAStepCountOnce) {
  Start(With({{Limit::kStepsOfPeer, 1}}));
  const auto alice = MasterFor(alice_);
  const auto again = MasterFor({Role::kClient, "client/alice", "connection 9"});
  const std::string session = Create(*alice, WaitingGraph()).value();
  const auto numbered = [&](const std::string& target, uint64_t sequence) {
    RunStepCall call;
    call.message.set_session_handle(session);
    call.message.add_target(target);
    call.message.set_weir_slot(1);
    call.message.set_weir_sequence(sequence);
    return call;
  };
  const auto run = [](MasterService& master, RunStepCall call) {
    return Await<RunStepReply>([&](Reply<RunStepReply> done) { master.RunStep(std::move(call), {}, std::move(done)); })
        .status();
  };
  std::array<OneShotEvent, 2> ended;
  std::array<Status, 2> statuses;
  for (size_t i = 0; i < 2; ++i) {
    MasterService& master = i == 0 ? *alice : *again;
    master.RunStep(numbered("value", 1), {}, [&statuses, &ended, i](const Result<RunStepReply>& reply) {
      statuses[i] = reply.status();
      ended[i].Set();
    });
  }
  ExpectReached(RunAndWait(*again, session, "nothing"), "WEIR_MAX_PEER_STEPS");
  EXPECT_EQ(run(*MasterFor(bob_), numbered("value", 1)).code(), StatusCode::kPermissionDenied);
  RunStepCall gives_up = numbered("value", 1);
  gives_up.message.set_weir_gives_up(true);
  EXPECT_TRUE(run(*again, gives_up).ok()) << "it is no step";
  for (size_t i = 0; i < 2; ++i) {
    ended[i].Wait();
    EXPECT_EQ(statuses[i].code(), StatusCode::kUnavailable) << statuses[i];
  }
  EXPECT_TRUE(run(*alice, numbered("nothing", 2)).ok());
  EXPECT_TRUE(run(*again, numbered("nothing", 2)).ok());
}

TEST_F(MasterLimits, AWorkerKeepsTheResponsesOfATaskFromOthers) {
  Start(Limits());
  const auto worker_for = [&](const std::string& name) {
    return MakeRemoteWorker(cluster_->transport().ConnectAs({Role::kTask, name, "c"}, fuzz::kPs), "");
  };
  const auto owner = worker_for("task/worker/0");
  const auto other = worker_for("task/worker/1");
  tensorflow::CreateWorkerSessionRequest create;
  create.set_session_handle("s");
  create.set_master_task("/job:worker/replica:0/task:0");
  ASSERT_TRUE(Await<tensorflow::CreateWorkerSessionResponse>([&](Reply<tensorflow::CreateWorkerSessionResponse> done) {
                owner->CreateWorkerSession(create, {}, std::move(done));
              }).ok());
  const auto run = [](WorkerService& worker) {
    RunGraphCall call;
    call.message.set_session_handle("s");
    call.message.set_create_worker_session_called(true);
    call.message.set_weir_slot(1);
    call.message.set_weir_sequence(1);
    return Await<RunGraphReply>(
               [&](Reply<RunGraphReply> done) { worker.RunGraph(std::move(call), {}, std::move(done)); })
        .status();
  };
  const auto give_up = [](WorkerService& worker) {
    tensorflow::CleanupGraphRequest request;
    request.set_weir_session_handle("s");
    request.set_weir_slot(1);
    return Await<tensorflow::CleanupGraphResponse>(
               [&](Reply<tensorflow::CleanupGraphResponse> done) { worker.CleanupGraph(request, {}, std::move(done)); })
        .status();
  };
  EXPECT_EQ(run(*other).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(give_up(*other).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(run(*owner).code(), StatusCode::kAborted) << "there is no such graph";
  EXPECT_TRUE(give_up(*owner).ok());
}

TEST_F(MasterLimits, IdleSessionsAreClosedIfThatIsAsked) {
  Start(Limits(), /*idle_session_ms=*/50);
  const auto alice = MasterFor(alice_);
  const std::string unused = Create(*alice, WaitingGraph()).value();
  const std::string used = Create(*alice, WaitingGraph()).value();
  const std::string busy = Create(*alice, WaitingGraph()).value();
  ASSERT_TRUE(RunAndWait(*alice, used, "nothing").ok());
  CancelToken cancel;
  OneShotEvent ended;
  Run(*alice, busy, "value", CallOptions{.cancel = &cancel}, [&](const Result<RunStepReply>&) { ended.Set(); });
  Master& master = cluster_->task(1).master();
  for (int i = 0; i < 2000 && master.num_sessions() > 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(master.num_sessions(), 2) << "the one that is busy, and the one that nobody has used yet";
  EXPECT_EQ(RunAndWait(*alice, used, "nothing").code(), StatusCode::kAborted);
  EXPECT_TRUE(RunAndWait(*alice, busy, "nothing").ok());
  cancel.Cancel(Cancelled("enough"));
  ended.Wait();
}

}  // namespace
}  // namespace weir
