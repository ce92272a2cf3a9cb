// A few simple ops with kernels, and a session with them, for the tests of this folder. They replace the real ops, so
// that the tests cover the runtime alone.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graph/node_builder.h"
#include "graph/small_entries_test.h"
#include "op/shape_context.h"
#include "runtime/local_session.h"

namespace weir {

inline Kernel SmallBinary(float (*compute)(float, float)) {
  return Kernel::Sync([compute](KernelContext& ctx) -> Status {
    if (ctx.input(0).num_elements() != ctx.input(1).num_elements())
      return InvalidArgument("Incompatible shapes: {} vs. {}", ctx.input(0).shape(), ctx.input(1).shape());
    WEIR_ASSIGN(Tensor z, ctx.ForwardOrAllocate(0, 0));
    for (int64_t i = 0; i < z.num_elements(); ++i)
      z.data<float>()[i] = compute(ctx.input(0).data<float>()[i], ctx.input(1).data<float>()[i]);
    return OkStatus();
  });
}

inline KernelList SmallKernel(std::function<Kernel()> make) {
  return CpuKernel([make](KernelSetup&) -> Result<Kernel> { return make(); });
}

inline void ForwardValue(KernelContext& ctx, int from, int to) {
  if (ctx.raw_input(from).is_ref()) {
    ctx.ForwardRef(from, to);
  } else {
    ctx.set_output(to, ctx.input(from));
  }
}

// The number of kernels of op Slow that are running, and its maximum.
struct SlowGauge {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  std::atomic<std::thread::id> last_thread{};
};

inline void AddArithmetic(OpRegistry& registry) {
  auto binary = [&](const char* name, float (*compute)(float, float)) {
    registry.Add({.name = name,
                  .signature = "x: T, y: T -> z: T",
                  .attrs = {"T: {float, int32}"},
                  .shape = BroadcastInputs(),
                  .kernels = CpuKernelForTypes(
                      "T", {kFloat}, [compute](KernelSetup&) -> Result<Kernel> { return SmallBinary(compute); }),
                  .traits = {.brief = true}});
  };
  binary("Add", [](float a, float b) { return a + b; });
  binary("Mul", [](float a, float b) { return a * b; });
  registry.Add({.name = "Less",
                .signature = "x: float, y: float -> z: bool",
                .shape = BroadcastInputs(),
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                           ctx.set_output(0,
                                          Tensor::Scalar(ctx.input(0).scalar<float>() < ctx.input(1).scalar<float>()));
                           return OkStatus();
                         })
                      .Cheap();
                })});
}

inline void AddPlain(OpRegistry& registry) {
  registry.Add(SmallConst());
  OpEntry placeholder = SmallPlaceholder();
  placeholder.kernels = SmallKernel([] {
    return Kernel::Sync([](KernelContext& ctx) -> Status {
      return InvalidArgument("You must feed a value for placeholder tensor '{}'", ctx.name());
    });
  });
  registry.Add(std::move(placeholder));
  registry.Add({.name = "NoOp",
                .signature = "->",
                .kernels = SmallKernel([] { return Kernel::Sync([](KernelContext&) { return OkStatus(); }).Cheap(); }),
                .traits = {.brief = true}});
  OpEntry identity = SmallIdentity();
  identity.kernels = SmallKernel([] {
    return Kernel::Sync([](KernelContext& ctx) {
             ctx.set_output(0, ctx.input(0));
             return OkStatus();
           })
        .Cheap();
  });
  registry.Add(std::move(identity));
  registry.Add({.name = "Fail",
                .signature = "x: T -> y: T",
                .attrs = {"T: type"},
                .kernels = SmallKernel([] {
                  return Kernel::Sync(
                      [](KernelContext& ctx) -> Status { return OutOfRange("no more of {}", ctx.name()); });
                })});
  registry.Add({.name = "Throw", .signature = "x: T -> y: T", .attrs = {"T: type"}, .kernels = SmallKernel([] {
                                                                                      return Kernel::Sync(
                                                                                          [](KernelContext&) -> Status {
                                                                                            std::vector<int> none;
                                                                                            return none.at(1) == 0
                                                                                                       ? OkStatus()
                                                                                                       : OkStatus();
                                                                                          });
                                                                                    })});
  registry.Add(
      {.name = "Forget",
       .signature = "x: T -> y: T",
       .attrs = {"T: type"},
       .kernels = SmallKernel([] { return Kernel::Sync([](KernelContext&) -> Status { return OkStatus(); }); })});
  // 1 if the kernel holds the only reference to the memory of the input.
  registry.Add({.name = "IsAlone",
                .signature = "x: float -> y: float",
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    ctx.set_output(0, Tensor::Scalar(ctx.input(0).OwnsMemoryAlone() ? 1.f : 0.f));
                    return OkStatus();
                  });
                })});
  // The number of runs of this kernel.
  registry.Add({.name = "Count",
                .signature = "-> y: float",
                .kernels = SmallKernel([] {
                  auto count = std::make_shared<std::atomic<int>>(0);
                  return Kernel::Sync([count](KernelContext& ctx) -> Status {
                    ctx.set_output(0, Tensor::Scalar(static_cast<float>(++*count)));
                    return OkStatus();
                  });
                }),
                .traits = kNeverBlocks,
                .stateful = true});
}

