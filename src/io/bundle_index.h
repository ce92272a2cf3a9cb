// The index of a V2 checkpoint in memory.
#ifndef WEIR_IO_BUNDLE_INDEX_H_
#define WEIR_IO_BUNDLE_INDEX_H_

#include <map>
#include <string>

#include "base/env.h"
#include "proto/tensor_bundle.pb.h"

namespace weir::io {

struct BundleIndex {
  int num_shards = 0;
  std::map<std::string, tensorflow::BundleEntryProto> entries;  // by name; parts of tensors by TensorSlice::Key
};
// Fails if the table is damaged, has another byte order or a newer version, or an impossible number of shards.
Result<BundleIndex> ReadBundleIndex(Env& env, const std::string& prefix);

}  // namespace weir::io

#endif  // WEIR_IO_BUNDLE_INDEX_H_
