#include "op/attr_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace weir {
namespace {

using ::testing::HasSubstr;

TEST(AttrValueTest, KindsAreSpelledAsInSchemas) {
  EXPECT_EQ(AttrValue().Kind(), "");
  EXPECT_EQ(AttrValue("x").Kind(), "string");
  EXPECT_EQ(AttrValue(1).Kind(), "int");
  EXPECT_EQ(AttrValue(1.5).Kind(), "float");
  EXPECT_EQ(AttrValue(true).Kind(), "bool");
  EXPECT_EQ(AttrValue(kFloat).Kind(), "type");
  EXPECT_EQ(AttrValue(PartialShape{2, -1}).Kind(), "shape");
  EXPECT_EQ(AttrValue(Tensor::Scalar(1)).Kind(), "tensor");
  EXPECT_EQ(AttrValue(FuncAttr{"f", nullptr}).Kind(), "func");
  EXPECT_EQ(AttrValue(std::vector<int64_t>{1}).Kind(), "list(int)");
  EXPECT_EQ(AttrValue(std::vector<PartialShape>{}).Kind(), "list(shape)");
  EXPECT_EQ(AttrValue(AttrPlaceholder{"T"}).Kind(), "placeholder");
  EXPECT_EQ(AttrValue(AttrValue::Value(EmptyList{})).Kind(), "list()");
}

TEST(AttrValueTest, Text) {
  EXPECT_EQ(AttrValue("a\"b\n\x01").ToString(), "\"a\\\"b\\n\\x01\"");
  EXPECT_EQ(AttrValue(kFloat).ToString(), "DT_FLOAT");
  EXPECT_EQ(AttrValue(std::vector<bool>{true, false}).ToString(), "[true, false]");
  EXPECT_EQ(AttrValue(PartialShape{2, -1}).ToString(), "[2,?]");
  EXPECT_EQ(AttrValue(AttrPlaceholder{"T"}).ToString(), "$T");
  auto attrs = std::make_shared<AttrMap>(AttrMap{{"T", kInt32}, {"n", 2}});
  EXPECT_EQ(AttrValue(FuncAttr{"f", attrs}).ToString(), "f[T=DT_INT32, n=2]");
}

TEST(AttrValueTest, EqualityIsByContent) {
  EXPECT_EQ(AttrValue(Tensor::Vector({1.f, 2.f})), AttrValue(Tensor::Vector({1.f, 2.f})));
  EXPECT_FALSE(AttrValue(Tensor::Vector({1.f, 2.f})) == AttrValue(Tensor::Vector({1.f, 3.f})));
  EXPECT_FALSE(AttrValue(Tensor::Vector({1.f, 2.f})) == AttrValue(Tensor::Of(Shape{2, 1}, {1.f, 2.f})));
  EXPECT_EQ(AttrValue(Tensor::Scalar("abc")), AttrValue(Tensor::Scalar("abc")));
  EXPECT_FALSE(AttrValue(Tensor::Scalar("abc")) == AttrValue(Tensor::Scalar("abd")));
  EXPECT_EQ(AttrValue(Tensor()), AttrValue(Tensor()));
  EXPECT_EQ(AttrValue(std::nanf("")), AttrValue(std::nanf("")));
  EXPECT_FALSE(AttrValue(1) == AttrValue(1.0));
  EXPECT_FALSE(AttrValue(true) == AttrValue(1));
  EXPECT_EQ(AttrValue(std::vector<bool>{true}), AttrValue(std::vector<bool>{true}));

  auto attrs = [](int n) { return std::make_shared<AttrMap>(AttrMap{{"n", n}}); };
  EXPECT_EQ(AttrValue(FuncAttr{"f", attrs(1)}), AttrValue(FuncAttr{"f", attrs(1)}));
  EXPECT_FALSE(AttrValue(FuncAttr{"f", attrs(1)}) == AttrValue(FuncAttr{"f", attrs(2)}));
  EXPECT_EQ(AttrValue(FuncAttr{"f", nullptr}), AttrValue(FuncAttr{"f", std::make_shared<AttrMap>()}));
  EXPECT_EQ(AttrValue(std::vector<FuncAttr>{{"f", attrs(1)}}), AttrValue(std::vector<FuncAttr>{{"f", attrs(1)}}));
}

TEST(AttrValueTest, AnEmptyListFitsEveryListKind) {
  const AttrValue empty{AttrValue::Value(EmptyList{})};
  ASSERT_NE(empty.As<std::vector<DType>>(), nullptr);
  EXPECT_TRUE(empty.As<std::vector<DType>>()->empty());
  EXPECT_EQ(empty.As<int64_t>(), nullptr);
  EXPECT_EQ(empty, AttrValue(std::vector<float>{}));
  EXPECT_FALSE(empty == AttrValue(std::vector<float>{1}));
  EXPECT_FALSE(AttrValue(std::vector<int64_t>{}) == AttrValue(std::vector<float>{}));
}

TEST(AttrValueTest, GetAttrReportsErrors) {
  const AttrMap attrs{{"n", int64_t{1} << 40}, {"s", "text"}};
  EXPECT_EQ(*GetAttr<int64_t>(attrs, "n"), int64_t{1} << 40);
  EXPECT_THAT(GetAttr<int32_t>(attrs, "n").status().message(), HasSubstr("'n' must be of kind int (32 bits)"));
  EXPECT_THAT(GetAttr<DType>(attrs, "s").status().message(), HasSubstr("must be of kind type, but holds string"));
  EXPECT_THAT(GetAttr<bool>(attrs, "x").status().message(), HasSubstr("'x' is missing"));
}

}  // namespace
}  // namespace weir
