#include "tensor/tensor_proto.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weir {
namespace {

using tensorflow::TensorProto;
using Dims = std::vector<int64_t>;

TensorProto Proto(int type, const Dims& dims, const std::function<void(TensorProto&)>& fill = {}) {
  TensorProto proto;
  proto.set_dtype(static_cast<tensorflow::DataType>(type));
  for (int64_t d : dims) proto.mutable_tensor_shape()->add_dim()->set_size(d);
  if (fill) fill(proto);
  return proto;
}
TensorProto Floats(const Dims& dims, const std::vector<float>& values) {
  return Proto(kFloat, dims, [&](TensorProto& p) { p.mutable_float_val()->Add(values.begin(), values.end()); });
}
TensorProto Ints(DType type, const Dims& dims, const std::vector<int>& values) {
  return Proto(type, dims, [&](TensorProto& p) { p.mutable_int_val()->Add(values.begin(), values.end()); });
}
TensorProto Halves(DType type, int bits) {
  return Proto(type, {}, [&](TensorProto& p) { p.add_half_val(bits); });
}
TensorProto Complexes(const Dims& dims, const std::vector<float>& parts) {
  return Proto(kComplex64, dims, [&](TensorProto& p) { p.mutable_scomplex_val()->Add(parts.begin(), parts.end()); });
}
TensorProto Content(DType type, const Dims& dims, const std::string& content) {
  return Proto(type, dims, [&](TensorProto& p) { p.set_tensor_content(content); });
}
std::string Show(const TensorProto& proto) {
  const Result<Tensor> t = FromProto(proto);
  return t.ok() ? t->ToString() : std::string(t.status().message());
}

void ExpectRoundTrip(const Tensor& t) {
  TensorProto proto;
  ToProto(t, &proto);
  const Result<Tensor> back = FromProto(proto);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->dtype(), t.dtype());
  EXPECT_EQ(back->shape(), t.shape());
  if (t.dtype() == kString) {
    EXPECT_EQ(back->flat<std::string>(), t.flat<std::string>());
  } else if (t.dtype() == kResource) {
    EXPECT_TRUE(std::equal(t.flat<ResourceHandle>().begin(), t.flat<ResourceHandle>().end(),
                           back->flat<ResourceHandle>().begin()));
  } else if (t.num_bytes() != 0) {
    EXPECT_EQ(std::memcmp(back->raw(), t.raw(), t.num_bytes()), 0) << t.dtype();
  }
}

TEST(TensorProtoTest, EveryPlainTypeSurvives) {
  for (int number = 1; number <= 23; ++number) {
    const auto type = static_cast<DType>(number);
    if (!IsPlain(type)) continue;
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{1}, Shape{2, 3}}) {
      const Tensor zeros = Tensor::Zeros(type, shape).value();
      ExpectRoundTrip(zeros);
      const Tensor varied = Tensor::Zeros(type, shape).value();
      auto* bytes = static_cast<unsigned char*>(varied.raw());
      for (size_t i = 0; i < varied.num_bytes(); ++i) bytes[i] = type == kBool ? i % 2 : 17 * (i + 3) & 0xff;
      ExpectRoundTrip(varied);
    }
  }
}

TEST(TensorProtoTest, StringsAndHandlesSurvive) {
  ExpectRoundTrip(Tensor::Vector<std::string>({"a", std::string("\0\xff", 2), ""}));
  ExpectRoundTrip(Tensor::Vector<std::string>({"same", "same"}));
  ExpectRoundTrip(Tensor::Zeros(kString, Shape{0}).value());
  ExpectRoundTrip(Tensor::Vector<ResourceHandle>({{"d", "c", "n", 5, "T"}, {"d2", "", "", 0, ""}}));
}

TEST(TensorProtoTest, EqualElementsAreWrittenOnce) {
  const Tensor t = Tensor::Allocate(kFloat, Shape{1000, 1000}).value();
  std::fill_n(t.data<float>(), t.num_elements(), 2.5f);
  TensorProto proto;
  ToProto(t, &proto);
  EXPECT_LT(proto.ByteSizeLong(), 64u);
  ExpectRoundTrip(t);
  // 0 and -0 are equal numbers but not equal elements.
  ExpectRoundTrip(Tensor::Vector<float>({0.0f, -0.0f}));
}

