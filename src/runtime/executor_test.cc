// Tests how steps run: order, threads, memory, errors, cancellation, loops and branches.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "runtime/executor.h"
#include "runtime/local_devices.h"
#include "runtime/small_ops_test.h"
#include "runtime/transport_thread.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

class ExecutorTest : public SmallGraph {
 protected:
  std::string Message(const Result<std::vector<Tensor>>& result) { return std::string(result.status().message()); }
};

TEST_F(ExecutorTest, ComputesFromFeedsAndConstants) {
  Output x = Placeholder("x");
  Output y = Op("Add", {Op("Mul", {x, Const(2)}), Const(1)});
  EXPECT_EQ(Value(y, {{x, Float(3)}}), 7);
  EXPECT_EQ(Value(y, {{x, Float(-1)}}), -1);
}

TEST_F(ExecutorTest, ALongChainAndAWideGraph) {
  Output x = Placeholder("x");
  Output one = Const(1);
  Output chain = x;
  for (int i = 0; i < 3000; ++i) chain = Op("Add", {chain, one});
  Output wide = Const(0);
  for (int i = 0; i < 1000; ++i) wide = Op("Add", {wide, Op("Mul", {x, one})});
  for (int run = 0; run < 12; ++run) {
    EXPECT_EQ(Value(chain, {{x, Float(1)}}), 3001);
    EXPECT_EQ(Value(wide, {{x, Float(2)}}), 2000);
  }
}

TEST_F(ExecutorTest, IndependentSlowNodesRunAtTheSameTime) {
  Output x = Placeholder("x");
  Output sum = Const(0);
  for (float i = 0; i < 4; ++i) sum = Op("Add", {sum, Op("Slow", {Op("Add", {x, Const(i)})})});
  EXPECT_EQ(Value(sum, {{x, Float(1)}}), 10);
  EXPECT_GE(gauge_->most, 2);
}

TEST_F(ExecutorTest, OneThreadMeansOneAtATime) {
  config_.set_inter_op_parallelism_threads(1);
  Output x = Placeholder("x");
  Output sum = Const(0);
  for (float i = 0; i < 3; ++i) sum = Op("Add", {sum, Op("Slow", {Op("Add", {x, Const(i)})})});
  EXPECT_EQ(Value(sum, {{x, Float(1)}}), 6);
  EXPECT_EQ(gauge_->most, 1);
}

TEST_F(ExecutorTest, BlockingAndAsynchronousKernels) {
  Output x = Placeholder("x");
  Output sum = Const(0);
  for (float i = 0; i < 6; ++i) {
    Output y = Op("Mul", {x, Const(i)});
    sum = Op("Add", {sum, Op("SlowBlocking", {y})});
    sum = Op("Add", {sum, Op("Identity", {Op("Later", {y})})});
    sum = Op("Add", {sum, Op("AtOnce", {y})});
  }
  EXPECT_EQ(Value(sum, {{x, Float(1)}}), 45);
  config_.set_inter_op_parallelism_threads(1);
  session_.reset();
  EXPECT_EQ(Value(sum, {{x, Float(1)}}), 45);
}

TEST_F(ExecutorTest, AQuickBlockingKernelRunsOnTheCallersThread) {
  Output x = Placeholder("x");
  Output y = Op("Add", {Op("QuickBlocking", {x}), Op("Mul", {x, Const(2)})});
  y = Op("Add", {y, Op("Add", {Op("Mul", {x, Const(3)}), Op("Mul", {x, Const(4)})})});
  // The costs of nodes are known only after they have run, and on a busy machine any node may look expensive for a
  // while.
  bool stayed = false;
  for (int run = 0; run < 50 && !stayed; ++run) {
    EXPECT_EQ(Value(y, {{x, Float(1)}}), 10);
    stayed = gauge_->last_thread.load() == std::this_thread::get_id();
  }
  EXPECT_TRUE(stayed);
}

TEST_F(ExecutorTest, ManyThreadsRunTheSamePlan) {
  Output x = Placeholder("x");
  Output y = x;
  for (int i = 0; i < 50; ++i) y = Op("Add", {i % 10 == 3 ? Op("Later", {y}) : y, Const(1)});
  session();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) right += Value(y, {{x, Float(static_cast<float>(t))}}) == static_cast<float>(t) + 50;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 160);
}

