#include "tensor/dtype.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(DTypeTest, EveryNameParsesBack) {
  for (int number = 1; number <= 23; ++number) {
    const DType type = DTypeFromNumber(number).value();
    for (DType t : {type, RefType(type)}) {
      EXPECT_EQ(ParseDType(DTypeName(t)).value(), t);
      EXPECT_EQ(ParseDType(OpDefTypeName(t)).value(), t);
      EXPECT_EQ(ParseDType(ProtoTypeName(t)).value(), t);
      EXPECT_EQ(DTypeFromNumber(t).value(), t);
    }
  }
}

TEST(DTypeTest, Spellings) {
  EXPECT_EQ(DTypeName(kFloat), "float32");
  EXPECT_EQ(DTypeName(RefType(kFloat)), "float32_ref");
  EXPECT_EQ(OpDefTypeName(kHalf), "half");
  EXPECT_EQ(OpDefTypeName(RefType(kDouble)), "double_ref");
  EXPECT_EQ(ProtoTypeName(RefType(kBFloat16)), "DT_BFLOAT16_REF");
  EXPECT_EQ(ParseDType("float").value(), kFloat);
  EXPECT_EQ(ParseDType("str").value(), kString);
  EXPECT_EQ(fmt::format("{}", kInt64), "int64");
}

TEST(DTypeTest, UnknownTypesAreErrors) {
  for (int number : {0, -1, 24, 33, 100, 124, 1 << 30, -(1 << 30)})
    EXPECT_FALSE(DTypeFromNumber(number).ok()) << number;
  for (const char* name : {"", "float31", "_ref", "DT_", "FLOAT", "DT_float"})
    EXPECT_FALSE(ParseDType(name).ok()) << name;
  EXPECT_EQ(ElementSize(kInvalidType), 0u);
  EXPECT_EQ(ElementSize(static_cast<DType>(77)), 0u);
}

TEST(DTypeTest, Kinds) {
  EXPECT_TRUE(IsFloating(kBFloat16));
  EXPECT_TRUE(IsInteger(kUint64));
  EXPECT_FALSE(IsInteger(kBool));
  EXPECT_FALSE(IsInteger(kQint32));
  EXPECT_TRUE(IsUnsigned(kUint8));
  EXPECT_TRUE(IsComplex(kComplex128));
  EXPECT_TRUE(IsQuantized(kQuint16));
  EXPECT_TRUE(IsPlain(kBool));
  EXPECT_FALSE(IsPlain(kString));
  EXPECT_FALSE(IsPlain(kResource));
  EXPECT_FALSE(IsPlain(kVariant));
  EXPECT_EQ(ElementSize(RefType(kComplex128)), 16u);
}

}  // namespace
}  // namespace weir
