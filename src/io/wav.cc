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

uint32_t Get16(std::string_view from, size_t at) {
  return static_cast<uint8_t>(from[at]) | static_cast<uint32_t>(static_cast<uint8_t>(from[at + 1])) << 8;
}
uint32_t Get32(std::string_view from, size_t at) { return Get16(from, at) | Get16(from, at + 2) << 16; }

// The format of the samples, from the chunk "fmt ".
Status ReadWavFormat(std::string_view chunk, Wav& wav) {
  if (chunk.size() < 16)
    return InvalidArgument("Bad format chunk size for WAV: Expected 16, 18 or 40, but got {}", chunk.size());
  if (Get16(chunk, 0) != kPcm)
    return InvalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got {}", Get16(chunk, 0));
  wav.channels = Get16(chunk, 2);
  wav.samples_per_second = Get32(chunk, 4);
  const uint32_t bytes_per_second = Get32(chunk, 8), bytes_per_frame = Get16(chunk, 12), bits = Get16(chunk, 14);
  if (bits != 8 * kSampleSize) return InvalidArgument("Can only read 16-bit WAV files, but received {}", bits);
  if (wav.channels < 1) return InvalidArgument("Bad number of channels for WAV: Expected at least 1, but got 0");
  if (bytes_per_frame != wav.channels * kSampleSize)
    return InvalidArgument("Bad bytes per sample in WAV header: Expected {} but got {}", wav.channels * kSampleSize,
                           bytes_per_frame);
  if (bytes_per_second != static_cast<uint64_t>(bytes_per_frame) * static_cast<uint64_t>(wav.samples_per_second))
    return InvalidArgument("Bad bytes per second in WAV header: Expected {} but got {}",
                           bytes_per_frame * wav.samples_per_second, bytes_per_second);
  return OkStatus();
}

}  // namespace

Result<Wav> DecodeWav(std::string_view file) {
  constexpr size_t kChunkHeader = 8;
  if (file.size() < 12 || file.substr(0, 4) != "RIFF" || file.substr(8, 4) != "WAVE")
    return InvalidArgument("Header mismatch: Expected a RIFF file of type WAVE");
  Wav wav;
  for (size_t at = 12; at + kChunkHeader <= file.size();) {
    const std::string_view name = file.substr(at, 4);
    const uint64_t size = Get32(file, at + 4);
    at += kChunkHeader;
    std::string_view chunk = file.substr(at, size);
    if (name == "data") {
      if (wav.channels == 0) return InvalidArgument("The WAV file has no format before its samples");
      if (chunk.size() < size) return InvalidArgument("Data too short when trying to read {} bytes of samples", size);
      const auto frame = static_cast<size_t>(wav.channels * kSampleSize);
      chunk = chunk.substr(0, chunk.size() / frame * frame);
      wav.samples.reserve(chunk.size() / kSampleSize);
      for (size_t i = 0; i < chunk.size(); i += kSampleSize)
        wav.samples.push_back(static_cast<float>(static_cast<int16_t>(Get16(chunk, i))) / 32768.0f);
      return wav;
    }
    if (name == "fmt ") WEIR_TRY(ReadWavFormat(chunk, wav));
    if (size > file.size() - at) break;
    at += size + size % 2;
  }
  return InvalidArgument("The WAV file has no samples");
}

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
