// Writing V1 checkpoints: one table, whose entry "" lists tensors and their parts, and whose other entries hold one
// part each as a SavedTensorSlices message. It is written aside and synced: the file is there whole or not at all.
#ifndef WEIR_IO_SLICE_TABLE_WRITER_H_
#define WEIR_IO_SLICE_TABLE_WRITER_H_

#include <map>
#include <string>

#include "base/env.h"
#include "io/tensor_slice.h"
#include "proto/tensor_bundle.pb.h"
#include "tensor/tensor.h"

namespace weir::io {

// Not thread-safe. Holds all values until Finish: a table is in the order of its keys.
class SliceTableWriter final {
 public:
  SliceTableWriter(Env& env, std::string path) : env_(env), path_(std::move(path)) {}
  SliceTableWriter(const SliceTableWriter&) = delete;

  // The part of a tensor `name` of shape `full_shape` at `slice`. A part that was added already is an error.
  Status Add(const std::string& name, const Shape& full_shape, const TensorSlice& slice, const Tensor& value);
  Status Add(const std::string& name, const Tensor& value);
  Status Finish();

 private:
  Env& env_;
  const std::string path_;
  std::map<std::string, tensorflow::SavedSliceMeta> tensors_;
  std::map<std::string, std::string> parts_;  // by their keys
};

}  // namespace weir::io

#endif  // WEIR_IO_SLICE_TABLE_WRITER_H_
