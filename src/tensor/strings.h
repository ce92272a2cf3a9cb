// Accounting for the memory of strings in tensors. A tensor is allocated with empty strings, so the allocator does not
// see the bytes that are stored in them later. Kernels that copy or create many strings use these functions, so that
// the process stays below its memory limit (base/process_memory.h).
#ifndef WEIR_TENSOR_STRINGS_H_
#define WEIR_TENSOR_STRINGS_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir {

// Reserves memory for that many copies of the strings.
Status ReserveStrings(absl::Span<const std::string> strings, int64_t copies = 1);

// The following throw OutOfMemory. Call them in kernels only, where the exception becomes a Status.
void CopyStrings(const std::string* from, int64_t count, std::string* to);
void FillStrings(const std::string& value, int64_t count, std::string* to);
// Reserves memory for a string that was just created.
void ReserveString(const std::string& made);

}  // namespace weir

#endif  // WEIR_TENSOR_STRINGS_H_
