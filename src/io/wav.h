// WAV: audio as 16-bit samples, for summaries and for programs that read sounds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"

namespace weir::io {

// `samples` are interleaved: all channels of the first frame, then those of the second, and so on. Clips values to the
// range from -1 to 1. InvalidArgument if the audio exceeds the limits of the format.
Result<std::string> EncodeWav(absl::Span<const float> samples, int64_t channels, int64_t samples_per_second);

struct Wav {
  std::vector<float> samples;  // interleaved, from -1 to 1
  int64_t channels = 0;
  int64_t samples_per_second = 0;
};
// Reads the first block of samples. InvalidArgument if the file is not 16-bit PCM.
Result<Wav> DecodeWav(std::string_view file);

}  // namespace weir::io
