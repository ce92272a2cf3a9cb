#include "io/wav.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::io {
namespace {

constexpr int64_t kHeaderSize = 44;
constexpr int64_t kSampleSize = 2;
constexpr uint16_t kPcm = 1;

int16_t ToSample(float x) {
  using Limits = std::numeric_limits<int16_t>;
  const float scaled = std::round(x * 32768.0f);
  if (std::isnan(scaled)) return 0;
  return static_cast<int16_t>(std::clamp<float>(scaled, Limits::min(), Limits::max()));
}

void Put16(std::string& to, uint16_t v) {
  to.push_back(static_cast<char>(v & 0xff));
  to.push_back(static_cast<char>(v >> 8));
}

void Put32(std::string& to, uint32_t v) {
  Put16(to, static_cast<uint16_t>(v & 0xffff));
  Put16(to, static_cast<uint16_t>(v >> 16));
}

}  // namespace

Result<std::string> EncodeWav(absl::Span<const float> samples, int64_t channels, int64_t samples_per_second) {
  if (channels <= 0 || channels > std::numeric_limits<uint16_t>::max())
    return InvalidArgument("sound has 1 to 65535 channels, not {}", channels);
  if (samples_per_second <= 0 || samples_per_second > std::numeric_limits<uint32_t>::max())
    return InvalidArgument("the sample rate must be positive and fit in 32 bits: {}", samples_per_second);
  const auto count = static_cast<int64_t>(samples.size());
  if (count % channels != 0) return InvalidArgument("{} samples are not a multiple of {} channels", count, channels);
  if (count > (std::numeric_limits<uint32_t>::max() - kHeaderSize) / kSampleSize)
    return InvalidArgument("{} samples are more than a WAV file holds", count);
  const int64_t bytes_per_frame = channels * kSampleSize;
  const int64_t bytes_per_second = samples_per_second * bytes_per_frame;
  if (bytes_per_frame > std::numeric_limits<uint16_t>::max() || bytes_per_second > std::numeric_limits<uint32_t>::max())
    return InvalidArgument("{} channels of {} samples a second are more than a WAV file holds", channels,
                           samples_per_second);
  const auto data_size = static_cast<uint32_t>(count * kSampleSize);
  std::string wav;
  wav.reserve(kHeaderSize + data_size);
  wav += "RIFF";
  Put32(wav, kHeaderSize - 8 + data_size);
  wav += "WAVEfmt ";
  Put32(wav, 16);
  Put16(wav, kPcm);
  Put16(wav, static_cast<uint16_t>(channels));
  Put32(wav, static_cast<uint32_t>(samples_per_second));
  Put32(wav, static_cast<uint32_t>(bytes_per_second));
  Put16(wav, static_cast<uint16_t>(bytes_per_frame));
  Put16(wav, 8 * kSampleSize);
  wav += "data";
  Put32(wav, data_size);
  for (const float x : samples) Put16(wav, static_cast<uint16_t>(ToSample(x)));
  return wav;
}

}  // namespace weir::io
