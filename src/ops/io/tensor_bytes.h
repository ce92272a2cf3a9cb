// Tensors as serialized TensorProtos. Plain types are stored as raw bytes.
#pragma once

#include <string>

#include "tensor/tensor_proto.h"

namespace weir::ops {

inline std::string TensorToBytes(const Tensor& tensor) {
  tensorflow::TensorProto proto;
  if (tensor.dtype() == kString || tensor.dtype() == kResource || tensor.num_elements() == 0) {
    ToProto(tensor, &proto);
  } else {
    proto.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype()));
    ToProto(PartialShape(tensor.shape()), proto.mutable_tensor_shape());
    proto.set_tensor_content(tensor.raw(), tensor.num_bytes());
  }
  return proto.SerializeAsString();
}

// `what` names the bytes in error messages.
inline Result<Tensor> TensorFromBytes(const std::string& bytes, const std::string& what) {
  tensorflow::TensorProto proto;
  if (!proto.ParseFromString(bytes))
    return InvalidArgument("Could not parse {}: its {} bytes are not a serialized TensorProto", what, bytes.size());
  return FromProto(proto);
}

}  // namespace weir::ops
