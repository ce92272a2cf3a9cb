// Encodes and decodes messages that carry tensors. Encoding refers to the memory of tensors. Decoding keeps the memory
// that the bytes were received in, or copies straight from it into the tensor. All other fields are left to protobuf.
// Input is validated; errors are InvalidArgument.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cluster/rope.h"
#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "tensor/tensor.h"

namespace weir {

class OwnTaskValues;

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A message and the tensors of its tensor field, which is left empty in the message itself.
template <class Message>
struct TensorMessage {
  Message message;
  std::vector<NamedTensor> tensors;  // names are empty if the field has none
};
// Within one process, the master also passes an object through which it exchanges values while the step runs.
struct RunGraphCall : TensorMessage<tensorflow::RunGraphRequest> {
  std::shared_ptr<OwnTaskValues> own_values;
};
using RunGraphReply = TensorMessage<tensorflow::RunGraphResponse>;
using RunStepCall = TensorMessage<tensorflow::RunStepRequest>;
using RunStepReply = TensorMessage<tensorflow::RunStepResponse>;
using RunCallableCall = TensorMessage<tensorflow::RunCallableRequest>;
using RunCallableReply = TensorMessage<tensorflow::RunCallableResponse>;
// Has a tensor, or a chunk of its bytes (chunks.h). A chunk stays in the memory that it was received in until it is
// copied to its place.
struct RecvTensorReply : TensorMessage<tensorflow::RecvTensorResponse> {
  Rope chunk;
};

// The tensor field of a message.
struct TensorField {
  int number;
  bool named;  // a NamedTensorProto, else a TensorProto
};
inline TensorField TensorFieldOf(const tensorflow::RunGraphRequest&) { return {3, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunGraphResponse&) { return {1, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunStepRequest&) { return {2, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunStepResponse&) { return {1, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunCallableRequest&) { return {3, false}; }
inline TensorField TensorFieldOf(const tensorflow::RunCallableResponse&) { return {1, false}; }
inline TensorField TensorFieldOf(const tensorflow::RecvTensorResponse&) { return {1, false}; }

// The limit of a call: gRPC counts the bytes of a message in 32 bits.
constexpr size_t kMaxCallBytes = std::numeric_limits<uint32_t>::max();
// ResourceExhausted if `bytes` exceeds the limit; names the largest tensor.
Status CheckCallSize(size_t bytes, const std::vector<NamedTensor>& tensors, size_t limit = kMaxCallBytes);

// A tensor as TensorProto.
Rope EncodeTensor(const Tensor& tensor);
Result<Tensor> DecodeTensor(const Rope& bytes);

Rope EncodeTensors(const google::protobuf::MessageLite& message, TensorField field,
                   const std::vector<NamedTensor>& tensors);
// `chunk`, if given, receives the bytes of RecvTensorReply::chunk, without a copy.
Status DecodeTensors(const Rope& bytes, TensorField field, google::protobuf::MessageLite* message,
                     std::vector<NamedTensor>* tensors, Rope* chunk = nullptr);

template <class Message>
Rope Encode(const TensorMessage<Message>& m) {
  return EncodeTensors(m.message, TensorFieldOf(m.message), m.tensors);
}
Rope Encode(const RecvTensorReply& m);
inline Rope Encode(const google::protobuf::MessageLite& m) { return Rope(m.SerializeAsString()); }

Status Decode(const Rope& bytes, google::protobuf::MessageLite* m);
template <class Message>
Status Decode(const Rope& bytes, TensorMessage<Message>* m) {
  return DecodeTensors(bytes, TensorFieldOf(m->message), &m->message, &m->tensors);
}
inline Status Decode(const Rope& bytes, RecvTensorReply* m) {
  return DecodeTensors(bytes, TensorFieldOf(m->message), &m->message, &m->tensors, &m->chunk);
}

// Errors on the wire are a code and a text. The text has the failed node in TensorFlow's form, "[[{{node x}}]]", from
// which ErrorFromText recovers it.
std::string ErrorText(const Status& status);
Status ErrorFromText(int code, std::string_view text);

}  // namespace weir
