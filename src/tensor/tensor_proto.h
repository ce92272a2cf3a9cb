// Conversion of Tensor and Shape to and from TensorFlow's messages. FromProto checks everything that it reads.
#ifndef WEIR_TENSOR_TENSOR_PROTO_H_
#define WEIR_TENSOR_TENSOR_PROTO_H_

#include "proto/tensor.pb.h"
#include "tensor/tensor.h"

namespace weir {

void ToProto(const PartialShape& shape, tensorflow::TensorShapeProto* proto);
Result<PartialShape> FromProto(const tensorflow::TensorShapeProto& proto);
// Writes plain types to tensor_content (a single repeated value to its typed field), strings to string_val, and so on.
void ToProto(const Tensor& tensor, tensorflow::TensorProto* proto);
Result<Tensor> FromProto(const tensorflow::TensorProto& proto);

}  // namespace weir

#endif  // WEIR_TENSOR_TENSOR_PROTO_H_
