#include "cluster/chunks.h"

#include <algorithm>
#include <charconv>

#include "tensor/tensor_proto.h"

namespace weir {
namespace {

constexpr char kChunks[] = "weir/chunks";

}  // namespace

void AskForChunk(size_t offset, tensorflow::RecvTensorRequest* request) {
  request->mutable_transport_options()->set_type_url(kChunks);
  request->mutable_transport_options()->set_value(std::to_string(offset));
}

Result<bool> WantsChunk(const tensorflow::RecvTensorRequest& request, size_t* offset) {
  *offset = 0;
  if (request.transport_options().type_url() != kChunks) return false;
  const std::string& text = request.transport_options().value();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *offset);
  if (error != std::errc() || end != text.data() + text.size())
    return InvalidArgument("'{}' is not a valid tensor offset", text.substr(0, 40));
  return true;
}

bool FitsSingleMessage(const Tensor& tensor) {
  return IsPlain(tensor.dtype()) && tensor.dtype() != kBool && tensor.num_bytes() <= kMaxCallBytes / 2;
}

Result<std::optional<ChunkSource>> SplitIntoChunks(const Tensor& tensor, size_t chunk_bytes) {
  const size_t whole = kMaxWholeChunks * chunk_bytes;
  if (IsPlain(tensor.dtype())) {
    if (tensor.num_bytes() <= whole) return std::nullopt;
    return ChunkSource{tensor, false};
  }
  if (tensor.dtype() != kString) return std::nullopt;
  size_t size = 0;
  for (const std::string& value : tensor.flat<std::string>()) size += value.size() + 2;  // lower bound of the encoding
  if (size <= whole) return std::nullopt;
  const Rope encoded = EncodeTensor(tensor);
  WEIR_ASSIGN(Tensor bytes, Tensor::Allocate(kUint8, Shape{static_cast<int64_t>(encoded.size())}));
  RopeReader(encoded).Read(bytes.raw(), encoded.size());
  return ChunkSource{std::move(bytes), true};
}

RecvTensorReply MakeChunk(const ChunkSource& from, size_t offset, size_t chunk_bytes) {
  RecvTensorReply reply;
  reply.message.mutable_transport_options()->set_type_url(kChunks);
  if (offset == 0) {
    // For strings this is the shape of the encoding.
    tensorflow::TensorProto header;
    header.set_dtype(static_cast<tensorflow::DataType>(from.encoded ? kString : from.bytes.dtype()));
    ToProto(PartialShape(from.bytes.shape()), header.mutable_tensor_shape());
    reply.message.mutable_transport_options()->set_value(header.SerializeAsString());
  }
  const size_t size = std::min(chunk_bytes, from.bytes.num_bytes() - offset);
  reply.chunk.Append(static_cast<char*>(from.bytes.raw()) + offset, size,
                     std::make_shared<BufferPtr>(from.bytes.buffer()));
  return reply;
}

bool IsChunk(const RecvTensorReply& reply) { return reply.message.transport_options().type_url() == kChunks; }

Result<bool> ChunkedTensor::Add(const RecvTensorReply& reply, size_t offset) {
  const auto wrong = [] { return Internal("received a tensor chunk that does not fit"); };
  if (!IsChunk(reply)) return wrong();
  const size_t size = reply.chunk.size();
  if (offset == 0) {
    tensorflow::TensorProto header;
    if (!header.ParseFromString(reply.message.transport_options().value())) return wrong();
    WEIR_ASSIGN(const DType dtype, DTypeFromNumber(header.dtype()));
    WEIR_ASSIGN(const PartialShape shape, FromProto(header.tensor_shape()));
    encoded_ = dtype == kString;
    if (IsRef(dtype) || !(IsPlain(dtype) || encoded_) || !shape.fully_defined()) return wrong();
    WEIR_ASSIGN(tensor_, Tensor::Allocate(encoded_ ? kUint8 : dtype, shape.ToShape()));
    total_ = tensor_.num_bytes();
    chunk_bytes_ = size;
    asked_ = chunk_bytes_;
  }
  if (size == 0 || offset >= total_ || size != std::min(chunk_bytes_, total_ - offset)) return wrong();
  char* to = static_cast<char*>(tensor_.raw()) + offset;
  RopeReader(reply.chunk).Read(to, size);
  if (tensor_.dtype() == kBool && std::any_of(to, to + size, [](char byte) { return byte != 0 && byte != 1; }))
    return wrong();
  return received_.fetch_add(size, std::memory_order_acq_rel) + size == total_;
}

Result<Tensor> ChunkedTensor::Take() {
  if (!encoded_) return std::move(tensor_);
  Rope bytes;
  bytes.Append(tensor_.raw(), tensor_.num_bytes(), std::make_shared<BufferPtr>(tensor_.buffer()));
  tensor_ = Tensor();
  WEIR_ASSIGN(Tensor strings, DecodeTensor(bytes));
  if (strings.dtype() != kString)
    return Internal("the chunks decode to a {} tensor instead of strings", strings.dtype());
  return strings;
}

bool ChunkedTensor::Next(size_t* offset) {
  *offset = asked_.fetch_add(chunk_bytes_, std::memory_order_relaxed);
  return *offset < total_;
}

}  // namespace weir
