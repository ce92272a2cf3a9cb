#include "base/startup_pages.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir {
namespace {

// Flags of an entry of /proc/self/pagemap.
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr uint64_t kSwapped = uint64_t{1} << 62;
constexpr uint64_t kOfFile = uint64_t{1} << 61;

struct Pages {
  uintptr_t begin;  // in pages
  uintptr_t end;
};

bool AreAllOfFile(int pagemap, Pages pages) {
  std::array<uint64_t, 512> entries;
  while (pages.begin < pages.end) {
    const size_t count = std::min<size_t>(entries.size(), pages.end - pages.begin);
    const auto bytes = static_cast<ssize_t>(count * sizeof(uint64_t));
    if (pread(pagemap, entries.data(), bytes, static_cast<off_t>(pages.begin * sizeof(uint64_t))) != bytes)
      return false;
    const bool all = std::all_of(entries.begin(), entries.begin() + count, [](uint64_t entry) {
      return (entry & (kPresent | kSwapped)) == 0 || (entry & kOfFile) != 0;
    });
    if (!all) return false;
    pages.begin += count;
  }
  return true;
}

int ReleaseObject(dl_phdr_info* object, size_t, void* pagemap) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t address = object->dlpi_addr + segment.p_vaddr;
    const Pages pages{address / page, (address + segment.p_memsz + page - 1) / page};
    if (!AreAllOfFile(*static_cast<const int*>(pagemap), pages)) continue;
    madvise(reinterpret_cast<void*>(pages.begin * page), (pages.end - pages.begin) * page, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void ReleaseStartupPages() {
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  dl_iterate_phdr(&ReleaseObject, &pagemap);
  close(pagemap);
}

}  // namespace weir
