// CheckpointReader: the tensors of a checkpoint by name, whatever its format: V2 (a tensor bundle) or V1 (tables of
// tensor slices). Everything read is checked: what is damaged is DataLoss with file and offset. Thread-safe.
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
  // The part of a tensor at `slice` (extents may be full), put together from the parts that the checkpoint has.
  virtual Result<Tensor> ReadSlice(const std::string& name, const TensorSlice& slice) const = 0;
  virtual Result<Tensor> Read(const std::string& name) const = 0;
};

// A bundle by its prefix.
Result<std::unique_ptr<CheckpointReader>> OpenBundle(Env& env, const std::string& prefix);
// The tables that a pattern matches: one, or the shards of a V1 checkpoint.
Result<std::unique_ptr<CheckpointReader>> OpenSliceTables(Env& env, const std::string& pattern);
// The bundle `prefix`, or where there is none the V1 checkpoint of that name.
Result<std::unique_ptr<CheckpointReader>> OpenCheckpoint(Env& env, const std::string& prefix);

// "name (DT_FLOAT) [2,3]" line by line.
std::string DescribeCheckpoint(const CheckpointReader& reader);

}  // namespace weir::io

#endif  // WEIR_IO_CHECKPOINT_READER_H_
