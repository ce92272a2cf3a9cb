// Memory of strings in tensors. A tensor is allocated with empty strings, and what is put into them later the allocator
// does not see: kernels that copy or make many strings do so with these, so that the process stays below its limit
// (base/process_memory.h).
#ifndef WEIR_TENSOR_STRINGS_H_
#define WEIR_TENSOR_STRINGS_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir {

// Reserves memory for so many copies of the strings.
Status ReserveStrings(absl::Span<const std::string> strings, int64_t copies = 1);

// The following throw OutOfMemory: what they are called by is a kernel.
void CopyStrings(const std::string* from, int64_t count, std::string* to);
void FillStrings(const std::string& value, int64_t count, std::string* to);
// Counts a string that was just made.
void CountString(const std::string& made);

}  // namespace weir

#endif  // WEIR_TENSOR_STRINGS_H_
