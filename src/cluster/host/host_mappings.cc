#include "cluster/host/host_mappings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "cluster/owned_fd.h"

namespace weir {
namespace {

bool IsBlock(const struct stat& file, const SharedBlock& block) {
  return S_ISREG(file.st_mode) && file.st_ino == block.id && file.st_size >= 0 &&
         static_cast<uint64_t>(file.st_size) >= block.capacity;
}

// The peer may have closed the descriptor and opened another file under the same number, so the inode must match. The
// file must be sealed against shrinking: reading beyond its end would raise SIGBUS.
Result<std::shared_ptr<const char>> MapBlock(int process, const SharedBlock& block) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, block.fd);
  const auto failed = [&](std::string_view why) { return Unavailable("{}: {}", path, why); };
  struct stat found {};
  if (block.capacity == 0) return failed("a block without bytes");
  if (stat(path.c_str(), &found) != 0) return failed(std::strerror(errno));
  if (!IsBlock(found, block)) return failed("another file");
  const OwnedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid() || fstat(fd.get(), &found) != 0) return failed(std::strerror(errno));
  if (!IsBlock(found, block)) return failed("another file");
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return failed("not sealed");
  void* bytes = mmap(nullptr, block.capacity, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (bytes == MAP_FAILED) return failed(std::strerror(errno));
  madvise(bytes, block.capacity, MADV_HUGEPAGE);
  return std::shared_ptr<const char>(static_cast<const char*>(bytes), [size = block.capacity](const char* mapped) {
    munmap(const_cast<char*>(mapped), size);
  });
}

}  // namespace

Result<std::shared_ptr<const char>> HostMappings::Find(int process, const SharedBlock& block) {
  const int64_t now = RealClock().MonotonicNanos();
  std::lock_guard lock(mu_);
  Entry& entry = entries_[block.id];
  entry.used_nanos = now;
  if (entry.bytes != nullptr && entry.capacity == block.capacity) return entry.bytes;
  Result<std::shared_ptr<const char>> mapped = MapBlock(process, block);
  if (mapped.ok()) {
    entry.bytes = *mapped;
    entry.capacity = block.capacity;
  } else {
    entries_.erase(block.id);
  }
  return mapped;
}

bool HostMappings::Sweep(int64_t now_nanos) {
  std::map<uint64_t, Entry> dropped;  // unmapped without the lock
  std::lock_guard lock(mu_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto next = std::next(it);
    if (it->second.bytes.use_count() > 1) {
      it->second.used_nanos = now_nanos;
    } else if (now_nanos - it->second.used_nanos >= kKeepNanos) {
      dropped.insert(entries_.extract(it));
    }
    it = next;
  }
  return !entries_.empty();
}

}  // namespace weir