inline void AddWaiting(OpRegistry& registry, std::shared_ptr<SlowGauge> gauge) {
  auto slow = [gauge](KernelContext& ctx) -> Status {
    const int now = ++gauge->now;
    gauge->last_thread = std::this_thread::get_id();
    for (int most = gauge->most; now > most && !gauge->most.compare_exchange_weak(most, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    --gauge->now;
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  };
  registry.Add({.name = "Slow", .signature = "x: float -> y: float", .kernels = SmallKernel([slow] {
                                                                       return Kernel::Sync(slow);
                                                                     })});
  registry.Add({.name = "SlowBlocking", .signature = "x: float -> y: float", .kernels = SmallKernel([slow] {
                                                                               return Kernel::Sync(slow).Blocking();
                                                                             })});
  registry.Add(
      {.name = "QuickBlocking", .signature = "x: float -> y: float", .kernels = SmallKernel([gauge] {
                                                                       return Kernel::Sync([gauge](KernelContext& ctx) {
                                                                                gauge->last_thread =
                                                                                    std::this_thread::get_id();
                                                                                ctx.set_output(0, ctx.input(0));
                                                                                return OkStatus();
                                                                              })
                                                                           .Blocking();
                                                                     })});
  // Completes on another thread.
  registry.Add({.name = "Later",
                .signature = "x: T -> y: T",
                .attrs = {"T: type"},
                .shape = SameAsInput(0),
                .kernels = SmallKernel([] {
                  return Kernel::Async([](KernelContext& ctx, Done done) {
                    ctx.step().blocking_pool->Schedule([&ctx, done = std::move(done)] {
                      std::this_thread::sleep_for(std::chrono::milliseconds(2));
                      ctx.set_output(0, ctx.input(0));
                      done(OkStatus());
                    });
                  });
                })});
  // Completes before RunAsync returns.
  registry.Add({.name = "AtOnce",
                .signature = "x: T -> y: T",
                .attrs = {"T: type"},
                .shape = SameAsInput(0),
                .kernels = SmallKernel([] {
                  return Kernel::Async([](KernelContext& ctx, Done done) {
                    ctx.set_output(0, ctx.input(0));
                    done(OkStatus());
                  });
                })});
  // Waits until the step is cancelled.
  registry.Add({.name = "Forever",
                .signature = "-> y: float",
                .kernels = SmallKernel([] {
                  return Kernel::Async([](KernelContext& ctx, Done done) {
                    auto shared = std::make_shared<Done>(std::move(done));
                    if (ctx.cancel().Register([shared] { (*shared)(Cancelled("the wait was cancelled")); }) == 0)
                      (*shared)(Cancelled("the wait was cancelled"));
                  });
                })});
}

inline void AddFlow(OpRegistry& registry) {
  const std::vector<std::string> type = {"T: type"};
  for (const std::string prefix : {"", "Ref"}) {
    const std::string t = prefix.empty() ? "T" : "Ref(T)";
    registry.Add({.name = prefix + "Switch",
                  .signature = fmt::format("data: {0}, pred: bool -> output_false: {0}, output_true: {0}", t),
                  .attrs = type,
                  .kernels = SmallKernel([] {
                    return Kernel::Sync([](KernelContext& ctx) -> Status {
                      const int taken = ctx.input(1).scalar<bool>() ? 1 : 0;
                      ForwardValue(ctx, 0, taken);
                      ctx.set_dead(1 - taken);
                      return OkStatus();
                    });
                  }),
                  .traits = {.kind = NodeKind::kSwitch, .memory = OutputMemory::kForwardsFirst},
                  .allows_uninitialized_input = true});
    registry.Add({.name = prefix + "Merge",
                  .signature = fmt::format("inputs: N * {0} -> output: {0}, value_index: int32", t),
                  .attrs = {"T: type", "N: int >= 1"},
                  .kernels = SmallKernel([] {
                    return Kernel::Sync([](KernelContext& ctx) -> Status {
                      for (int i = 0; i < ctx.num_inputs(); ++i) {
                        if (!ctx.raw_input(i).is_ref() && !ctx.input(i).valid()) continue;
                        ForwardValue(ctx, i, 0);
                        ctx.set_output(1, Tensor::Scalar(int32_t{i}));
                        return OkStatus();
                      }
                      return Internal("nothing alive");
                    });
                  }),
                  .traits = {.kind = NodeKind::kMerge, .memory = OutputMemory::kForwardsAll}});
    registry.Add(
        {.name = prefix + "Enter",
         .signature = fmt::format("data: {0} -> output: {0}", t),
         .attrs = {"T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"},
         .traits = {.kind = NodeKind::kEnter, .memory = OutputMemory::kForwardsFirst}});
    registry.Add({.name = prefix + "Exit",
                  .signature = fmt::format("data: {0} -> output: {0}", t),
                  .attrs = type,
                  .traits = {.kind = NodeKind::kExit, .memory = OutputMemory::kForwardsFirst}});
    registry.Add({.name = prefix + "NextIteration",
                  .signature = fmt::format("data: {0} -> output: {0}", t),
                  .attrs = type,
                  .traits = {.kind = NodeKind::kNextIteration, .memory = OutputMemory::kForwardsFirst}});
  }
  registry.Add(
      {.name = "LoopCond", .signature = "input: bool -> output: bool", .traits = {.kind = NodeKind::kLoopCond}});
  registry.Add({.name = "ControlTrigger",
                .signature = "->",
                .kernels = SmallKernel([] { return Kernel::Sync([](KernelContext&) { return OkStatus(); }); }),
                .traits = {.kind = NodeKind::kTrigger}});
}

inline void AddVariables(OpRegistry& registry) {
  registry.Add({.name = "VariableV2",
                .signature = "-> ref: Ref(dtype)",
                .attrs = {"dtype: type", "shape: shape"},
                .shape = ShapeFromAttr(),
                .kernels = CpuKernel([](KernelSetup& setup) -> Result<Kernel> {
                  const DType dtype = BaseType(setup.output_type(0));
                  return Kernel::Sync([dtype](KernelContext& ctx) -> Status {
                           WEIR_ASSIGN(auto state, ctx.resources().LookupOrCreate<VariableState>("", ctx.name(), [&] {
                             return Result<ResourcePtr<VariableState>>(MakeIntrusive<VariableState>(dtype));
                           }));
                           ctx.set_ref_output(0, std::move(state));
                           return OkStatus();
                         })
                      .Cheap();
                }),
                .traits = {.state = StateRole::kVariable, .may_block = false, .brief = true},
                .stateful = true});
  registry.Add({.name = "Assign",
                .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
                .attrs = {"T: type"},
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    WEIR_ASSIGN(Tensor copy, ctx.input(1).Clone());
                    ctx.ref_input(0)->Write(std::move(copy));
                    ctx.ForwardRef(0, 0);
                    return OkStatus();
                  });
                }),
                .traits = kVariableUpdate,
                .allows_uninitialized_input = true});
  registry.Add({.name = "AssignAdd",
                .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
                .attrs = {"T: type"},
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    ctx.ref_input(0)->value_locked().data<float>()[0] += ctx.input(1).scalar<float>();
                    ctx.ForwardRef(0, 0);
                    return OkStatus();
                  });
                }),
                .traits = kVariableUpdate});
  registry.Add({.name = "RefIdentity",
                .signature = "input: Ref(T) -> output: Ref(T)",
                .attrs = {"T: type"},
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    ctx.ForwardRef(0, 0);
                    return OkStatus();
                  });
                }),
                .traits = {.memory = OutputMemory::kForwardsFirst, .identity = true},
                .allows_uninitialized_input = true});
  registry.Add({.name = "DeepCopy",
                .signature = "x: T -> y: T",
                .attrs = {"T: type"},
                .kernels = SmallKernel([] {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    WEIR_ASSIGN(Tensor copy, ctx.input(0).Clone());
                    ctx.set_output(0, std::move(copy));
                    return OkStatus();
                  });
                }),
                .traits = {.memory = OutputMemory::kOwn, .may_block = false, .keeps_inputs = false, .identity = true},
                .stateful = true});
}

