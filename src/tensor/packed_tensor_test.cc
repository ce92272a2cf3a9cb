#include "tensor/packed_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/tensor_proto.h"

namespace weir {
namespace {

using ::testing::HasSubstr;
using Packed = std::shared_ptr<const PackedTensor>;

tensorflow::TensorProto Message(DType dtype, int64_t size) {
  tensorflow::TensorProto proto;
  proto.set_dtype(static_cast<tensorflow::DataType>(dtype));
  proto.mutable_tensor_shape()->add_dim()->set_size(size);
  return proto;
}

TEST(PackedTensorTest, TheLastValueRepeats) {
  tensorflow::TensorProto proto = Message(kFloat, 1000);
  proto.add_float_val(1);
  proto.add_float_val(2);
  const Result<Packed> packed = PackedTensor::FromProto(proto);
  ASSERT_TRUE(packed.ok() && *packed != nullptr);
  EXPECT_EQ((*packed)->dtype(), kFloat);
  EXPECT_EQ((*packed)->shape(), Shape{1000});
  EXPECT_EQ((*packed)->num_bytes(), 4000u);
  const Result<const Tensor*> tensor = (*packed)->Expand();
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ((*tensor)->flat<float>()[0], 1);
  for (int i = 1; i < 1000; ++i) EXPECT_EQ((*tensor)->flat<float>()[i], 2);
  EXPECT_EQ(*(*packed)->Expand(), *tensor) << "it is made once";
}

TEST(PackedTensorTest, NoValuesAreZerosAndEmptyStrings) {
  const Result<Packed> zeros = PackedTensor::FromProto(Message(kInt64, 500));
  ASSERT_TRUE(zeros.ok() && *zeros != nullptr);
  EXPECT_EQ((**(*zeros)->Expand()).flat<int64_t>()[499], 0);
  const Result<Packed> strings = PackedTensor::FromProto(Message(kString, 500));
  ASSERT_TRUE(strings.ok() && *strings != nullptr);
  EXPECT_EQ((**(*strings)->Expand()).flat<std::string>()[499], "");
}

TEST(PackedTensorTest, MemoryIsAllocatedOnFirstUse) {
  const Result<Packed> huge = PackedTensor::FromProto(Message(kDouble, int64_t{1} << 58));
  ASSERT_TRUE(huge.ok() && *huge != nullptr);
  EXPECT_EQ((*huge)->Expand().status().code(), StatusCode::kResourceExhausted);
}

TEST(PackedTensorTest, CompleteOrSmallTensorsAreNotPacked) {
  EXPECT_EQ(*PackedTensor::FromProto(Message(kFloat, 256)), nullptr);
  tensorflow::TensorProto content = Message(kUint8, 2000);
  content.set_tensor_content(std::string(2000, 'x'));
  EXPECT_EQ(*PackedTensor::FromProto(content), nullptr);
  tensorflow::TensorProto all = Message(kInt32, 300);
  for (int i = 0; i < 300; ++i) all.add_int_val(i);
  EXPECT_EQ(*PackedTensor::FromProto(all), nullptr);
}

TEST(PackedTensorTest, WrongValuesAreErrorsAtOnce) {
  tensorflow::TensorProto proto = Message(kUint8, 2000);
  proto.add_int_val(300);
  const Result<Packed> packed = PackedTensor::FromProto(proto);
  ASSERT_FALSE(packed.ok());
  EXPECT_THAT(std::string(packed.status().message()), HasSubstr("300 is not a value of type"));
}

TEST(PackedTensorTest, EqualByContent) {
  tensorflow::TensorProto proto = Message(kFloat, 1000);
  proto.add_float_val(1);
  const Packed a = *PackedTensor::FromProto(proto);
  const Packed b = *PackedTensor::FromProto(proto);
  proto.set_float_val(0, 2);
  const Packed c = *PackedTensor::FromProto(proto);
  EXPECT_TRUE(*a == *b);
  EXPECT_FALSE(*a == *c);
}

}  // namespace
}  // namespace weir
