#include "tensor/strings.h"

#include <algorithm>

#include "base/out_of_memory.h"
#include "base/process_memory.h"

namespace weir {
namespace {

constexpr size_t kInlineBytes = 15;  // stored in the std::string itself

size_t HeapBytes(const std::string& s) { return s.size() <= kInlineBytes ? 0 : s.size() + 1; }

void ReserveOrThrow(size_t bytes) {
  if (Status status = ProcessMemory::Get().Reserve(bytes); !status.ok()) ThrowOutOfMemory(std::move(status));
}

}  // namespace

Status ReserveStrings(absl::Span<const std::string> strings, int64_t copies) {
  size_t bytes = 0;
  for (const std::string& s : strings) bytes += HeapBytes(s);
  if (bytes == 0 || copies <= 0) return OkStatus();
  size_t all = 0;
  if (__builtin_mul_overflow(bytes, static_cast<size_t>(copies), &all)) all = SIZE_MAX;
  return ProcessMemory::Get().Reserve(all);
}

void CopyStrings(const std::string* from, int64_t count, std::string* to) {
  for (int64_t i = 0; i < count; ++i) {
    if (const size_t bytes = HeapBytes(from[i]); bytes > to[i].capacity()) ReserveOrThrow(bytes);
    to[i] = from[i];
  }
}

void FillStrings(const std::string& value, int64_t count, std::string* to) {
  for (int64_t i = 0; i < count; ++i) CopyStrings(&value, 1, to + i);
}

void ReserveString(const std::string& made) {
  if (const size_t bytes = HeapBytes(made); bytes > 0) ReserveOrThrow(bytes);
}

}  // namespace weir
