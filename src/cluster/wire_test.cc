// Encodes and decodes messages with tensors, and compares with protobuf. Then malformed bytes of all kinds, which must
// give InvalidArgument and allocate no memory.
#include "cluster/wire.h"

#include <gtest/gtest.h>

#include "tensor/tensor_proto.h"

namespace weir {
namespace {

Rope Cut(const std::string& bytes, size_t at) {
  Rope rope(bytes.substr(0, at));
  rope.Append(Rope(bytes.substr(at)));
  return rope;
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.valid(), b.valid());
  if (!a.valid()) return;
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  if (a.dtype() == kString) {
    EXPECT_EQ(a.flat<std::string>(), b.flat<std::string>());
  } else if (a.dtype() == kResource) {
    EXPECT_TRUE(
        std::equal(a.flat<ResourceHandle>().begin(), a.flat<ResourceHandle>().end(), b.flat<ResourceHandle>().begin()));
  } else if (a.num_bytes() > 0) {
    EXPECT_EQ(std::memcmp(a.raw(), b.raw(), a.num_bytes()), 0) << a.dtype();
  }
}

// For every type: empty, a scalar, equal elements, different elements, and one that is too large to be copied.
std::vector<Tensor> ManyTensors() {
  std::vector<Tensor> tensors;
  for (int number = 1; number <= 23; ++number) {
    const auto type = static_cast<DType>(number);
    if (!IsPlain(type)) continue;
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{1}, Shape{2, 3}, Shape{3000}}) {
      tensors.push_back(Tensor::Zeros(type, shape).value());
      const Tensor varied = Tensor::Zeros(type, shape).value();
      auto* bytes = static_cast<unsigned char*>(varied.raw());
      for (size_t i = 0; i < varied.num_bytes(); ++i) bytes[i] = type == kBool ? i % 2 : 17 * (i + 3) & 0xff;
      tensors.push_back(varied);
    }
  }
  tensors.push_back(Tensor::Scalar(std::string("text")));
  tensors.push_back(Tensor::Vector<std::string>({"a", std::string("\0\xff", 2), ""}));
  tensors.push_back(Tensor::Vector<std::string>({"same", "same", "same"}));
  tensors.push_back(Tensor::Zeros(kString, Shape{0}).value());
  tensors.push_back(Tensor::Zeros(kString, Shape{100'000}).value());  // more elements than a short message may repeat
  tensors.push_back(Tensor::Vector<std::string>({std::string(100'000, 'x'), "y"}));
  tensors.push_back(Tensor::Vector<ResourceHandle>({{"d", "c", "n", 5, "T"}, {"d2", "", "", 0, ""}}));
  tensors.push_back(Tensor::Zeros(kResource, Shape{0, 3}).value());
  return tensors;
}

TEST(WireTest, RoundTripsEveryTensor) {
  for (const Tensor& tensor : ManyTensors()) {
    SCOPED_TRACE(fmt::format("{} {}", tensor.dtype(), tensor.shape()));
    const Rope rope = EncodeTensor(tensor);
    Result<Tensor> back = DecodeTensor(rope);
    ASSERT_TRUE(back.ok()) << back.status();
    ExpectSame(*back, tensor);
    // Protobuf can read these bytes, and this code can read protobuf's.
    tensorflow::TensorProto proto;
    ASSERT_TRUE(proto.ParseFromString(rope.Flatten()));
    Result<Tensor> parsed = FromProto(proto);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ExpectSame(*parsed, tensor);
    if (tensor.num_elements() > 10'000) continue;
    ToProto(tensor, &proto);
    back = DecodeTensor(Rope(proto.SerializeAsString()));
    ASSERT_TRUE(back.ok()) << back.status();
    ExpectSame(*back, tensor);
  }
}

TEST(WireTest, FastAndSlowPathAgree) {
  std::vector<Tensor> tensors = ManyTensors();
  tensors.push_back(Tensor::Zeros(kFloat, Shape{256}).value());           // the largest small one
  tensors.push_back(Tensor::Zeros(kFloat, Shape{257}).value());           // just not small
  tensors.push_back(Tensor::Zeros(kUint8, Shape{1, 1, 300, 1}).value());  // varints of two bytes
  for (const int64_t size : {127, 128}) tensors.push_back(Tensor::Zeros(kUint8, Shape{size}).value());
  for (const Tensor& tensor : tensors) {
    SCOPED_TRACE(fmt::format("{} {}", tensor.dtype(), tensor.shape()));
    tensorflow::RunGraphResponse by_protobuf;
    auto* named = by_protobuf.add_recv();
    named->set_name("a name");
    const std::string bytes = EncodeTensor(tensor).Flatten();
    ASSERT_TRUE(named->mutable_tensor()->ParseFromString(bytes));
    RunGraphReply reply;
    reply.tensors.push_back({"a name", tensor});
    EXPECT_EQ(Encode(reply).Flatten(), by_protobuf.SerializeAsString());
    RecvTensorReply received;
    received.tensors.push_back({"", tensor});
    tensorflow::RecvTensorResponse plain;
    ASSERT_TRUE(plain.mutable_tensor()->ParseFromString(bytes));
    EXPECT_EQ(Encode(received).Flatten(), plain.SerializeAsString());
    if (bytes.size() > 4096) continue;
    for (size_t at = 0; at < bytes.size(); at += 7) {  // split bytes take the slow path
      const Result<Tensor> back = DecodeTensor(Cut(bytes, at));
      ASSERT_TRUE(back.ok()) << back.status();
      ExpectSame(*back, tensor);
    }
    for (size_t at = 0; at < bytes.size(); ++at) {  // both paths must report the same errors
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x05);
      const Result<Tensor> whole = DecodeTensor(Rope(changed));
      const Result<Tensor> cut = DecodeTensor(Cut(changed, 1));
      ASSERT_EQ(whole.status(), cut.status());
      if (whole.ok()) ExpectSame(*whole, *cut);
    }
  }
}

TEST(WireTest, LargeTensorsAreNotCopiedOnTheWayOut) {
  const Tensor tensor = Tensor::Zeros(kFloat, Shape{10'000}).value();
  const Rope rope = EncodeTensor(tensor);
  EXPECT_EQ(static_cast<const void*>(rope.slices().back().data), tensor.raw());
}

// The message as it arrives from a peer: every long slice in a separate buffer, at offset `before`.
Rope Arrived(const Rope& sent, size_t before = 0) {
  Rope rope;
  for (const Rope::Slice& slice : sent.slices()) {
    const std::string text = std::string(before, '?') + std::string(slice.data, slice.size);
    BufferPtr buffer = CpuAllocator().Allocate(text.size()).value();
    std::memcpy(buffer->data(), text.data(), text.size());
    Rope whole;
    whole.Append(std::move(buffer));
    RopeReader reader(whole);
    reader.Skip(before);
    if (before == 0) {
      rope.Append(std::move(whole));
    } else {
      reader.Take(slice.size, &rope);
    }
  }
  return rope;
}

TEST(WireTest, LargeTensorKeepsReceivedMemory) {
  const Tensor sent = Tensor::Zeros(kFloat, Shape{100, 1000}).value();
  for (int i = 0; i < 100'000; ++i) sent.data<float>()[i] = static_cast<float>(i);
  RunStepCall call;
  call.tensors.push_back({"small", Tensor::Scalar(1.0f)});
  call.tensors.push_back({"large", sent});
  Rope bytes = Arrived(Encode(call));
  RunStepCall back;
  ASSERT_TRUE(Decode(bytes, &back).ok());
  const Tensor& received = back.tensors[1].tensor;
  ExpectSame(received, sent);
  bool found = false;
  for (const Rope::Slice& slice : bytes.slices()) found = found || slice.data == received.raw();
  EXPECT_TRUE(found);
  // The message still refers to the memory, so no op may write there.
  EXPECT_FALSE(received.OwnsMemoryAlone());
  bytes = Rope();
  EXPECT_TRUE(received.OwnsMemoryAlone());
  ExpectSame(received, sent);
}

TEST(WireTest, UnsuitableMemoryIsCopied) {
  const Tensor sent = Tensor::Zeros(kFloat, Shape{100'000}).value();
  for (const size_t before : {size_t{1}, size_t{400'000}}) {  // not aligned, and a small part of a buffer
    const Rope bytes = Arrived(EncodeTensor(sent), before);
    const Result<Tensor> received = DecodeTensor(bytes);
    ASSERT_TRUE(received.ok());
    EXPECT_TRUE(received->OwnsMemoryAlone());
    ExpectSame(*received, sent);
  }
}

RunStepCall Step() {
  RunStepCall call;
  call.message.set_session_handle("handle");
  call.message.add_fetch("a:0");
  call.message.add_target("b");
  call.message.mutable_options()->set_timeout_in_ms(7);
  call.tensors.push_back({"x:0", Tensor::Vector({1.0f, 2.0f})});
  call.tensors.push_back({"y:0", Tensor::Vector<std::string>({"p", "q"})});
  call.tensors.push_back({"z:0", Tensor::Scalar(true)});
  call.tensors.push_back({"", Tensor::Zeros(kInt64, Shape{0}).value()});
  return call;
}

TEST(WireTest, MessagesAreReadHoweverTheyAreCut) {
  const RunStepCall call = Step();
  const std::string bytes = Encode(call).Flatten();
  for (size_t at = 0; at <= bytes.size(); ++at) {
    RunStepCall back;
    const Status status = Decode(Cut(bytes, at), &back);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(back.message.SerializeAsString(), call.message.SerializeAsString());
    ASSERT_EQ(back.tensors.size(), call.tensors.size());
    for (size_t k = 0; k < call.tensors.size(); ++k) {
      EXPECT_EQ(back.tensors[k].name, call.tensors[k].name);
      ExpectSame(back.tensors[k].tensor, call.tensors[k].tensor);
    }
    tensorflow::RunStepRequest plain;  // protobuf can parse slices, too
    ASSERT_TRUE(Decode(Cut(bytes, at), &plain).ok());
    EXPECT_EQ(plain.feed_size(), 4);
    EXPECT_EQ(plain.fetch(0), "a:0");
  }
}

TEST(WireTest, MessagesThatEndTooEarlyAreMalformed) {
  const std::string bytes = Encode(Step()).Flatten();
  for (size_t size = 0; size < bytes.size(); ++size) {
    RunStepCall back;
    const Status status = Decode(Rope(bytes.substr(0, size)), &back);
    // The part up to a field boundary is a valid message.
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument) << size << status;
  }
}

TEST(WireTest, FieldsMayBeInAnyOrder) {
  tensorflow::RunStepRequest one;
  one.set_session_handle("s");
  auto* feed = one.add_feed();
  feed->set_name("x:0");
  feed->mutable_tensor()->set_dtype(tensorflow::DT_INT32);
  feed->mutable_tensor()->add_int_val(5);
  tensorflow::RunStepRequest two;
  two.add_fetch("f:0");
  // A repeated field, tensors between other fields, and an unknown field.
  const std::string bytes = two.SerializeAsString() + one.SerializeAsString() + two.SerializeAsString() +
                            one.SerializeAsString() + std::string("\xfa\x3f\x03zzz", 6);
  RunStepCall back;
  ASSERT_TRUE(Decode(Rope(bytes), &back).ok());
  EXPECT_EQ(back.message.fetch_size(), 2);
  ASSERT_EQ(back.tensors.size(), 2u);
  EXPECT_EQ(back.tensors[1].tensor.scalar<int32_t>(), 5);
}

// The fields of a TensorProto, to be combined in ways that protobuf does not produce.
std::string Bytes(int field, const std::string& value) {
  std::string text(1, static_cast<char>(field << 3 | 2));
  for (size_t size = value.size();; size >>= 7) {
    text.push_back(static_cast<char>(size >= 128 ? (size & 127) | 128 : size));
    if (size < 128) break;
  }
  return text + value;
}
std::string Type(int number) { return {1 << 3, static_cast<char>(number)}; }
std::string Dims(const std::vector<int64_t>& dims) {
  tensorflow::TensorShapeProto shape;
  for (int64_t d : dims) shape.add_dim()->set_size(d);
  return Bytes(2, shape.SerializeAsString());
}
std::string Content(const std::string& bytes) { return Bytes(4, bytes); }
std::string Text(const std::string& bytes) { return Bytes(8, bytes); }

TEST(WireTest, TensorsWithTheirFieldsInAnotherOrder) {
  const std::string two(8, '\0');
  const std::vector<std::string> same = {
      Type(kFloat) + Dims({2}) + Content(two),
      Content(two) + Type(kFloat) + Dims({2}),
      Dims({2}) + Content(two) + Type(kFloat),
      Type(kInt32) + Content("1234") + Type(kFloat) + Dims({2}) + Content(two),  // the last one counts
      Content("") + Type(kFloat) + Dims({2}),
      Type(kFloat) + Dims({2}) + Content(""),
      Type(kFloat) + Dims({2}) + Content("12345678") + Content(two),
      Type(kInt32) + Dims({2}) + Content(two) + Type(kFloat),
  };
  for (size_t k = 0; k < same.size(); ++k) {
    for (size_t at = 0; at <= same[k].size(); ++at) {
      Result<Tensor> tensor = DecodeTensor(Cut(same[k], at));
      ASSERT_TRUE(tensor.ok()) << k << tensor.status();
      ExpectSame(*tensor, Tensor::Zeros(kFloat, Shape{2}).value());
    }
  }
}

TEST(WireTest, BytesThatAreNoTensor) {
  constexpr int64_t kFar = int64_t{1} << 62;
  const std::string four(4, '\0');
  struct Case {
    const char* what;
    std::string bytes;
  };
  const std::vector<Case> cases = {
      {"no type", Dims({1}) + Content(four)},
      {"a type that there is not", Type(99) + Dims({1}) + Content(four)},
      {"a reference", Type(101) + Dims({1}) + Content(four)},
      {"a negative dimension", Type(kFloat) + Dims({-1}) + Content(four)},
      {"another negative dimension", Type(kFloat) + Dims({-2, 2}) + Content(four)},
      {"more elements than there are numbers", Type(kFloat) + Dims({kFar, kFar}) + Content(four)},
      {"more bytes than there are numbers", Type(kDouble) + Dims({kFar}) + Content(four)},
      {"a large shape with few bytes", Type(kFloat) + Dims({1 << 30, 8}) + Content(four)},
      {"a large shape with one value", Type(kInt32) + Dims({1 << 30}) + Bytes(7, "\x01")},
      {"a large shape without values", Type(kFloat) + Dims({1 << 30})},
      {"a large shape of strings with one value", Type(kString) + Dims({1 << 27}) + Text("x")},
      {"large strings without values", Type(kString) + Dims({1 << 27})},
      {"large handles without values", Type(kResource) + Dims({1 << 27})},
      {"fewer bytes than elements", Type(kFloat) + Dims({2}) + Content(four)},
      {"more bytes than elements", Type(kFloat) + Dims({2}) + Content(four + four + four)},
      {"bytes of no elements", Type(kFloat) + Dims({0}) + Content(four)},
      {"bytes of no rows", Type(kFloat) + Bytes(2, Bytes(2, {8, 0}) + Bytes(2, {8, 2})) + Content(four)},
      {"a dimension whose later size counts", Type(kFloat) + Bytes(2, Bytes(2, {8, 1, 8, 2})) + Content(four)},
      {"more values than elements", Type(kString) + Dims({1}) + Text("a") + Text("b")},
      {"a bool of another kind", Type(kBool) + Dims({4}) + Content("\x02\x01\x01\x01")},
      {"handles as bytes", Type(kResource) + Dims({4}) + Content(four)},
      {"strings that are longer than their bytes", Type(kString) + Dims({1}) + Content("\x05zzz")},
      {"too many dimensions", Type(kFloat) + Dims(std::vector<int64_t>(300, 1)) + Content(four)},
      {"a length beyond the end", Type(kFloat) + std::string("\x22\x08zzz", 5)},
      {"a length beyond all numbers", Type(kFloat) + "\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
      {"a number that does not end", std::string("\x08\xff", 2)},
      {"a group", Type(kFloat) + std::string("\x1b\x1c", 2)},
      {"the end of a group", Type(kFloat) + std::string("\x1c", 1)},
      {"a kind of field that there is not", Type(kFloat) + std::string("\x26\x01", 2)},
      {"field 0", Type(kFloat) + std::string("\x02\x01z", 3)},
      {"a shape beyond the end", Type(kFloat) + std::string("\x12\x7f\x12\x02\x08\x01", 6) + Content(four)},
      {"a dimension beyond its shape", Type(kFloat) + Bytes(2, std::string("\x12\x7f\x08\x01", 4)) + Content(four)},
      {"a shape that is no message", Type(kFloat) + Bytes(2, "\xff\xff") + Content(four)},
      {"too few bytes of a fixed number", Type(kFloat) + std::string("\x35\x01\x02", 3)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    Result<Tensor> tensor = DecodeTensor(Rope(c.bytes));
    EXPECT_EQ(tensor.status().code(), StatusCode::kInvalidArgument) << tensor.status();
    // Within messages, with and without names, and followed by more bytes.
    const std::string after = Bytes(7, "partial");
    RunCallableReply unnamed;
    EXPECT_EQ(Decode(Rope(Bytes(1, c.bytes) + after), &unnamed).code(), StatusCode::kInvalidArgument);
    RunStepCall named;
    EXPECT_EQ(Decode(Rope(Bytes(2, Bytes(1, "x:0") + Bytes(2, c.bytes)) + after), &named).code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(WireTest, NamedTensorsThatReachBeyondTheirMessage) {
  const std::string after = Bytes(7, std::string(64, 'x'));
  for (const std::string& inner : {
           std::string("\x0a\x20zzz"),         // a name
           std::string("\x12\x20zzz"),         // a tensor
           std::string("\x12\x04\x22\x20zz"),  // its content
           std::string("\x1a\x20zzz"),         // an unknown field
           std::string("\x1d\x01\x02"),
           std::string("\x08\x80"),
       }) {
    RunStepCall call;
    EXPECT_EQ(Decode(Rope(Bytes(2, inner) + after), &call).code(), StatusCode::kInvalidArgument)
        << testing::PrintToString(inner);
  }
}

TEST(WireTest, OnlyNamedTensorsMayBeMissing) {
  RunStepCall call;
  ASSERT_TRUE(Decode(Rope(Bytes(2, Bytes(1, "x:0"))), &call).ok());
  EXPECT_FALSE(call.tensors.at(0).tensor.valid());
  RunStepCall back;
  ASSERT_TRUE(Decode(Encode(call), &back).ok());
  EXPECT_FALSE(back.tensors.at(0).tensor.valid());
  RecvTensorReply dead;
  dead.tensors.push_back({"", Tensor()});
  EXPECT_EQ(Encode(dead).size(), 0U);
  RunCallableCall unnamed;
  EXPECT_EQ(Decode(Rope(Bytes(3, "")), &unnamed).code(), StatusCode::kInvalidArgument);
}

TEST(WireTest, ErrorsAreText) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain", "plain"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"a\xff"
       "b",
       "a?b"},
      {"\xc0\x80", "??"},            // overlong
      {"\xe0\x80\x80", "???"},       // overlong
      {"\xed\xa0\x80", "???"},       // a surrogate
      {"\xf5\x80\x80\x80", "????"},  // beyond the last code point
      {"\xe2\x82", "??"},            // truncated
      {"\xe2\x82x", "??x"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(ErrorText(InvalidArgument("{}", bytes)), text);
    tensorflow::RunStepResponse message;
    message.set_status_error_message(ErrorText(InvalidArgument("{}", bytes)));
    EXPECT_TRUE(tensorflow::RunStepResponse().ParseFromString(message.SerializeAsString()));
  }
}

TEST(WireTest, ErrorsKeepTheirNode) {
  const Status failed = MarkNode(OutOfRange("too far"), "a/b");
  const std::string text = ErrorText(failed);
  const Status back = ErrorFromText(static_cast<int>(failed.code()), text);
  EXPECT_EQ(back.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(NodeOf(back).value_or(""), "a/b");
  EXPECT_EQ(ErrorText(back), text);
  EXPECT_EQ(ErrorFromText(99, "x").code(), StatusCode::kUnknown);
  EXPECT_EQ(ErrorFromText(-1, "x").code(), StatusCode::kUnknown);
  EXPECT_TRUE(ErrorFromText(0, "x").ok());
  EXPECT_EQ(NodeOf(ErrorFromText(3, "a {{node b")).value_or("none"), "none");
}

// TensorFlow's clients read the first double brackets of a message.
TEST(WireTest, TheNodeOfAnErrorIsInItsFirstBrackets) {
  const Status failed =
      MarkNode(InvalidArgument("bad [0, 2)\n\t [[node 'a/b' (Gather)]]\n\t [[node 'f' (Call)]]"), "a/b");
  EXPECT_EQ(ErrorText(failed), "bad [0, 2)\n\t [[{{node a/b}}]]\n\t [[node 'f' (Call)]]");
  EXPECT_EQ(ErrorText(MarkNode(InvalidArgument("bad"), "a")), "bad\n\t [[{{node a}}]]");
}

TEST(WireTest, LongStringsAreReferredTo) {
  Tensor tensor = Tensor::Zeros(kString, Shape{3}).value();
  std::string* texts = tensor.data<std::string>();
  texts[0] = "short";
  texts[1] = std::string(100'000, 'x');
  texts[2] = "after";
  const Rope rope = EncodeTensor(tensor);
  ASSERT_EQ(rope.slices().size(), 3U);
  EXPECT_EQ(rope.slices()[1].data, texts[1].data());
  EXPECT_EQ(rope.slices()[1].size, texts[1].size());
  tensorflow::TensorProto proto;
  ASSERT_TRUE(proto.ParseFromString(rope.Flatten()));  // protobuf can read it
  ASSERT_EQ(proto.string_val_size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proto.string_val(i), texts[i]);
}

TEST(WireTest, ManyStringsGoIntoFewSlices) {
  Tensor tensor = Tensor::Zeros(kString, Shape{100'000}).value();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<std::string>()[i] = std::to_string(i);
  const Rope rope = EncodeTensor(tensor);
  EXPECT_LT(rope.slices().size(), 20U);
  Result<Tensor> back = DecodeTensor(rope);
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->num_elements(), tensor.num_elements());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) ASSERT_EQ(back->data<std::string>()[i], std::to_string(i));
}

TEST(WireTest, AMessageThatIsTooLargeNamesItsLargestTensor) {
  const std::vector<NamedTensor> tensors = {{"small", Tensor::Scalar(1.0f)},
                                            {"large", Tensor::Zeros(kFloat, Shape{100, 5}).value()},
                                            {"", Tensor::Scalar(std::string(1'000, 'x'))}};
  const size_t size = EncodeTensors(tensorflow::RunGraphRequest(), {3, true}, tensors).size();
  EXPECT_TRUE(CheckCallSize(size, tensors, size).ok());
  const Status status = CheckCallSize(size, tensors, size - 1);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  for (const std::string& part : {std::to_string(size), std::string("'large'"), std::string("[100,5]")})
    EXPECT_NE(status.message().find(part), absl::string_view::npos) << status;
  EXPECT_FALSE(CheckCallSize(10, {}, 9).ok());
}

}  // namespace
}  // namespace weir
