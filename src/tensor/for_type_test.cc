#include "tensor/for_type.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ForTypeTest, CallsWithTheTypeOfTheElements) {
  const auto types = kFloatingTypes + kComplexTypes + kIntegerTypes + TypeList<bool>();
  for (const DType dtype : {kHalf, kBFloat16, kFloat, kDouble, kComplex64, kComplex128, kInt8, kUint8, kInt16, kUint16,
                            kInt32, kUint32, kInt64, kUint64, kBool}) {
    DType called = kInvalidType;
    EXPECT_TRUE(ForType(dtype, types, [&]<class T>(TypeTag<T>) { called = DTypeOf<T>(); }));
    EXPECT_EQ(called, dtype);
  }
}

TEST(ForTypeTest, OtherTypesAreNotCalled) {
  for (const DType dtype : {kString, kInt32, kQint8, RefType(kFloat)})
    EXPECT_FALSE(ForType(dtype, kFloatingTypes, [](auto) { FAIL(); }));
}

TEST(ForTypeTest, WithoutSignKeepsTheSize) {
  for (const DType dtype : {kInt8, kInt16, kInt32, kInt64}) {
    EXPECT_TRUE(IsUnsigned(WithoutSign(dtype)));
    EXPECT_EQ(ElementSize(WithoutSign(dtype)), ElementSize(dtype));
  }
  EXPECT_EQ(WithoutSign(kFloat), kFloat);
}

}  // namespace
}  // namespace weir
