// Variables: creation, Assign, CountUpTo, scatter and gather, for reference and resource variables; visibility of
// updates.
#include <gtest/gtest.h>

#include "op/testing.h"
#include "ops/state/state_ops_test.h"

namespace weir::ops::variable_ops_test {
namespace {

class VariableOps : public ::testing::Test {
 protected:
  KernelTester tester_{StateOps()};

  EdgeValue MakeVariable(const std::string& name, DType dtype, const PartialShape& shape) {
    tester_.set_node_name(name);
    auto out = tester_.RunEdges("VariableV2", {}, {{"shape", shape}, {"dtype", dtype}});
    tester_.set_node_name("");
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0];
  }
  Tensor MakeHandle(const std::string& name, DType dtype = kFloat) {
    auto out = tester_.Run("VarHandleOp", {}, {{"shared_name", name}, {"dtype", dtype}, {"shape", PartialShape()}});
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0];
  }
  Status Run(std::string_view op, std::vector<EdgeValue> inputs, AttrMap attrs = {}) {
    return tester_.RunEdges(op, std::move(inputs), std::move(attrs)).status();
  }
  Status RunOn(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return tester_.Run(op, std::move(inputs), std::move(attrs)).status();
  }
  Result<Tensor> Value(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    WEIR_ASSIGN(std::vector<Tensor> out, tester_.Run(op, std::move(inputs), std::move(attrs)));
    return out[0];
  }
  std::string Read(const Tensor& handle, DType dtype = kFloat) {
    Result<Tensor> value = Value("ReadVariableOp", {handle}, {{"dtype", dtype}});
    return value.ok() ? value->ToString() : value.status().ToString();
  }
};

EdgeValue V(Tensor t) { return KernelTester::Value(std::move(t)); }
Tensor Floats(const Shape& shape, std::initializer_list<float> values) { return Tensor::Of<float>(shape, values); }

TEST_F(VariableOps, EqualNamesShareAVariable) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  EdgeValue again = MakeVariable("a", kFloat, {2});
  EdgeValue b = MakeVariable("b", kFloat, {2});
  EXPECT_EQ(a.ref.get(), again.ref.get());
  EXPECT_NE(a.ref.get(), b.ref.get());
  tester_.set_node_name("a");
  EXPECT_EQ(RunOn("VariableV2", {}, {{"shape", PartialShape{2}}, {"dtype", kInt32}}).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(VariableOps, AssignInitializesAndReplaces) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  EXPECT_EQ((*tester_.RunEdges("IsVariableInitialized", {a}))[0].tensor.scalar<bool>(), false);
  EXPECT_EQ(Run("Assign", {a, V(Floats({3}, {1, 2, 3}))}).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(Run("Assign", {a, V(Floats({2}, {1, 2}))}).ok());
  EXPECT_EQ((*tester_.RunEdges("IsVariableInitialized", {a}))[0].tensor.scalar<bool>(), true);
  EXPECT_EQ(a.ref->Read().ToString(), Floats({2}, {1, 2}).ToString());
  Status wrong = Run("Assign", {a, V(Floats({3}, {1, 2, 3}))});
  EXPECT_EQ(wrong.code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(Run("Assign", {a, V(Floats({3}, {1, 2, 3}))}, {{"validate_shape", false}}).ok());
  EXPECT_EQ(a.ref->Read().shape(), (Shape{3}));
  EdgeValue s = MakeVariable("s", kString, {1});
  ASSERT_TRUE(Run("Assign", {s, V(Tensor::Vector<std::string>({"x"}))}).ok());
  const Tensor kept = Tensor::Vector<std::string>({"y"});
  ASSERT_TRUE(Run("Assign", {s, V(kept)}).ok());
  EXPECT_EQ(s.ref->Read().data<std::string>()[0], "y");
}

TEST_F(VariableOps, AssignReusesUnsharedMemory) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  Tensor value = Floats({2}, {1, 2});
  const void* memory = value.raw();
  std::vector<EdgeValue> inputs;  // a braced list would hold another reference
  inputs.push_back(a);
  inputs.push_back(V(std::move(value)));
  ASSERT_TRUE(Run("Assign", std::move(inputs)).ok());
  EXPECT_EQ(a.ref->Read().raw(), memory);
  const Tensor kept = Floats({2}, {3, 4});
  ASSERT_TRUE(Run("Assign", {a, V(kept)}).ok());
  EXPECT_NE(a.ref->Read().raw(), kept.raw());
  ASSERT_TRUE(Run("AssignAdd", {a, V(kept)}).ok());
  EXPECT_EQ(kept.ToString(), Floats({2}, {3, 4}).ToString());
  EXPECT_EQ(a.ref->Read().ToString(), Floats({2}, {6, 8}).ToString());
}

TEST_F(VariableOps, AliasesSeeLaterUpdates) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  ASSERT_TRUE(Run("Assign", {a, V(Floats({2}, {1, 2}))}).ok());
  const Tensor alias = a.ref->Read();
  ASSERT_TRUE(Run("AssignAdd", {a, V(Floats({2}, {10, 10}))}).ok());
  EXPECT_EQ(alias.ToString(), Floats({2}, {11, 12}).ToString());
  ASSERT_TRUE(Run("Assign", {a, V(Floats({2}, {5, 6}))}).ok());
  EXPECT_EQ(alias.ToString(), Floats({2}, {5, 6}).ToString());
  const Tensor snapshot = *a.ref->Snapshot();
  ASSERT_TRUE(Run("AssignSub", {a, V(Floats({2}, {5, 6}))}).ok());
  EXPECT_EQ(snapshot.ToString(), Floats({2}, {5, 6}).ToString());
}

