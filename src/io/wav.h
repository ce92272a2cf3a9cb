// WAV: audio as 16-bit samples, as used in summaries.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir::io {

// `samples` are interleaved: all channels of the first frame, then those of the second, and so on. Clips values to the
// range from -1 to 1. InvalidArgument if the audio exceeds the limits of the format.
Result<std::string> EncodeWav(absl::Span<const float> samples, int64_t channels, int64_t samples_per_second);

}  // namespace weir::io
