// CheckpointReader: reads the tensors of a checkpoint by name. Supports formats V2 (a tensor bundle) and V1 (tables of
// tensor slices). All data is verified; damage is DataLoss with file and offset. Thread-safe.
#ifndef WEIR_IO_CHECKPOINT_READER_H_
#define WEIR_IO_CHECKPOINT_READER_H_

#include <map>
#include <memory>
#include <string>

#include "base/env.h"
#include "io/tensor_slice.h"
#include "tensor/tensor.h"

namespace weir::io {

struct SavedTensor {
  DType dtype = kInvalidType;
  Shape shape;
};

class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;
  virtual const std::map<std::string, SavedTensor>& tensors() const = 0;
  // NotFound names the tensor and the checkpoint.
  virtual Result<SavedTensor> Find(const std::string& name) const = 0;
  // Reads the part of a tensor at `slice` (extents may be full), assembled from the parts in the checkpoint.
  virtual Result<Tensor> ReadSlice(const std::string& name, const TensorSlice& slice) const = 0;
  virtual Result<Tensor> Read(const std::string& name) const = 0;
};

// Opens a V2 checkpoint.
Result<std::unique_ptr<CheckpointReader>> OpenBundle(Env& env, const std::string& prefix);
// Opens a V1 checkpoint: the file, or the shards, that the pattern matches.
Result<std::unique_ptr<CheckpointReader>> OpenSliceTables(Env& env, const std::string& pattern);
// Opens the V2 checkpoint `prefix`, or the V1 checkpoint of that name if there is none.
Result<std::unique_ptr<CheckpointReader>> OpenCheckpoint(Env& env, const std::string& prefix);

// One line "name (DT_FLOAT) [2,3]" per tensor.
std::string DescribeCheckpoint(const CheckpointReader& reader);

}  // namespace weir::io

#endif  // WEIR_IO_CHECKPOINT_READER_H_
