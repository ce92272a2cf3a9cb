// WAV: sound as 16-bit samples, the form in which summaries hold it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir::io {

// `samples` holds the channels of the first frame, then those of the second, and so on; what is beyond -1 and 1 is cut
// off. InvalidArgument for what the format has no room for.
Result<std::string> EncodeWav(absl::Span<const float> samples, int64_t channels, int64_t samples_per_second);

}  // namespace weir::io
