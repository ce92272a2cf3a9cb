#include "op/shape_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <limits>

#include "op/testing.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

// The output shape is the value of the first input.
Status ShapeFromValue(ShapeContext& c) {
  WEIR_ASSIGN(const PartialShape shape, ShapeOfInputValue(c, 0));
  c.set_output(0, shape);
  return OkStatus();
}

class ShapeFnTest : public ::testing::Test {
 protected:
  std::string Run(ShapeFn fn, std::string_view inputs, AttrMap attrs = {}, std::map<int, Tensor> constants = {},
                  int outputs = 1) {
    OpRegistry registry;
    attrs.emplace("Tout", std::vector<DType>(outputs, kFloat));
    registry.Add({.name = "Op",
                  .signature = "in: Tin -> out: Tout",
                  .attrs = {"Tin: list(type)", "Tout: list(type)", "shape: shape = { unknown_rank: true }"},
                  .shape = std::move(fn)});
    return ShapeTest(registry, "Op", inputs, std::move(attrs), std::move(constants));
  }
};

TEST_F(ShapeFnTest, SameAsInput) {
  EXPECT_EQ(Run(SameAsInput(0), "[2,?]"), "[2,?]");
  EXPECT_EQ(Run(SameAsInput(1), "[2];?"), "?");
  EXPECT_EQ(Run(SameAsInput(0), "[]", {}, {}, 2), "[];[]");
  EXPECT_THAT(Run(SameAsInput(0, {.min_rank = 1}), "[]"), HasSubstr("Shape must be at least rank 1 but is rank 0"));
  EXPECT_THAT(Run(SameAsInput(0, {.max_rank = 1}), "[1,2]"), HasSubstr("Shape must be at most rank 1 but is rank 2"));
  EXPECT_EQ(Run(SameAsInput(0, {.min_rank = 1}), "?"), "?");
}

TEST_F(ShapeFnTest, IndicesOutOfRangeAreErrors) {
  for (const int i : {2, -1, 1 << 30, INT_MIN}) {
    const std::vector<std::function<void(ShapeContext&)>> uses = {
        [i](ShapeContext& c) { EXPECT_FALSE(c.input(i).known_rank()); },
        [i](ShapeContext& c) { EXPECT_EQ(c.input_type(i), kInvalidType); },
        [i](ShapeContext& c) { EXPECT_EQ(c.constant(i), nullptr); },
        [i](ShapeContext& c) { EXPECT_FALSE(c.constant_as_shape(i).known_rank()); },
        [i](ShapeContext& c) { EXPECT_EQ(c.handle(i).dtype, kInvalidType); },
        [i](ShapeContext& c) { EXPECT_TRUE(c.WithRank(i, 1).ok()); },
        [i](ShapeContext& c) { EXPECT_TRUE(c.WithRankAtLeast(i, 1).ok()); },
        [i](ShapeContext& c) { EXPECT_TRUE(c.WithRankAtMost(i, 1).ok()); },
    };
    for (const auto& use : uses) {
      const ShapeFn fn = [&use](ShapeContext& c) {
        use(c);
        return OkStatus();
      };
      EXPECT_EQ(Run(fn, "[1];[2]"), fmt::format("error: the shape function used input {}, but there are 2 inputs", i));
    }
    const ShapeFn sets = [i](ShapeContext& c) {
      c.set_output(i, PartialShape{1});
      EXPECT_FALSE(c.output(i).known_rank());
      return OkStatus();
    };
    EXPECT_EQ(Run(sets, "[1]"), fmt::format("error: the shape function used output {}, but there are 1 outputs", i));
  }
  const ShapeFn grows = [](ShapeContext& c) {
    c.outputs().emplace_back();
    return OkStatus();
  };
  EXPECT_THAT(Run(grows, "[1]"), HasSubstr("2 shapes for 1 outputs"));
}

TEST_F(ShapeFnTest, FixedOutputs) {
  EXPECT_EQ(Run(ScalarOutputs(), "[2]", {}, {}, 2), "[];[]");
  EXPECT_EQ(Run(NoOutputs(), "[2]", {}, {}, 0), "");
  EXPECT_EQ(Run(UnknownOutputs(), "[2]"), "?");
  EXPECT_EQ(Run({}, "[2]"), "?");
  EXPECT_EQ(Run(FixedShapes("[2,?];in0;[d0_1,d0_0]"), "[5,?]", {}, {}, 3), "[2,?];[5,?];[?,5]");
  EXPECT_EQ(Run(FixedShapes("[d0_1]"), "?"), "[?]");
  EXPECT_THAT(Run(FixedShapes("[d0_2]"), "[1]"), HasSubstr("is out of range for shape"));
  EXPECT_THAT(Run(FixedShapes("in3"), "[1]"), HasSubstr("no such input"));
  EXPECT_THAT(Run(FixedShapes("[];[]"), "[1]"), HasSubstr("2 shapes for 1 outputs"));
}

