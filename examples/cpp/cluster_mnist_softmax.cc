// Trains a softmax classifier of MNIST's digits with all workers of a cluster, for 2,000 steps in total. Every worker
// but the first then prints the accuracy.
//   cluster_mnist_softmax --ps_hosts=a:1,b:1 --worker_hosts=c:1,d:1 --job_name=worker --task_index=0
//                         [--data=data] [--logdir=/tmp/mnist_logs]
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <weir/weir.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

using namespace weir;

namespace {

constexpr int kPixels = 784;
constexpr int kLastStep = 2000;
constexpr int kBatch = 100;

std::map<std::string, std::string> ParseFlags(int argc, char** argv) {
  std::map<std::string, std::string> flags = {
      {"job_name", ""}, {"task_index", "0"}, {"data", "data"}, {"logdir", "/tmp/mnist_logs"}};
  for (int i = 1; i < argc; ++i) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    flags[parts.first.substr(parts.first.find_first_not_of('-'))] = parts.second;
  }
  return flags;
}

struct Digits {
  Tensor images;  // uint8 [count, 28, 28]
  Tensor labels;  // uint8 [count]
};

Digits ReadDigits(const std::string& folder, const std::string& kind) {
  const auto file = [&](const char* what) {
    return ValueOrThrow(io::FindIdxFile(RealEnv(), folder + "/" + kind + what));
  };
  return {ValueOrThrow(io::ReadIdxImages(RealEnv(), file("-images-idx3-ubyte"))),
          ValueOrThrow(io::ReadIdxLabels(RealEnv(), file("-labels-idx1-ubyte")))};
}

// Images, scaled to 0..1, and labels of the digits at these indices.
std::pair<Tensor, Tensor> BatchOf(const Digits& digits, const std::vector<int64_t>& numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  Tensor images = Tensor::Zeros(kFloat, {count, kPixels}).value();
  Tensor labels = Tensor::Zeros(kInt64, {count}).value();
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* pixels = digits.images.data<uint8_t>() + numbers[i] * kPixels;
    std::transform(pixels, pixels + kPixels, images.data<float>() + i * kPixels, [](uint8_t p) { return p / 255.0f; });
    labels.data<int64_t>()[i] = digits.labels.data<uint8_t>()[numbers[i]];
  }
  return {std::move(images), std::move(labels)};
}

}  // namespace

int main(int argc, char** argv) {
  auto flags = ParseFlags(argc, argv);
  int task = 0;
  if (flags["ps_hosts"].empty() || flags["worker_hosts"].empty() || !absl::SimpleAtoi(flags["task_index"], &task)) {
    std::fprintf(stderr,
                 "Usage: %s --ps_hosts=HOST:PORT,... --worker_hosts=HOST:PORT,... --job_name=ps|worker --task_index=N "
                 "[--data=FOLDER] [--logdir=FOLDER]\n",
                 argv[0]);
    return 2;
  }
  const ClusterSpec cluster =
      Cluster({{"ps", absl::StrSplit(flags["ps_hosts"], ',')}, {"worker", absl::StrSplit(flags["worker_hosts"], ',')}});
  Engine engine;
  auto server = engine.StartServer(cluster, flags["job_name"], task);
  std::printf("Cluster job: %s, task_index: %d, target: %s\n", flags["job_name"].c_str(), task,
              server->target().c_str());
  if (flags["job_name"] == "ps") {
    JoinUntilSignal(*server);
    return 0;
  }

  Graph& g = engine.graph();
  Output x, y, accuracy;
  VariablePtr global_step;
  Node* train = nullptr;
  {
    DeviceScope place(g, ValueOrThrow(ReplicaDeviceSetter(
                             {.worker_device = "/job:worker/task:" + std::to_string(task), .cluster = cluster})));
    x = Placeholder(g, kFloat, {.shape = {kUnknownDim, kPixels}, .name = "x"});
    y = Placeholder(g, kInt64, {.shape = {kUnknownDim}, .name = "y"});
    Var w(g, Tensor::Zeros(kFloat, {kPixels, 10}).value(), {.name = "w"});
    Var b(g, Tensor::Zeros(kFloat, {10}).value(), {.name = "b"});
    const Output logits = MatMul(x, w) + b;
    const Output loss = ReduceMean(SparseSoftmaxCrossEntropyWithLogits(logits, y).loss);
    accuracy = ReduceMean(Cast(Equal(ArgMax(logits, 1), y), kFloat));
    global_step = ValueOrThrow(Variable::Make(g, Tensor::Scalar<int64_t>(0), {.name = "global_step"}));
    train = ValueOrThrow(AdagradOptimizer(0.01).Minimize(loss, {.global_step = global_step}));
  }

  const Digits digits = ReadDigits(flags["data"], "train");
  const Digits unseen = ReadDigits(flags["data"], "t10k");
  std::mt19937 rng(std::random_device{}());
  std::uniform_int_distribution<int64_t> any(0, digits.labels.num_elements() - 1);
  auto sv = ValueOrThrow(Supervisor::Make(g, {.is_chief = task == 0, .logdir = flags["logdir"]}));
  const Status ended = sv->RunManaged(engine.Sessions(server->target()), [&](const SessionPtr& session) -> Status {
    int64_t step = 0;
    while (!sv->should_stop() && step < kLastStep) {
      std::vector<int64_t> numbers(kBatch);
      for (int64_t& number : numbers) number = any(rng);
      const auto [images, labels] = BatchOf(digits, numbers);
      WEIR_ASSIGN(
          const std::vector<Tensor> values,
          session->Run({.feeds = {{x, images}, {y, labels}}, .fetches = {global_step->value()}, .targets = {train}}));
      step = values[0].scalar<int64_t>();
    }
    std::printf("done.\n");
    if (task == 0) return OkStatus();
    std::vector<int64_t> all(unseen.labels.num_elements());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    const auto [images, labels] = BatchOf(unseen, all);
    WEIR_ASSIGN(const std::vector<Tensor> values,
                session->Run({.feeds = {{x, images}, {y, labels}}, .fetches = {accuracy}}));
    std::printf("accuracy: %f\n", values[0].scalar<float>());
    return OkStatus();
  });
  if (!ended.ok()) std::fprintf(stderr, "%s\n", ended.ToString().c_str());
  return ended.ok() ? 0 : 1;
}
