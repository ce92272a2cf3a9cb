// Tests the kernels and shape functions of single flow ops. Whole loops are tested in graph/.
#include <gmock/gmock.h>

#include "op/py_func.h"
#include "op/testing.h"
#include "ops/flow/format_value.h"
#include "ops/register.h"

namespace weir::ops::flow_ops_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FlowOpsTest : public ::testing::Test {
 protected:
  FlowOpsTest() { RegisterFlowOps(registry_); }

  template <class... Inputs>
  Result<std::vector<Tensor>> Run(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return tester_.Run(op, std::move(inputs), std::move(attrs));
  }
  // Returns the only output.
  Tensor One(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Result<std::vector<Tensor>> result = tester_.Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() && !result->empty() ? result->front() : Tensor();
  }
  std::string Error(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Result<std::vector<Tensor>> result = tester_.Run(op, std::move(inputs), std::move(attrs));
    return result.ok() ? "no error" : std::string(result.status().message());
  }

  OpRegistry registry_;
  KernelTester tester_{registry_};
};

Tensor F(float v) { return Tensor::Scalar(v); }
Tensor I(int32_t v) { return Tensor::Scalar(v); }
std::vector<float> Values(const Tensor& t) {
  return t.valid() ? std::vector<float>(t.flat<float>().begin(), t.flat<float>().end()) : std::vector<float>();
}

TEST_F(FlowOpsTest, SchemasAreWellFormed) { EXPECT_TRUE(registry_.Validate().ok()) << registry_.Validate(); }

