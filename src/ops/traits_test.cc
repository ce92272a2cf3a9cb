// Checks the traits of every registered op against its schema. The op cases (tests/ops/run.cc) check
// OutputMemory::kOwn.
#include <gtest/gtest.h>

#include <algorithm>

#include "op/op_registry.h"
#include "ops/register.h"

namespace weir::ops {
namespace {

bool IsReference(const ArgDef& arg) { return arg.is_ref || arg.type == kResource; }

bool TakesReference(const OpDef& op) { return std::any_of(op.inputs.begin(), op.inputs.end(), IsReference); }

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

TEST_F(TraitsTest, VariablesAndHandlesGiveAReference) {
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
    if (op.traits.state == StateRole::kReads || op.traits.state == StateRole::kUpdates) EXPECT_TRUE(TakesReference(op));
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

TEST_F(TraitsTest, ForwardingOpsGiveTheTypeOfAnInput) {
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

TEST_F(TraitsTest, OpsThatCallFunctionsMayBlockUnlessTheyOnlyKeepThem) {
  ForEachOp([](const OpDef& op) {
    const bool gives_variant = !op.outputs.empty() && op.outputs[0].type == kVariant;
    if (op.TakesFunctions()) EXPECT_EQ(op.may_block(), !gives_variant);
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
        break;
      default:
        EXPECT_EQ(op.inputs.size(), 1u);
        EXPECT_FALSE(lists);
    }
  });
}

}  // namespace
}  // namespace weir::ops
