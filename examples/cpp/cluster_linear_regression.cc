// Fits y = w * x + b to points around y = 2 x + 0.2 on a cluster: the variables are on parameter servers, and workers
// update them asynchronously. The first worker initializes or restores the model, and saves it. Runs until Ctrl-C, or
// for --rounds rounds.
//   cluster_linear_regression --ps_hosts=a:1 --worker_hosts=b:1,c:1 --job_name=worker --task_index=0
//                             [--logdir=/tmp/train_logs] [--rounds=N]
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <weir/weir.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <random>

using namespace weir;

namespace {

volatile std::sig_atomic_t interrupted = 0;

std::map<std::string, std::string> ParseFlags(int argc, char** argv) {
  std::map<std::string, std::string> flags = {{"job_name", ""}, {"task_index", "0"}, {"logdir", "/tmp/train_logs"}};
  for (int i = 1; i < argc; ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    flags[parts.first.substr(parts.first.find_first_not_of('-'))] = parts.second;
  }
  return flags;
}

}  // namespace

int main(int argc, char** argv) {
  auto flags = ParseFlags(argc, argv);
  int task = 0;
  int rounds = -1;
  if (flags["ps_hosts"].empty() || flags["worker_hosts"].empty() || !absl::SimpleAtoi(flags["task_index"], &task)) {
    std::fprintf(stderr,
                 "Usage: %s --ps_hosts=HOST:PORT,... --worker_hosts=HOST:PORT,... --job_name=ps|worker --task_index=N "
                 "[--logdir=FOLDER] [--rounds=N]\n",
                 argv[0]);
    return 2;
  }
  if (flags.contains("rounds") && !absl::SimpleAtoi(flags["rounds"], &rounds)) return 2;
  const ClusterSpec cluster =
      Cluster({{"ps", absl::StrSplit(flags["ps_hosts"], ',')}, {"worker", absl::StrSplit(flags["worker_hosts"], ',')}});
  Engine engine;
  auto server = engine.StartServer(cluster, flags["job_name"], task);
  if (flags["job_name"] == "ps") {
    JoinUntilSignal(*server);
    return 0;
  }

  Graph& g = engine.graph();
  Output x, y;
  VariablePtr w, b, global_step;
  Node* train = nullptr;
  {
    DeviceScope place(g, ValueOrThrow(ReplicaDeviceSetter(
                             {.worker_device = "/job:worker/task:" + std::to_string(task), .cluster = cluster})));
    x = Placeholder(g, kFloat, {.name = "x"});
    y = Placeholder(g, kFloat, {.name = "y"});
    w = ValueOrThrow(Variable::Make(g, -1.0f, {.name = "w"}));
    b = ValueOrThrow(Variable::Make(g, -2.0f, {.name = "b"}));
    global_step = ValueOrThrow(Variable::Make(g, Tensor::Scalar<int64_t>(0), {.name = "global_step"}));
    const Output loss = Square(y - (x * w->AsInput() + b->AsInput()));
    train = ValueOrThrow(AdagradOptimizer(0.8).Minimize(loss, {.global_step = global_step}));
  }

  std::mt19937 rng(std::random_device{}());
  std::normal_distribution<float> noise(0, 0.4f);
  std::vector<std::pair<Tensor, Tensor>> points;
  for (int i = 0; i <= 100; ++i) {
    const float at = -1.0f + 0.02f * static_cast<float>(i);
    points.emplace_back(Tensor::Scalar(at), Tensor::Scalar(2 * at + 0.2f + noise(rng)));
  }

  auto sv = ValueOrThrow(Supervisor::Make(g, {.is_chief = task == 0, .logdir = flags["logdir"]}));
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const Status ended = sv->RunManaged(engine.Sessions(server->target()), [&](const SessionPtr& session) -> Status {
    for (int round = 0; round != rounds && !interrupted && !sv->should_stop(); ++round) {
      for (int i = 0; i < 10 && !interrupted; ++i) {
        std::shuffle(points.begin(), points.end(), rng);
        for (const auto& [at, value] : points)
          WEIR_TRY(session->Run({.feeds = {{x, at}, {y, value}}, .targets = {train}}).status());
      }
      WEIR_ASSIGN(const std::vector<Tensor> fitted, session->Run({.fetches = {w->value(), b->value()}}));
      std::printf("Partial result from node: %d, w: %.4f, b: %.4f\n", task, fitted[0].scalar<float>(),
                  fitted[1].scalar<float>());
      std::fflush(stdout);
    }
    return OkStatus();
  });
  if (!ended.ok()) std::fprintf(stderr, "%s\n", ended.ToString().c_str());
  return ended.ok() ? 0 : 1;
}
