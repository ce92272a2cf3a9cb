// Checks the traits of every registered op against its schema. The op cases (tests/ops/run.cc) check
// OutputMemory::kOwn.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/gpu/elementwise.h"
#include "device/gpu/updates.h"
#include "graph/float_ops.h"
#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops {
namespace {

bool IsReference(const ArgDef& arg) { return arg.is_ref || arg.type == kResource; }

bool TakesReference(const OpDef& op) { return std::any_of(op.inputs.begin(), op.inputs.end(), IsReference); }

// Runs the op that replaces `product` and the stages after it.
Status RunFolded(const OpRegistry& registry, const OpDef& product, std::vector<std::string> stages) {
  const bool of_images = product.FindAttr("strides") != nullptr;
  AttrMap attrs = {{"fused_ops", AttrValue(std::move(stages))}, {"num_args", AttrValue(int64_t{1})}};
  if (of_images) {
    attrs.emplace("TArgs", AttrValue(std::vector<DType>{kFloat}));
    attrs.emplace("num_host_args", AttrValue(int64_t{0}));
    attrs.emplace("strides", AttrValue(std::vector<int64_t>(4, 1)));
    attrs.emplace("padding", AttrValue(std::string("VALID")));
  }
  WEIR_ASSIGN(const Tensor x, Tensor::Zeros(kFloat, of_images ? Shape({1, 1, 1, 1}) : Shape({1, 1})));
  return RunKernel(registry, std::string(product.traits.folded_op), {x, x, Tensor::Vector<float>({0})}, attrs).status();
}

class TraitsTest : public ::testing::Test {
 protected:
  TraitsTest() { RegisterAllOps(registry_); }

  template <class Check>
  void ForEachOp(Check check) {
    for (const std::string& name : registry_.Names()) {
      SCOPED_TRACE(name);
      const OpDef* op = registry_.Find(name);
      ASSERT_NE(op, nullptr);
      check(*op);
    }
  }

