// Tests synchronous replicas on servers in this process, with the public headers only: the parameters must be those of
// one process that averages the batches.
#include <gmock/gmock.h>

#include <thread>

#include "weir/weir.h"

namespace weir {
namespace {

constexpr int kSteps = 10;

// The batch of replica r at a step.
Tensor Batch(int r, int64_t step) {
  const float x = static_cast<float>((r * 7 + step * 3) % 11) / 11;
  return Tensor::Vector<float>({x, 1 - x, x * x});
}

Output Loss(const Var& w, const Output& x) { return Square(ReduceSum(w * x) - 0.5f) + ReduceSum(Square(w)) * 0.01f; }

Tensor Start() { return Tensor::Vector<float>({0.3f, -0.2f, 0.9f}); }

// One worker: builds the graph, joins the training, runs kSteps steps.
class Replica {
 public:
  Replica(const std::string& target, int index, int total) : index_(index) {
    Graph& g = engine_.graph();
    const Var w(g, Start(), {.name = "w"});
    const Var step(g, Tensor::Scalar<int64_t>(0), {.name = "global_step", .trainable = false});
    w_ = w;
    step_ = step->value();
    // The local steps of all replicas are on one task, so their names must differ.
    const NameScope own(g, "replica_" + std::to_string(index));
    x_ = Placeholder(g, kFloat, {.shape = {3}, .name = "x"});
    sync_ = std::make_unique<SyncReplicasOptimizer>(std::make_shared<MomentumOptimizer>(0.1, 0.9),
                                                    SyncReplicasOptions{.replicas_to_aggregate = total});
    train_ = ValueOrThrow(sync_->Minimize(Loss(w, x_), {.global_step = step.variable()}));
    runner_ = ValueOrThrow(sync_->GetChiefQueueRunner());
    session_ = std::make_unique<ClientSession>(engine_, target);
    if (index > 0) return;
    session_->Run(engine_.InitializeVariables());
    session_->Run(sync_->chief_init_op());
    threads_ =
        std::make_unique<QueueRunnerThreads>(coordinator_, runner_->Loops(session_->shared_session(), coordinator_));
  }
  void Train() {
    if (index_ > 0) session_->Run(sync_->local_step_init_op());
    for (int i = 0; i < kSteps; ++i) session_->Run({{x_, Batch(index_, i)}}, {}, {train_});
  }
  Tensor w() const { return session_->Run(w_); }
  int64_t step() const { return session_->Run(step_).scalar<int64_t>(); }
  Status Stop() {
    coordinator_->RequestStop();
    return coordinator_->Join();
  }

 private:
  const int index_;
  Engine engine_;
  Output x_, w_, step_;
  std::unique_ptr<SyncReplicasOptimizer> sync_;
  Node* train_ = nullptr;
  QueueRunnerPtr runner_;
  std::shared_ptr<Coordinator> coordinator_ = std::make_shared<Coordinator>();
  std::unique_ptr<ClientSession> session_;
  std::unique_ptr<QueueRunnerThreads> threads_;
};

Tensor Alone(int replicas) {
  Engine engine;
  Graph& g = engine.graph();
  const Var w(g, Start());
  std::vector<Output> xs;
  Output sum;
  for (int r = 0; r < replicas; ++r) {
    xs.push_back(Placeholder(g, kFloat, {.shape = {3}}));
    sum = r == 0 ? Loss(w, xs[0]) : sum + Loss(w, xs.back());
  }
  const Op train = ValueOrThrow(MomentumOptimizer(0.1, 0.9).Minimize(sum * (1.0f / static_cast<float>(replicas))));
  const ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  for (int i = 0; i < kSteps; ++i) {
    ClientSession::Feeds feeds;
    for (int r = 0; r < replicas; ++r) feeds.emplace_back(xs[static_cast<size_t>(r)], Batch(r, i));
    session.Run(feeds, {}, {train});
  }
  return session.Run(w);
}

TEST(PublicSyncReplicas, MatchesAveragingInOneProcess) {
  for (const int count : {1, 2, 4}) {
    const Engine engine;
    const auto server = engine.StartLocalServer();
    std::vector<std::unique_ptr<Replica>> replicas;
    for (int i = 0; i < count; ++i) replicas.push_back(std::make_unique<Replica>(server->target(), i, count));
    std::vector<std::thread> threads;
    for (auto& replica : replicas) threads.emplace_back([&replica] { replica->Train(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(replicas.back()->step(), kSteps);
    const Tensor together = replicas.back()->w();
    const Tensor alone = Alone(count);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(together.data<float>()[i], alone.data<float>()[i], 1e-5) << count;
    EXPECT_TRUE(replicas[0]->Stop().ok());
  }
}

}  // namespace
}  // namespace weir
