// Writing V2 checkpoints (tensor bundles): `prefix.index` is a table from names of tensors to BundleEntryProtos, with a
// BundleHeaderProto under the empty name; `prefix.data-00000-of-00001` holds their bytes.
// Both are written to temporary files, synced and renamed, the data first. A checkpoint exists once its index exists,
// so it is visible completely or not at all.
#ifndef WEIR_IO_BUNDLE_WRITER_H_
#define WEIR_IO_BUNDLE_WRITER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "io/temporary_files.h"
#include "io/tensor_slice.h"
#include "proto/tensor_bundle.pb.h"
#include "tensor/tensor.h"

namespace weir::io {

std::string BundleIndexName(const std::string& prefix);
std::string BundleDataName(const std::string& prefix, int shard, int num_shards);

// Not thread-safe. Destroying one that is not finished removes what it wrote. After an error it cannot be finished.
class BundleWriter final {
 public:
  // Creates the directory of `prefix` if its parent exists.
  static Result<std::unique_ptr<BundleWriter>> Open(Env& env, const std::string& prefix);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // Fails if the name was added before.
  Status Add(const std::string& name, const Tensor& value);
  // Adds the part at `slice` of the tensor `name`, whose whole shape is `full_shape`. REQUIRES: parts do not overlap.
  Status AddSlice(const std::string& name, const Shape& full_shape, const TensorSlice& slice, const Tensor& value);
  // On an error, a checkpoint that existed before still exists, unless the disk also fails while it is restored.
  Status Finish();

 private:
  BundleWriter(Env& env, const std::string& prefix, const std::string& suffix);
  Status Append(std::string_view bytes);
  Status AppendStrings(const Tensor& value, uint32_t* crc);

  Env& env_;
  const std::string prefix_;
  const std::string suffix_;  // of the temporary file names
  const std::unique_ptr<FileLock> held_data_;
  std::unique_ptr<WritableFile> data_;
  std::map<std::string, tensorflow::BundleEntryProto> entries_;
  uint64_t offset_ = 0;
  Status error_;  // the first one of writing
  bool finished_ = false;
};

// Joins bundles into one: renames their data files to be the shards of `destination` and writes one index. Parts of one
// tensor may be in different bundles. On an error all bundles are unchanged, unless the disk also fails while the
// renames are undone.
Status MergeBundles(Env& env, const std::vector<std::string>& prefixes, const std::string& destination,
                    bool allow_missing = false);

}  // namespace weir::io

#endif  // WEIR_IO_BUNDLE_WRITER_H_
