// The parts of a tensor in a checkpoint, and assembling a slice from them.
#ifndef WEIR_IO_SAVED_PARTS_H_
#define WEIR_IO_SAVED_PARTS_H_

#include <vector>

#include "base/function_ref.h"
#include "io/checkpoint_reader.h"

namespace weir::io {

struct SavedPart {
  TensorSlice slice;   // as written in the file; the key of the entry depends on this form
  TensorSlice within;  // with full extents replaced by numbers
  size_t file = 0;     // for use by the reader
};

// Checks and adds the part `proto` of a tensor of shape `shape`.
Status AddPart(const tensorflow::TensorSliceProto& proto, const Shape& shape, size_t file,
               std::vector<SavedPart>& parts);
// Assembles the slice `wanted` of the tensor `name`. `read` returns the value of a part, whose type and shape are
// checked. Fails if parts overlap or do not cover the slice.
Result<Tensor> Assemble(const std::string& name, const SavedTensor& tensor, const TensorSlice& wanted,
                        const std::vector<SavedPart>& parts, FunctionRef<Result<Tensor>(const SavedPart&)> read);

}  // namespace weir::io

#endif  // WEIR_IO_SAVED_PARTS_H_
