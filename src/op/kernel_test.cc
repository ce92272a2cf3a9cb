#include "op/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <numeric>

#include "op/testing.h"

namespace weir {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

template <class T>
Result<Kernel> MakeNegate(KernelSetup& setup) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(Tensor y, ctx.ForwardOrAllocate(0, 0));
           const T* in = ctx.input(0).data<T>();
           T* out = y.data<T>();
           return ctx.ParallelFor(y.num_elements(), 1, [=](int64_t i) { out[i] = -in[i]; });
         })
      .Cheap();
}

OpRegistry& Fill(OpRegistry& registry) {
  registry.Add({.name = "Negate",
                .signature = "x: T -> y: T",
                .attrs = {"T: {float, double, int8}"},
                .shape = SameAsInput(0),
                .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeNegate))});
  registry.Add({.name = "AssignAdd",
                .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
                .attrs = {"T: {float}"},
                .shape = SameAsInput(0),
                .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
                  return Kernel::Sync([](KernelContext& ctx) -> Status {
                    ctx.input(0).scalar<float>() += ctx.input(1).scalar<float>();
                    ctx.ForwardRef(0, 0);
                    return OkStatus();
                  });
                }),
                .traits = kVariableUpdate});
  registry.Add({.name = "Later",
                .signature = "values: N * T -> y: T",
                .attrs = {"N: int >= 1", "T: type"},
                .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
                  return Kernel::Async([](KernelContext& ctx, Done done) {
                    ctx.step().blocking_pool->Schedule([&ctx, done = std::move(done)] {
                      ctx.set_output(0, ctx.input(ctx.num_inputs() - 1));
                      done(OkStatus());
                    });
                  });
                })});
  registry.Add({.name = "Liar",
                .signature = "x: float -> y: float",
                .shape = ScalarOutputs(),
                .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
                  return Kernel::Sync([](KernelContext& ctx) { return ctx.Allocate(0, Shape{2}).status(); });
                })});
  registry.Add({.name = "NoKernels", .signature = ""});
  registry.Add({.name = "Cast2",
                .signature = "x: SrcT -> y: DstT",
                .attrs = {"SrcT: type", "DstT: type"},
                .kernels = {KernelDef{.types = {{"SrcT", kFloat}, {"DstT", kInt32}}, .make = {}, .host_memory = {}}}});
  return registry;
}