TEST_F(ShapeFnTest, Broadcasting) {
  EXPECT_EQ(Run(BroadcastInputs(), "[2,1];[3]"), "[2,3]");
  EXPECT_EQ(Run(BroadcastInputs(), "[];[2,3]"), "[2,3]");
  EXPECT_EQ(Run(BroadcastInputs(), "[?,3];[1,?]"), "[?,3]");
  EXPECT_EQ(Run(BroadcastInputs(), "[?];[4]"), "[4]");
  EXPECT_EQ(Run(BroadcastInputs(), "[?];[1]"), "[?]");
  EXPECT_EQ(Run(BroadcastInputs(), "[0,1];[3]"), "[0,3]");
  EXPECT_EQ(Run(BroadcastInputs(), "?;[1]"), "?");
  EXPECT_THAT(Run(BroadcastInputs(), "[2,3];[4]"), HasSubstr("Dimensions must be equal, but are 3 and 4"));
  EXPECT_THAT(Run(BroadcastInputs(), "[4];[2,3]"), HasSubstr("but are 4 and 3"));
  EXPECT_EQ(Run(BroadcastInputs(1, 2), "[9];[2,1];[1,7]"), "[2,7]");
}

TEST_F(ShapeFnTest, MergedInputs) {
  EXPECT_EQ(Run(MergedInputs(), "[2,?];?;[?,3]"), "[2,3]");
  EXPECT_EQ(Run(MergedInputs(), ""), "?");
  EXPECT_THAT(Run(MergedInputs(), "[2];[3]"), HasSubstr("Dimension 0 in both shapes must be equal, but are 2 and 3"));
}

TEST_F(ShapeFnTest, ShapesFromAttributesAndValues) {
  EXPECT_EQ(Run(ShapeFromAttr(), "", {{"shape", PartialShape{2, -1}}}), "[2,?]");
  EXPECT_EQ(Run(ShapeFromAttr(), ""), "?");
  EXPECT_THAT(Run(ShapeFromAttr("dims"), ""), HasSubstr("'dims' is missing"));
  EXPECT_EQ(Run(ShapeFromValue, "[2]", {}, {{0, Tensor::Vector({4, -1})}}), "[4,?]");
  EXPECT_EQ(Run(ShapeFromValue, "[3]"), "[?,?,?]");
  EXPECT_EQ(Run(ShapeFromValue, "[?]"), "?");
  EXPECT_EQ(Run(ShapeFromValue, "?"), "?");
  EXPECT_THAT(Run(ShapeFromValue, "[2,2]"), HasSubstr("Shape must be rank 1 but is rank 2"));
  EXPECT_THAT(Run(ShapeFromValue, "[100000]"), HasSubstr("rank 100000"));
}

TEST_F(ShapeFnTest, WithRank) {
  auto rank2 = [](ShapeContext& c) -> Status {
    WEIR_ASSIGN(PartialShape shape, c.WithRank(0, 2));
    c.set_output(0, shape);
    return OkStatus();
  };
  EXPECT_EQ(Run(rank2, "[?,3]"), "[?,3]");
  EXPECT_EQ(Run(rank2, "?"), "[?,?]");
  EXPECT_THAT(Run(rank2, "[3]"), HasSubstr("Shape must be rank 2 but is rank 1"));
}

TEST(ShapeTextTest, ParsedTextIsPrintedUnchanged) {
  for (const char* text : {"", "?", "[]", "[2,?];?;[]", "[0]"}) {
    Result<std::vector<PartialShape>> shapes = ParseShapes(text);
    ASSERT_TRUE(shapes.ok()) << shapes.status();
    EXPECT_EQ(ShapesToText(*shapes), text);
  }
  for (const char* text :
       {"[", "[2", "2]", "[2];", "[-1]", "[2 3]", "[2]]", "[99999999999999999999]", "in0", "[d0_0]"}) {
    EXPECT_FALSE(ParseShapes(text).ok()) << text;
  }
}

TEST(ShapeFromTensorTest, ReadsShapeTensors) {
  EXPECT_EQ(*ShapeFromTensor(Tensor::Vector({2, -1})), (PartialShape{2, -1}));
  EXPECT_EQ(*ShapeFromTensor(Tensor::Vector<int64_t>({})), PartialShape::Scalar());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Scalar(-1))->known_rank());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Scalar(3)).ok());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Vector({-2})).ok());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Vector({1.f})).ok());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Vector({int64_t{1} << 62, int64_t{1} << 62})).ok());
}

TEST(DimTest, Arithmetic) {
  constexpr int64_t kBig = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(*MergeDims(-1, 3), 3);
  EXPECT_EQ(*MergeDims(3, -1), 3);
  EXPECT_EQ(*MergeDims(-1, -1), -1);
  EXPECT_FALSE(MergeDims(2, 3).ok());
  EXPECT_EQ(AddDims(2, 3), 5);
  EXPECT_EQ(AddDims(2, -1), -1);
  EXPECT_EQ(AddDims(kBig, 1), -1);
}

}  // namespace
}  // namespace weir
