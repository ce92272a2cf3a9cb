// A few ops for the tests of this folder, with TensorFlow's schemas and without kernels, and functions that write defs.
#ifndef WEIR_GRAPH_GRAPH_DEF_OPS_TEST_H_
#define WEIR_GRAPH_GRAPH_DEF_OPS_TEST_H_

#include <gtest/gtest.h>

#include "graph/attr_proto.h"
#include "graph/graph_def.h"
#include "graph/small_entries_test.h"
#include "op/shape_context.h"

namespace weir {

inline void AddSmallOps(OpRegistry& registry) {
  const ShapeFn same = SameAsInput(0);
  registry.Add(SmallConst());
  registry.Add(SmallPlaceholder());
  registry.Add({.name = "NoOp", .signature = "->"});
  registry.Add(SmallIdentity());
  registry.Add({.name = "AddV2",
                .signature = "x: T, y: T -> z: T",
                .attrs = {"T: {float, double, int32, int64}"},
                .shape = BroadcastInputs()});
  registry.Add({.name = "MatMul",
                .signature = "a: T, b: T -> product: T",
                .attrs = {"transpose_a: bool = false", "transpose_b: bool = false", "T: {float, double}"}});
  registry.Add(
      {.name = "Less", .signature = "x: T, y: T -> z: bool", .attrs = {"T: type"}, .shape = BroadcastInputs()});
  registry.Add({.name = "Split",
                .signature = "split_dim: int32, value: T -> output: num_split * T",
                .attrs = {"num_split: int >= 1", "T: type"}});
  registry.Add({.name = "Pack",
                .signature = "values: N * T -> output: T",
                .attrs = {"N: int >= 1", "T: type", "axis: int = 0"}});
  registry.Add({.name = "IdentityN", .signature = "input: T -> output: T", .attrs = {"T: list(type) >= 1"}});
  registry.Add({.name = "VariableV2",
                .signature = "-> ref: Ref(dtype)",
                .attrs = {"shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''"},
                .shape = ShapeFromAttr(),
                .traits = {.state = StateRole::kVariable, .may_block = false, .brief = true},
                .stateful = true});
  registry.Add({.name = "Assign",
                .signature = "ref: Ref(T), value: T -> output_ref: Ref(T)",
                .attrs = {"T: type", "validate_shape: bool = true", "use_locking: bool = true"},
                .traits = kVariableUpdate,
                .allows_uninitialized_input = true});
  registry.Add(
      {.name = "Enter",
       .signature = "data: T -> output: T",
       .attrs = {"T: type", "frame_name: string", "is_constant: bool = false", "parallel_iterations: int = 10"},
       .shape = same,
       .traits = {.kind = NodeKind::kEnter, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "Merge",
                .signature = "inputs: N * T -> output: T, value_index: int32",
                .attrs = {"T: type", "N: int >= 1"},
                .traits = {.kind = NodeKind::kMerge, .memory = OutputMemory::kForwardsAll}});
  registry.Add({.name = "LoopCond",
                .signature = "input: bool -> output: bool",
                .shape = same,
                .traits = {.kind = NodeKind::kLoopCond}});
  registry.Add({.name = "Switch",
                .signature = "data: T, pred: bool -> output_false: T, output_true: T",
                .attrs = {"T: type"},
                .shape = same,
                .traits = {.kind = NodeKind::kSwitch, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "NextIteration",
                .signature = "data: T -> output: T",
                .attrs = {"T: type"},
                .shape = same,
                .traits = {.kind = NodeKind::kNextIteration, .memory = OutputMemory::kForwardsFirst}});
  registry.Add({.name = "Exit",
                .signature = "data: T -> output: T",
                .attrs = {"T: type"},
                .shape = same,
                .traits = {.kind = NodeKind::kExit, .memory = OutputMemory::kForwardsFirst}});
  registry.Add(
      {.name = "Emit", .signature = "x: T ->", .attrs = {"T: type"}, .traits = kNeverBlocks, .stateful = true});
  registry.Add({.name = "Call",
                .signature = "args: Tin -> output: Tout",
                .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func"}});
  AddFunctionEdges(registry);
}

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

// Adds a node to a node list (GraphDef::node, FunctionDef::node_def).
inline tensorflow::NodeDef& AddNode(google::protobuf::RepeatedPtrField<tensorflow::NodeDef>* nodes,
                                    const std::string& name, const std::string& op,
                                    const std::vector<std::string>& inputs = {}, const Attrs& attrs = {}) {
  tensorflow::NodeDef* node = nodes->Add();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  for (const auto& [key, value] : attrs) ToProto(value, &(*node->mutable_attr())[key]);
  return *node;
}
inline tensorflow::NodeDef& AddNode(tensorflow::GraphDef* def, const std::string& name, const std::string& op,
                                    const std::vector<std::string>& inputs = {}, const Attrs& attrs = {}) {
  return AddNode(def->mutable_node(), name, op, inputs, attrs);
}
inline tensorflow::NodeDef& AddConst(tensorflow::GraphDef* def, const std::string& name, const Tensor& value) {
  return AddNode(def, name, "Const", {}, {{"dtype", value.dtype()}, {"value", value}});
}

inline std::vector<std::string> Inputs(const tensorflow::NodeDef& node) {
  return std::vector<std::string>(node.input().begin(), node.input().end());
}

class SmallOpsTest : public testing::Test {
 protected:
  SmallOpsTest() { AddSmallOps(registry_); }
  OpRegistry registry_;
};

// NOLINTNEXTLINE(readability-identifier-naming): named like the macros of GoogleTest
#define ASSERT_OK(expr)                         \
  do {                                          \
    const ::weir::Status& ok_status_ = (expr);  \
    ASSERT_TRUE(ok_status_.ok()) << ok_status_; \
  } while (false)

inline std::string Text(const Status& status) { return std::string(status.message()); }

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_DEF_OPS_TEST_H_
