// Decodes arbitrary bytes as each message that carries tensors. The result must be an error, or a message that survives
// encoding and decoding, wherever the bytes are split into slices.
#include <google/protobuf/stubs/logging.h>

#include <cstdint>

#include "base/check.h"
#include "cluster/wire.h"

namespace {

weir::Rope Cut(const std::string& bytes, size_t at) {
  weir::Rope rope(bytes.substr(0, at));
  rope.Append(weir::Rope(bytes.substr(at)));
  return rope;
}

template <class Message>
void Check(const std::string& bytes, size_t cut) {
  weir::TensorMessage<Message> message;
  const weir::Status status = weir::Decode(weir::Rope(bytes), &message);
  weir::TensorMessage<Message> of_slices;
  const weir::Status again = weir::Decode(Cut(bytes, cut), &of_slices);
  WEIR_CHECK(status == again, status.ToString(), again.ToString());
  if (!status.ok()) {
    WEIR_CHECK(status.code() == weir::StatusCode::kInvalidArgument || status.code() == weir::StatusCode::kUnimplemented,
               status.ToString());
    return;
  }
  const std::string encoded = weir::Encode(message).Flatten();
  WEIR_CHECK(encoded == weir::Encode(of_slices).Flatten(), bytes.size());
  weir::TensorMessage<Message> back;
  WEIR_CHECK(weir::Decode(weir::Rope(encoded), &back).ok(), bytes.size());
  WEIR_CHECK(back.tensors.size() == message.tensors.size(), back.tensors.size(), message.tensors.size());
  WEIR_CHECK(weir::Encode(back).Flatten() == encoded, bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] {
    google::protobuf::SetLogHandler(nullptr);  // would log every malformed message
    return true;
  }();
  if (!quiet || size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t cut = data[1] % (bytes.size() + 1);
  switch (data[0] % 7) {
    case 0:
      Check<tensorflow::RunGraphRequest>(bytes, cut);
      break;
    case 1:
      Check<tensorflow::RunGraphResponse>(bytes, cut);
      break;
    case 2:
      Check<tensorflow::RunStepRequest>(bytes, cut);
      break;
    case 3:
      Check<tensorflow::RunStepResponse>(bytes, cut);
      break;
    case 4:
      Check<tensorflow::RunCallableRequest>(bytes, cut);
      break;
    case 5:
      Check<tensorflow::RunCallableResponse>(bytes, cut);
      break;
    default:
      Check<tensorflow::RecvTensorResponse>(bytes, cut);
      break;
  }
  return 0;
}