TEST(RunKernelTest, FindsAndRunsKernels) {
  OpRegistry registry;
  Fill(registry);
  EXPECT_TRUE(registry.Validate().ok());
  Result<std::vector<Tensor>> out = RunKernel(registry, "Negate", {Tensor::Vector({1.0, 2.0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<double>(), ElementsAre(-1, -2));
  ASSERT_TRUE(RunKernel(registry, "Negate", {Tensor::Vector<float>({})}).ok());

  out = RunKernel(registry, "Later", {Tensor::Scalar(1), Tensor::Scalar(2), Tensor::Scalar(3)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int>(), 3);

  EXPECT_THAT(RunKernel(registry, "Liar", {Tensor::Scalar(1.f)}).status().message(), HasSubstr("shape function says"));
  EXPECT_FALSE(RunKernel(registry, "Nothing", {}).ok());
  EXPECT_FALSE(RunKernel(registry, "Negate", {Tensor::Scalar(1)}).ok());
  EXPECT_FALSE(RunKernel(registry, "Negate", {}).ok());
}

TEST(RunKernelTest, References) {
  OpRegistry registry;
  Fill(registry);
  KernelTester tester(registry);
  Result<std::vector<Tensor>> out = tester.Run("AssignAdd", {Tensor::Scalar(1.f), Tensor::Scalar(2.f)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 3);
  tester.set_node_name("v");
  const auto uninitialized =
      tester.RunEdges("AssignAdd", {KernelTester::Variable(kFloat), KernelTester::Value(Tensor::Scalar(2.f))});
  EXPECT_EQ(uninitialized.status(), FailedPrecondition("Attempting to use uninitialized value v"));
}

TEST(FindKernelTest, ErrorListsTheAvailableKernels) {
  OpRegistry registry;
  Fill(registry);
  auto error = [&](const char* op, AttrMap attrs, const char* device) {
    NodeInfo node;
    node.name = "n";
    node.op = registry.Find(op);
    node.attrs = std::make_shared<AttrMap>(std::move(attrs));
    Result<const KernelDef*> kernel = FindKernel(node, device);
    EXPECT_FALSE(kernel.ok());
    EXPECT_EQ(NodeOf(kernel.status()), "n");
    return std::string(kernel.status().message());
  };
  EXPECT_EQ(error("Negate", {{"T", kInt8}}, "CPU"),
            "no CPU kernel for op 'Negate' with T=int8 (node 'n'); available kernels: T in {float, double}");
  EXPECT_EQ(error("Negate", {{"T", kFloat}}, "GPU"),
            "no GPU kernel for op 'Negate' with T=float (node 'n'); available kernels: CPU");
  EXPECT_EQ(error("NoKernels", {}, "CPU"), "no CPU kernel for op 'NoKernels' (node 'n'); the op has no kernels");
  EXPECT_THAT(error("Cast2", {{"SrcT", kFloat}, {"DstT", kFloat}}, "CPU"),
              AllOf(HasSubstr("with SrcT=float, DstT=float"), HasSubstr("kernels: SrcT=float, DstT=int32")));
}

TEST(KernelListTest, JoinsAndMultiplies) {
  auto make = [](KernelSetup&) -> Result<Kernel> { return Internal("never run"); };
  const KernelList list = JoinKernels({CpuKernelForTypes("T", {kInt8, kInt16}, make), CpuKernel(make)});
  ASSERT_THAT(list, SizeIs(3));
  EXPECT_EQ(list[1].types[0].second, kInt16);
  EXPECT_TRUE(list[2].types.empty());
}

// Tests the reuse of input memory, on a node with two inputs and one output.
class ForwardTest : public ::testing::Test {
 protected:
  ForwardTest() {
    node_.attrs = std::make_shared<AttrMap>();
    node_.input_types = {kFloat, kFloat};
    node_.output_types = {kFloat};
  }
  KernelContext Context() { return KernelContext(node_, step_, absl::MakeSpan(inputs_), absl::MakeSpan(outputs_)); }
  // Whether ForwardOrAllocate reuses the memory of `input`.
  bool Forwards(int input, Shape shape) {
    KernelContext ctx = Context();
    const void* before = inputs_[input].tensor.raw();
    Result<Tensor> t = ctx.ForwardOrAllocate({input}, 0, shape);
    EXPECT_TRUE(t.ok()) << t.status();
    EXPECT_EQ(ctx.output(0).raw(), t->raw());
    EXPECT_EQ(t->shape(), shape);
    EXPECT_EQ(t->dtype(), node_.output_types[0]);
    return t->raw() == before;
  }

  NodeInfo node_;
  StepContext step_;
  std::vector<EdgeValue> inputs_ = std::vector<EdgeValue>(2);
  std::vector<EdgeValue> outputs_ = std::vector<EdgeValue>(1);
};

TEST_F(ForwardTest, ForwardsUnsharedMemory) {
  inputs_[0].tensor = Tensor::Of(Shape{2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  EXPECT_TRUE(Forwards(0, Shape{2, 3}));
  EXPECT_FALSE(Forwards(0, Shape{2, 3})) << "the output holds it now";
  outputs_[0] = {};
  EXPECT_TRUE(Forwards(0, Shape{6}));
}

TEST_F(ForwardTest, DoesNotForwardSharedMemory) {
  inputs_[0].tensor = Tensor::Vector({1.f, 2.f});
  const Tensor other = inputs_[0].tensor;
  EXPECT_FALSE(Forwards(0, Shape{2}));
  inputs_[1].tensor = Tensor::Vector({1.f, 2.f});
  KernelContext ctx = Context();
  const void* second = inputs_[1].tensor.raw();
  EXPECT_EQ(ctx.ForwardOrAllocate({0, 1}, 0, Shape{2})->raw(), second);
}

TEST_F(ForwardTest, DoesNotForwardMismatchedMemory) {
  inputs_[0].tensor = Tensor::Vector({1.f, 2.f});
  EXPECT_FALSE(Forwards(0, Shape{3}));
  inputs_[0].tensor = Tensor::Vector({1.0, 2.0});
  EXPECT_FALSE(Forwards(0, Shape{2})) << "elements of another size";
  inputs_[0].tensor = Tensor::Vector({1, 2});
  EXPECT_TRUE(Forwards(0, Shape{2})) << "plain elements of the same size";
  outputs_[0] = {};
  inputs_[0].tensor = Tensor::Vector<std::string>({"a", "b"});
  EXPECT_FALSE(Forwards(0, Shape{2}));
  node_.output_types = {kString};
  EXPECT_TRUE(Forwards(0, Shape{2}));
}

TEST_F(ForwardTest, DoesNotForwardVariablesOrUnalignedSlices) {
  inputs_[0] = KernelTester::Variable(kFloat, Tensor::Vector({1.f, 2.f}));
  EXPECT_FALSE(Forwards(0, Shape{2}));
  inputs_[0] = {};
  inputs_[0].tensor = Tensor::Vector({1.f, 2.f, 3.f}).Slice(1, 3);
  EXPECT_FALSE(Forwards(0, Shape{2}));
}

// Kernels that use an input or output that their node does not have.
class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    op_.name = "Op";
    node_.name = "n";
    node_.op = &op_;
    node_.attrs = std::make_shared<AttrMap>();
    node_.input_types = {kFloat, kInt32};
    node_.output_types = {kFloat};
  }
  std::string Run(const std::function<void(KernelContext&)>& use) {
    std::vector<EdgeValue> inputs(2);
    std::vector<EdgeValue> outputs(1);
    KernelContext ctx(node_, step_, absl::MakeSpan(inputs), absl::MakeSpan(outputs));
    const Kernel kernel = Kernel::Sync([&use](KernelContext& c) {
      use(c);
      return OkStatus();
    });
    const Status status = kernel.Run(ctx);
    EXPECT_EQ(status.ok() ? StatusCode::kInternal : status.code(), StatusCode::kInternal);
    EXPECT_EQ(ctx.has_access_error(), !status.ok());
    return std::string(status.message());
  }

  OpDef op_;
  NodeInfo node_;
  StepContext step_;
};

TEST_F(AccessTest, InputsOutOfRangeAreErrors) {
  for (const int i : {2, -1, 1 << 30, INT_MIN}) {
    const std::string error = fmt::format("the kernel of node 'n' (op Op) used input {}, but the node has 2 inputs", i);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_EQ(c.input(i).num_elements(), 0); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_FALSE(c.ref_input(i)); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { c.raw_input(i) = EdgeValue(); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { c.ForwardRef(i, 0); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { (void)c.ForwardOrAllocate(i, 0).ok(); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { (void)c.ForwardOrAllocate({i, 0}, 0, Shape{2}).ok(); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_FALSE(c.LookupResource<VariableState>(i).ok()); }), error);
  }
}

TEST_F(AccessTest, OutputsOutOfRangeAreErrors) {
  for (const int i : {1, -1, 64, 1 << 30, INT_MIN}) {
    const std::string error =
        fmt::format("the kernel of node 'n' (op Op) used output {}, but the node has 1 outputs", i);
    EXPECT_EQ(Run([i](KernelContext& c) { c.set_output(i, Tensor::Scalar(1.0f)); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { c.set_ref_output(i, nullptr); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_EQ(c.output(i).num_elements(), 0); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_EQ(c.output_type(i), kInvalidType); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_FALSE(c.Allocate(i, Shape{2}).ok()); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_FALSE(c.ForwardOrAllocate(0, i).ok()); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { c.ForwardRef(0, i); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { c.set_dead(i); }), error);
    EXPECT_EQ(Run([i](KernelContext& c) { EXPECT_FALSE(c.is_dead(i)); }), "");
  }
}

TEST_F(AccessTest, TheFirstErrorIsKept) {
  EXPECT_THAT(Run([](KernelContext& c) {
                (void)c.input(7);
                (void)c.output(8);
              }),
              HasSubstr("input 7"));
}

TEST_F(AccessTest, FactoriesAreCheckedToo) {
  const auto make = [&](std::function<DType(KernelSetup&)> ask) {
    const KernelDef def{.types = {},
                        .make = [ask](KernelSetup& setup) -> Result<Kernel> {
                          EXPECT_EQ(ask(setup), kInvalidType);
                          return Kernel();
                        },
                        .host_memory = {}};
    KernelSetup setup(node_, RealEnv(), nullptr, nullptr);
    return std::string(MakeKernel(def, setup).status().message());
  };
  EXPECT_THAT(make([](KernelSetup& s) { return s.input_type(2); }), HasSubstr("node 'n' (op Op) used input 2"));
  EXPECT_THAT(make([](KernelSetup& s) { return s.output_type(-1); }), HasSubstr("node 'n' (op Op) used output -1"));
}

TEST(ParallelForTest, CoversTheRange) {
  ThreadPool pool("test", 2);
  NodeInfo node;
  StepContext step;
  for (ThreadPool* p : {static_cast<ThreadPool*>(nullptr), &pool}) {
    step.pool = p;
    KernelContext ctx(node, step, {}, {});
    for (const int64_t cost : {int64_t{0}, int64_t{1}, int64_t{1} << 62}) {
      std::vector<int> hits(1000);
      EXPECT_TRUE(ctx.ParallelFor(1000, cost, [&](int64_t i) { ++hits[i]; }).ok());
      EXPECT_TRUE(ctx.ParallelFor(1000, cost,
                                  [&](int64_t begin, int64_t end) {
                                    for (int64_t i = begin; i < end; ++i) ++hits[i];
                                  })
                      .ok());
      EXPECT_TRUE(ctx.ParallelFor(0, cost, [&](int64_t i) { ++hits[i]; }).ok());
      EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 2000);
      EXPECT_EQ(hits[999], 2);
    }
  }
}

TEST(ParallelForTest, StopsWhenTheStepIsCancelledUnlessItUpdatesState) {
  ThreadPool pool("test", 2);
  CancelToken cancel;
  OpDef op;
  NodeInfo node;
  node.op = &op;
  StepContext step;
  step.pool = &pool;
  step.cancel = &cancel;
  constexpr int64_t kCost = 20'000'000;  // expensive enough that every element is its own block
  auto run = [&](bool all) {
    std::atomic<int> ran{0};
    KernelContext ctx(node, step, {}, {});
    auto work = [&](int64_t) {
      if (++ran == 10) cancel.Cancel(Cancelled("enough"));
    };
    if (all) {
      ctx.ParallelForAll(1000, kCost, work);
    } else {
      const bool complete = ctx.ParallelFor(1000, kCost, work).ok();
      EXPECT_EQ(complete, ran == 1000);
    }
    return ran.load();
  };
  EXPECT_LT(run(false), 20);
  EXPECT_EQ(run(false), 0);
  EXPECT_EQ(run(true), 1000);
  op.stateful = true;
  EXPECT_EQ(run(false), 1000);
  op.traits = kComputesOnly;  // a random op
  EXPECT_EQ(run(false), 0);
  op.stateful = false;
  node.input_types = {RefType(kFloat)};
  EXPECT_EQ(run(false), 1000);
}

}  // namespace
}  // namespace weir
