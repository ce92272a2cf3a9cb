#include "cluster/kept_responses.h"

namespace weir {

size_t KeptBytes(const Tensor& tensor) {
  size_t bytes = tensor.num_bytes();
  if (tensor.dtype() != kString) return bytes;
  for (const std::string& text : tensor.flat<std::string>()) bytes += text.size();
  return bytes;
}

size_t KeptBytes(const google::protobuf::MessageLite& message, const std::vector<NamedTensor>& tensors) {
  size_t bytes = message.ByteSizeLong();
  for (const NamedTensor& named : tensors) bytes += named.name.size() + KeptBytes(named.tensor);
  return bytes;
}

Status ResponseNotKept(size_t max_bytes) {
  return Aborted(
      "the step has run, but its response was lost with the connection, and was too large to be kept: a session keeps "
      "{} MB (WEIR_KEPT_RESPONSES_MB). Fetch less in steps that change variables, or make a new session",
      max_bytes >> 20);
}

}  // namespace weir
