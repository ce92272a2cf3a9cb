// HostMappings: read-only mappings of a peer's memory blocks (tensor/shared_blocks.h). A mapping is kept for kKeepNanos
// after its last use, because the peer recycles its blocks. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "tensor/shared_blocks.h"

namespace weir {

class HostMappings final {
 public:
  static constexpr int64_t kKeepNanos = int64_t{5} * 1'000'000'000;

  // Maps the whole block. The returned pointer keeps it mapped. An error says why it cannot be mapped: `block` comes
  // from the peer and is validated.
  Result<std::shared_ptr<const char>> Find(int process, const SharedBlock& block);
  // Unmaps blocks that were unused for kKeepNanos. Returns false when no mapping is left.
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
