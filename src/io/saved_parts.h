// The parts in which a checkpoint holds one tensor, and a slice put together out of them.
#ifndef WEIR_IO_SAVED_PARTS_H_
#define WEIR_IO_SAVED_PARTS_H_

#include <vector>

#include "base/function_ref.h"
#include "io/checkpoint_reader.h"

namespace weir::io {

struct SavedPart {
  TensorSlice slice;   // as the file spells it: its key depends on that
  TensorSlice within;  // with full extents spelled out
  size_t file = 0;     // for the reader's use
};

// Checks and adds the part `proto` of a tensor of shape `shape`.
Status AddPart(const tensorflow::TensorSliceProto& proto, const Shape& shape, size_t file,
               std::vector<SavedPart>& parts);
// The slice `wanted` of the tensor `name`. `read` gives the value of a part; it is checked against the part's shape.
// Parts that overlap or leave a gap are errors.
Result<Tensor> Assemble(const std::string& name, const SavedTensor& tensor, const TensorSlice& wanted,
                        const std::vector<SavedPart>& parts, FunctionRef<Result<Tensor>(const SavedPart&)> read);

}  // namespace weir::io

#endif  // WEIR_IO_SAVED_PARTS_H_
