// Tensors in chunks: chunks are assembled in any order, and chunks that do not fit are errors.
#include "cluster/chunks.h"

#include <gtest/gtest.h>

#include <cstring>

namespace weir {
namespace {

Tensor Numbers(int64_t n) {
  Tensor tensor = Tensor::Zeros(kFloat, Shape{n}).value();
  for (int64_t i = 0; i < n; ++i) tensor.data<float>()[i] = static_cast<float>(i);
  return tensor;
}

// The reply as it arrives at the other end.
RecvTensorReply Sent(const RecvTensorReply& reply) {
  RecvTensorReply back;
  const Status status = Decode(Encode(reply), &back);
  EXPECT_TRUE(status.ok()) << status;
  return back;
}

TEST(ChunksTest, AChunkIsNotCopiedOnTheWayOut) {
  const Tensor tensor = Numbers(10'000);
  const Rope rope = Encode(MakeChunk({tensor}, 4'000, 8'000));
  ASSERT_EQ(rope.slices().back().size, 8'000U);
  EXPECT_EQ(static_cast<const void*>(rope.slices().back().data), static_cast<char*>(tensor.raw()) + 4'000);
}

TEST(ChunksTest, ChunksAreAssembledInAnyOrder) {
  const Tensor tensor = Numbers(1'000);  // 4,000 bytes: six chunks, the last one short
  constexpr size_t kChunk = 777;
  ChunkedTensor whole;
  Result<bool> complete = whole.Add(Sent(MakeChunk({tensor}, 0, kChunk)), 0);
  ASSERT_TRUE(complete.ok()) << complete.status();
  EXPECT_FALSE(*complete);
  std::vector<size_t> offsets;
  for (size_t offset = 0; whole.Next(&offset);) offsets.push_back(offset);
  ASSERT_EQ(offsets, (std::vector<size_t>{777, 1554, 2331, 3108, 3885}));
  for (size_t k = offsets.size(); k-- > 0;) {
    complete = whole.Add(Sent(MakeChunk({tensor}, offsets[k], kChunk)), offsets[k]);
    ASSERT_TRUE(complete.ok()) << complete.status();
    EXPECT_EQ(*complete, k == 0);
  }
  const Tensor back = whole.Take().value();
  EXPECT_EQ(back.dtype(), kFloat);
  EXPECT_EQ(back.shape(), tensor.shape());
  EXPECT_EQ(std::memcmp(back.raw(), tensor.raw(), tensor.num_bytes()), 0);
}

TEST(ChunksTest, ShortTensorsAreNotChunked) {
  constexpr size_t kChunk = 100;
  const auto is_whole = [](const Tensor& tensor) { return !SplitIntoChunks(tensor, kChunk).value().has_value(); };
  EXPECT_TRUE(is_whole(Numbers(kMaxWholeChunks * kChunk / sizeof(float))));
  EXPECT_FALSE(is_whole(Numbers(kMaxWholeChunks * kChunk / sizeof(float) + 1)));
  EXPECT_TRUE(is_whole(Tensor::Scalar(std::string(kMaxWholeChunks * kChunk - 2, 'x'))));
  EXPECT_FALSE(is_whole(Tensor::Scalar(std::string(kMaxWholeChunks * kChunk - 1, 'x'))));
  EXPECT_FALSE(is_whole(Tensor::Zeros(kString, Shape{kMaxWholeChunks * kChunk}).value()));
  EXPECT_TRUE(is_whole(Tensor::Zeros(kString, Shape{0}).value()));
}

TEST(ChunksTest, StringChunksAreAssembled) {
  Tensor tensor = Tensor::Zeros(kString, Shape{50, 3}).value();
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    tensor.data<std::string>()[i] = std::string(static_cast<size_t>(i * i), static_cast<char>(i));
  constexpr size_t kChunk = 10'001;
  const std::optional<ChunkSource> apart = SplitIntoChunks(tensor, kChunk).value();
  ASSERT_TRUE(apart.has_value());
  ChunkedTensor whole;
  size_t offset = 0;
  bool complete = false;
  do {
    ASSERT_FALSE(complete);
    complete = whole.Add(Sent(MakeChunk(*apart, offset, kChunk)), offset).value();
  } while (whole.Next(&offset));
  EXPECT_TRUE(complete);
  const Tensor back = whole.Take().value();
  ASSERT_EQ(back.shape(), tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    ASSERT_EQ(back.data<std::string>()[i], tensor.data<std::string>()[i]) << i;
}

TEST(ChunksTest, BytesThatAreNoStringsAreErrors) {
  const Rope numbers = EncodeTensor(Numbers(100));
  Tensor bytes = Tensor::Zeros(kUint8, Shape{static_cast<int64_t>(numbers.size())}).value();
  RopeReader(numbers).Read(bytes.raw(), numbers.size());
  ChunkedTensor other;
  ASSERT_TRUE(other.Add(MakeChunk({bytes, true}, 0, numbers.size()), 0).value());
  EXPECT_EQ(other.Take().status().code(), StatusCode::kInternal);
  Tensor ones = Tensor::Zeros(kUint8, Shape{100}).value();
  std::memset(ones.raw(), 0xff, ones.num_bytes());
  ChunkedTensor garbage;
  ASSERT_TRUE(garbage.Add(MakeChunk({ones, true}, 0, 100), 0).value());
  EXPECT_EQ(garbage.Take().status().code(), StatusCode::kInvalidArgument);
}

TEST(ChunksTest, ChunksThatDoNotFitAreErrors) {
  const Tensor tensor = Numbers(100);
  const auto first = [&] { return MakeChunk({tensor}, 0, 150); };
  {
    RecvTensorReply no_header = first();
    no_header.message.mutable_transport_options()->set_value("?");
    EXPECT_EQ(ChunkedTensor().Add(no_header, 0).status().code(), StatusCode::kInternal);
  }
  {
    RecvTensorReply handles = first();
    tensorflow::TensorProto header;
    header.set_dtype(tensorflow::DT_RESOURCE);
    handles.message.mutable_transport_options()->set_value(header.SerializeAsString());
    EXPECT_EQ(ChunkedTensor().Add(handles, 0).status().code(), StatusCode::kInternal);
  }
  {
    RecvTensorReply empty = first();
    empty.chunk = Rope();
    EXPECT_EQ(ChunkedTensor().Add(empty, 0).status().code(), StatusCode::kInternal);
  }
  ChunkedTensor whole;
  ASSERT_TRUE(whole.Add(first(), 0).ok());
  EXPECT_EQ(whole.Add(MakeChunk({tensor}, 150, 149), 150).status().code(), StatusCode::kInternal);  // too short
  EXPECT_EQ(whole.Add(MakeChunk({tensor}, 150, 151), 150).status().code(), StatusCode::kInternal);  // too long
  EXPECT_EQ(whole.Add(first(), 400).status().code(), StatusCode::kInternal);                        // beyond the end
  RecvTensorReply plain;
  plain.tensors.push_back({"", tensor});
  EXPECT_EQ(whole.Add(plain, 150).status().code(), StatusCode::kInternal);
}

TEST(ChunksTest, BytesThatAreNoBoolsAreErrors) {
  Tensor tensor = Tensor::Zeros(kBool, Shape{100}).value();
  ASSERT_TRUE(ChunkedTensor().Add(MakeChunk({tensor}, 0, 60), 0).ok());
  static_cast<char*>(tensor.raw())[59] = 2;
  EXPECT_EQ(ChunkedTensor().Add(MakeChunk({tensor}, 0, 60), 0).status().code(), StatusCode::kInternal);
}

TEST(ChunksTest, RequestCarriesTheOffset) {
  tensorflow::RecvTensorRequest request;
  size_t offset = 1;
  Result<bool> wants = WantsChunk(request, &offset);
  EXPECT_TRUE(wants.ok() && !*wants);
  EXPECT_EQ(offset, 0U);
  AskForChunk(123, &request);
  wants = WantsChunk(request, &offset);
  EXPECT_TRUE(wants.ok() && *wants);
  EXPECT_EQ(offset, 123U);
  request.mutable_transport_options()->set_value("12x");
  EXPECT_EQ(WantsChunk(request, &offset).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weir
