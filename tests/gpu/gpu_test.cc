// Graphs on two fake GPUs. Host code that touches device memory, or does not wait for work, crashes these tests or gets
// wrong values.
#include <gmock/gmock.h>

#include <cstdlib>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/flow.h"
#include "graph/compose/variable.h"
#include "graph/gradients.h"
#include "graph/graph_keys.h"
#include "graph/scopes.h"
#include "op/gpu_kernel.h"
#include "op/node_error.h"
#include "ops/register.h"
#include "proto/config.pb.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"
#include "train/optimizers.h"

namespace weir {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class GpuTest : public testing::Test {
 protected:
  GpuTest() {
    setenv("WEIR_FAKE_GPUS", "2", 1);
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }

  Graph& graph() { return *graph_; }
  LocalSession& session() {
    if (session_ == nullptr) {
      session_ = std::make_unique<LocalSession>(
          graph_, LocalSession::Dependencies{
                      .pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv(), .config = config_});
    }
    return *session_;
  }
  Result<std::vector<Tensor>> Run(const OutputList& fetches, std::vector<Feed> feeds = {},
                                  std::vector<Node*> targets = {}) {
    WEIR_TRY(graph().TakeError());
    return session().Run({.feeds = std::move(feeds), .fetches = fetches, .targets = std::move(targets)});
  }
  std::vector<float> Floats(Output fetch, std::vector<Feed> feeds = {}) {
    Result<std::vector<Tensor>> result = Run({fetch}, std::move(feeds));
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    const absl::Span<float> values = (*result)[0].flat<float>();
    return {values.begin(), values.end()};
  }
  std::string Error(const OutputList& fetches, std::vector<Feed> feeds = {}, std::vector<Node*> targets = {}) {
    return std::string(Run(fetches, std::move(feeds), std::move(targets)).status().message());
  }
  // Node name -> "GPU:0", for all nodes of a step after all passes.
  std::map<std::string, std::string> DevicesOfStep(const OutputList& fetches, std::vector<Feed> feeds = {},
                                                   std::vector<Node*> targets = {}) {
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    tensorflow::RunMetadata metadata;
    const auto result = session().Run(
        {.feeds = feeds, .fetches = fetches, .targets = targets, .options = &options, .metadata = &metadata});
    EXPECT_TRUE(result.ok()) << result.status();
    std::map<std::string, std::string> devices;
    for (const auto& part : metadata.partition_graphs()) {
      for (const auto& node : part.node())
        devices[node.name()] = node.device().substr(node.device().rfind("/device:") + 8);
    }
    return devices;
  }
  Output PlaceholderOf(DType dtype = kFloat, const PartialShape& shape = {}) {
    return NodeBuilder(graph(), "Placeholder").Attr("dtype", dtype).Attr("shape", shape).BuildOutput();
  }
  Output Vector(std::initializer_list<float> values) { return Constant(graph(), Tensor::Vector<float>(values)); }
  VariablePtr VariableOf(const Tensor& value, bool use_resource = false, const std::string& name = "") {
    auto made = Variable::Make(graph(), value, {.name = name, .use_resource = use_resource});
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }
  void Initialize() {
    const auto done = Run({}, {}, {InitializeVariables(graph(), GlobalVariables(graph()))});
    ASSERT_TRUE(done.ok()) << done.status();
  }