TEST_F(ExecutorTest, ControlInputsOrderNodes) {
  Output v = Variable("v");
  Output start = Op("Assign", {v, Const(1)});
  Output added = Op("AssignAdd", {v, Const(10)}, "added", {start.node});
  Output read = Op("Identity", {v}, "read", {added.node});
  EXPECT_EQ(Value(read), 11);
}

TEST_F(ExecutorTest, TheLastConsumerOwnsTheMemory) {
  Output x = Placeholder("x");
  Output sum = Op("Add", {x, x});
  EXPECT_EQ(Value(Op("IsAlone", {sum}), {{x, Float(1)}}), 1);
  EXPECT_EQ(Value(Op("IsAlone", {Op("Identity", {sum})}), {{x, Float(1)}}), 1);
  // The memory of fed values and constants is never reused.
  EXPECT_EQ(Value(Op("IsAlone", {x}), {{x, Float(1)}}), 0);
  EXPECT_EQ(Value(Op("IsAlone", {Const(1)})), 0);
  Tensor fed = Float(5);
  EXPECT_EQ(Value(sum, {{x, fed}}), 10);
  EXPECT_EQ(fed.scalar<float>(), 5);
}

TEST_F(ExecutorTest, TheFirstErrorNamesItsNode) {
  Output x = Placeholder("x");
  Output y = Op("Add", {Op("Fail", {x}, "broken"), Const(1)});
  Result<std::vector<Tensor>> result = Run({y}, {{x, Float(1)}});
  EXPECT_EQ(result.status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Message(result), "no more of broken\n\t [[node 'broken' (Fail)]]");
  EXPECT_EQ(NodeOf(result.status()), "broken");
  // The session still works.
  EXPECT_EQ(Value(Op("Add", {x, x}), {{x, Float(2)}}), 4);
  EXPECT_EQ(Run({y}, {{x, Float(1)}}).status().code(), StatusCode::kOutOfRange);
}

TEST_F(ExecutorTest, AnErrorCancelsPendingKernels) {
  Output x = Placeholder("x");
  Output y = Op("Add", {Op("Fail", {Op("Later", {x})}, "broken"), Op("Forever", {})});
  Result<std::vector<Tensor>> result = Run({y}, {{x, Float(1)}});
  EXPECT_EQ(result.status().code(), StatusCode::kOutOfRange);
}

TEST_F(ExecutorTest, KernelsWithWrongOutputsFail) {
  Output x = Placeholder("x");
  EXPECT_EQ(Run({Op("Throw", {x})}, {{x, Float(1)}}).status().code(), StatusCode::kInternal);
  Result<std::vector<Tensor>> result = Run({Op("Forget", {x})}, {{x, Float(1)}});
  EXPECT_THAT(Message(result), HasSubstr("Missing 0-th output"));
  auto lie = [](KernelContext& ctx) -> Status {
    ctx.set_output(0, Tensor::Scalar(int32_t{1}));
    return OkStatus();
  };
  KernelList kernels = SmallKernel([lie] { return Kernel::Sync(lie); });
  registry_.Add({.name = "Lie", .signature = "x: float -> y: float", .kernels = kernels});
  result = Run({Op("Add", {Op("Lie", {x}, "lie"), x})}, {{x, Float(1)}});
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
  EXPECT_EQ(NodeOf(result.status()), "lie");
}

