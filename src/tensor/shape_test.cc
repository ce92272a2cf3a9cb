#include "tensor/shape.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).num_elements(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).num_elements(), 0);
  EXPECT_EQ((Shape{2, 3}).ToString(), "[2,3]");
  EXPECT_EQ(Shape().ToString(), "[]");
}

TEST(ShapeTest, ProductsThatDoNotFitAreErrors) {
  EXPECT_TRUE(Shape::Make({kHuge}).ok());
  EXPECT_EQ(Shape::Make({kHuge, 2}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(Shape::Make({int64_t{1} << 32, int64_t{1} << 32}).ok());
  // The other dimensions must fit even if one is zero, because any part of a shape must be valid.
  EXPECT_FALSE(Shape::Make({0, kHuge, 4}).ok());
  EXPECT_FALSE(Shape::Make({kHuge, 4, 0}).ok());
  EXPECT_FALSE(Shape::Make({-1}).ok());
  EXPECT_FALSE(Shape::Make({2, -5}).ok());
  EXPECT_FALSE(Shape::Make(std::vector<int64_t>(kMaxRank + 1, 1)).ok());
  EXPECT_TRUE(Shape::Make(std::vector<int64_t>(kMaxRank, 1)).ok());
}

TEST(ShapeTest, ChangesAreCheckedAndLeaveTheShapeOnError) {
  Shape s{2, 3};
  EXPECT_TRUE(s.AddDim(4).ok());
  EXPECT_TRUE(s.InsertDim(0, 5).ok());
  EXPECT_EQ(s, (Shape{5, 2, 3, 4}));
  EXPECT_EQ(s.num_elements(), 120);
  EXPECT_FALSE(s.AddDim(kHuge).ok());
  EXPECT_FALSE(s.SetDim(1, kHuge).ok());
  EXPECT_FALSE(s.SetDim(1, -1).ok());
  EXPECT_EQ(s, (Shape{5, 2, 3, 4}));
  EXPECT_TRUE(s.SetDim(1, 0).ok());
  EXPECT_EQ(s.num_elements(), 0);
  s.RemoveDim(1);
  EXPECT_EQ(s.num_elements(), 60);
  s.RemoveLastDims(2);
  EXPECT_EQ(s, (Shape{5}));
}

TEST(ShapeTest, CheckedMultiply) {
  EXPECT_EQ(CheckedMultiply(3, 4).value(), 12);
  EXPECT_EQ(CheckedMultiply(0, kHuge).value(), 0);
  EXPECT_FALSE(CheckedMultiply(kHuge, 2).ok());
  EXPECT_FALSE(CheckedMultiply(-1, 0).ok());
}

TEST(PartialShapeTest, ReportsKnownDimensions) {
  EXPECT_EQ(PartialShape::Unknown().ToString(), "<unknown>");
  EXPECT_EQ((PartialShape{-1, 3}).ToString(), "[?,3]");
  EXPECT_EQ(PartialShape::Scalar().rank(), 0);
  EXPECT_EQ(PartialShape::Unknown().rank(), -1);
  EXPECT_EQ((PartialShape{2, 3}).num_elements(), 6);
  EXPECT_EQ((PartialShape{-1, 3}).num_elements(), -1);
  EXPECT_EQ((PartialShape{2, 3}).ToShape(), (Shape{2, 3}));
  EXPECT_FALSE(PartialShape::Make({-2}).ok());
  EXPECT_FALSE(PartialShape::Make({-1, kHuge, 4}).ok());
  EXPECT_TRUE(PartialShape::Make({-1, 4}).ok());
}

TEST(PartialShapeTest, Merge) {
  const PartialShape unknown = PartialShape::Unknown();
  EXPECT_EQ(unknown.Merge({2, -1}).value(), (PartialShape{2, -1}));
  EXPECT_EQ((PartialShape{2, -1}).Merge(unknown).value(), (PartialShape{2, -1}));
  EXPECT_EQ((PartialShape{2, -1}).Merge({-1, 3}).value(), (PartialShape{2, 3}));
  const Status rank = (PartialShape{2}).Merge({2, 3}).status();
  EXPECT_EQ(rank.code(), StatusCode::kInvalidArgument);
  const std::string text((PartialShape{2, 3}).Merge({2, 4}).status().message());
  EXPECT_NE(text.find("[2,3]"), std::string::npos) << text;
  EXPECT_NE(text.find("[2,4]"), std::string::npos) << text;
}

TEST(PartialShapeTest, Compatible) {
  EXPECT_TRUE((PartialShape{2, -1}).CompatibleWith(Shape{2, 3}));
  EXPECT_FALSE((PartialShape{2, -1}).CompatibleWith(Shape{3, 3}));
  EXPECT_FALSE((PartialShape{2}).CompatibleWith(Shape{2, 3}));
  EXPECT_TRUE(PartialShape::Unknown().CompatibleWith(Shape{2, 3}));
}

TEST(PartialShapeTest, SubAndConcat) {
  const PartialShape s{1, -1, 3, 4};
  EXPECT_EQ(s.Sub(1).value(), (PartialShape{-1, 3, 4}));
  EXPECT_EQ(s.Sub(0, -1).value(), (PartialShape{1, -1, 3}));
  EXPECT_EQ(s.Sub(-2).value(), (PartialShape{3, 4}));
  EXPECT_EQ(s.Sub(4).value(), PartialShape::Scalar());
  EXPECT_FALSE(s.Sub(5).ok());
  EXPECT_FALSE(s.Sub(-5).ok());
  EXPECT_FALSE(s.Sub(3, 1).ok());
  EXPECT_FALSE(PartialShape::Unknown().Sub(1).value().known_rank());
  EXPECT_EQ((PartialShape{1}).Concat({-1, 2}), (PartialShape{1, -1, 2}));
  EXPECT_FALSE((PartialShape{1}).Concat(PartialShape::Unknown()).known_rank());
}

}  // namespace
}  // namespace weir
