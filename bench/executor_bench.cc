// Overhead of a step beyond its kernels: a scalar run, long chains, wide graphs, loops. The kernels do almost nothing.
#include <benchmark/benchmark.h>

#include "graph/node_builder.h"
#include "runtime/local_session.h"

namespace weir {
namespace {

KernelList BenchKernel(Kernel (*make)()) {
  return CpuKernel([make](KernelSetup&) -> Result<Kernel> { return make(); });
}

Kernel FreshKernel() {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor z, ctx.Allocate(0, ctx.input(0).shape()));
    z.data<float>()[0] = ctx.input(0).data<float>()[0] + 1;
    return OkStatus();
  });
}

Kernel AddKernel() {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor z, ctx.ForwardOrAllocate({0, 1}, 0, ctx.input(0).shape()));
    z.data<float>()[0] = ctx.input(0).data<float>()[0] + ctx.input(1).data<float>()[0];
    return OkStatus();
  });
}

void AddBenchOps(OpRegistry& registry) {
  registry.Add({.name = "Const",
                .signature = "-> output: dtype",
                .attrs = {"value: tensor", "dtype: type"},
                .traits = {.kind = NodeKind::kConst, .brief = true}});
  registry.Add({.name = "Placeholder",
                .signature = "-> output: dtype",
                .attrs = {"dtype: type"},
                .traits = {.placeholder = true}});
  registry.Add({.name = "Plus", .signature = "x: float, y: float -> z: float", .kernels = BenchKernel(AddKernel)});
  registry.Add({.name = "Fresh", .signature = "x: float -> z: float", .kernels = BenchKernel(FreshKernel)});
  registry.Add({.name = "Smaller",
                .signature = "x: float, y: float -> z: bool",
                .kernels = BenchKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    ctx.set_output(0, Tensor::Scalar(ctx.input(0).scalar<float>() < ctx.input(1).scalar<float>()));
                    return OkStatus();
                  });
                })});
  registry.Add({.name = "Switch",
                .signature = "data: T, pred: bool -> output_false: T, output_true: T",
                .attrs = {"T: type"},
                .kernels = BenchKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    const int taken = ctx.input(1).scalar<bool>() ? 1 : 0;
                    ctx.set_output(taken, ctx.input(0));
                    ctx.set_dead(1 - taken);
                    return OkStatus();
                  });
                }),
                .traits = {.kind = NodeKind::kSwitch, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "Merge",
                .signature = "inputs: N * T -> output: T, value_index: int32",
                .attrs = {"T: type", "N: int >= 1"},
                .kernels = BenchKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    const int alive = ctx.input(0).valid() ? 0 : 1;
                    ctx.set_output(0, ctx.input(alive));
                    ctx.set_output(1, Tensor::Scalar(int32_t{alive}));
                    return OkStatus();
                  });
                }),
                .traits = {.kind = NodeKind::kMerge, .memory = OutputMemory::kForwardsAll}});
  registry.Add(
      {.name = "Enter",
       .signature = "data: T -> output: T",
       .attrs = {"T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"},
       .traits = {.kind = NodeKind::kEnter, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "Exit",
                .signature = "data: T -> output: T",
                .attrs = {"T: type"},
                .traits = {.kind = NodeKind::kExit, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "NextIteration",
                .signature = "data: T -> output: T",
                .attrs = {"T: type"},
                .traits = {.kind = NodeKind::kNextIteration, .memory = OutputMemory::kForwardsFirst}});
  registry.Add(
      {.name = "LoopCond", .signature = "input: bool -> output: bool", .traits = {.kind = NodeKind::kLoopCond}});
}

struct Bench {
  Bench() {
    AddBenchOps(registry);
    graph = std::make_shared<Graph>(registry);
    x = NodeBuilder(*graph, "Placeholder", "x").Attr("dtype", kFloat).BuildOutput();
  }
  Output Const(float value) { return Constant(*graph, Tensor::Scalar(value)); }
  Output Plus(Output a, Output b) { return NodeBuilder(*graph, "Plus").In(a).In(b).BuildOutput(); }
  Output Enter(Output value, bool constant) {
    return NodeBuilder(*graph, "Enter")
        .In(value)
        .Attr("frame_name", "loop")
        .Attr("is_constant", constant)
        .BuildOutput();
  }

  void Measure(benchmark::State& state, Output fetch, tensorflow::ConfigProto config = {}) {
    LocalSession session(graph, {pool, blocking_pool, RealEnv(), nullptr, config});
    RunRequest request;
    request.feeds = {{x, Tensor::Scalar(0.f)}};
    request.fetches = {fetch};
    for (auto _ : state) {
      Result<std::vector<Tensor>> result = session.Run(request);
      if (!result.ok()) state.SkipWithError(std::string(result.status().message()).c_str());
      benchmark::DoNotOptimize(result);
    }
  }

  OpRegistry registry;
  ThreadPool pool{"bench", 0};
  ElasticPool blocking_pool{"bench_blocking"};
  std::shared_ptr<Graph> graph;
  Output x;
};

void BM_ScalarRun(benchmark::State& state) {
  Bench bench;
  bench.Measure(state, bench.Plus(bench.Plus(bench.x, bench.Const(2)), bench.Const(1)));
}
BENCHMARK(BM_ScalarRun);

void BM_Chain(benchmark::State& state) {
  Bench bench;
  Output one = bench.Const(1);
  Output y = bench.x;
  for (int i = 0; i < state.range(0); ++i) y = bench.Plus(y, one);
  bench.Measure(state, y);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Chain)->Arg(2000);

// A chain of ops that each allocate a tensor of range(0) floats.
void BM_Fresh(benchmark::State& state) {
  constexpr int kOps = 1000;
  Bench bench;
  Output y = bench.x;
  for (int i = 0; i < kOps; ++i) y = NodeBuilder(*bench.graph, "Fresh").In(y).BuildOutput();
  LocalSession session(bench.graph, {bench.pool, bench.blocking_pool, RealEnv(), nullptr, {}});
  RunRequest request;
  request.feeds = {{bench.x, Tensor::Zeros(kFloat, {state.range(0)}).value()}};
  request.fetches = {y};
  for (auto _ : state) {
    Result<std::vector<Tensor>> result = session.Run(request);
    if (!result.ok()) state.SkipWithError(std::string(result.status().message()).c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * kOps);
}
BENCHMARK(BM_Fresh)->Arg(1)->Arg(8192);

void BM_Wide(benchmark::State& state) {
  Bench bench;
  OutputList level;
  for (int i = 0; i < state.range(0) / 2; ++i) level.push_back(bench.Plus(bench.x, bench.Const(static_cast<float>(i))));
  while (level.size() > 1) {  // a tree of sums
    OutputList next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(bench.Plus(level[i], level[i + 1]));
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  bench.Measure(state, level[0]);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Wide)->Arg(2000);

void BM_Loop(benchmark::State& state) {
  Bench bench;
  Output start = bench.Enter(bench.x, false);
  Output limit = bench.Enter(bench.Const(static_cast<float>(state.range(0))), true);
  Output one = bench.Enter(bench.Const(1), true);
  Output merge = NodeBuilder(*bench.graph, "Merge").In(OutputList{start, start}).BuildOutput();
  Output less = NodeBuilder(*bench.graph, "Smaller").In(merge).In(limit).BuildOutput();
  Output condition = NodeBuilder(*bench.graph, "LoopCond").In(less).BuildOutput();
  Output fork = NodeBuilder(*bench.graph, "Switch").In(merge).In(condition).BuildOutput();
  Output next = NodeBuilder(*bench.graph, "NextIteration").In(bench.Plus(Output(fork.node, 1), one)).BuildOutput();
  if (!bench.graph->UpdateInput(merge.node, 1, next).ok()) state.SkipWithError("the loop could not be closed");
  bench.Measure(state, NodeBuilder(*bench.graph, "Exit").In(fork).BuildOutput());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Loop)->Arg(1000);

void BM_CompileSignature(benchmark::State& state) {
  Bench bench;
  Output one = bench.Const(1);
  Output y = bench.x;
  for (int i = 0; i < state.range(0); ++i) y = bench.Plus(y, one);
  for (auto _ : state) {
    LocalSession session(bench.graph, {bench.pool, bench.blocking_pool, RealEnv(), nullptr, {}});
    benchmark::DoNotOptimize(session.MakeCallable({bench.x}, {y}, {}));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_CompileSignature)->Arg(10000)->Arg(100000);

}  // namespace
}  // namespace weir
