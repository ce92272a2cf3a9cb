// Cancels the import of a graph when its client goes away, over a real connection. The ops of the graph count the nodes
// that were built, so that the test measures work instead of time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cluster/call_outcome_test.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/task.h"
#include "ops/register.h"

namespace weir {
namespace {

constexpr int kNodes = 20'000;
constexpr int kMiddle = 5'000;
constexpr int64_t kImportPeerTimeoutMs = 120'000;

// An incoming call that records how it was answered.
class WatchedCall final : public IncomingCall {
 public:
  WatchedCall(std::shared_ptr<IncomingCall> call, CallOutcome& outcome) : call_(std::move(call)), outcome_(outcome) {}
  const std::string& method() const override { return call_->method(); }
  const Rope& request() const override { return call_->request(); }
  CancelToken& cancel() override { return call_->cancel(); }
  void Respond(Result<Rope> response) override {
    const Status status = response.status();
    call_->Respond(std::move(response));
    outcome_.Set(status);
  }

 private:
  const std::shared_ptr<IncomingCall> call_;
  CallOutcome& outcome_;
};

class ImportCancelTest : public testing::Test {
 protected:
  ImportCancelTest() : pool_("test", 2), blocking_("test_blocking") {
    ops::RegisterAllOps(registry_);
    registry_.Add({.name = "Counted", .signature = "-> y: float", .shape = [this](ShapeContext&) {
                     if (++made_ == stop_at_) Leave();
                     return OkStatus();
                   }});
    server_ = MakeGrpcTransport({.peer_timeout_ms = kImportPeerTimeoutMs});
    client_ = MakeGrpcTransport({.peer_timeout_ms = kImportPeerTimeoutMs});
    listener_ = *server_->Listen("localhost:0");
    const std::string address = fmt::format("localhost:{}", listener_->port());
    cluster_ = *ClusterSpec::Make({{"worker", {{0, address}}}});
    task_ = std::make_unique<Task>(
        "/job:worker/replica:0/task:0", cluster_, tensorflow::ConfigProto(),
        Task::Dependencies{{registry_, pool_, blocking_, RealEnv()}, *server_, RealClock(), alarms_, RealRng()});
    listener_->Serve([this, handler = task_->Handler()](std::shared_ptr<IncomingCall> call) {
      server_token_ = &call->cancel();
      handler(std::make_shared<WatchedCall>(std::move(call), *answered_));
    });
    channel_ = client_->Connect(address);
  }
  ~ImportCancelTest() override {
    channel_ = nullptr;
    client_ = nullptr;
    listener_ = nullptr;
    task_->End();
  }

  // Makes the client give up, and waits until its server has noticed. Called in the middle of the import.
  void Leave() {
    leave_();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!server_token_.load()->cancelled() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(server_token_.load()->cancelled());
  }

  static tensorflow::GraphDef LargeGraph(const std::string& prefix) {
    tensorflow::GraphDef graph;
    graph.mutable_versions()->set_producer(1395);
    for (int i = 0; i < kNodes; ++i) {
      tensorflow::NodeDef& node = *graph.add_node();
      node.set_name(fmt::format("{}{}", prefix, i));
      node.set_op("Counted");
    }
    return graph;
  }

  // Makes a call with a graph. The client gives up in the middle of the import.
  template <class Request>
  void ExpectEndsInTheMiddle(const std::string& method, Request request, const std::function<void()>& leave,
                             CallOptions options) {
    *request.mutable_graph_def() = LargeGraph("large");
    CallOutcome seen;
    CallOutcome answered;
    answered_ = &answered;
    leave_ = leave;
    made_ = 0;
    stop_at_ = kMiddle;
    channel_->Call(method, Encode(request), options, seen.Take());
    EXPECT_FALSE(answered.Wait().ok());
    EXPECT_LE(made_, kMiddle);  // a deadline may pass earlier on a busy machine
    EXPECT_FALSE(seen.Wait().ok());
    stop_at_ = 0;
    answered_ = &unwatched_;
  }

  // All ways in which a client can give up, with the call options for each.
  template <class Request>
  void ExpectEndsHoweverTheClientLeaves(const std::string& method, const Request& request) {
    CancelToken token;
    ExpectEndsInTheMiddle(method, request, [&] { token.Cancel(Cancelled("enough")); }, {.cancel = &token});
    ExpectEndsInTheMiddle(method, request, [] {}, {.timeout_ms = 500});
    // The transport is destroyed while the call is open, as when a process exits.
    std::thread leaves;
    ExpectEndsInTheMiddle(method, request, [&] { leaves = std::thread([this] { client_ = nullptr; }); }, {});
    leaves.join();
  }

  template <class Response, class Request>
  Response Ask(const std::string& method, const Request& request) {
    CallOutcome seen;
    channel_->Call(method, Encode(request), {}, seen.Take());
    const Status status = seen.Wait();
    EXPECT_TRUE(status.ok()) << status;
    Response response;
    EXPECT_TRUE(response.ParseFromString(seen.text()));
    return response;
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
  ThreadAlarms alarms_{RealClock()};
  std::atomic<int> made_{0};
  std::atomic<int> stop_at_{0};
  std::function<void()> leave_;
  std::atomic<CancelToken*> server_token_{nullptr};
  CallOutcome unwatched_;
  std::atomic<CallOutcome*> answered_{&unwatched_};
  std::unique_ptr<Transport> server_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Listener> listener_;
  ClusterSpec cluster_;
  std::unique_ptr<Task> task_;
  std::shared_ptr<Channel> channel_;
};

constexpr char kCreate[] = "/tensorflow.MasterService/CreateSession";
constexpr char kExtend[] = "/tensorflow.MasterService/ExtendSession";
constexpr char kRegister[] = "/tensorflow.WorkerService/RegisterGraph";

TEST_F(ImportCancelTest, TheGraphOfANewSession) {
  ExpectEndsHoweverTheClientLeaves(kCreate, tensorflow::CreateSessionRequest());
}

TEST_F(ImportCancelTest, TheGraphThatExtendsASession) {
  const auto session = Ask<tensorflow::CreateSessionResponse>(kCreate, tensorflow::CreateSessionRequest());
  tensorflow::ExtendSessionRequest request;
  request.set_session_handle(session.session_handle());
  request.set_current_graph_version(session.graph_version());
  ExpectEndsHoweverTheClientLeaves(kExtend, request);
}

TEST_F(ImportCancelTest, ACancelledExtensionLeavesTheSessionUnchanged) {
  const auto session = Ask<tensorflow::CreateSessionResponse>(kCreate, tensorflow::CreateSessionRequest());
  tensorflow::ExtendSessionRequest request;
  request.set_session_handle(session.session_handle());
  request.set_current_graph_version(session.graph_version());
  CancelToken token;
  ExpectEndsInTheMiddle(kExtend, request, [&] { token.Cancel(Cancelled("enough")); }, {.cancel = &token});
  *request.mutable_graph_def() = LargeGraph("large");  // the same names, and the same version
  const auto extended = Ask<tensorflow::ExtendSessionResponse>(kExtend, request);
  EXPECT_EQ(extended.new_graph_version(), session.graph_version() + 1);
}

TEST_F(ImportCancelTest, TheGraphOfAWorker) {
  ExpectEndsHoweverTheClientLeaves(kRegister, tensorflow::RegisterGraphRequest());
}

}  // namespace
}  // namespace weir
