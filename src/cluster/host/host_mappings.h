// HostMappings: blocks of a peer's memory (tensor/shared_blocks.h), mapped here to be read. A mapping is kept for a
// while after its last use, because blocks are recycled. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "tensor/shared_blocks.h"

namespace weir {

class HostMappings final {
 public:
  static constexpr int64_t kKeepNanos = int64_t{5} * 1'000'000'000;

  // All bytes of the block, as long as the pointer lives; null where they cannot be had: `block` is what the peer says.
  std::shared_ptr<const char> Find(int process, const SharedBlock& block);
  // Lets go of what nobody has used for a while; false when nothing is left.
  bool Sweep(int64_t now_nanos);

 private:
  struct Entry {
    std::shared_ptr<const char> bytes;
    size_t capacity = 0;
    int64_t used_nanos = 0;
  };
  std::mutex mu_;
  std::map<uint64_t, Entry> entries_;  // by the block's id
};

}  // namespace weir
