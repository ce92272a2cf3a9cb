// Kernels on one thread, each as a whole step of a local session: figures include the overhead of a step. "flops"
// counts multiplications and additions of the direct method; bytes counts each input and output once.
#include <benchmark/benchmark.h>
#include <weir/weir.h>

namespace weir {
namespace {

class KernelBench final {
 public:
  KernelBench() : graph(engine.graph()) {}
  Output Fed(const Shape& shape) {
    const Output x = Placeholder(graph, kFloat, {.shape = shape});
    Tensor values = Tensor::Zeros(kFloat, shape).value();
    for (int64_t i = 0; i < values.num_elements(); ++i)
      values.data<float>()[i] = static_cast<float>(i % 13) / 13 - 0.4f;
    request.feeds.push_back({x, std::move(values)});
    return x;
  }
  void Measure(benchmark::State& state, Output fetch) {
    request.fetches = {fetch};
    Run(state);
  }
  void Measure(benchmark::State& state, const Op& target) {
    request.targets = {target.node()};
    Run(state);
  }

  Engine engine;
  Graph& graph;
  RunRequest request;

 private:
  void Run(benchmark::State& state) {
    const SessionPtr session =
        ValueOrThrow(engine.Sessions("", {.intra_op_parallelism_threads = 1, .inter_op_parallelism_threads = 1})());
    ThrowIfError(session->Run({.targets = {engine.InitializeVariables()}}).status());
    for (auto _ : state) {
      const auto result = session->Run(request);
      if (!result.ok()) state.SkipWithError(std::string(result.status().message()).c_str());
    }
  }
};

void CountFlops(benchmark::State& state, double flops) {
  state.counters["flops"] =
      benchmark::Counter(flops * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void CountFloats(benchmark::State& state, int64_t floats) {
  state.SetBytesProcessed(state.iterations() * floats * static_cast<int64_t>(sizeof(float)));
}

// [m,k] x [k,n]
void BM_MatMul(benchmark::State& state) {
  KernelBench bench;
  const int64_t m = state.range(0);
  const int64_t k = state.range(1);
  const int64_t n = state.range(2);
  bench.Measure(state, MatMul(bench.Fed({m, k}), bench.Fed({k, n})));
  CountFlops(state, 2.0 * static_cast<double>(m * k * n));
}
BENCHMARK(BM_MatMul)->Args({100, 784, 10})->Args({32, 784, 1024})->Args({32, 1024, 1024})->Args({1024, 1024, 1024});

// Images of size x size, filters of 5 x 5: the layers of the digit network.
void BM_Conv2D(benchmark::State& state) {
  KernelBench bench;
  const int64_t images = state.range(0);
  const int64_t size = state.range(1);
  const int64_t in = state.range(2);
  const int64_t out = state.range(3);
  bench.Measure(state, Conv2D(bench.Fed({images, size, size, in}), bench.Fed({5, 5, in, out}), {1, 1, 1, 1}, "SAME"));
  CountFlops(state, 2.0 * static_cast<double>(images * size * size * 25 * in * out));
}
BENCHMARK(BM_Conv2D)->Args({64, 28, 1, 32})->Args({64, 14, 32, 64});

// Reads gradient, slot and parameter, and writes slot and parameter.
void BM_ApplyAdagrad(benchmark::State& state) {
  KernelBench bench;
  const Input shape = Tensor::Vector<int64_t>({state.range(0)});
  const Var value(bench.graph, Zeros(bench.graph, shape));
  const Var slot(bench.graph, Ones(bench.graph, shape));
  const Output gradient = bench.Fed({state.range(0)});
  bench.Measure(state, Op(ApplyAdagrad(value->handle(), slot->handle(), 0.1f, gradient)));
  CountFloats(state, 5 * state.range(0));
}
BENCHMARK(BM_ApplyAdagrad)->Arg(8 << 10)->Arg(1 << 20)->Arg(32 << 20);

// Gathers range(0) rows of 64 floats from a table of a million.
void BM_GatherRows(benchmark::State& state) {
  constexpr int64_t kTableRows = 1'000'000;
  constexpr int64_t kWidth = 64;
  KernelBench bench;
  const Output table = bench.Fed({kTableRows, kWidth});
  const Output ids = Placeholder(bench.graph, kInt64, {.shape = {state.range(0)}});
  Tensor picked = Tensor::Zeros(kInt64, {state.range(0)}).value();
  for (int64_t i = 0; i < state.range(0); ++i) picked.data<int64_t>()[i] = i * 7919 % kTableRows;
  bench.request.feeds.push_back({ids, picked});
  bench.Measure(state, Gather(table, ids));
  CountFloats(state, 2 * state.range(0) * kWidth);
}
BENCHMARK(BM_GatherRows)->Arg(32)->Arg(4096);

void BM_Tanh(benchmark::State& state) {
  KernelBench bench;
  bench.Measure(state, Tanh(bench.Fed({state.range(0)})));
  CountFloats(state, 2 * state.range(0));
}
BENCHMARK(BM_Tanh)->Arg(8 << 10)->Arg(1 << 20);

void BM_Add(benchmark::State& state) {
  KernelBench bench;
  const Output x = bench.Fed({state.range(0)});
  bench.Measure(state, x + bench.Fed({state.range(0)}));
  CountFloats(state, 3 * state.range(0));
}
BENCHMARK(BM_Add)->Arg(8 << 10)->Arg(1 << 20);

}  // namespace
}  // namespace weir