TEST_F(VariableOps, AssignOfItselfIsHarmless) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  ASSERT_TRUE(Run("Assign", {a, V(Floats({2}, {1, 2}))}).ok());
  ASSERT_TRUE(Run("Assign", {a, V(a.ref->Read())}).ok());
  ASSERT_TRUE(Run("Assign", {a, V(a.ref->Read().Reshaped({1, 2}))}, {{"validate_shape", false}}).ok());
  EXPECT_EQ(a.ref->Read().ToString(), Floats({1, 2}, {1, 2}).ToString());
  ASSERT_TRUE(Run("AssignAdd", {a, V(a.ref->Read())}).ok());
  EXPECT_EQ(a.ref->Read().ToString(), Floats({1, 2}, {2, 4}).ToString());
}

TEST_F(VariableOps, UninitializedVariablesAreNotRead) {
  EdgeValue a = MakeVariable("a", kFloat, {2});
  EXPECT_EQ(Run("AssignAdd", {a, V(Floats({2}, {1, 2}))}).code(), StatusCode::kFailedPrecondition);
  const Tensor handle = MakeHandle("r");
  Status read = RunOn("ReadVariableOp", {handle}, {{"dtype", kFloat}});
  EXPECT_EQ(read.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(read.message().find("resource variable r from Container: localhost"), absl::string_view::npos) << read;
  EXPECT_EQ(RunOn("AssignAddVariableOp", {handle, Floats({2}, {1, 2})}).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunOn("ResourceGather", {handle, Tensor::Vector<int32_t>({0})}, {{"dtype", kFloat}}).code(),
            StatusCode::kNotFound);
  EXPECT_EQ(Value("VarIsInitializedOp", {handle})->scalar<bool>(), false);
}

TEST_F(VariableOps, AResourceReadDoesNotChange) {
  const Tensor handle = MakeHandle("r");
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Floats({2}, {1, 2})}).ok());
  const Tensor first = *Value("ReadVariableOp", {handle}, {{"dtype", kFloat}});
  ASSERT_TRUE(RunOn("AssignAddVariableOp", {handle, Floats({2}, {10, 10})}).ok());
  const Tensor second = *Value("ReadVariableOp", {handle}, {{"dtype", kFloat}});
  ASSERT_TRUE(RunOn("ResourceScatterUpdate", {handle, Tensor::Vector<int32_t>({0}), Floats({1}, {7})}).ok());
  const Tensor third = *Value("ReadVariableOp", {handle}, {{"dtype", kFloat}});
  ASSERT_TRUE(RunOn("ResourceScatterAdd", {handle, Tensor::Vector<int32_t>({0, 0}), Floats({2}, {1, 1})}).ok());
  EXPECT_EQ(first.ToString(), Floats({2}, {1, 2}).ToString());
  EXPECT_EQ(second.ToString(), Floats({2}, {11, 12}).ToString());
  EXPECT_EQ(third.ToString(), Floats({2}, {7, 12}).ToString());
  EXPECT_EQ(Read(handle), Floats({2}, {9, 12}).ToString());
}