TEST(TensorProtoTest, ShortListsRepeatTheirLastValue) {
  EXPECT_EQ(Show(Floats({4}, {1, 2})), "float32 [4] [1 2 2 2]");
  EXPECT_EQ(Show(Floats({2}, {})), "float32 [2] [0 0]");
  EXPECT_EQ(Show(Complexes({2}, {1, 2})), "complex64 [2] [(1,2) (1,2)]");
  EXPECT_EQ(Show(Proto(kString, {2}, [](TensorProto& p) { p.add_string_val("x"); })), "string [2] [\"x\" \"x\"]");
  EXPECT_EQ(Show(Proto(kBool, {3}, [](TensorProto& p) { p.add_bool_val(true); })), "bool [3] [1 1 1]");
  EXPECT_EQ(Show(Ints(kInt8, {2}, {-128, 127})), "int8 [2] [-128 127]");
  EXPECT_EQ(Show(Halves(kHalf, 0x3c00)), "float16 [] 1");
  EXPECT_EQ(Show(Halves(kBFloat16, 0x3f80)), "bfloat16 [] 1");
  EXPECT_EQ(Show(Floats({0}, {1})), "float32 [0] []");  // TensorFlow writes a value for empty constants too
}

TEST(TensorProtoTest, StringContent) {
  EXPECT_EQ(Show(Content(kString, {2}, "\1\2abc")), "string [2] [\"a\" \"bc\"]");
  for (const char* content : {"\1", "\1\3abc", "\1\1abc", "\377\377\377\377\377\377\1", "\377\377\377\377\17a"}) {
    EXPECT_EQ(FromProto(Content(kString, {2}, content)).status().code(), StatusCode::kInvalidArgument) << content;
  }
}

TEST(TensorProtoTest, MalformedMessagesAreErrors) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::vector<TensorProto> malformed = {
      Floats({2}, {1, 2, 3}),       // too many
      Floats({-1}, {1}),            //
      Floats({-5}, {1}),            //
      Floats({kHuge, 4}, {1}),      //
      Floats({0, kHuge, 4}, {1}),   //
      Floats(Dims(300, 1), {1}),    //
      Complexes({2}, {1, 2, 3}),    // half a number
      Ints(kInt8, {}, {300}),       //
      Ints(kUint16, {}, {-1}),      //
      Halves(kHalf, 70000),         //
      Halves(kBFloat16, -1),        //
      Content(kFloat, {4}, "abc"),  //
      Content(kFloat, {0}, "abc"),  //
      Content(kDouble, {kHuge}, "abc"),
      Content(kBool, {1}, "\3"),
      Content(kResource, {1}, "abc"),
      Proto(kFloat, {}, [](TensorProto& p) { p.mutable_tensor_shape()->set_unknown_rank(true); }),
  };
  for (size_t i = 0; i < malformed.size(); ++i) {
    EXPECT_EQ(FromProto(malformed[i]).status().code(), StatusCode::kInvalidArgument) << "case " << i;
  }
  for (int type : {-1, 0, int{kVariant}, 24, 33, 77, 100, 101, 107, 123, 124, 1000}) {
    EXPECT_EQ(FromProto(Proto(type, {})).status().code(), StatusCode::kInvalidArgument) << type;
  }
}

TEST(TensorProtoTest, HugeShapesAreResourceExhausted) {
  EXPECT_EQ(FromProto(Floats({int64_t{1} << 40}, {1})).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(FromProto(Proto(kString, {int64_t{1} << 62})).status().code(), StatusCode::kResourceExhausted);
}

TEST(ShapeProtoTest, RoundTrip) {
  for (const PartialShape& shape : {PartialShape::Unknown(), PartialShape::Scalar(), PartialShape{2, -1, 0}}) {
    tensorflow::TensorShapeProto proto;
    ToProto(shape, &proto);
    EXPECT_EQ(FromProto(proto).value(), shape);
  }
  tensorflow::TensorShapeProto proto;
  proto.set_unknown_rank(true);
  proto.add_dim()->set_size(2);
  EXPECT_FALSE(FromProto(proto).ok());
  proto.set_unknown_rank(false);
  for (int i = 0; i < 300; ++i) proto.add_dim()->set_size(1);
  EXPECT_FALSE(FromProto(proto).ok());
}

}  // namespace
}  // namespace weir
