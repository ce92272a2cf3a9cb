// Writing V1 checkpoints: one table, whose entry "" lists all tensors and their parts. Every other entry is one part,
// as a SavedTensorSlices message. The file is written to a temporary file, synced and renamed, so it is never
// incomplete.
#ifndef WEIR_IO_SLICE_TABLE_WRITER_H_
#define WEIR_IO_SLICE_TABLE_WRITER_H_

#include <map>
#include <string>

#include "base/env.h"
#include "io/tensor_slice.h"
#include "proto/tensor_bundle.pb.h"
#include "tensor/tensor.h"

namespace weir::io {

// Not thread-safe. Keeps all values in memory until Finish, because a table is sorted by key.
class SliceTableWriter final {
 public:
  SliceTableWriter(Env& env, std::string path) : env_(env), path_(std::move(path)) {}
  SliceTableWriter(const SliceTableWriter&) = delete;

  // Adds the part at `slice` of the tensor `name`, whose whole shape is `full_shape`. Fails if it was added before.
  Status Add(const std::string& name, const Shape& full_shape, const TensorSlice& slice, const Tensor& value);
  Status Add(const std::string& name, const Tensor& value);
  Status Finish();

 private:
  Env& env_;
  const std::string path_;
  std::map<std::string, tensorflow::SavedSliceMeta> tensors_;
  std::map<std::string, std::string> parts_;  // by key
};

}  // namespace weir::io

#endif  // WEIR_IO_SLICE_TABLE_WRITER_H_