TEST_F(VariableOps, ADenseResourceUpdateWritesInPlaceWhenNobodyReads) {
  const Tensor handle = MakeHandle("r");
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Floats({2}, {1, 2})}).ok());
  const void* before = Value("ReadVariableOp", {handle}, {{"dtype", kFloat}})->raw();
  ASSERT_TRUE(RunOn("AssignSubVariableOp", {handle, Floats({2}, {1, 1})}).ok());
  EXPECT_EQ(Value("ReadVariableOp", {handle}, {{"dtype", kFloat}})->raw(), before);
}

TEST_F(VariableOps, DestroyedVariablesAreNotFound) {
  const Tensor handle = MakeHandle("r");
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Floats({2}, {1, 2})}).ok());
  EXPECT_EQ(Value("VariableShape", {handle})->ToString(), Tensor::Vector<int32_t>({2}).ToString());
  ASSERT_TRUE(RunOn("DestroyResourceOp", {handle}).ok());
  ASSERT_TRUE(RunOn("DestroyResourceOp", {handle}).ok());
  EXPECT_EQ(RunOn("DestroyResourceOp", {handle}, {{"ignore_lookup_error", false}}).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunOn("VariableShape", {handle}).code(), StatusCode::kNotFound);
}

TEST_F(VariableOps, WrongTypesAndShapesOfResourceValues) {
  const Tensor handle = MakeHandle("r");
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Floats({2}, {1, 2})}).ok());
  EXPECT_EQ(RunOn("AssignVariableOp", {handle, Tensor::Scalar<int32_t>(1)}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("AssignVariableOp", {handle, Floats({1}, {1})}, {{"validate_shape", true}}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("AssignAddVariableOp", {handle, Floats({1}, {1})}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("AssignAddVariableOp", {handle, Tensor::Vector<int32_t>({1, 1})}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("ReadVariableOp", {handle}, {{"dtype", kInt32}}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("AssignVariableOp", {Tensor::Vector<ResourceHandle>({}), Floats({1}, {1})}).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(VariableOps, CountUpToStopsAtItsLimit) {
  EdgeValue a = MakeVariable("a", kInt32, PartialShape::Scalar());
  ASSERT_TRUE(Run("Assign", {a, V(Tensor::Scalar<int32_t>(2))}).ok());
  auto counted = tester_.RunEdges("CountUpTo", {a}, {{"limit", 3}});
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ((*counted)[0].tensor.scalar<int32_t>(), 2);
  EXPECT_EQ(Run("CountUpTo", {a}, {{"limit", 3}}).code(), StatusCode::kOutOfRange);
  EXPECT_EQ(a.ref->Read().scalar<int32_t>(), 3);
  const Tensor handle = MakeHandle("r", kInt64);
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Tensor::Scalar<int64_t>(0)}).ok());
  EXPECT_EQ(Value("ResourceCountUpTo", {handle}, {{"limit", 1}, {"T", kInt64}})->scalar<int64_t>(), 0);
  EXPECT_EQ(RunOn("ResourceCountUpTo", {handle}, {{"limit", 1}, {"T", kInt64}}).code(), StatusCode::kOutOfRange);
}

TEST_F(VariableOps, TemporaryVariablesLiveUntilDestroyed) {
  AttrMap attrs = {{"shape", PartialShape{2}}, {"dtype", kFloat}, {"var_name", "t"}};
  auto made = tester_.RunEdges("TemporaryVariable", {}, attrs);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(RunOn("TemporaryVariable", {}, attrs).code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(Run("Assign", {(*made)[0], V(Floats({2}, {1, 2}))}).ok());
  EXPECT_EQ(Run("DestroyTemporaryVariable", {(*made)[0]}, {{"var_name", "u"}}).code(), StatusCode::kNotFound);
  auto value = tester_.RunEdges("DestroyTemporaryVariable", {(*made)[0]}, {{"var_name", "t"}});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].tensor.ToString(), Floats({2}, {1, 2}).ToString());
}

// --- scatter

struct ScatterCase {
  const char* op;
  Tensor indices;
  Tensor updates;
  std::vector<float> expected;  // for the variable [[1 2] [3 4] [5 6]]
};

TEST_F(VariableOps, ScatterOnBothKindsOfVariables) {
  const Tensor twice = Tensor::Vector<int32_t>({2, 0, 2});
  const Tensor rows = Floats({3, 2}, {2, 4, 10, 20, 5, 8});
  const ScatterCase cases[] = {
      {"ScatterUpdate", twice, rows, {10, 20, 3, 4, 5, 8}},
      {"ScatterAdd", twice, rows, {11, 22, 3, 4, 12, 18}},
      {"ScatterSub", twice, rows, {-9, -18, 3, 4, -2, -6}},
      {"ScatterMul", twice, rows, {10, 40, 3, 4, 50, 192}},
      {"ScatterDiv", twice, rows, {.1f, .1f, 3, 4, .5f, .1875f}},
      {"ScatterMin", twice, rows, {1, 2, 3, 4, 2, 4}},
      {"ScatterMax", twice, rows, {10, 20, 3, 4, 5, 8}},
      {"ScatterAdd", Tensor::Scalar<int64_t>(1), Floats({2}, {1, 1}), {1, 2, 4, 5, 5, 6}},
      {"ScatterAdd", Tensor::Of<int64_t>({1, 2}, {1, 1}), Tensor::Scalar(1.f), {1, 2, 5, 6, 5, 6}},
      {"ScatterUpdate", Tensor::Vector<int64_t>({}), Floats({0, 2}, {}), {1, 2, 3, 4, 5, 6}},
      {"ScatterNdUpdate", Tensor::Of<int32_t>({2, 2}, {0, 1, 2, 0}), Floats({2}, {7, 8}), {1, 7, 3, 4, 8, 6}},
      {"ScatterNdAdd", Tensor::Of<int32_t>({3, 1}, {0, 1, 0}), Floats({3, 2}, {1, 1, 1, 1, 1, 1}), {3, 4, 4, 5, 5, 6}},
      {"ScatterNdSub", Tensor::Of<int64_t>({1, 1}, {1}), Floats({1, 2}, {1, 1}), {1, 2, 2, 3, 5, 6}},
  };
  for (const ScatterCase& c : cases) {
    const std::string expected = Tensor::Of<float>({3, 2}, absl::Span<const float>(c.expected)).ToString();
    EdgeValue a = KernelTester::Variable(kFloat, Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(Run(c.op, {a, V(c.indices), V(c.updates)}).ok()) << c.op;
    EXPECT_EQ(a.ref->Read().ToString(), expected) << c.op;
    const Tensor handle = MakeHandle("s");
    EXPECT_TRUE(RunOn("AssignVariableOp", {handle, Floats({3, 2}, {1, 2, 3, 4, 5, 6})}).ok());
    EXPECT_TRUE(RunOn(std::string("Resource") + c.op, {handle, c.indices, c.updates}).ok()) << c.op;
    EXPECT_EQ(Read(handle), expected) << c.op;
  }
}

TEST_F(VariableOps, FailedScatterChangesNothing) {
  EdgeValue a = KernelTester::Variable(kInt32, Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4}));
  const Tensor rows = Tensor::Of<int32_t>({2, 2}, {1, 1, 0, 1});
  EXPECT_EQ(Run("ScatterAdd", {a, V(Tensor::Vector<int32_t>({0, 2})), V(rows)}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("ScatterDiv", {a, V(Tensor::Vector<int32_t>({0, 1})), V(rows)}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("ScatterNdAdd", {a, V(Tensor::Of<int32_t>({2, 1}, {0, -1})), V(rows)}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(a.ref->Read().ToString(), Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4}).ToString());
  const Tensor handle = MakeHandle("s", kInt32);
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Tensor::Scalar<int32_t>(1)}).ok());
  EXPECT_EQ(RunOn("ResourceScatterAdd", {handle, Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({0})}).code(),
            StatusCode::kInvalidArgument);
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, rows}).ok());
  EXPECT_EQ(RunOn("ResourceScatterAdd", {handle, Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({0})}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      RunOn("ResourceScatterNdAdd", {handle, Tensor::Of<int32_t>({1, 3}, {0, 0, 0}), Tensor::Vector<int32_t>({0})})
          .code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("ResourceScatterNdAdd", {handle, Tensor::Of<int32_t>({1, 0}, {}), rows.Reshaped({1, 2, 2})}).code(),
            StatusCode::kInvalidArgument);
}