  OpRegistry registry_;
};

TEST_F(TraitsTest, VariableAndHandleOpsOutputAReference) {
  ForEachOp([](const OpDef& op) {
    const StateRole role = op.traits.state;
    if (role != StateRole::kVariable && role != StateRole::kVariableHandle && role != StateRole::kHandle) return;
    ASSERT_FALSE(op.outputs.empty());
    EXPECT_TRUE(IsReference(op.outputs[0]));
    EXPECT_EQ(op.outputs[0].is_ref && op.outputs[0].type != kString, role == StateRole::kVariable);
    EXPECT_TRUE(op.stateful);
  });
}

TEST_F(TraitsTest, ReadersAndUpdatersTakeAReference) {
  ForEachOp([](const OpDef& op) {
    if (op.traits.state == StateRole::kReads || op.traits.state == StateRole::kUpdates) {
      EXPECT_TRUE(TakesReference(op));
    }
  });
}

TEST_F(TraitsTest, OpsOnVariablesDeclareTheirEffect) {
  ForEachOp([](const OpDef& op) {
    const bool takes_variable = std::any_of(op.inputs.begin(), op.inputs.end(),
                                            [](const ArgDef& arg) { return arg.is_ref && arg.type != kString; });
    if (!takes_variable || Forwards(op.output_memory())) return;
    EXPECT_TRUE(op.traits.state == StateRole::kReads || op.traits.state == StateRole::kUpdates);
  });
}

TEST_F(TraitsTest, ForwardingOpsOutputTheTypeOfAnInput) {
  ForEachOp([](const OpDef& op) {
    if (!Forwards(op.output_memory())) return;
    ASSERT_FALSE(op.inputs.empty());
    const bool is_rest = op.output_memory() == OutputMemory::kForwardsRest;
    ASSERT_GT(op.inputs.size(), is_rest ? 1u : 0u);
    const ArgDef& input = op.inputs[is_rest ? 1 : 0];
    EXPECT_EQ(input.type_attr, op.outputs[0].type_attr);
    EXPECT_EQ(input.type_list_attr, op.outputs[0].type_list_attr);
    EXPECT_EQ(input.is_ref, op.outputs[0].is_ref);
  });
}

TEST_F(TraitsTest, OpsWithFunctionsMayBlockUnlessTheyOutputAVariant) {
  ForEachOp([](const OpDef& op) {
    const bool gives_variant = !op.outputs.empty() && op.outputs[0].type == kVariant;
    if (op.TakesFunctions()) {
      EXPECT_EQ(op.may_block(), !gives_variant);
    }
  });
}

TEST_F(TraitsTest, PlaceholdersAndConstantsHaveNoState) {
  ForEachOp([](const OpDef& op) {
    if (!op.traits.placeholder && op.traits.kind != NodeKind::kConst) return;
    EXPECT_FALSE(op.stateful);
    EXPECT_FALSE(op.may_block());
    EXPECT_EQ(op.traits.state, StateRole::kNone);
  });
}

TEST_F(TraitsTest, ShapeValuesFitTheirSignatures) {
  ForEachOp([](const OpDef& op) {
    const ShapeValue value = op.traits.shape_value;
    if (value == ShapeValue::kNone) return;
    ASSERT_FALSE(op.inputs.empty());
    ASSERT_EQ(op.outputs.size(), 1u);
    const bool lists = op.inputs[0].is_list() || (op.inputs.size() > 1 && op.inputs[1].is_list());
    switch (value) {
      case ShapeValue::kShape:
        EXPECT_EQ(op.inputs.size(), 1u);
        EXPECT_EQ(op.inputs[0].number_attr, op.outputs[0].number_attr);
        break;
      case ShapeValue::kVariableShape:
        EXPECT_EQ(op.inputs[0].type, kResource);
        break;
      case ShapeValue::kPack:
        EXPECT_TRUE(op.inputs.size() == 1 && op.inputs[0].is_list());
        break;
      case ShapeValue::kConcat:
        EXPECT_TRUE(op.inputs.size() == 2 && lists);
        break;
      case ShapeValue::kSlice:
        EXPECT_EQ(op.inputs.size(), 4u);
        for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"})
          EXPECT_NE(op.FindAttr(mask), nullptr) << mask;
        break;
      default:
        EXPECT_EQ(op.inputs.size(), 1u);
        EXPECT_FALSE(lists);
    }
  });
}

TEST_F(TraitsTest, UsesOfAVariablesValueFitTheirSignatures) {
  ForEachOp([](const OpDef& op) {
    const ValueUse use = op.traits.value_use;
    if (use == ValueUse::kComputes) return;
    ASSERT_FALSE(op.inputs.empty());
    EXPECT_TRUE(IsReference(op.inputs[0]));
    EXPECT_EQ(op.traits.state == StateRole::kUpdates, use == ValueUse::kReplaces || op.outputs.empty());
    switch (use) {
      case ValueUse::kGives:
        EXPECT_EQ(op.inputs.size(), 1u);
        ASSERT_EQ(op.outputs.size(), 1u);
        EXPECT_EQ(op.outputs[0].type_attr, "dtype");
        break;
      case ValueUse::kReplaces:
        ASSERT_EQ(op.inputs.size(), 2u);
        EXPECT_FALSE(op.inputs[1].type_attr.empty());
        break;
      case ValueUse::kShape:
        EXPECT_EQ(op.traits.shape_value, ShapeValue::kVariableShape);
        break;
      default:
        EXPECT_EQ(op.inputs.size(), 1u);
        EXPECT_TRUE(op.outputs.empty() || op.outputs[0].type == kBool);
    }
  });
}

TEST_F(TraitsTest, StagesThatFoldFitTheOpThatReplacesThem) {
  std::vector<std::string> biases, activations;
  ForEachOp([&](const OpDef& op) {
    const FoldStage stage = op.traits.fold;
    EXPECT_EQ(op.traits.folded_op.empty(), stage != FoldStage::kProduct);
    if (stage == FoldStage::kNone) return;
    EXPECT_FALSE(op.stateful);
    ASSERT_EQ(op.outputs.size(), 1u);
    ASSERT_EQ(op.inputs.size(), stage == FoldStage::kActivation ? 1u : 2u);
    for (const ArgDef& input : op.inputs) EXPECT_EQ(input.type_attr, op.outputs[0].type_attr);
    if (stage == FoldStage::kActivation) {
      EXPECT_EQ(op.attrs.size(), 1u);
      activations.push_back(op.name);
    }
    if (stage == FoldStage::kBias || stage == FoldStage::kSum) biases.push_back(op.name);
  });
  ForEachOp([&](const OpDef& op) {
    if (op.traits.fold != FoldStage::kProduct) return;
    const OpDef* folded = registry_.Find(op.traits.folded_op);
    ASSERT_NE(folded, nullptr);
    ASSERT_GE(folded->inputs.size(), 3u);
    EXPECT_EQ(folded->inputs[0].type_attr, op.inputs[0].type_attr);
    for (const std::string& bias : biases) {
      for (const std::string& activation : activations) {
        const Status ran = RunFolded(registry_, op, {bias, activation});
        EXPECT_TRUE(ran.ok()) << bias << ' ' << activation << ' ' << ran;
      }
    }
  });
}

TEST_F(TraitsTest, IdentitiesGiveTheTypeOfTheirInput) {
  ForEachOp([](const OpDef& op) {
    if (!op.traits.identity) return;
    ASSERT_EQ(op.inputs.size(), 1u);
    ASSERT_EQ(op.outputs.size(), 1u);
    EXPECT_FALSE(op.inputs[0].is_list());
    EXPECT_EQ(op.inputs[0].type_attr, op.outputs[0].type_attr);
    EXPECT_EQ(op.inputs[0].is_ref, op.outputs[0].is_ref);
    EXPECT_EQ(op.attrs.size(), 1u);
    EXPECT_EQ(op.traits.kind, NodeKind::kKernel);
    EXPECT_TRUE(op.output_memory() == OutputMemory::kForwardsFirst || op.output_memory() == OutputMemory::kOwn);
  });
}

TEST_F(TraitsTest, ChecksPassOnTheirInputOrNothing) {
  ForEachOp([](const OpDef& op) {
    if (!op.traits.checks) return;
    ASSERT_FALSE(op.inputs.empty());
    if (op.outputs.empty()) return;
    EXPECT_EQ(op.outputs.size(), 1u);
    EXPECT_EQ(op.inputs[0].type_attr, op.outputs[0].type_attr);
  });
}

TEST_F(TraitsTest, CallsPassAllInputsToTheFunction) {
  ForEachOp([](const OpDef& op) {
    if (!op.traits.calls_f) return;
    ASSERT_NE(op.FindAttr("f"), nullptr);
    EXPECT_EQ(op.FindAttr("f")->type, "func");
    ASSERT_EQ(op.inputs.size(), 1u);
    ASSERT_EQ(op.outputs.size(), 1u);
    EXPECT_TRUE(op.inputs[0].is_list() && op.outputs[0].is_list());
  });
}

TEST_F(TraitsTest, GradientsOfFunctionsTakeTheFunction) {
  int found = 0;
  ForEachOp([&](const OpDef& op) {
    if (!op.traits.calls_gradient_of_f) return;
    ++found;
    ASSERT_NE(op.FindAttr("f"), nullptr);
    EXPECT_EQ(op.FindAttr("f")->type, "func");
    EXPECT_FALSE(op.traits.calls_f);
    EXPECT_TRUE(op.inputs[0].is_list() && op.outputs[0].is_list());
  });
  EXPECT_EQ(found, 1);
}

TEST_F(TraitsTest, IteratorsAreHandles) {
  ForEachOp([](const OpDef& op) {
    const bool makes_one = op.inputs.empty() && op.traits.state == StateRole::kHandle && op.FindAttr("output_types");
    EXPECT_EQ(op.traits.iterator, makes_one);
  });
}

TEST_F(TraitsTest, ProbabilitiesHaveLogits) {
  int of_elements = 0, of_rows = 0;
  ForEachOp([&](const OpDef& op) {
    const Probabilities kind = op.traits.probabilities;
    if (kind == Probabilities::kNone) return;
    ++(kind == Probabilities::kOfRows ? of_rows : of_elements);
    ASSERT_EQ(op.inputs.size(), 1u);
    ASSERT_EQ(op.outputs.size(), 1u);
    EXPECT_EQ(op.inputs[0].type_attr, op.outputs[0].type_attr);
    const Result<std::vector<Tensor>> p = RunKernel(registry_, op.name, {Tensor::Vector<float>({-1, 0, 2})});
    ASSERT_TRUE(p.ok()) << p.status();
    const float* const values = (*p)[0].data<float>();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(values[i] > 0 && values[i] < 1);
    if (kind == Probabilities::kOfRows) {
      EXPECT_NEAR(values[0] + values[1] + values[2], 1, 1e-6);
    } else if (kind == Probabilities::kOfElements) {
      EXPECT_FLOAT_EQ(values[1], 0.5f);
    }
  });
  EXPECT_EQ(of_elements, 1);
  EXPECT_EQ(of_rows, 1);
}

// graph/node_builder.cc replaces the shape of a loop's input.
TEST_F(TraitsTest, OneOpGivesTheShapeOfASingleInput) {
  std::vector<std::string> shapes;
  ForEachOp([&](const OpDef& op) {
    if (op.traits.shape_value == ShapeValue::kShape && !op.inputs[0].is_list()) shapes.push_back(op.name);
  });
  EXPECT_EQ(shapes, std::vector<std::string>{"Shape"});
}

// runtime/kernel_cache.cc does not share the state of these by node name.
TEST_F(TraitsTest, InternalOpsWithStateAreTransfersOrEdgesOfFunctions) {
  ForEachOp([](const OpDef& op) {
    if (op.name.starts_with("_") && op.stateful) {
      EXPECT_TRUE(op.traits.kind == NodeKind::kTransfer || op.traits.function_edge);
    }
  });
}

TEST_F(TraitsTest, EdgesOfFunctionsHaveAnIndex) {
  ForEachOp([](const OpDef& op) {
    if (!op.traits.function_edge) return;
    EXPECT_EQ(op.inputs.size() + op.outputs.size(), 1u);
    EXPECT_NE(op.FindAttr("index"), nullptr);
    EXPECT_FALSE(op.may_block());
  });
}

TEST_F(TraitsTest, ElementsAndUniqueIndicesFitTheirSignatures) {
  ForEachOp([](const OpDef& op) {
    if (op.traits.gives_element) {
      ASSERT_EQ(op.inputs.size(), 1u);
      EXPECT_TRUE(IsReference(op.inputs[0]));
      ASSERT_EQ(op.outputs.size(), 1u);
      EXPECT_TRUE(op.outputs[0].is_list());
      EXPECT_TRUE(op.may_block());
    }
    if (op.traits.unique_indices) {
      ASSERT_GE(op.outputs.size(), 2u);
      EXPECT_EQ(op.outputs[0].type, kInt64);
      EXPECT_FALSE(op.outputs[1].type_attr.empty());
    }
  });
}

TEST_F(TraitsTest, TransfersGiveOrTakeOneTensor) {
  ForEachOp([](const OpDef& op) {
    if (op.traits.kind != NodeKind::kTransfer) return;
    EXPECT_EQ(op.inputs.size() + op.outputs.size(), 1u);
  });
}

// runtime/passes/move_groups.cc moves brief ops without inputs, outputs and state to other tasks.
TEST_F(TraitsTest, OnlyNoOpGroupsNodes) {
  std::vector<std::string> groups;
  ForEachOp([&](const OpDef& op) {
    if (op.inputs.empty() && op.outputs.empty() && op.traits.brief && !op.stateful) groups.push_back(op.name);
  });
  EXPECT_EQ(groups, std::vector<std::string>{"NoOp"});
}

TEST_F(TraitsTest, TablesOfImplementationsNameRegisteredOps) {
  for (const gpu::UpdateOp& op : gpu::UpdateOps()) {
    const std::string name = "ResourceApply" + std::string(op.name), ref = "Apply" + std::string(op.name);
    EXPECT_TRUE(registry_.Find(name) != nullptr || registry_.Find(ref) != nullptr) << op.name;
  }
  for (const gpu::ElementOp& op : gpu::ElementOps()) EXPECT_NE(registry_.Find(op.name), nullptr) << op.name;
  for (std::string_view name : CountedOps()) EXPECT_NE(registry_.Find(name), nullptr) << name;
}

}  // namespace
}  // namespace weir::ops
