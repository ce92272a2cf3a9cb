#include "graph/subgraph.h"

#include <gtest/gtest.h>

#include "ops/register.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

void AddNode(tensorflow::GraphDef* def, const char* name, const char* op, std::vector<std::string> inputs) {
  tensorflow::NodeDef* node = def->add_node();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  (*node->mutable_attr())["dtype"].set_type(tensorflow::DT_FLOAT);
}

std::string Text(const tensorflow::GraphDef& def) {
  std::string text;
  for (const auto& node : def.node()) {
    text += node.name() + "=" + node.op() + "(";
    for (const auto& input : node.input()) text += input + ",";
    text += ") ";
  }
  return text;
}

tensorflow::GraphDef Sample() {
  tensorflow::GraphDef def;
  AddNode(&def, "v", "VariableV2", {});
  AddNode(&def, "v/read", "Identity", {"v"});
  AddNode(&def, "check", "CheckNumerics", {"v/read"});
  AddNode(&def, "side", "NoOp", {"^check"});
  AddNode(&def, "y", "Neg", {"check:0", "^side"});
  AddNode(&def, "unused", "NoOp", {});
  return def;
}

TEST(Subgraph, KeepsNeededNodesInOrder) {
  auto part = ExtractSubgraph(Sample(), {"y"});
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(
      Text(*part),
      "v=VariableV2() v/read=Identity(v,) check=CheckNumerics(v/read,) side=NoOp(^check,) y=Neg(check:0,^side,) ");
  EXPECT_EQ(ExtractSubgraph(Sample(), {"z"}).status().code(), StatusCode::kNotFound);
  tensorflow::GraphDef dangling;
  AddNode(&dangling, "x", "Neg", {"gone"});
  EXPECT_EQ(ExtractSubgraph(dangling, {"x"}).status().code(), StatusCode::kNotFound);
}

TEST(Subgraph, RemovesChecksAndIdentities) {
  EXPECT_EQ(Text(WithoutTrainingNodes(Sample(), {})), "v=VariableV2() side=NoOp() y=Neg(v,^side,) unused=NoOp() ");
  EXPECT_EQ(Text(WithoutTrainingNodes(Sample(), {"v/read", "check"})), Text(Sample()));
  tensorflow::GraphDef loop;  // terminates even on a cycle
  AddNode(&loop, "a", "Identity", {"b"});
  AddNode(&loop, "b", "Identity", {"a"});
  AddNode(&loop, "c", "Neg", {"a"});
  EXPECT_EQ(WithoutTrainingNodes(loop, {}).node_size(), 1);
}

class SubgraphVariablesTest : public ::testing::Test {
 protected:
  SubgraphVariablesTest() { ops::RegisterAllOps(registry_); }

  OpRegistry registry_;
};

TEST_F(SubgraphVariablesTest, VariablesBecomeConstants) {
  ASSERT_EQ(VariablesOf(registry_, Sample()).size(), 1u);
  EXPECT_EQ(VariablesOf(registry_, Sample())[0].value, "v:0");
  auto frozen = VariablesToConstants(registry_, Sample(), {{"v", Tensor::Scalar(2.0f)}});
  ASSERT_TRUE(frozen.ok());
  EXPECT_EQ(frozen->node(0).op(), "Const");
  EXPECT_EQ(FromProto(frozen->node(0).attr().at("value").tensor())->data<float>()[0], 2.0f);
}

TEST_F(SubgraphVariablesTest, ReadsOfResourceVariablesBecomeValues) {
  tensorflow::GraphDef def;
  AddNode(&def, "r", "VarHandleOp", {});
  AddNode(&def, "r/Read/ReadVariableOp", "ReadVariableOp", {"r"});
  AddNode(&def, "pass", "Identity", {"r"});
  AddNode(&def, "rows", "ResourceGather", {"pass", "i"});
  AddNode(&def, "other", "VarHandleOp", {});
  AddNode(&def, "other_read", "ReadVariableOp", {"other"});
  EXPECT_EQ(VariablesOf(registry_, def)[0].value, "r/Read/ReadVariableOp:0");
  auto frozen = VariablesToConstants(registry_, def, {{"r", Tensor::Scalar(2.0f)}});
  ASSERT_TRUE(frozen.ok());
  EXPECT_EQ(Text(*frozen),
            "r=Const() r/Read/ReadVariableOp=Identity(r,) pass=Identity(r,) rows=GatherV2(pass,i,rows/axis,) "
            "rows/axis=Const() "
            "other=VarHandleOp() other_read=ReadVariableOp(other,) ");
  EXPECT_EQ(frozen->node(2).attr().at("T").type(), tensorflow::DT_FLOAT);
}

}  // namespace
}  // namespace weir