// --- gather

TEST_F(VariableOps, GathersRows) {
  const Tensor handle = MakeHandle("g");
  ASSERT_TRUE(RunOn("AssignVariableOp", {handle, Floats({2, 2}, {1, 2, 3, 4})}).ok());
  AttrMap f = {{"dtype", kFloat}};
  EXPECT_EQ(Value("ResourceGather", {handle, Tensor::Vector<int32_t>({1, 0, 1})}, f)->ToString(),
            Floats({3, 2}, {3, 4, 1, 2, 3, 4}).ToString());
  EXPECT_EQ(Value("ResourceGather", {handle, Tensor::Of<int64_t>({2, 2}, {1, 0, 1, 1})},
                  {{"dtype", kFloat}, {"batch_dims", 1}})
                ->ToString(),
            Floats({2, 2}, {2, 1, 4, 4}).ToString());
  EXPECT_EQ(Value("ResourceGather", {handle, Tensor::Vector<int32_t>({})}, f)->shape(), (Shape{0, 2}));
  EXPECT_EQ(RunOn("ResourceGather", {handle, Tensor::Vector<int32_t>({2})}, f).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Value("ResourceGatherNd", {handle, Tensor::Of<int32_t>({2, 2}, {1, 0, 0, 1})}, f)->ToString(),
            Floats({2}, {3, 2}).ToString());
  EXPECT_EQ(Value("ResourceGatherNd", {handle, Tensor::Of<int32_t>({1, 1}, {1})}, f)->ToString(),
            Floats({1, 2}, {3, 4}).ToString());
  EXPECT_EQ(Value("ResourceGatherNd", {handle, Tensor::Of<int32_t>({2, 0}, {})}, f)->shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(RunOn("ResourceGatherNd", {handle, Tensor::Of<int32_t>({1, 1}, {-1})}, f).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOn("ResourceGatherNd", {handle, Tensor::Of<int32_t>({1, 3}, {0, 0, 0})}, f).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(VariableOps, Shapes) {
  EXPECT_EQ(ShapeTest(StateOps(), "VariableV2", "", {{"shape", PartialShape{2, -1}}, {"dtype", kFloat}}), "[2,?]");
  EXPECT_EQ(ShapeTest(StateOps(), "Assign", "[2,?];[?,3]"), "[2,3]");
  EXPECT_EQ(ShapeTest(StateOps(), "Assign", "[2];[3]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "Assign", "[2];[3]", {{"validate_shape", false}}), "[3]");
  EXPECT_EQ(ShapeTest(StateOps(), "AssignAdd", "[2,?];[?,3]"), "[2,3]");
  EXPECT_EQ(ShapeTest(StateOps(), "CountUpTo", "[]", {{"limit", 1}}), "[]");
  EXPECT_EQ(ShapeTest(StateOps(), "CountUpTo", "[1]", {{"limit", 1}}).find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterAdd", "[5,2];[3];[3,2]"), "[5,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterAdd", "[5,2];[3];[]"), "[5,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterAdd", "[5,2];[3];[3,3]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterAdd", "[];[3];[3]"), "[]");
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterNdAdd", "[5,2];[3,1];[3,2]"), "[5,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterNdAdd", "[5,2];[3,1];[3,3]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterNdAdd", "[5,2];[3,3];[3]"), "[5,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "ScatterNdAdd", "[5,2];[3,3];[3,2]").find("error"), 0u);
}

TEST_F(VariableOps, SchemasAreWellFormed) { EXPECT_TRUE(StateOps().Validate().ok()) << StateOps().Validate(); }

}  // namespace
}  // namespace weir::ops::variable_ops_test
