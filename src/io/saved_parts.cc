#include "io/saved_parts.h"

namespace weir::io {
namespace {

// Far more than any real tensor has. Limited because all pairs of parts are compared.
constexpr size_t kMaxParts = 16384;

}  // namespace

Status AddPart(const tensorflow::TensorSliceProto& proto, const Shape& shape, size_t file,
               std::vector<SavedPart>& parts) {
  if (parts.size() >= kMaxParts) return DataLoss("more than {} parts", kMaxParts);
  SavedPart part;
  part.file = file;
  WEIR_ASSIGN(part.slice, TensorSlice::FromProto(proto));
  WEIR_ASSIGN(part.within, part.slice.Within(shape));
  parts.push_back(std::move(part));
  return OkStatus();
}

Result<Tensor> Assemble(const std::string& name, const SavedTensor& tensor, const TensorSlice& wanted,
                        const std::vector<SavedPart>& parts, FunctionRef<Result<Tensor>(const SavedPart&)> read) {
  WEIR_ASSIGN(const TensorSlice target, wanted.Within(tensor.shape));
  WEIR_ASSIGN(const Shape shape, target.shape());
  const auto read_part = [&](const SavedPart& part) -> Result<Tensor> {
    WEIR_ASSIGN(Tensor value, read(part));
    WEIR_ASSIGN(const Shape expected, part.within.shape());
    if (value.shape() != expected || value.dtype() != tensor.dtype)
      return DataLoss("tensor {}: its part {} is {} {}, not {} {}", name, part.slice.ToString(), value.dtype(),
                      value.shape(), tensor.dtype, expected);
    return value;
  };
  for (const SavedPart& part : parts)
    if (part.within == target) return read_part(part);
  int64_t covered = 0;
  std::vector<const SavedPart*> used;
  for (const SavedPart& part : parts) {
    const int64_t shared = Overlap(part.within, target);
    if (shared == 0) continue;
    for (const SavedPart* other : used)
      if (Overlap(other->within, part.within) != 0)
        return DataLoss("tensor {}: its parts {} and {} overlap", name, other->slice.ToString(), part.slice.ToString());
    covered += shared;
    used.push_back(&part);
  }
  if (covered != shape.num_elements())
    return InvalidArgument("Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {}",
                           name, wanted.ToString());
  WEIR_ASSIGN(Tensor result, Tensor::Allocate(tensor.dtype, shape));
  for (const SavedPart* part : used) {
    WEIR_ASSIGN(const Tensor value, read_part(*part));
    CopyOverlap(part->within, value, target, result);
  }
  return result;
}

}  // namespace weir::io
