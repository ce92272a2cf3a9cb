// Messages that carry tensors, as bytes and back. A tensor's memory is referred to when a message is written; when one
// is read it is the memory that the bytes came in, or filled straight from them. Everything else of a message is left
// to protobuf. What is read is checked; errors are InvalidArgument.
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

class AnswerValues;

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A message and the tensors of its one field of tensors, which the message itself leaves empty.
template <class Message>
struct TensorMessage {
  Message message;
  std::vector<NamedTensor> tensors;  // names stay empty where the field has none
};
// Inside of one process the caller may also bring values while the step runs.
struct RunGraphCall : TensorMessage<tensorflow::RunGraphRequest> {
  std::shared_ptr<AnswerValues> brought;
};
using RunGraphReply = TensorMessage<tensorflow::RunGraphResponse>;
using RunStepCall = TensorMessage<tensorflow::RunStepRequest>;
using RunStepReply = TensorMessage<tensorflow::RunStepResponse>;
using RunCallableCall = TensorMessage<tensorflow::RunCallableRequest>;
using RunCallableReply = TensorMessage<tensorflow::RunCallableResponse>;
// Brings a tensor, or a chunk of its bytes (see chunks.h), which stay in the memory they came in until they are copied
// to their place.
struct RecvTensorReply : TensorMessage<tensorflow::RecvTensorResponse> {
  Rope chunk;
};

// Which field that is.
struct TensorField {
  int number;
  bool named;  // of NamedTensorProto, else of TensorProto
};
inline TensorField TensorFieldOf(const tensorflow::RunGraphRequest&) { return {3, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunGraphResponse&) { return {1, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunStepRequest&) { return {2, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunStepResponse&) { return {1, true}; }
inline TensorField TensorFieldOf(const tensorflow::RunCallableRequest&) { return {3, false}; }
inline TensorField TensorFieldOf(const tensorflow::RunCallableResponse&) { return {1, false}; }
inline TensorField TensorFieldOf(const tensorflow::RecvTensorResponse&) { return {1, false}; }

// What a call carries at most: gRPC counts the bytes of a message in 32 bits.
constexpr size_t kMaxCallBytes = std::numeric_limits<uint32_t>::max();
// ResourceExhausted for a message of more, naming the largest of its tensors.
Status CheckCallSize(size_t bytes, const std::vector<NamedTensor>& tensors, size_t limit = kMaxCallBytes);

// TensorProto.
Rope EncodeTensor(const Tensor& tensor);
Result<Tensor> DecodeTensor(const Rope& bytes);

Rope EncodeTensors(const google::protobuf::MessageLite& message, TensorField field,
                   const std::vector<NamedTensor>& tensors);
// `chunk`, where it is taken, gets the bytes of RecvTensorReply's, without a copy.
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

// Errors on the wire are a code and a text; the node at which one arose stands in the text as TensorFlow writes it,
// "[[{{node x}}]]", and is found again there.
std::string ErrorText(const Status& status);
Status ErrorFromText(int code, std::string_view text);

}  // namespace weir