TEST_F(ExecutorTest, FailedStepReleasesItsValues) {
  Output x = Placeholder("x");
  Output y = Placeholder("y");
  Tensor fed = Float(5);
  auto comes_back = [&] {  // a pool thread may hold the last reference to the step
    for (int i = 0; i < 1000 && !fed.OwnsMemoryAlone(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return fed.OwnsMemoryAlone();
  };
  // In both cases, Add already has its first input when the second one fails.
  Output straight = Op("Add", {x, Op("Fail", {Op("Later", {y})})});
  EXPECT_FALSE(Run({straight}, {{x, fed}, {y, Float(1)}}).ok());
  EXPECT_TRUE(comes_back());
  Output entered = Enter(x, "loop", true);
  Output looped = While(y, Const(10), "loop", [&](Output i) {
    return Op("Add", {entered, Op("Fail", {Op("Later", {i})})});
  });
  EXPECT_FALSE(Run({looped}, {{x, fed}, {y, Float(1)}}).ok());
  EXPECT_TRUE(comes_back());
}

TEST_F(ExecutorTest, UnfedPlaceholder) {
  Result<std::vector<Tensor>> result = Run({Op("Add", {Placeholder("x"), Const(1)})});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(result), HasSubstr("You must feed a value for placeholder tensor 'x'"));
}

// --- references

TEST_F(ExecutorTest, UninitializedVariables) {
  Output v = Variable("v");
  for (Output fetch : {v, Op("Identity", {v}), Op("AssignAdd", {v, Const(1)})}) {
    Result<std::vector<Tensor>> result = Run({fetch});
    EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(Message(result), HasSubstr("Attempting to use uninitialized value v"));
  }
  EXPECT_EQ(Value(Op("Assign", {v, Const(3)})), 3);
  EXPECT_EQ(Value(v), 3);
}

TEST_F(ExecutorTest, FetchedValuesDoNotChange) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Result<std::vector<Tensor>> before = Run({v, Op("Identity", {v})});
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(Value(Op("AssignAdd", {v, Const(1)})), 2);
  EXPECT_EQ((*before)[0].scalar<float>(), 1);
  EXPECT_EQ((*before)[1].scalar<float>(), 1);
}

TEST_F(ExecutorTest, AFedReferenceIsAnOrdinaryValue) {
  Output v = Variable("v");
  EXPECT_EQ(Value(Op("Identity", {v}), {{v, Float(4)}}), 4);
  Result<std::vector<Tensor>> result = Run({Op("Assign", {v, Const(1)})}, {{v, Float(4)}});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(result), HasSubstr("incompatible with expected"));
}

// --- branches and loops

TEST_F(ExecutorTest, OnlyTheTakenBranchRuns) {
  Output p = Placeholder("p", PartialShape::Scalar(), kBool);
  Output fork = Op("Switch", {Const(5), p});
  Output no = Op("Add", {fork, Const(1)});
  Output yes = Op("Fail", {Output(fork.node, 1)});
  Output merged = Merge({no, yes});
  EXPECT_EQ(Value(merged, {{p, Tensor::Scalar(false)}}), 6);
  EXPECT_EQ(Run({merged}, {{p, Tensor::Scalar(true)}}).status().code(), StatusCode::kOutOfRange);
  Result<std::vector<Tensor>> index = Run({Output(merged.node, 1)}, {{p, Tensor::Scalar(false)}});
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ((*index)[0].scalar<int32_t>(), 0);
}

TEST_F(ExecutorTest, ADeadFetchIsAnError) {
  Output fork = Op("Switch", {Const(5), Bool(true)});
  Result<std::vector<Tensor>> result = Run({fork});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(result), HasSubstr("Retval[0] does not have value"));
  EXPECT_EQ(Value(Output(fork.node, 1)), 5);
}

