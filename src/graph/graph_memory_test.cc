#include <gtest/gtest.h>
#include <malloc.h>

#include "graph/graph_def_ops_test.h"
#include "graph/node_builder.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsHeap = false;
#elif defined(__has_feature)
constexpr bool kCountsHeap = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kCountsHeap = true;
#endif

size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// `count` constants with names of 24 characters or more, all on one device.
tensorflow::GraphDef Constants(int count) {
  tensorflow::GraphDef def;
  for (int i = 0; i < count; ++i) {
    tensorflow::NodeDef* node = def.add_node();
    node->set_name(fmt::format("Model/Layer_{}/Constant_{}", i % 10, 10000 + i));
    node->set_op("Const");
    node->set_device("/job:worker/replica:0/task:1");
    ToProto(AttrValue(kFloat), &(*node->mutable_attr())["dtype"]);
    ToProto(AttrValue(Tensor::Scalar(static_cast<float>(i))), &(*node->mutable_attr())["value"]);
  }
  return def;
}

// `count` copies of one constant.
tensorflow::GraphDef Copies(int count) {
  tensorflow::GraphDef def = Constants(1);
  const std::string value = def.node(0).name();
  for (int i = 0; i < count; ++i) {
    tensorflow::NodeDef* node = def.add_node();
    node->set_name(fmt::format("Model/Layer_{}/Copy_{}", i % 10, 10000 + i));
    node->set_op("Identity");
    node->add_input(value);
    ToProto(AttrValue(kFloat), &(*node->mutable_attr())["T"]);
  }
  return def;
}

// The bytes that a graph needs for each node of `def`.
int BytesPerNode(const tensorflow::GraphDef& def) {
  OpRegistry registry;
  AddSmallOps(registry);
  Graph graph(registry);
  const size_t before = HeapBytes();
  EXPECT_TRUE(ImportGraphDef(graph, def, {}).ok());
  return static_cast<int>((HeapBytes() - before) / def.node_size());
}

TEST(GraphMemoryTest, AnImportedNodeNeedsLittleMemory) {
  if (!kCountsHeap) GTEST_SKIP() << "sanitizers replace the heap";
  constexpr int kNodes = 20000;
  const int constant = BytesPerNode(Constants(kNodes)), copy = BytesPerNode(Copies(kNodes));
  RecordProperty("bytes_per_constant", constant);
  RecordProperty("bytes_per_copy", copy);
  EXPECT_LT(constant, 1100);
  EXPECT_LT(copy, 750);
}

TEST(GraphMemoryTest, ImportedNodesWithEqualAttributesShareThem) {
  OpRegistry registry;
  AddSmallOps(registry);
  tensorflow::GraphDef def = Constants(1);
  const std::string value = def.node(0).name();
  for (int i = 0; i < 30; ++i) {
    tensorflow::NodeDef* node = def.add_node();
    node->set_name(fmt::format("copy_{}", i));
    node->set_op("Identity");
    node->add_input(value);
    ToProto(AttrValue(kFloat), &(*node->mutable_attr())["T"]);
    if (i % 2 == 1) ToProto(AttrValue(i / 10), &(*node->mutable_attr())["_part"]);
  }
  Graph graph(registry);
  ASSERT_TRUE(ImportGraphDef(graph, def, {}).ok());
  const auto attrs = [&](int i) { return &graph.FindNode(fmt::format("copy_{}", i))->attrs(); };
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(attrs(i), i % 2 == 0 ? attrs(0) : attrs(i / 10 * 10 + 1)) << i;
    EXPECT_EQ(attrs(i)->contains("_part"), i % 2 == 1) << i;
  }
  ASSERT_TRUE(graph.SetAttr(graph.FindNode("copy_0"), "_mark", AttrValue(true)).ok());
  EXPECT_FALSE(attrs(2)->contains("_mark"));
}

TEST(GraphMemoryTest, NamesOfImportedNodesAreInUse) {
  OpRegistry registry;
  AddSmallOps(registry);
  Graph graph(registry);
  ASSERT_TRUE(ImportGraphDef(graph, Constants(2), {}).ok());
  EXPECT_EQ(graph.UniqueName("model/layer_0/CONSTANT_10000", /*mark_used=*/false), "model/layer_0/CONSTANT_10000_1");
  Node* first = graph.FindNode("Model/Layer_0/Constant_10000");
  ASSERT_NE(first, nullptr);
  Node* second = graph.FindNode("Model/Layer_1/Constant_10001");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(first->device(), "/job:worker/replica:0/task:1");
  EXPECT_EQ(&first->device(), &second->device());
  second->set_assigned_device("/job:worker/replica:0/task:2");
  EXPECT_EQ(first->assigned_device(), "");
  EXPECT_EQ(second->assigned_device(), "/job:worker/replica:0/task:2");
}

TEST(GraphMemoryTest, TheNameOfARemovedNodeStaysInUse) {
  OpRegistry registry;
  AddSmallOps(registry);
  Graph graph(registry);
  ASSERT_TRUE(ImportGraphDef(graph, Constants(1), {}).ok());
  graph.Remove(graph.FindNode("Model/Layer_0/Constant_10000"));
  EXPECT_EQ(graph.FindNode("Model/Layer_0/Constant_10000"), nullptr);
  EXPECT_EQ(graph.UniqueName("Model/Layer_0/Constant_10000"), "Model/Layer_0/Constant_10000_1");
}

TEST(GraphMemoryTest, ANodeIsFoundAfterItsAttributesChange) {
  OpRegistry registry;
  AddSmallOps(registry);
  Graph graph(registry);
  ASSERT_TRUE(ImportGraphDef(graph, Constants(1), {}).ok());
  Node* node = graph.FindNode("Model/Layer_0/Constant_10000");
  ASSERT_NE(node, nullptr);
  ASSERT_TRUE(graph.SetAttr(node, "_mark", AttrValue(true)).ok());
  EXPECT_EQ(graph.FindNode("Model/Layer_0/Constant_10000"), node);
}

TEST(GraphMemoryTest, DeviceScopesAndFunctionsSeeTheDeviceOfTheNode) {
  OpRegistry registry;
  AddSmallOps(registry);
  Graph graph(registry);
  std::string seen = "none";
  DeviceScope outer(graph, DeviceRequest{.name = "/job:worker"});
  DeviceScope chosen(graph, DeviceRequest{.choose = [&](Node& node) -> Result<std::string> {
                       seen = node.device();
                       return node.device() + "/device:CPU:1";
                     }});
  {
    DeviceScope inner(graph, DeviceRequest{.name = "/task:2"});
    const Node* node = NodeBuilder(graph, "NoOp", "placed").BuildNode();
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(seen, "/task:2");
    EXPECT_EQ(node->device(), "/job:worker/task:2/device:CPU:1");
  }
  Node* other = NodeBuilder(graph, "NoOp", "other").Device("/job:ps").BuildNode();
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->device(), "/job:ps");
  graph.SetDevice(other, "/job:ps/task:3");
  EXPECT_EQ(other->device(), "/job:ps/task:3");
  EXPECT_EQ(graph.FindNode("placed")->device(), "/job:worker/task:2/device:CPU:1");
}

}  // namespace
}  // namespace weir
