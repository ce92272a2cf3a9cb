// The hot paths whose instructions are counted. Each is a function called Measured*, which runs a fixed number of
// rounds on one thread, after a few warm-up rounds. count.py runs this program under callgrind, which counts only
// inside these functions.
//   weir_instructions FOLDER     runs all paths; FOLDER is for temporary files
//   weir_instructions --about    prints what the counts depend on
#include <weir/weir.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cluster/wire.h"
#include "io/example.h"
#include "io/record_file.h"
#include "proto/example.pb.h"

namespace {

using namespace weir;

constexpr int kWarm = 3;

SessionConfig OneThread() { return {.intra_op_parallelism_threads = 1, .inter_op_parallelism_threads = 1}; }

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "weir_instructions: %s\n", what.c_str());
  std::exit(1);
}

int64_t allocations = 0;

// Not inlined, because callgrind finds the functions by name. A count includes all rounds and the loop.
#define MEASURED(name, rounds)                                                     \
  template <class Round>                                                           \
  [[gnu::noinline]] void Measured##name(Round& round) {                            \
    for (int i = 0; i < (rounds); ++i) round();                                    \
  }                                                                                \
  template <class Round>                                                           \
  void name(Round& round) {                                                        \
    for (int i = 0; i < kWarm; ++i) round();                                       \
    const int64_t before = allocations;                                            \
    Measured##name(round);                                                         \
    std::printf("%s %lld\n", #name, static_cast<long long>(allocations - before)); \
  }

MEASURED(ScalarRun, 500)
MEASURED(Chain, 20)
MEASURED(Wide, 20)
MEASURED(TrainStep, 100)
MEASURED(Update, 200)
MEASURED(SparseUpdate, 100)
MEASURED(EncodeMessage, 300)
MEASURED(DecodeMessage, 300)
MEASURED(ParseRecord, 200)

// A graph and its session; Step is one call of Session::Run.
struct Local {
  Local() : graph(engine.graph()) {}
  void Start() {
    ThrowIfError(graph.TakeError());
    session = ValueOrThrow(engine.Sessions("", OneThread())());
    ThrowIfError(session->Run({.targets = {engine.InitializeVariables()}}).status());
  }
  void Step(const RunRequest& request) const { ThrowIfError(session->Run(request).status()); }

  Engine engine;
  Graph& graph;
  SessionPtr session;
};

void RunScalarRun() {
  Local local;
  const Output x = Placeholder(local.graph, kFloat, {.shape = Shape{}});
  const Output y = x * 2.0f + 1.0f;
  local.Start();
  const RunRequest request{.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {y}};
  auto round = [&] { local.Step(request); };
  ScalarRun(round);
}

void RunChain() {
  Local local;
  const Output x = Placeholder(local.graph, kFloat, {.shape = Shape{2}});
  const Output axis = Constant(local.graph, Tensor::Zeros(kInt32, {1}).value());
  Output y = x;
  for (int i = 0; i < 200; ++i) y = ReverseV2(y, axis);  // nothing folds or fuses these
  local.Start();
  const RunRequest request{.feeds = {{x, Tensor::Zeros(kFloat, {2}).value()}}, .fetches = {y}};
  auto round = [&] { local.Step(request); };
  Chain(round);
}

void RunWide() {
  Local local;
  const Output x = Placeholder(local.graph, kFloat, {.shape = Shape{}});
  InputList terms;
  for (int i = 0; i < 200; ++i) terms.push_back(Tanh(x + static_cast<float>(i)));
  const Output y = AddN(terms);
  local.Start();
  const RunRequest request{.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {y}};
  auto round = [&] { local.Step(request); };
  Wide(round);
}

void RunTrainStep() {
  Local local;
  Graph& g = local.graph;
  const Output x = Placeholder(g, kFloat, {.shape = {8, 16}});
  const Output y = Placeholder(g, kFloat, {.shape = {8, 4}});
  const Var w(g, Tensor::Zeros(kFloat, {16, 4}).value());
  const Var b(g, Tensor::Zeros(kFloat, {4}).value());
  const Output loss = ReduceMean(Square(MatMul(x, w) + b - y));
  const Op train = AdagradOptimizer(0.1).Minimize(loss);
  local.Start();
  const RunRequest request{
      .feeds = {{x, Tensor::Zeros(kFloat, {8, 16}).value()}, {y, Tensor::Zeros(kFloat, {8, 4}).value()}},
      .targets = {train.node()}};
  auto round = [&] { local.Step(request); };
  TrainStep(round);
}

void RunUpdates() {
  Local local;
  Graph& g = local.graph;
  const Var value(g, Tensor::Zeros(kFloat, {64, 16}).value());
  const Var slot(g, Tensor::Zeros(kFloat, {64, 16}).value());
  const Output gradient = Placeholder(g, kFloat, {.shape = {64, 16}});
  const Output rows = Placeholder(g, kFloat, {.shape = {8, 16}});
  const Output ids = Placeholder(g, kInt64, {.shape = {8}});
  const Output dense = ApplyAdagrad(value->handle(), slot->handle(), 0.1f, gradient);
  const Output sparse = SparseApplyAdagrad(value->handle(), slot->handle(), 0.1f, rows, ids);
  local.Start();
  const RunRequest of_all{.feeds = {{gradient, Tensor::Zeros(kFloat, {64, 16}).value()}}, .targets = {dense.node}};
  auto round = [&] { local.Step(of_all); };
  Update(round);
  Tensor picked = Tensor::Zeros(kInt64, {8}).value();
  for (int i = 0; i < 8; ++i) picked.data<int64_t>()[i] = (7 * i) % 64;
  const RunRequest of_rows{.feeds = {{rows, Tensor::Zeros(kFloat, {8, 16}).value()}, {ids, picked}},
                           .targets = {sparse.node}};
  auto sparse_round = [&] { local.Step(of_rows); };
  SparseUpdate(sparse_round);
}

void RunMessages() {
  RunGraphCall call;
  call.message.set_session_handle("a session of some worker");
  call.message.set_graph_handle("0000000000000001");
  call.message.set_step_id(0x1234567890abcdef);
  call.message.mutable_exec_opts();
  for (const char* name : {"a", "b", "c", "d"}) {
    call.tensors.push_back({fmt::format("/job:worker/replica:0/task:0/device:CPU:0;00000000000000ff;{};0:0", name),
                            Tensor::Zeros(kFloat, {16}).value()});
    call.message.add_recv_key(fmt::format("/job:ps/replica:0/task:0/device:CPU:0;00000000000000ff;{};0:0", name));
  }
  size_t bytes = 0;
  auto encode = [&] { bytes += Encode(call).size(); };
  EncodeMessage(encode);
  const Rope encoded = Encode(call);
  auto decode = [&] {
    RunGraphCall read;
    ThrowIfError(Decode(encoded, &read));
    if (read.tensors.size() != 4) Fail("a message came back changed");
  };
  DecodeMessage(decode);
  if (bytes == 0) Fail("messages have no bytes");
}

void RunParseRecord(const std::string& folder) {
  tensorflow::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (int i = 0; i < 32; ++i) features["pixels"].mutable_float_list()->add_value(static_cast<float>(i));
  for (int i = 0; i < 8; ++i) features["ids"].mutable_int64_list()->add_value(1000 * i);
  features["name"].mutable_bytes_list()->add_value("a picture");
  std::string bytes;
  if (!example.SerializeToString(&bytes)) Fail("no example");
  Env& env = RealEnv();
  const std::string path = folder + "/records";
  {
    auto writer = ValueOrThrow(io::RecordWriter::Open(env, path));
    for (int i = 0; i < 300; ++i) ThrowIfError(writer->Write(bytes));
    ThrowIfError(writer->Close());
  }
  auto reader = ValueOrThrow(io::RecordReader::Open(env, path));
  int64_t values = 0;
  auto round = [&] {
    const std::optional<std::string> record = ValueOrThrow(reader->Next());
    if (!record) Fail("too few records");
    io::VisitFeatures(*record, [&](std::string_view, std::string_view feature) {
      io::FeatureView view;
      if (!io::ParseFeature(feature, &view)) Fail("a feature came back changed");
      float floats[32];
      int64_t ids[8];
      std::string names[1];
      values += view.dtype == kFloat   ? io::ReadValues(view.list, floats, 32)
                : view.dtype == kInt64 ? io::ReadValues(view.list, ids, 8)
                                       : io::ReadValues(view.list, names, 1);
    });
  };
  ParseRecord(round);
  if (values != (200 + kWarm) * 41) Fail("values came back changed");
}

}  // namespace

// Counts the allocations of containers, closures and shared pointers. Not inlined, or g++ would warn about malloc
// paired with operator delete.
[[gnu::noinline]] void* operator new(size_t size) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  if (argc != 2) Fail("takes a folder, or --about");
  const std::string folder = argv[1];
  if (folder == "--about") {
#if defined(__clang__)
    std::printf("clang " __VERSION__ "\n");
#else
    std::printf("g++ " __VERSION__ "\n");
#endif
    return 0;
  }
  RunScalarRun();
  RunChain();
  RunWide();
  RunTrainStep();
  RunUpdates();
  RunMessages();
  RunParseRecord(folder);
}
