#include "tensor/packed_tensor.h"

#include "tensor/tensor_proto.h"

namespace weir {
namespace {

constexpr int64_t kMinBytes = 1024;

// The number of elements in the message.
int64_t NumGiven(const tensorflow::TensorProto& proto) {
  return int64_t{proto.float_val_size()} + proto.double_val_size() + proto.int_val_size() + proto.string_val_size() +
         proto.scomplex_val_size() / 2 + proto.int64_val_size() + proto.bool_val_size() +
         proto.dcomplex_val_size() / 2 + proto.half_val_size() + proto.resource_handle_val_size() +
         proto.uint32_val_size() + proto.uint64_val_size();
}

}  // namespace

PackedTensor::PackedTensor(DType dtype, const Shape& shape, std::unique_ptr<const tensorflow::TensorProto> proto)
    : dtype_(dtype), shape_(shape), proto_(std::move(proto)) {}
PackedTensor::~PackedTensor() = default;

Result<std::shared_ptr<const PackedTensor>> PackedTensor::FromProto(const tensorflow::TensorProto& proto) {
  const std::shared_ptr<const PackedTensor> none;
  const Result<DType> dtype = DTypeFromNumber(proto.dtype());
  const Result<PartialShape> partial = weir::FromProto(proto.tensor_shape());
  // Not an error here: the caller then reads the message as a plain tensor, which reports what is wrong.
  if (!dtype.ok() || IsRef(*dtype) || ElementSize(*dtype) == 0) return none;
  if (!partial.ok() || !partial->fully_defined() || !proto.tensor_content().empty()) return none;
  const Shape shape = partial->ToShape();
  const Result<int64_t> bytes = CheckedMultiply(shape.num_elements(), static_cast<int64_t>(ElementSize(*dtype)));
  const int64_t given = NumGiven(proto);
  if (!bytes.ok() || *bytes <= kMinBytes || given >= shape.num_elements()) return none;
  tensorflow::TensorProto values = proto;
  ToProto(PartialShape(Shape{given}), values.mutable_tensor_shape());
  WEIR_TRY(weir::FromProto(values).status());
  return std::shared_ptr<const PackedTensor>(
      new PackedTensor(*dtype, shape, std::make_unique<const tensorflow::TensorProto>(proto)));
}

Result<const Tensor*> PackedTensor::Expand() const {
  std::lock_guard lock(mu_);
  if (!expanded_.valid()) {
    WEIR_ASSIGN(expanded_, weir::FromProto(*proto_));
  }
  return &expanded_;
}

bool PackedTensor::operator==(const PackedTensor& other) const {
  return this == &other || (dtype_ == other.dtype_ && shape_ == other.shape_ &&
                            proto_->SerializeAsString() == other.proto_->SerializeAsString());
}

}  // namespace weir