TEST_F(FlowOpsTest, Shapes) {
  EXPECT_EQ(ShapeTest(registry_, "Switch", "[2,?];[]"), "[2,?];[2,?]");
  EXPECT_THAT(ShapeTest(registry_, "Switch", "[2,?];[1]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "Merge", "[2,3];[2,4]"), "[2,?];[]");
  EXPECT_EQ(ShapeTest(registry_, "Merge", "[2,3];[2]"), "?;[]");
  EXPECT_EQ(ShapeTest(registry_, "Merge", "[2,3];?"), "?;[]");
  EXPECT_EQ(ShapeTest(registry_, "Enter", "[2]", {{"frame_name", "f"}}), "?");
  EXPECT_EQ(ShapeTest(registry_, "Enter", "[2]", {{"frame_name", "f"}, {"is_constant", true}}), "[2]");
  EXPECT_EQ(ShapeTest(registry_, "Exit", "[2]"), "[2]");
  EXPECT_EQ(ShapeTest(registry_, "LoopCond", "?"), "[]");
  EXPECT_THAT(ShapeTest(registry_, "LoopCond", "[1]"), HasSubstr("error"));
  EXPECT_EQ(ShapeTest(registry_, "TensorArrayGatherV3", "[];[4];[]", {{"element_shape", PartialShape{2, -1}}}),
            "[4,2,?]");
  EXPECT_EQ(ShapeTest(registry_, "TensorArrayConcatV3", "[];[]", {{"element_shape_except0", PartialShape{3}}}),
            "[?,3];[?]");
  EXPECT_EQ(ShapeTest(registry_, "StringFormat", "[2];[]", {{"template", "%s %s"}}), "[]");
  EXPECT_THAT(ShapeTest(registry_, "StringFormat", "[2]", {{"template", "%s %s"}}), HasSubstr("2 vs. 1"));
}

TEST_F(FlowOpsTest, SwitchLeavesOneSideDead) {
  Result<std::vector<Tensor>> out = Run("Switch", {F(3), Tensor::Scalar(true)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FALSE((*out)[0].valid());
  EXPECT_EQ((*out)[1].scalar<float>(), 3);
}

TEST_F(FlowOpsTest, AssertErrorContainsTheData) {
  EXPECT_TRUE(Run("Assert", {Tensor::Scalar(true), F(1)}).ok());
  EXPECT_EQ(Error("Assert",
                  {Tensor::Scalar(false), Tensor::Scalar("x is"), Tensor::Vector<int32_t>({1, 2, 3, 4, 5}), F(1.5)}),
            "assertion failed: [x is] [1 2 3...] [1.5]");
}

TEST_F(FlowOpsTest, ValuesAsText) {
  std::vector<int32_t> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[i] = i;
  const Tensor cube = Tensor::Of<int32_t>(Shape{2, 3, 4}, absl::MakeConstSpan(numbers));
  EXPECT_EQ(FormatValue(cube, 1), "[[[0 ... 3]\n  ...\n  [8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]");
  EXPECT_EQ(FormatValue(Tensor::Vector<float>({1, 1e10, 1e-7, 0.1}), -1), "[1 1e+10 1e-07 0.1]");
  EXPECT_EQ(FormatValue(Tensor::Vector<std::string>({"x", "y"}), 3), "[\"x\" \"y\"]");
  EXPECT_EQ(FormatValue(Tensor::Scalar(true), 3), "1");
  EXPECT_EQ(FormatValue(Tensor::Vector<float>({}), 3), "[]");
  EXPECT_EQ(One("StringFormat", {I(1), Tensor::Scalar("s")}, {{"template", "a {} b {}."}, {"placeholder", "{}"}})
                .scalar<std::string>(),
            "a 1 b \"s\".");
}

TEST_F(FlowOpsTest, StacksPopInReverseOrder) {
  const Tensor stack = One("StackV2", {I(2)}, {{"elem_type", kFloat}});
  EXPECT_EQ(One("StackPushV2", {stack, F(1)}).scalar<float>(), 1);
  One("StackPushV2", {stack, F(2)});
  EXPECT_THAT(Error("StackPushV2", {stack, F(3)}), HasSubstr("overflowed its max_size (2)"));
  EXPECT_THAT(Error("StackPushV2", {stack, I(3)}), HasSubstr("Must have type float32"));
  EXPECT_EQ(One("StackPopV2", {stack}, {{"elem_type", kFloat}}).scalar<float>(), 2);
  EXPECT_EQ(One("StackPopV2", {stack}, {{"elem_type", kFloat}}).scalar<float>(), 1);
  EXPECT_THAT(Error("StackPopV2", {stack}, {{"elem_type", kFloat}}), HasSubstr("is empty when calling Pop()"));
  EXPECT_TRUE(Run("StackCloseV2", {stack}).ok());
  EXPECT_THAT(Error("StackPopV2", {stack}, {{"elem_type", kFloat}}), HasSubstr("has already been closed"));
}

class TensorArrayTest : public FlowOpsTest {
 protected:
  Tensor Make(int32_t size, AttrMap attrs = {}) {
    attrs.emplace("dtype", kFloat);
    return One("TensorArrayV3", {I(size)}, std::move(attrs));
  }
  std::string Write(const Tensor& array, int32_t index, Tensor value) {
    return Error("TensorArrayWriteV3", {array, I(index), std::move(value), F(0)});
  }
  Tensor Read(const Tensor& array, int32_t index) {
    return One("TensorArrayReadV3", {array, I(index), F(0)}, {{"dtype", kFloat}});
  }
  std::string ReadError(const Tensor& array, int32_t index) {
    return Error("TensorArrayReadV3", {array, I(index), F(0)}, {{"dtype", kFloat}});
  }
  Tensor Gather(const Tensor& array, std::initializer_list<int32_t> indices) {
    return One("TensorArrayGatherV3", {array, Tensor::Vector<int32_t>(indices), F(0)}, {{"dtype", kFloat}});
  }
  Tensor Gradients(const Tensor& array) { return One("TensorArrayGradV3", {array, F(0)}, {{"source", "g"}}); }
  static constexpr char kFine[] = "no error";
};

TEST_F(TensorArrayTest, OneWriteOneRead) {
  const Tensor array = Make(3);
  EXPECT_EQ(Write(array, 0, Tensor::Vector<float>({1, 2})), kFine);
  EXPECT_THAT(Write(array, 0, F(1)), HasSubstr("because it has already been written to"));
  EXPECT_THAT(Write(array, 5, F(1)), HasSubstr("Tried to write to index 5 but array is not resizeable and size is: 3"));
  EXPECT_THAT(Write(array, -1, F(1)), HasSubstr("Tried to write to index -1"));
  EXPECT_EQ(Write(array, 1, I(1)), "TensorArray dtype is float but Op is trying to write dtype int32.");
  EXPECT_EQ(Values(Read(array, 0)), (std::vector<float>{1, 2}));
  EXPECT_THAT(ReadError(array, 0), HasSubstr("twice because it was cleared after a previous read"));
  EXPECT_THAT(Write(array, 0, F(1)), HasSubstr("because it has already been read"));
  EXPECT_THAT(ReadError(array, 1), HasSubstr("Could not read from TensorArray index 1"));
  EXPECT_EQ(ReadError(array, 3), "Tried to read from index 3 but array size is: 3");
  EXPECT_EQ(One("TensorArraySizeV3", {array, F(0)}).scalar<int32_t>(), 3);
  EXPECT_TRUE(Run("TensorArrayCloseV3", {array}).ok());
  EXPECT_THAT(Error("TensorArraySizeV3", {array, F(0)}), HasSubstr("has already been closed"));
}

TEST_F(TensorArrayTest, ShapesAndGrowth) {
  const Tensor fixed = Make(2, {{"element_shape", PartialShape{2}}});
  EXPECT_THAT(Write(fixed, 0, Tensor::Vector<float>({1, 2, 3})),
              HasSubstr("incompatible with the TensorArray's inferred element shape: [2]"));
  EXPECT_THAT(Values(Read(fixed, 1)), ElementsAre(0, 0));
  const Tensor growing = Make(0, {{"dynamic_size", true}, {"identical_element_shapes", true}});
  EXPECT_EQ(Write(growing, 3, F(1)), kFine);
  EXPECT_EQ(Write(growing, 1, F(2)), kFine);
  EXPECT_THAT(Values(Gather(growing, {0, 1, 2, 3})), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(Write(growing, 2000000000, F(1)), HasSubstr("exceeds the maximum size"));
  EXPECT_THAT(Error("TensorArrayV3", {I(-1)}, {{"dtype", kFloat}}), HasSubstr("Size should be >= 0."));
  const Tensor empty = Make(0);
  EXPECT_THAT(Error("TensorArrayGatherV3", {empty, Tensor::Vector<int32_t>({}), F(0)}, {{"dtype", kFloat}}),
              HasSubstr("has size zero"));
  EXPECT_EQ(Gather(Make(0, {{"element_shape", PartialShape{2}}}), {}).shape(), (Shape{0, 2}));
}

TEST_F(TensorArrayTest, ScatterAndGather) {
  const Tensor array = Make(3);
  const auto scatter = [&](const Tensor& to, std::initializer_list<int32_t> at, std::initializer_list<float> values) {
    return Error("TensorArrayScatterV3", {to, Tensor::Vector<int32_t>(at), Tensor::Vector<float>(values), F(0)});
  };
  EXPECT_EQ(scatter(array, {2, 0, 1}, {1, 2, 3}), kFine);
  EXPECT_THAT(Values(Gather(array, {0, 2})), ElementsAre(2, 1));
  EXPECT_EQ(scatter(Make(2), {0, 2}, {1, 2}), "Max scatter index must be < array size (2 vs. 2)");
  EXPECT_THAT(scatter(Make(2), {0}, {1, 2}), HasSubstr("must be equal, but are 1 and 2"));
  EXPECT_EQ(scatter(Make(0, {{"dynamic_size", true}}), {4}, {1}), kFine);
}

TEST_F(TensorArrayTest, SplitAndConcat) {
  const auto split = [&](const Tensor& to, std::initializer_list<int64_t> lengths) {
    return Error("TensorArraySplitV3",
                 {to, Tensor::Vector<float>({1, 2, 3, 4}), Tensor::Vector<int64_t>(lengths), F(0)});
  };
  const Tensor array = Make(3);
  EXPECT_EQ(split(array, {1, 3, 0}), kFine);
  Result<std::vector<Tensor>> joined = Run("TensorArrayConcatV3", {array, F(0)}, {{"dtype", kFloat}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(Values((*joined)[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT((*joined)[1].Ints(), ElementsAre(1, 3, 0));
  EXPECT_THAT(split(Make(3), {1, 1, 0}), HasSubstr("Expected sum of lengths to be equal to values.shape[0]"));
  EXPECT_THAT(split(Make(3), {5, -1, 0}), HasSubstr("sum of lengths"));
  EXPECT_THAT(split(Make(3), {-1, 5, 0}), HasSubstr("lengths to be >= 0"));
  EXPECT_THAT(split(Make(3), {1, 3}), HasSubstr("(3 vs. 2)"));
  const Tensor scalars = Make(1);
  Write(scalars, 0, F(1));
  EXPECT_THAT(Error("TensorArrayConcatV3", {scalars, F(0)}, {{"dtype", kFloat}}),
              HasSubstr("Concat saw a scalar shape at index 0"));
}

TEST_F(TensorArrayTest, GradientsAddUp) {
  const Tensor array = Make(3);
  Write(array, 0, Tensor::Vector<float>({1, 2}));
  Write(array, 1, Tensor::Vector<float>({3, 4}));
  Read(array, 1);
  const Tensor grads = Gradients(array);
  EXPECT_EQ(Write(grads, 0, Tensor::Vector<float>({1, 2})), kFine);
  EXPECT_EQ(Write(Gradients(array), 0, Tensor::Vector<float>({10, 20})), kFine);
  EXPECT_THAT(Write(grads, 0, F(1)), HasSubstr("Could not aggregate to TensorArray index 0"));
  EXPECT_THAT(Values(Read(grads, 0)), ElementsAre(11, 22));
  // A slot without a gradient reads as zeros of the shape that was written to the source array.
  EXPECT_THAT(Values(Read(grads, 1)), ElementsAre(0, 0));
  EXPECT_THAT(Error("TensorArrayGradV3", {grads, F(0)}, {{"source", "h"}}),
              HasSubstr("Unable to create a gradients TensorArray"));
}

TEST_F(FlowOpsTest, SessionTensors) {
  const Tensor handle = One("GetSessionHandle", {Tensor::Vector<float>({1, 2})});
  EXPECT_THAT(Values(One("GetSessionTensor", {handle}, {{"dtype", kFloat}})), ElementsAre(1, 2));
  EXPECT_TRUE(Run("DeleteSessionTensor", {handle}).ok());
  EXPECT_THAT(Error("GetSessionTensor", {handle}, {{"dtype", kFloat}}), HasSubstr("is not in the session store"));
}

class Doubler final : public PyFuncRunner {
 public:
  Result<std::vector<Tensor>> Call(const std::string& token, const std::vector<Tensor>& inputs,
                                   const std::vector<DType>&, bool) override {
    if (token != "double") return NotFound("no function '{}'", token);
    return std::vector<Tensor>{F(2 * inputs[0].scalar<float>())};
  }
};

TEST_F(FlowOpsTest, PyFuncCallsItsRunner) {
  const AttrMap attrs = {{"token", "double"}, {"Tout", std::vector<DType>{kFloat}}};
  EXPECT_THAT(Error("PyFunc", {F(2)}, attrs), HasSubstr("has no Python interpreter"));
  Doubler doubler;
  tester_.step().py_functions = &doubler;
  EXPECT_EQ(One("PyFunc", {F(2)}, attrs).scalar<float>(), 4);
  EXPECT_THAT(Error("PyFunc", {F(2)}, {{"token", "double"}, {"Tout", std::vector<DType>{kInt32}}}),
              HasSubstr("expects int32"));
}

}  // namespace
}  // namespace weir::ops::flow_ops_test
