// Many steps, sessions and servers. They must release what they use: threads, descriptors and memory must not grow over
// the second half of each test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "cluster/server.h"
#include "graph/build/array_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "ops/register.h"

namespace weir {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// The resources of this process.
struct Held {
  int64_t threads = 0;
  int64_t descriptors = 0;
  int64_t kilobytes = 0;

  static Held Now() {
    Held held;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "Threads:") status >> held.threads;
      if (word == "VmRSS:") status >> held.kilobytes;
    }
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++held.descriptors;
    return held;
  }
};

// Runs one half of a test, then the other half, during which the process must not grow. gRPC's own pools may still add
// threads under load, so the second half is retried: a leak grows every time, a pool does not.
void ExpectNoGrowth(const std::function<void()>& run_half) {
  constexpr int64_t kSlackKilobytes = 4096;  // tolerance for the heap
  constexpr int kTries = 5;
  run_half();
  for (int i = 1;; ++i) {
    const Held before = Held::Now();
    run_half();
    Held now;
    for (int wait = 0; wait < 40; ++wait) {  // resources may be released a moment later
      now = Held::Now();
      if (now.threads <= before.threads && now.descriptors <= before.descriptors) break;
      RealClock().SleepMicros(50'000);
    }
    const bool fatter = !kSanitized && now.kilobytes > before.kilobytes + kSlackKilobytes;
    if (now.threads <= before.threads && now.descriptors <= before.descriptors && !fatter) return;
    if (i < kTries && !testing::Test::HasFailure()) continue;
    EXPECT_LE(now.threads, before.threads);
    EXPECT_LE(now.descriptors, before.descriptors);
    EXPECT_FALSE(fatter) << before.kilobytes << " kB before, " << now.kilobytes << " kB after";
    return;
  }
}

class StressTest : public testing::Test {
 protected:
  StressTest() : pool_("test", 2), blocking_("test_blocking") { ops::RegisterAllOps(registry_); }

  std::unique_ptr<Server> NewServer() {
    tensorflow::ServerDef def;
    auto* job = def.mutable_cluster()->add_job();
    job->set_name("local");
    (*job->mutable_tasks())[0] = "localhost:0";
    def.set_job_name("local");
    auto server = Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
    EXPECT_TRUE(server.ok()) << server.status();
    EXPECT_TRUE((*server)->Start().ok());
    return *std::move(server);
  }
  // Over the network, although the server is in this process.
  std::shared_ptr<Session> Connect(const Server& server, std::shared_ptr<Graph> graph) {
    return *client_network_.NewSession(server.target(), std::move(graph), {});
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
  Network network_{RealEnv()};
  Network client_network_{RealEnv()};
};

TEST_F(StressTest, EightClientsWithManySteps) {
  constexpr int kClients = 8;
  constexpr int kSteps = 1000;
  auto server = NewServer();
  auto graph = std::make_shared<Graph>(registry_);
  Output v = VariableV2(*graph, PartialShape::Scalar(), kInt32, {.name = "v"});
  Output init = Assign(v, Constant(*graph, Tensor::Scalar(0)));
  Output by = Placeholder(*graph, kInt32);
  Output add = AssignAdd(v, by, {.use_locking = true});
  ASSERT_TRUE(Connect(*server, graph)->Run({.targets = {init.node}}).ok());
  std::vector<std::shared_ptr<Session>> sessions;
  for (int i = 0; i < kClients; ++i) sessions.push_back(Connect(*server, graph));
  int expected = 0;
  ExpectNoGrowth([&] {
    expected += kClients * (kSteps / 2);
    std::vector<std::thread> clients;
    for (const std::shared_ptr<Session>& session : sessions) {
      clients.emplace_back([&, session] {
        for (int k = 0; k < kSteps / 2; ++k) {
          auto values = session->Run({.feeds = {{by, Tensor::Scalar(1)}}, .fetches = {add}});
          ASSERT_TRUE(values.ok()) << values.status();
        }
      });
    }
    for (std::thread& client : clients) client.join();
  });
  auto values = sessions[0]->Run({.fetches = {v}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<int32_t>(), expected);
}

TEST_F(StressTest, ManySessionsAreOpenedAndClosed) {
  constexpr int kSessions = 200;
  auto server = NewServer();
  ExpectNoGrowth([&] {
    for (int k = 0; k < kSessions / 2; ++k) {
      auto graph = std::make_shared<Graph>(registry_);
      Output x = Placeholder(*graph, kFloat);
      Output sum = x + Constant(*graph, Tensor::Zeros(kFloat, Shape{1000}).value());
      auto session = Connect(*server, graph);
      auto values = session->Run({.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {sum}});
      ASSERT_TRUE(values.ok()) << values.status();
      if (k % 2 == 0) {
        EXPECT_TRUE(session->Close().ok());  // the others are closed by their destructor
      }
    }
  });
}

TEST_F(StressTest, ManyServersAreStartedAndStopped) {
  constexpr int kServers = 50;
  ExpectNoGrowth([&] {
    for (int k = 0; k < kServers / 2; ++k) {
      auto server = NewServer();
      auto graph = std::make_shared<Graph>(registry_);
      Output v = VariableV2(*graph, PartialShape(Shape{1000}), kFloat, {.name = "v"});
      Output init = Assign(v, Constant(*graph, Tensor::Zeros(kFloat, Shape{1000}).value()));
      auto session = Connect(*server, graph);
      ASSERT_TRUE(session->Run({.targets = {init.node}}).ok());
      if (k % 3 == 0) session = nullptr;    // else the server ends first
      if (k % 2 == 0) server->Stop(k % 4);  // else its destructor stops it
      server = nullptr;
    }
  });
}

}  // namespace
}  // namespace weir