TEST_F(ExecutorTest, ControlEdgesPropagateDeadnessAndMergeStopsIt) {
  Output fork = Op("Switch", {Const(5), Bool(true)});
  Output dead = Op("Identity", {fork});
  Output skipped = Op("Fail", {Const(1)}, "skipped", {dead.node});
  EXPECT_EQ(Value(Merge({skipped, Const(7)})), 7);
  // If all inputs are dead, so is the output.
  EXPECT_EQ(Run({Merge({skipped, dead})}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ExecutorTest, AMergeWaitsForItsControlInputsAndForAValue) {
  Output x = Placeholder("x");
  auto merge = [&](Output a, Output b, Output after) {
    NodeBuilder builder(*graph_, "Merge");
    return Output(Make(builder.In(OutputList{a, b}).ControlInput(after.node)));
  };
  Output fork = Op("Switch", {x, Bool(true)});
  Output late = Op("Later", {Output(fork.node, 1)});
  Output soon = Output(fork.node, 1);
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  EXPECT_EQ(Value(merge(fork, late, Op("NoOp", {})), {{x, Float(3)}}), 3);  // the value comes last
  Output added = Op("AssignAdd", {v, Op("Later", {x})});
  EXPECT_EQ(Value(merge(fork, soon, added), {{x, Float(3)}}), 3);  // the control input comes last
  EXPECT_EQ(Value(v), 4);
  // Dead if all values are dead, whichever input comes last.
  Output dead = Op("Identity", {fork});
  EXPECT_THAT(Message(Run({merge(fork, dead, Op("NoOp", {}))}, {{x, Float(3)}})), HasSubstr("does not have value"));
  EXPECT_THAT(Message(Run({merge(fork, dead, added)}, {{x, Float(3)}})), HasSubstr("does not have value"));
  // A dead control input does not make a live value dead.
  EXPECT_EQ(Value(merge(fork, soon, dead), {{x, Float(3)}}), 3);
}

TEST_F(ExecutorTest, SendsAndReceivesRunEvenIfTheirInputsAreDead) {
  auto count = std::make_shared<std::atomic<int>>(0);
  registry_.Add({.name = "_Send",
                 .signature = "tensor: float ->",
                 .kernels = SmallKernel([count] {
                   return Kernel::Sync([count](KernelContext&) {
                     ++*count;
                     return OkStatus();
                   });
                 }),
                 .traits = {.kind = NodeKind::kTransfer, .may_block = false},
                 .stateful = true});
  Output fork = Op("Switch", {Const(5), Bool(true)});
  NodeBuilder send(*graph_, "_Send");
  ASSERT_TRUE(Run({}, {}, {Make(send.In(fork))}).ok());
  EXPECT_EQ(*count, 1);
}

TEST_F(ExecutorTest, ReferencesPassThroughBranches) {
  Output v = Variable("v");
  ASSERT_TRUE(Run({}, {}, {Op("Assign", {v, Const(1)}).node}).ok());
  Output fork = Op("RefSwitch", {v, Bool(true)});
  Output updated = Op("AssignAdd", {Output(fork.node, 1), Const(5)});
  NodeBuilder merge(*graph_, "RefMerge");
  Output merged = Make(merge.In(OutputList{fork, updated}));
  EXPECT_EQ(Value(merged), 6);
}

TEST_F(ExecutorTest, InvariantsHoldInEveryIteration) {
  for (int parallel : {1, 3, 10}) {
    const std::string frame = fmt::format("loop{}", parallel);
    Output x = Placeholder("x");
    Output step = Enter(Const(1), frame, true, parallel);
    Output end = While(
        x, Const(100), frame,
        [&](Output i) {
          return Op("Add", {i, step});
        },
        parallel);
    EXPECT_EQ(Value(end, {{x, Float(0)}}), 100) << parallel;
    EXPECT_EQ(Value(end, {{x, Float(99.5)}}), 100.5);
    EXPECT_EQ(Value(end, {{x, Float(200)}}), 200);  // no iteration
  }
}

TEST_F(ExecutorTest, LoopsWithKernelsOfEveryKind) {
  Output x = Placeholder("x");
  Output step = Enter(Const(1), "loop", true, 4);
  Output end = While(
      x, Const(30), "loop",
      [&](Output i) {
        return Op("Add", {Op("Later", {Op("AtOnce", {i})}), step});
      },
      4);
  EXPECT_EQ(Value(end, {{x, Float(0)}}), 30);
}

TEST_F(ExecutorTest, NestedLoops) {
  Output x = Placeholder("x");
  Output ten = Enter(Const(10), "outer", true);
  Output one = Enter(Enter(Const(1), "outer", true), "inner", true);
  Output end = While(x, Const(1000), "outer", [&](Output i) {
    // The inner loop counts from i to i + 10.
    return While(i, Op("Add", {i, ten}), "inner", [&](Output j) { return Op("Add", {j, one}); });
  });
  EXPECT_EQ(Value(end, {{x, Float(0)}}), 1000);
  EXPECT_EQ(Value(end, {{x, Float(995)}}), 1005);
}

TEST_F(ExecutorTest, ALoopInABranchThatIsNotTaken) {
  Output p = Placeholder("p", PartialShape::Scalar(), kBool);
  Output fork = Op("Switch", {Const(0), p});
  Output limit = Op("Switch", {Const(10), p});
  Output one = Op("Switch", {Const(1), p});
  Output step = Enter(Output(one.node, 1), "loop", true);
  Output looped = While(Output(fork.node, 1), Output(limit.node, 1), "loop", [&](Output i) {
    return Op("Add", {i, step});
  });
  Output merged = Merge({Op("Identity", {fork}), looped});
  EXPECT_EQ(Value(merged, {{p, Tensor::Scalar(true)}}), 10);
  EXPECT_EQ(Value(merged, {{p, Tensor::Scalar(false)}}), 0);
  // The Exit is dead, and so are its consumers.
  Output doubled = Merge({Op("Identity", {fork}), Op("Add", {looped, looped})});
  EXPECT_EQ(Value(doubled, {{p, Tensor::Scalar(true)}}), 20);
  EXPECT_EQ(Value(doubled, {{p, Tensor::Scalar(false)}}), 0);
  Result<std::vector<Tensor>> result = Run({looped}, {{p, Tensor::Scalar(false)}});
  EXPECT_THAT(Message(result), HasSubstr("does not have value"));
}

// The counter i runs ahead: an iteration does not wait for the slow node of the previous one.
TEST_F(ExecutorTest, NoMoreIterationsAtATimeThanAllowed) {
  config_.set_inter_op_parallelism_threads(6);
  for (int parallel : {1, 2}) {
    const std::string frame = fmt::format("loop{}", parallel);
    Output i = Merge({Enter(Const(0), frame, false, parallel), Enter(Const(0), frame, false, parallel)});
    Output last = Merge({Enter(Const(-1), frame, false, parallel), Enter(Const(-1), frame, false, parallel)});
    Output condition = Op("LoopCond", {Op("Less", {i, Enter(Const(6), frame, true, parallel)})});
    Output i_fork = Op("Switch", {i, condition});
    Output last_fork = Op("Switch", {last, condition});
    Output here = Op("Identity", {Output(i_fork.node, 1)});
    Output next = Op("NextIteration", {Op("Add", {here, Enter(Const(1), frame, true, parallel)})});
    Output slow = Op("NextIteration", {Op("SlowBlocking", {here})});
    ASSERT_TRUE(graph_->UpdateInput(i.node, 1, next).ok());
    ASSERT_TRUE(graph_->UpdateInput(last.node, 1, slow).ok());
    gauge_->most = 0;
    EXPECT_EQ(Value(Op("Exit", {last_fork})), 5);
    EXPECT_LE(gauge_->most, parallel);
    EXPECT_GE(gauge_->most, 1);
  }
}

TEST_F(ExecutorTest, ABranchInALoop) {
  Output x = Placeholder("x");
  Output five = Enter(Const(5), "loop", true);
  Output one = Enter(Const(1), "loop", true);
  Output two = Enter(Const(2), "loop", true);
  Output end = While(x, Const(20), "loop", [&](Output i) {
    Output fork = Op("Switch", {i, Op("Less", {i, five})});
    return Merge({Op("Add", {fork, two}), Op("Add", {Output(fork.node, 1), one})});
  });
  EXPECT_EQ(Value(end, {{x, Float(0)}}), 21);  // 1 at a time up to 5, then 2
}

TEST_F(ExecutorTest, AnErrorInALoop) {
  Output x = Placeholder("x");
  Output end = While(x, Const(20), "loop", [&](Output i) { return Op("Fail", {i}, "broken"); });
  EXPECT_EQ(Run({end}, {{x, Float(0)}}).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Value(end, {{x, Float(30)}}), 30);
}

TEST_F(ExecutorTest, AnEndlessLoopCanBeStopped) {
  Output x = Placeholder("x");
  Output end = While(x, Const(1), "loop", [&](Output i) { return i; });
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(50);
  RunRequest request;
  request.feeds = {{x, Float(0)}};
  request.fetches = {end};
  request.options = &options;
  EXPECT_EQ(session().Run(request).status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(ExecutorTest, MalformedLoopsAreErrors) {
  Output x = Const(1);
  // An Exit outside of a loop.
  EXPECT_EQ(Run({Op("Exit", {x})}).status().code(), StatusCode::kInvalidArgument);
  // Inputs from two frames.
  EXPECT_THAT(Message(Run({Op("Exit", {Op("Add", {Enter(x, "f"), Enter(x, "g")})})})), HasSubstr("different frames"));
  // A loop without a NextIteration: its condition is true, so the Exit is dead.
  Output merge = Merge({Enter(x, "b"), Enter(x, "b")});
  Output fork = Op("Switch", {merge, Op("Less", {merge, Enter(Const(5), "b", true)})});
  Result<std::vector<Tensor>> result = Run({Op("Exit", {fork})});
  EXPECT_FALSE(result.ok());
  // A value inside a loop cannot be fetched.
  EXPECT_THAT(Message(Run({merge})), HasSubstr("inside loop"));
  // A cycle that is not a loop.
  Output a = Op("Add", {x, x}, "a");
  Output b = Op("Add", {a, x}, "b");
  ASSERT_TRUE(graph_->UpdateInput(a.node, 1, b).ok());
  EXPECT_THAT(Message(Run({b})), HasSubstr("cycle"));
}

// --- cancellation

// Steps that wait for kernels of other steps: op Wait completes when op Open runs.
class CrossStepWaitTest : public ExecutorTest {
 protected:
  CrossStepWaitTest() : pool_("test", 1), blocking_("test_blocking") {
    registry_.Add({.name = "Wait", .signature = "-> y: float", .kernels = SmallKernel([this] {
                                                                 return Kernel::Async([this](auto& ctx, Done done) {
                                                                   ctx.set_output(0, Float(1));
                                                                   std::lock_guard lock(mu_);
                                                                   waiting_.push_back(std::move(done));
                                                                 });
                                                               })});
    // Runs the callbacks with its lock held, which a kernel should not do, but may.
    registry_.Add({.name = "Open", .signature = "-> y: float", .kernels = SmallKernel([this] {
                                                                 return Kernel::Sync([this](auto& ctx) -> Status {
                                                                          ctx.set_output(0, Float(1));
                                                                          std::lock_guard lock(mu_);
                                                                          for (Done& done : waiting_) done(OkStatus());
                                                                          waiting_.clear();
                                                                          return OkStatus();
                                                                        })
                                                                     .Cheap();
                                                               })});
    registry_.Add(
        {.name = "Pass", .signature = "x: float -> y: float", .kernels = SmallKernel([this] {
                                                                return Kernel::Sync([this](auto& ctx) -> Status {
                                                                         std::lock_guard lock(mu_);
                                                                         passed_.push_back(std::this_thread::get_id());
                                                                         ctx.set_output(0, Float(1));
                                                                         return OkStatus();
                                                                       })
                                                                    .Cheap();
                                                              })});
  }
  std::shared_ptr<Executor> Compile(Output fetch) {
    PlanSignature signature;
    signature.fetches = {fetch};
    Result<std::shared_ptr<const Plan>> plan =
        CompilePlan(*graph_, signature, PlanEnvironment{devices_, kernels_, PlacerOptions{}});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return std::make_shared<Executor>(*plan);
  }
  StepArgs Args() {
    StepArgs args;
    args.context.pool = args.pool = &pool_;
    args.context.blocking_pool = &blocking_;
    return args;
  }

  std::mutex mu_;
  std::vector<Done> waiting_;
  std::vector<std::thread::id> passed_;
  ThreadPool pool_;
  ElasticPool blocking_;
  std::vector<std::unique_ptr<Device>> devices_ = MakeLocalDevices({}, "/job:a/replica:0/task:0", RealRng());
  KernelCache kernels_{RealEnv(), nullptr, nullptr};
};

TEST_F(CrossStepWaitTest, CompletedStepContinuesAfterTheCompletingKernel) {
  const std::shared_ptr<Executor> waits = Compile(Op("Pass", {Op("Wait", {})}));
  const std::shared_ptr<Executor> opens = Compile(Op("Open", {}));
  constexpr int kSteps = 3;
  std::atomic<int> ended = 0;
  for (int i = 0; i < kSteps; ++i) {
    waits->Start(Args(), {}, [&](const Result<std::vector<Tensor>>& values) {
      EXPECT_TRUE(values.ok()) << values.status();
      ++ended;
    });
  }
  EXPECT_EQ(ended, 0);
  opens->Start(Args(), {},
               [&](const Result<std::vector<Tensor>>& values) { EXPECT_TRUE(values.ok()) << values.status(); });
  EXPECT_EQ(ended, kSteps);
  EXPECT_EQ(passed_, std::vector<std::thread::id>(kSteps, std::this_thread::get_id()));
}

TEST_F(CrossStepWaitTest, AWaitingThreadContinuesItsOwnStep) {
  const std::shared_ptr<Executor> waits = Compile(Op("Pass", {Op("Wait", {})}));
  const std::shared_ptr<Executor> opens = Compile(Op("Open", {}));
  std::thread step([&] { EXPECT_TRUE(waits->Run(Args(), {}).ok()); });
  const auto is_empty = [&] {
    std::lock_guard lock(mu_);
    return waiting_.empty();
  };
  while (is_empty()) {
  }
  EXPECT_TRUE(opens->Run(Args(), {}).ok());
  step.join();
  ASSERT_EQ(passed_.size(), 1u);
  EXPECT_NE(passed_[0], std::this_thread::get_id());
}

// Throws when the step fails, as if there were no memory.
class ThrowingRendezvous final : public Rendezvous {
 public:
  Status Send(const std::string&, Value) override { return OkStatus(); }
  void RecvAsync(const std::string&, Done done) override { done(Value()); }
  void Abort(Status) override { throw std::bad_alloc(); }
};

TEST_F(CrossStepWaitTest, AStepThatLacksMemoryToReportItsErrorEnds) {
  registry_.Add({.name = "Refuse",
                 .signature = "x: float -> y: float",
                 .kernels = SmallKernel([] {
                   return Kernel::Sync([](auto&) -> Status { return ResourceExhausted("full"); }).Blocking();
                 })});
  for (const Output& fetch : {Op("Refuse", {Const(1)}), Op("Pass", {Op("Refuse", {Op("Wait", {})})})}) {
    const std::shared_ptr<Executor> refuses = Compile(fetch);
    StepArgs args = Args();
    args.context.rendezvous = MakeIntrusive<ThrowingRendezvous>();
    std::promise<Status> ended;
    refuses->Start(args, {}, [&](const Result<std::vector<Tensor>>& values) { ended.set_value(values.status()); });
    for (Done& done : std::exchange(waiting_, {})) done(OkStatus());
    const Status status = ended.get_future().get();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr("full"));
  }
}

class CountingOwner final : public TransportThread::Owner {
 public:
  void BeginLongWork() override { ++count; }
  int count = 0;
};

TEST_F(CrossStepWaitTest, ADonatedThreadRunsExpensiveNodes) {
  registry_.Add({.name = "_Recv",
                 .signature = "-> y: float",
                 .kernels = SmallKernel([this] {
                   return Kernel::Async([this](auto& ctx, Done done) {
                     ctx.set_output(0, Float(1));
                     waiting_.push_back(std::move(done));
                   });
                 }),
                 .traits = {.kind = NodeKind::kTransfer, .may_block = true},
                 .stateful = true});
  const std::shared_ptr<Executor> waits = Compile(Op("Slow", {Op("_Recv", {})}));
  const auto bring = [&] {
    std::promise<void> ended;
    waits->Start(Args(), {}, [&](const Result<std::vector<Tensor>>& values) {
      EXPECT_TRUE(values.ok()) << values.status();
      ended.set_value();
    });
    for (Done& done : std::exchange(waiting_, {})) done(OkStatus());
    ended.get_future().wait();
    return gauge_->last_thread.load();
  };
  EXPECT_NE(bring(), std::this_thread::get_id());
  CountingOwner outer;
  const DonatedThread donated(outer);
  {
    CountingOwner inner;
    const DonatedThread again(inner);
    EXPECT_EQ(bring(), std::this_thread::get_id());
    EXPECT_EQ(inner.count, 1);
  }
  EXPECT_EQ(outer.count, 0);
  EXPECT_EQ(bring(), std::this_thread::get_id());
  EXPECT_EQ(outer.count, 1);
}

// Records how many messages were buffered at each FlushQueue.
class KeepingSender final : public SendBatch::Sender {
 public:
  void FlushQueue() override { sent.push_back(std::exchange(kept, 0)); }
  int kept = 0;
  std::vector<int> sent;
};

TEST_F(CrossStepWaitTest, ReceivesAreBatchedAndSentBeforeKernelsRun) {
  const auto sender = std::make_shared<KeepingSender>();
  registry_.Add({.name = "_Recv",
                 .signature = "-> y: float",
                 .kernels = SmallKernel([this, sender] {
                   return Kernel::Async([this, sender](auto& ctx, Done done) {
                     ctx.set_output(0, Float(1));
                     ++sender->kept;
                     if (SendBatch* const batch = TransportThread::Current().batch()) {
                       batch->Add(sender);
                     } else {
                       sender->FlushQueue();
                     }
                     waiting_.push_back(std::move(done));
                   });
                 }),
                 .traits = {.kind = NodeKind::kTransfer, .may_block = true},
                 .stateful = true});
  std::vector<int> sent_before;  // sender->sent when Compute ran
  registry_.Add({.name = "Compute", .signature = "-> y: float", .kernels = SmallKernel([&, sender] {
                                                                  return Kernel::Sync([&, sender](auto& ctx) -> Status {
                                                                           sent_before = sender->sent;
                                                                           ctx.set_output(0, Float(1));
                                                                           return OkStatus();
                                                                         })
                                                                      .Cheap();
                                                                })});
  const auto run = [&](Output fetch) {
    const std::shared_ptr<Executor> executor = Compile(fetch);
    std::promise<Status> ended;
    executor->Start(Args(), {}, [&](const Result<std::vector<Tensor>>& values) { ended.set_value(values.status()); });
    for (Done& done : std::exchange(waiting_, {})) done(OkStatus());
    EXPECT_TRUE(ended.get_future().get().ok());
    return std::exchange(sender->sent, {});
  };
  const Output first = Op("_Recv", {});
  const Output computed = Op("Compute", {});
  const Output three = Op("Add", {Op("Add", {first, computed}), Op("Add", {Op("_Recv", {}), Op("_Recv", {})})});
  EXPECT_EQ(run(three), std::vector<int>{3});
  EXPECT_EQ(sent_before, std::vector<int>{3});
  EXPECT_EQ(run(Op("Add", {Op("_Recv", {}), Op("_Recv", {})})), std::vector<int>{2});
  // A single message is not buffered.
  EXPECT_EQ(run(Op("Add", {first, computed})), std::vector<int>{1});
  EXPECT_EQ(TransportThread::Current().batch(), nullptr);
}

TEST_F(ExecutorTest, TimeoutAndCancellation) {
  Output y = Op("Add", {Op("Forever", {}), Const(1)});
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(30);
  RunRequest request;
  request.fetches = {y};
  request.options = &options;
  EXPECT_EQ(session().Run(request).status().code(), StatusCode::kDeadlineExceeded);

  CancelToken cancel;
  request.options = nullptr;
  request.cancel = &cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.Cancel(Cancelled("enough"));
  });
  EXPECT_EQ(session().Run(request).status(), Cancelled("enough"));
  canceller.join();
  EXPECT_EQ(session().Run(request).status().code(), StatusCode::kCancelled);  // at once
}

TEST_F(ExecutorTest, CloseCancelsRunningSteps) {
  Output y = Op("Forever", {});
  session();
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(session().Close().ok());
  });
  EXPECT_EQ(Run({y}).status().code(), StatusCode::kCancelled);
  closer.join();
  EXPECT_EQ(Run({y}).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace weir