  OpRegistry registry_;
  std::shared_ptr<Graph> graph_;
  tensorflow::ConfigProto config_;
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::unique_ptr<LocalSession> session_;
};

TEST_F(GpuTest, EveryGpuKernelCanBeMade) {
  for (const std::string& name : registry_.Names()) {
    for (const KernelDef& def : registry_.Find(name)->kernels) {
      const auto* const kernel = def.make.target<GpuKernel>();
      if (def.device != "GPU") continue;
      ASSERT_NE(kernel, nullptr) << name;
      const bool makes = kernel->runs == GpuKernel::Runs::kOnDevice || kernel->runs == GpuKernel::Runs::kCopies;
      EXPECT_EQ(kernel->make != nullptr, makes) << name;
    }
  }
}

TEST_F(GpuTest, ComputesFeedsAndFetches) {
  const Output x = PlaceholderOf();
  const Output y = Exp(x * 2.0f);
  EXPECT_THAT(Floats(y, {{x, Tensor::Vector<float>({0, 1})}}), ElementsAre(1, testing::FloatEq(std::exp(2.0f))));
  const auto devices = DevicesOfStep({y, raw_ops::ShapeOf(y)}, {{x, Tensor::Vector<float>({0, 1})}});
  EXPECT_EQ(devices.at("Exp"), "GPU:0");
  EXPECT_EQ(devices.at("Shape"), "GPU:0");  // so that the value need not be copied
}

TEST_F(GpuTest, LinearRegressionTrainsWhollyOnTheGpu) {
  for (const bool use_resource : {false, true}) {
    const Output x = PlaceholderOf(), y = PlaceholderOf();
    const VariablePtr w = VariableOf(Tensor::Scalar(0.0f), use_resource);
    const VariablePtr b = VariableOf(Tensor::Scalar(0.0f), use_resource);
    const Output loss = ReduceMean(Square(w->AsInput() * x + b->AsInput() - y));
    GradientDescentOptimizer optimizer(0.3);
    Result<Node*> train = optimizer.Minimize(loss);
    ASSERT_TRUE(train.ok()) << train.status();
    ASSERT_NO_FATAL_FAILURE(Initialize());
    const std::vector<Feed> feeds = {{x, Tensor::Vector<float>({0, 1, 2})},
                                     {y, Tensor::Vector<float>({0.2f, 2.2f, 4.2f})}};
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(Run({}, feeds, {*train}).ok());
    EXPECT_NEAR(Floats(w->ReadValue())[0], 2, 1e-3);
    EXPECT_NEAR(Floats(b->ReadValue())[0], 0.2, 1e-3);
    for (const auto& [node, device] : DevicesOfStep({loss}, feeds, {*train})) EXPECT_EQ(device, "GPU:0") << node;
  }
}

TEST_F(GpuTest, AVariableHasOneDeviceInAllSignatures) {
  // ScatterAdd has no GPU kernel, so the variable must be on the CPU from the start.
  const VariablePtr v = VariableOf(Tensor::Vector<float>({1, 2}), false, "v");
  Node* update = ScatterAdd(v->handle(), Constant(graph(), Tensor::Vector<int32_t>({1})), Vector({5})).node;
  EXPECT_EQ(DevicesOfStep({}, {}, {v->initializer()}).at("v"), "CPU:0");
  ASSERT_NO_FATAL_FAILURE(Initialize());
  ASSERT_TRUE(Run({}, {}, {update}).ok());
  EXPECT_THAT(Floats(Neg(v->AsInput())), ElementsAre(-1, -7));
}

TEST_F(GpuTest, UninitializedVariablesAreNamed) {
  const VariablePtr v = VariableOf(Tensor::Vector<float>({1, 2}), false, "v");
  EXPECT_THAT(Error({v->handle()}), HasSubstr("uninitialized value v"));
  EXPECT_THAT(Error({Neg(v->handle())}), HasSubstr("uninitialized value v"));
}

TEST_F(GpuTest, UsesSeeTheValuesThatTheGraphOrders) {
  const VariablePtr v = VariableOf(Tensor::Vector<float>({1, 2}), false, "v");
  ASSERT_NO_FATAL_FAILURE(Initialize());
  // Both uses are on the CPU: one before the update, one after it.
  const Output before = AsString(v->handle());
  const Output added = AssignAdd(v->handle(), Vector({10, 10}));
  Output after;
  {
    const ControlDependencies control(graph(), {added.node, before.node});
    after = AsString(Identity(v->handle()));
  }
  const auto values = Run({before, after, v->handle()});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT((*values)[0].flat<std::string>()[0], HasSubstr("1.0"));
  EXPECT_THAT((*values)[1].flat<std::string>()[0], HasSubstr("11.0"));
  EXPECT_THAT((*values)[2].flat<float>(), ElementsAre(11, 12));
}

TEST_F(GpuTest, AnErrorOfAKernelEndsItsStep) {
  const Output labels = PlaceholderOf(kInt64);
  const Output loss =
      SparseSoftmaxCrossEntropyWithLogits(ZerosLike(Constant(graph(), *Tensor::Zeros(kFloat, {2, 3}))), labels).loss;
  const Feed wrong{labels, Tensor::Vector<int64_t>({1, 3})};
  EXPECT_THAT(Error({loss}, {wrong}), testing::AllOf(HasSubstr("label value of 3"), HasSubstr("SparseSoftmax")));
  EXPECT_THAT(Error({}, {wrong}, {loss.node}), HasSubstr("label value of 3"));
  EXPECT_EQ(Floats(loss, {{labels, Tensor::Vector<int64_t>({1, 2})}}).size(), 2u);
}

TEST_F(GpuTest, ExplicitPlacement) {
  Output text, on_second;
  {
    const DeviceScope gpu(graph(), "/gpu:1");
    on_second = Neg(Vector({1}));
    text = AsString(Vector({1}));
  }
  EXPECT_EQ(DevicesOfStep({on_second}).at("Neg"), "GPU:1");
  EXPECT_THAT(Error({text}), testing::AllOf(HasSubstr("'AsString' (AsString)"), HasSubstr("/device:GPU:1"),
                                            HasSubstr("no kernel"), HasSubstr("device:GPU:0")));
  config_.set_allow_soft_placement(true);
  session_ = nullptr;
  EXPECT_EQ(DevicesOfStep({text}).at("AsString"), "CPU:0");
}

TEST_F(GpuTest, TowersOnTwoGpus) {
  const VariablePtr w = VariableOf(Tensor::Vector<float>({1, 2}), false, "w");
  OutputList losses;
  for (const char* device : {"/gpu:0", "/gpu:1"}) {
    const DeviceScope scope(graph(), device);
    losses.push_back(Sum(Square(w->AsInput() - Vector({3, 3})), {0}));
  }
  const Output loss = AddN(InputList(losses.begin(), losses.end()));
  GradientDescentOptimizer optimizer(0.125);
  Result<Node*> train = optimizer.Minimize(loss);
  ASSERT_TRUE(train.ok()) << train.status();
  ASSERT_NO_FATAL_FAILURE(Initialize());
  EXPECT_THAT(Floats(loss), ElementsAre(10));
  const auto devices = DevicesOfStep({loss}, {}, {*train});
  EXPECT_THAT(devices, Contains(Pair("Square", "GPU:0")));
  EXPECT_THAT(devices, Contains(Pair("Square_1", "GPU:1")));
  EXPECT_THAT(Floats(w->ReadValue()), ElementsAre(2, 2.5));
}

TEST_F(GpuTest, LoopsAndBranches) {
  const Output x = PlaceholderOf(kFloat, PartialShape{2});
  const auto looped = WhileLoop(
      graph(), [](const OutputList& v) { return Less(v[0], 3); },
      [](const OutputList& v) {
        return OutputList{v[0] + 1, v[1] * 2.0f};
      },
      {Constant(graph(), Tensor::Scalar(int32_t{0})), x});
  ASSERT_TRUE(looped.ok()) << looped.status();
  EXPECT_THAT(Floats((*looped)[1], {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(8, 16));
  const Result<std::vector<Grad>> gradients = AddGradients(graph(), {(*looped)[1]}, {x});
  ASSERT_TRUE(gradients.ok()) << gradients.status();
  EXPECT_THAT(Floats(std::get<Output>((*gradients)[0]), {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(8, 8));
}

TEST_F(GpuTest, Settings) {
  const auto names = [this] {
    session_ = nullptr;
    const Result<std::vector<DeviceInfo>> devices = session().ListDevices();
    std::vector<std::string> names;
    for (const DeviceInfo& device : *devices) names.push_back(device.name.substr(device.name.rfind('/')));
    return names;
  };
  EXPECT_THAT(names(), ElementsAre("/device:CPU:0", "/device:GPU:0", "/device:GPU:1"));
  config_.mutable_gpu_options()->set_visible_device_list("1");
  EXPECT_THAT(names(), ElementsAre("/device:CPU:0", "/device:GPU:0"));
  auto* const parts = config_.mutable_gpu_options()->mutable_experimental()->add_virtual_devices();
  for (const float megabytes : {1.0f, 2.0f, 3.0f}) parts->add_memory_limit_mb(megabytes);
  EXPECT_EQ(names().size(), 4u);
  EXPECT_EQ(session().ListDevices()->at(3).memory_limit, 3 << 20);
  (*config_.mutable_device_count())["GPU"] = 0;
  EXPECT_THAT(names(), ElementsAre("/device:CPU:0"));
}

TEST_F(GpuTest, MemoryIsLimitedAndFreed) {
  config_.mutable_gpu_options()->set_per_process_gpu_memory_fraction(1.0 / 64);  // 4 MB
  const Output size = PlaceholderOf(kInt32);
  const Output sum = Sum(Exp(Fill(size, 1.0f)), {0});
  const auto feed = [&](int32_t n) { return std::vector<Feed>{{size, Tensor::Vector<int32_t>({n})}}; };
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Run({sum}, feed(200'000)).ok());
  EXPECT_EQ(Run({sum}, feed(2'000'000)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(Run({sum}, feed(200'000)).ok());
}

}  // namespace
}  // namespace weir
