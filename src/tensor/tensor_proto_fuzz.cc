// Reads arbitrary bytes as a TensorProto. The result is an error, or a tensor that can be written and read again.
#include <cstddef>
#include <cstdint>

#include "tensor/tensor_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tensorflow::TensorProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  // One value may repeat for any number of elements. Skip huge tensors: they would only be slow.
  const weir::Result<weir::PartialShape> shape = weir::FromProto(proto.tensor_shape());
  if (shape.ok() && shape->num_elements() > (1 << 16)) return 0;
  const weir::Result<weir::Tensor> tensor = weir::FromProto(proto);
  if (!tensor.ok()) return 0;
  tensorflow::TensorProto written;
  weir::ToProto(*tensor, &written);
  const weir::Result<weir::Tensor> again = weir::FromProto(written);
  WEIR_CHECK(again.ok(), std::string(again.status().message()));
  WEIR_CHECK(again->dtype() == tensor->dtype() && again->shape() == tensor->shape(), again->shape(), tensor->shape());
  WEIR_CHECK(again->ToString(100) == tensor->ToString(100), again->ToString(), tensor->ToString());
  return 0;
}
