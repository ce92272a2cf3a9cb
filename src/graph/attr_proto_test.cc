#include "graph/attr_proto.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

AttrValue RoundTrip(const AttrValue& value) {
  tensorflow::AttrValue proto;
  ToProto(value, &proto);
  tensorflow::AttrValue read;
  EXPECT_TRUE(read.ParseFromString(proto.SerializeAsString()));
  Result<AttrValue> back = FromProto(read);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.value_or(AttrValue());
}

TEST(AttrProto, RoundTripsEveryKind) {
  auto inner = std::make_shared<AttrMap>(AttrMap{{"T", kFloat}, {"shape", PartialShape{2, -1}}});
  const FuncAttr function{"f", inner};
  const AttrValue values[] = {
      AttrValue("bytes\0\xff"),
      AttrValue(-7),
      AttrValue(2.5f),
      AttrValue(true),
      AttrValue(kHalf),
      AttrValue(PartialShape{2, -1}),
      AttrValue(PartialShape()),
      AttrValue(PartialShape::Scalar()),
      AttrValue(Tensor::Vector<int32_t>({1, 2, 3})),
      AttrValue(Tensor::Vector<std::string>({"a", ""})),
      AttrValue(function),
      AttrValue(std::vector<std::string>{"loc:@x", ""}),
      AttrValue(std::vector<int64_t>{1, -1}),
      AttrValue(std::vector<float>{0.5f}),
      AttrValue(std::vector<bool>{true, false}),
      AttrValue(std::vector<DType>{kFloat, kString}),
      AttrValue(std::vector<PartialShape>{PartialShape(), PartialShape{3}}),
      AttrValue(std::vector<Tensor>{Tensor::Scalar(1.0f)}),
      AttrValue(std::vector<FuncAttr>{function, {"g", nullptr}}),
      AttrValue(AttrPlaceholder{"T"}),
      AttrValue(),
  };
  for (const AttrValue& value : values) EXPECT_EQ(RoundTrip(value), value) << value.ToString();
}

TEST(AttrProto, EmptyListsHaveNoKind) {
  const AttrValue empties[] = {AttrValue(std::vector<std::string>()), AttrValue(std::vector<float>()),
                               AttrValue(std::vector<Tensor>()), AttrValue(AttrValue::Value(EmptyList{}))};
  for (const AttrValue& value : empties) {
    tensorflow::AttrValue proto;
    ToProto(value, &proto);
    EXPECT_TRUE(proto.has_list());
    EXPECT_EQ(RoundTrip(value).Kind(), "list()");
  }
}

TEST(AttrProto, RejectsMeaninglessValues) {
  tensorflow::AttrValue proto;
  proto.set_type(static_cast<tensorflow::DataType>(77));
  EXPECT_FALSE(FromProto(proto).ok());
  proto.mutable_list()->add_type(static_cast<tensorflow::DataType>(-3));
  EXPECT_FALSE(FromProto(proto).ok());
  proto.mutable_list()->clear_type();
  proto.mutable_list()->add_i(1);
  proto.mutable_list()->add_s("x");
  EXPECT_FALSE(FromProto(proto).ok());
  proto.mutable_shape()->add_dim()->set_size(-5);
  EXPECT_FALSE(FromProto(proto).ok());
  proto.mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
  proto.mutable_tensor()->set_tensor_content("abc");
  EXPECT_FALSE(FromProto(proto).ok());
}

TEST(AttrProto, RoundTripsSchemas) {
  Result<OpDef> op = ParseOp({.name = "Everything",
                              .signature = "a: T, b: N * int32, c: Tlist, d: Ref(T) -> x: Ref(T), y: Tlist",
                              .attrs = {"T: {float, double} = DT_FLOAT", "N: int >= 2", "Tlist: list(type) >= 1",
                                        "mode: {'A', 'B'} = 'A'", "f: func", "shape: shape"},
                              .traits = kNeverBlocks,
                              .stateful = true,
                              .commutative = true,
                              .aggregate = true,
                              .allows_uninitialized_input = true});
  ASSERT_TRUE(op.ok()) << op.status();
  tensorflow::OpDef proto;
  ToProto(*op, &proto);
  EXPECT_EQ(proto.input_arg(1).number_attr(), "N");
  EXPECT_EQ(proto.input_arg(1).type(), tensorflow::DT_INT32);
  EXPECT_TRUE(proto.output_arg(0).is_ref());
  EXPECT_TRUE(proto.attr(1).has_minimum());
  EXPECT_EQ(proto.attr(1).minimum(), 2);
  EXPECT_EQ(proto.attr(0).allowed_values().list().type_size(), 2);
  Result<OpDef> back = FromProto(proto);
  ASSERT_TRUE(back.ok()) << back.status();
  tensorflow::OpDef again;
  ToProto(*back, &again);
  EXPECT_EQ(again.SerializeAsString(), proto.SerializeAsString());
}

TEST(AttrProto, SchemasThatContradictThemselvesAreRefused) {
  tensorflow::OpDef proto;
  proto.set_name("F");
  proto.add_input_arg()->set_name("x");
  EXPECT_FALSE(FromProto(proto).ok()) << "no type";
  proto.mutable_input_arg(0)->set_type_attr("T");
  Result<OpDef> op = FromProto(proto);
  ASSERT_FALSE(op.ok()) << "no such attribute";
  EXPECT_NE(op.status().message().find("op 'F'"), std::string::npos) << op.status();
  proto.add_attr()->set_name("T");
  proto.mutable_attr(0)->set_type("int");
  EXPECT_FALSE(FromProto(proto).ok()) << "an attribute of another kind";
  proto.mutable_attr(0)->set_type("type");
  EXPECT_TRUE(FromProto(proto).ok());
  *proto.add_attr() = proto.attr(0);
  EXPECT_FALSE(FromProto(proto).ok()) << "twice the same attribute";
}

}  // namespace
}  // namespace weir
