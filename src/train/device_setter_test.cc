// Placement by replica_device_setter. The expected devices are TensorFlow's.
#include "train/device_setter.h"

#include "graph/compose/initializers.h"
#include "graph/compose/variable.h"
#include "graph/flow_session_test.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DeviceSetterTest : public FlowTest {
 protected:
  DeviceRequest Setter(ReplicaDeviceOptions options) { return Must(ReplicaDeviceSetter(std::move(options))); }
  std::string VariableDevice(const std::string& name, std::initializer_list<int64_t> shape = {},
                             bool resource = false) {
    const PartialShape dims(shape);
    const auto zeros = [&]() -> Result<Output> { return ZerosInitial(graph(), dims, kFloat); };
    const VariablePtr made = Must(Variable::MakeWith(graph(), zeros, {.name = name, .use_resource = resource}));
    return made == nullptr ? "no variable" : made->device();
  }
  std::string OtherDevice() { return Scalar(1).node->device(); }
};

TEST_F(DeviceSetterTest, ChoosesTasksInRotation) {
  DeviceScope scope(graph(), Setter({.ps_tasks = 2}));
  EXPECT_EQ(VariableDevice("a"), "/job:ps/task:0");
  EXPECT_EQ(OtherDevice(), "/job:worker");
  EXPECT_EQ(VariableDevice("b", {}, /*resource=*/true), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("c"), "/job:ps/task:0");
}

TEST_F(DeviceSetterTest, InnerPartsWin) {
  DeviceScope scope(graph(), Setter({.ps_tasks = 2, .worker_device = "/job:worker/task:1/gpu:0"}));
  {
    DeviceScope inner(graph(), "/cpu:0");
    EXPECT_EQ(VariableDevice("cpu"), "/job:ps/task:0/device:CPU:0");
    EXPECT_EQ(OtherDevice(), "/job:worker/task:1/device:CPU:0");
  }
  {
    DeviceScope inner(graph(), "/job:ps/task:7");
    EXPECT_EQ(VariableDevice("own"), "/job:ps/task:7");  // still advances the round robin
    EXPECT_EQ(OtherDevice(), "/job:ps/task:7/device:GPU:0");
  }
  {
    DeviceScope inner(graph(), "/job:worker/task:3");  // another job does not advance the round robin
    EXPECT_EQ(VariableDevice("local"), "/job:worker/task:3");
  }
  EXPECT_EQ(VariableDevice("next"), "/job:ps/task:0");
}

TEST_F(DeviceSetterTest, OuterPartsFillIn) {
  DeviceScope outer(graph(), "/job:outer/replica:2/task:9/gpu:3");
  DeviceScope scope(graph(), Setter({.ps_tasks = 2}));
  EXPECT_EQ(VariableDevice("a"), "/job:ps/replica:2/task:0/device:GPU:3");
  EXPECT_EQ(OtherDevice(), "/job:worker/replica:2/task:9/device:GPU:3");
}

TEST_F(DeviceSetterTest, WithoutMergingADeviceIsKept) {
  DeviceScope scope(graph(), Setter({.ps_tasks = 2, .worker_device = "/job:worker/task:1", .merge_devices = false}));
  EXPECT_EQ(VariableDevice("a"), "/job:ps/task:0");
  DeviceScope inner(graph(), "/cpu:0");
  EXPECT_EQ(VariableDevice("b"), "/device:CPU:0");
  EXPECT_EQ(OtherDevice(), "/device:CPU:0");
}

TEST_F(DeviceSetterTest, CountsTheTasksOfTheCluster) {
  const ClusterSpec cluster = Must(ClusterSpec::Make({{"ps", {{0, "a:1"}, {1, "b:1"}, {2, "c:1"}}}, {"worker", {}}}));
  {
    DeviceScope scope(graph(), Setter({.cluster = cluster}));
    std::vector<std::string> devices;
    for (const char* name : {"a", "b", "c", "d"}) devices.push_back(VariableDevice(name));
    EXPECT_THAT(devices, ElementsAre("/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:2", "/job:ps/task:0"));
  }
  for (const char* job : {"/job:worker", "/job:none", "/task:0", ""}) {
    const DeviceRequest none = Setter({.ps_device = job, .cluster = cluster});
    EXPECT_TRUE(none.ignore_outer && !none.choose) << job;
  }
}

TEST_F(DeviceSetterTest, OtherOpsMayBeTheParameters) {
  DeviceScope scope(graph(), Setter({.ps_tasks = 2, .ps_ops = {"Const"}}));
  EXPECT_EQ(OtherDevice(), "/job:ps/task:0");
  EXPECT_EQ(OtherDevice(), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("a"), "/job:worker");
}

TEST_F(DeviceSetterTest, GreedyBalancesTheBytes) {
  const PsStrategy strategy = Must(GreedyLoadBalancingStrategy(2, ByteSizeLoad));
  DeviceScope scope(graph(), Setter({.ps_tasks = 2, .ps_strategy = strategy}));
  EXPECT_EQ(VariableDevice("large", {10, 10}), "/job:ps/task:0");
  EXPECT_EQ(VariableDevice("half", {50}), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("resource", {30}, /*resource=*/true), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("scalar"), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("rest", {20}), "/job:ps/task:1");
  EXPECT_EQ(VariableDevice("more", {20}), "/job:ps/task:0");
}

TEST_F(DeviceSetterTest, TheSizeMustBeKnown) {
  const Output unknown = PlaceholderOf(PartialShape({kUnknownDim, 2}));
  EXPECT_THAT(Message(ByteSizeLoad(*unknown.node)), HasSubstr("'Placeholder' is not fully defined"));
  Node* none = NodeBuilder(graph(), "NoOp").BuildNode();
  EXPECT_THAT(Message(ByteSizeLoad(*none)), HasSubstr("'NoOp' (NoOp) must have a single output, not 0"));
  EXPECT_EQ(Must(ByteSizeLoad(*Scalar(1).node)), 4);
}

TEST_F(DeviceSetterTest, RandomDependsOnNameAndSeed) {
  // Like Python's int(md5(name + "_" + seed)) % tasks.
  const PsStrategy seven = Must(RandomStrategy(7));
  const PsStrategy seeded = Must(RandomStrategy(1000, 3));
  Node* node = Scalar(1, "weights").node;
  EXPECT_EQ(Must(seven(*node)), 4);
  EXPECT_EQ(Must(seven(*node)), 4);
  EXPECT_EQ(Must(seeded(*node)), 632);
}

TEST_F(DeviceSetterTest, ReportsInvalidArguments) {
  EXPECT_THAT(Message(ReplicaDeviceSetter({.ps_tasks = 1, .ps_device = "/jib:ps"})), HasSubstr("'/jib:ps'"));
  EXPECT_THAT(Message(ReplicaDeviceSetter({.ps_tasks = 1, .worker_device = "worker"})), HasSubstr("'worker'"));
  EXPECT_THAT(Message(ReplicaDeviceSetter({.ps_tasks = -1})), HasSubstr("ps_tasks is -1"));
  EXPECT_THAT(Message(RandomStrategy(0)), HasSubstr("number of tasks must be positive"));
  EXPECT_THAT(Message(GreedyLoadBalancingStrategy(0, ByteSizeLoad)), HasSubstr("number of tasks must be positive"));
  DeviceScope scope(graph(), Setter({.ps_tasks = 1, .ps_strategy = [](Node&) { return std::optional<int64_t>(-3); }}));
  EXPECT_THAT(Message(Variable::Make(graph(), 1.0f, {.name = "v"})), HasSubstr("task -3 for node 'v'"));
}

}  // namespace
}  // namespace weir
