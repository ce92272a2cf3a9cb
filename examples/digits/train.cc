// Trains a convolutional network that recognizes handwritten digits, on a cluster, from record files: train.py in C++.
// Make the records as described in train.py, then:
//   weir up build/examples/digits_train --ps 1 --workers 2 -- --train=train.tfrecords --validation=test.tfrecords
//           --logdir=digits_cpp_logs [--issync]
//   build/examples/digits_predict digits_cpp_logs/digits.pb PICTURE...
// Every task runs this program. With --issync, all workers' gradients form one step; otherwise each worker steps at its
// own pace. A restarted run continues from the last checkpoint in its logdir.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "network.h"

using namespace weir;

namespace {

struct Flags {
  std::vector<std::string> ps_hosts;
  std::vector<std::string> worker_hosts;
  std::string job_name;
  int task_index = 0;
  bool issync = false;
  std::string train = "train.tfrecords";
  std::string validation = "test.tfrecords";
  std::string logdir = "digits_cpp_logs";
  int64_t steps = 1600;
  int64_t batch = 64;
  double learning_rate = 0.1;
};

void Define(CLI::App& app, Flags& flags) {
  app.add_option("--ps_hosts", flags.ps_hosts, "Comma-separated addresses of the parameter servers")->delimiter(',');
  app.add_option("--worker_hosts", flags.worker_hosts, "Comma-separated addresses of the workers")->delimiter(',');
  app.add_option("--job_name", flags.job_name, "ps or worker")->required();
  app.add_option("--task_index", flags.task_index, "Index of this task in its job");
  app.add_flag("--issync", flags.issync, "Train synchronously");
  app.add_option("--train", flags.train, "Records to train with, as `weir records make --raw` writes them");
  app.add_option("--validation", flags.validation, "Records to measure the accuracy with");
  app.add_option("--logdir", flags.logdir, "Folder for checkpoints, event files and the trained graph");
  app.add_option("--steps", flags.steps, "The global step at which training ends");
  app.add_option("--batch", flags.batch, "Images per step")->check(CLI::PositiveNumber);
  app.add_option("--learning_rate", flags.learning_rate,
                 "Initial learning rate of gradient descent; decays to a tenth");
}

struct Examples {
  Output images;  // [batch, 28, 28, 1]
  Output labels;  // [batch]
};

// Endless shuffled batches.
Examples Batches(Graph& g, const std::string& path, int64_t size) {
  const Queue files = ValueOrThrow(StringInputProducer(g, Tensor::Vector<std::string>({path})));
  const Output record = ReaderReadV2(TFRecordReaderV2(g), files.queue_ref()).value;
  const Features features = ParseSingleExample(g, record,
                                               {{"image_raw", FixedLenFeature{PartialShape::Scalar(), kString}},
                                                {"label", FixedLenFeature{PartialShape::Scalar(), kInt64}}});
  const Output pixels = Reshape(DecodeRaw(features["image_raw"], kUint8), {digits::kSide, digits::kSide, 1});
  const Batched batch = ShuffleBatch(g, {Cast(pixels, kFloat) / 255.0f, features["label"]}, size,
                                     {.min_after_dequeue = 1000}, {.num_threads = 2, .capacity = 1000 + 3 * size});
  return {batch[0], batch[1]};
}

struct Model {
  Output loss;
  Output accuracy;  // on the validation set
  Output summaries;
  VariablePtr global_step;
  Node* train = nullptr;
  std::unique_ptr<SyncReplicasOptimizer> sync;  // null: asynchronous training
};

Model BuildModel(Graph& g, const Flags& flags) {
  Model model;
  const Examples seen = Batches(g, flags.train, flags.batch);
  const Output logits = digits::Logits(seen.images, {.training = true});
  model.loss = ReduceMean(SparseSoftmaxCrossEntropy(logits, seen.labels)) + RegularizationLoss(g);
  const Examples unseen = Batches(g, flags.validation, flags.batch);
  const Output guesses = ArgMax(digits::Logits(unseen.images, {.reuse = Reuse::kYes}), 1);
  model.accuracy = ReduceMean(Cast(Equal(guesses, unseen.labels), kFloat));

  model.global_step = ValueOrThrow(GetOrCreateGlobalStep(g));
  const auto first = static_cast<float>(flags.learning_rate);
  const Output rate = PolynomialDecay(g, first, model.global_step->value(), flags.steps, /*end_rate=*/first / 10);
  auto optimizer = std::make_shared<GradientDescentOptimizer>(rate);
  if (flags.issync) {
    const auto workers = static_cast<int64_t>(flags.worker_hosts.size());
    model.sync = std::make_unique<SyncReplicasOptimizer>(
        optimizer, SyncReplicasOptions{.replicas_to_aggregate = workers, .total_num_replicas = workers});
    model.train = ValueOrThrow(model.sync->Minimize(model.loss, {.global_step = model.global_step}));
  } else {
    model.train = ValueOrThrow(optimizer->Minimize(model.loss, {.global_step = model.global_step}));
  }

  SummarizeScalar(g, "loss", model.loss);
  SummarizeImage(g, "digits", seen.images, /*max_outputs=*/4);
  model.summaries = *MergeAllSummaries(g);
  return model;
}

// Writes the trained network with its variables as constants, for predict.cc.
void Export(const Engine& engine, const ClientSession& session, const std::string& path) {
  const std::shared_ptr<Graph> alone = engine.NewGraph();
  const Output images =
      Placeholder(*alone, kFloat, {.shape = {kUnknownDim, digits::kSide, digits::kSide, 1}, .name = "images"});
  Softmax(digits::Logits(images), {.name = "probabilities"});
  ThrowIfError(alone->TakeError());
  const std::string trained = SerializeFrozenGraph(*alone, session.session(), session.graph(), {"probabilities"});
  ThrowIfError(RealEnv().WriteFileAtomically(path, trained));
}

// Average accuracy over random batches of the validation set.
double FinalAccuracy(const ClientSession& session, Output accuracy, const Flags& flags) {
  // Each digit is in about ten batches.
  const int64_t rounds = std::max<int64_t>(1, 10 * CountRecords(flags.validation) / flags.batch);
  double sum = 0;
  for (int64_t i = 0; i < rounds; ++i) sum += session.Run(accuracy).scalar<float>();
  return sum / static_cast<double>(rounds);
}

std::string FullPath(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

void Work(const Engine& engine, const ClusterSpec& cluster, const std::string& target, const Flags& flags) {
  const bool chief = flags.task_index == 0;
  Graph& g = engine.graph();
  Model model;
  {
    const DeviceScope place(
        g, ValueOrThrow(ReplicaDeviceSetter(
               {.worker_device = "/job:worker/task:" + std::to_string(flags.task_index), .cluster = cluster})));
    model = BuildModel(g, flags);
  }

  // The loop below computes the summaries, together with their step.
  SupervisorOptions options = {
      .is_chief = chief, .logdir = flags.logdir, .summary = Output(), .save_model_secs = 60, .recovery_wait_secs = 1};
  Node* tokens = nullptr;
  if (model.sync != nullptr) {
    options.local_init = {chief ? model.sync->chief_init_op() : model.sync->local_step_init_op(),
                          InitializeVariables(g, LocalVariables(g))};
    options.ready_for_local_init = model.sync->ready_for_local_init_op();
    tokens = ValueOrThrow(model.sync->GetInitTokensOp(0));
  }
  const auto sv = ValueOrThrow(Supervisor::Make(g, options));
  RunManaged(*sv, engine, target, [&](const ClientSession& session) {
    if (model.sync != nullptr && chief) {
      session.Run(tokens);
      sv->StartQueueRunners(session.shared_session(), {ValueOrThrow(model.sync->GetChiefQueueRunner())});
    }
    int64_t mine = 0;
    int64_t step = session.Run(model.global_step->value()).scalar<int64_t>();
    while (!sv->should_stop() && step < flags.steps) {
      const auto values = session.Run({}, {model.global_step->value(), model.loss}, {model.train});
      step = values[0].scalar<int64_t>();
      if (++mine % 100 != 0 || !chief) continue;
      std::printf("step %4ld  loss %.3f  accuracy %.3f\n", static_cast<long>(step), values[1].scalar<float>(),
                  session.Run(model.accuracy).scalar<float>());
      ThrowIfError(sv->SummaryComputed(session.shared_session(), session.Run(model.summaries), step));
    }
    std::printf("%ld steps by this worker\n", static_cast<long>(mine));
    if (!chief) return;
    const double accuracy = FinalAccuracy(session, model.accuracy, flags);
    const auto saved =
        ValueOrThrow(sv->saver()->Save(g, RunIn(session.session()), sv->save_path(), {.global_step = step}));
    const std::string trained = JoinPath(flags.logdir, "digits.pb");
    Export(engine, session, trained);
    std::printf("accuracy %.3f on digits not used for training\n", accuracy);
    std::printf("checkpoint    %s\n", FullPath(*saved).c_str());
    std::printf("trained graph %s\n", FullPath(trained).c_str());
    std::printf("event files   %s  (tensorboard --logdir %s)\n", FullPath(flags.logdir).c_str(), flags.logdir.c_str());
  });
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains a network that reads digits, as a task of a cluster");
  Define(app, flags);
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // show lines when they are printed
  try {
    const ClusterSpec cluster = Cluster({{"ps", flags.ps_hosts}, {"worker", flags.worker_hosts}});
    const Engine engine;
    const auto server = engine.StartServer(cluster, flags.job_name, flags.task_index);
    if (flags.job_name == "ps") {
      JoinUntilSignal(*server);
      return 0;
    }
    Work(engine, cluster, server->target(), flags);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
