// Tensor, Shape and DType to and from TensorFlow's messages. Everything that comes in is checked.
#ifndef WEIR_TENSOR_TENSOR_PROTO_H_
#define WEIR_TENSOR_TENSOR_PROTO_H_

#include "proto/tensor.pb.h"
#include "tensor/tensor.h"

namespace weir {

void ToProto(const PartialShape& shape, tensorflow::TensorShapeProto* proto);
Result<PartialShape> FromProto(const tensorflow::TensorShapeProto& proto);
// Values in tensor_content for plain types (or the typed field for a single repeated value), string_val and so on.
void ToProto(const Tensor& tensor, tensorflow::TensorProto* proto);
Result<Tensor> FromProto(const tensorflow::TensorProto& proto);

}  // namespace weir

#endif  // WEIR_TENSOR_TENSOR_PROTO_H_