// A graph with the small ops, helpers that build nodes in one line, and a session.
class SmallGraph : public ::testing::Test {
 protected:
  SmallGraph() {
    AddPlain(registry_);
    AddArithmetic(registry_);
    AddWaiting(registry_, gauge_);
    AddFlow(registry_);
    AddVariables(registry_);
    AddFunctionEdges(registry_);
    graph_ = std::make_shared<Graph>(registry_);
  }
  ~SmallGraph() override { session_.reset(); }

  LocalSession& session() {
    if (session_ == nullptr)
      session_ = std::make_unique<LocalSession>(
          graph_, LocalSession::Dependencies{pool_, blocking_pool_, RealEnv(), nullptr, config_});
    return *session_;
  }

  Node* Make(NodeBuilder& builder) {
    Result<Node*> node = builder.Build();
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? *node : nullptr;
  }
  Output Const(float value, std::string name = "c") {
    NodeBuilder builder(*graph_, "Const", std::move(name));
    return Make(builder.Attr("value", Tensor::Scalar(value)).Attr("dtype", kFloat));
  }
  Output Bool(bool value) {
    NodeBuilder builder(*graph_, "Const", "b");
    return Make(builder.Attr("value", Tensor::Scalar(value)).Attr("dtype", kBool));
  }
  Output Placeholder(std::string name, PartialShape shape = {}, DType dtype = kFloat) {
    NodeBuilder builder(*graph_, "Placeholder", std::move(name));
    return Make(builder.Attr("dtype", dtype).Attr("shape", std::move(shape)));
  }
  Output Op(const std::string& op, const OutputList& inputs, std::string name = "", std::vector<Node*> after = {}) {
    NodeBuilder builder(*graph_, op, std::move(name));
    for (Output input : inputs) builder.In(input);
    for (Node* node : after) builder.ControlInput(node);
    return Make(builder);
  }
  Output Merge(const OutputList& inputs) {
    NodeBuilder builder(*graph_, "Merge");
    return Make(builder.In(inputs));
  }
  Output Enter(Output value, const std::string& frame, bool constant = false, int parallel = 10) {
    NodeBuilder builder(*graph_, "Enter");
    return Make(builder.In(value)
                    .Attr("frame_name", frame)
                    .Attr("is_constant", constant)
                    .Attr("parallel_iterations", parallel));
  }
  Output Variable(std::string name, PartialShape shape = PartialShape::Scalar()) {
    NodeBuilder builder(*graph_, "VariableV2", std::move(name));
    return Make(builder.Attr("dtype", kFloat).Attr("shape", std::move(shape)));
  }
  // while (x < limit) x = body(x), starting with x = start. Returns x at the end.
  Output While(Output start, Output limit, const std::string& frame, const std::function<Output(Output)>& body,
               int parallel = 10) {
    Output entered = Enter(start, frame, false, parallel);
    Output bound = Enter(limit, frame, true, parallel);
    Output merge = Merge({entered, entered});
    Output condition = Op("LoopCond", {Op("Less", {merge, bound})});
    Output forked = Op("Switch", {merge, condition});
    Output next = Op("NextIteration", {body(Op("Identity", {Output(forked.node, 1)}))});
    EXPECT_TRUE(graph_->UpdateInput(merge.node, 1, next).ok());
    return Op("Exit", {Output(forked.node, 0)});
  }

  Result<std::vector<Tensor>> Run(const OutputList& fetches, std::vector<Feed> feeds = {},
                                  std::vector<Node*> targets = {}) {
    RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = fetches;
    request.targets = std::move(targets);
    return session().Run(request);
  }
  float Value(Output fetch, std::vector<Feed> feeds = {}) {
    Result<std::vector<Tensor>> result = Run({fetch}, std::move(feeds));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? (*result)[0].data<float>()[0] : -12345.f;
  }

  std::shared_ptr<SlowGauge> gauge_ = std::make_shared<SlowGauge>();
  OpRegistry registry_;
  ThreadPool pool_{"test", 4};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Graph> graph_;
  tensorflow::ConfigProto config_;
  std::unique_ptr<LocalSession> session_;
};

inline Tensor Float(float value) { return Tensor::Scalar(value); }

}  // namespace weir
