// Tests of the PNG and WAV encoders: headers and invalid arguments. tests/ops compares all bytes.
#include <gtest/gtest.h>

#include <vector>

#include "io/image.h"
#include "io/wav.h"

namespace weir::io {
namespace {

TEST(PngTest, OneToFourChannels) {
  const std::vector<uint8_t> pixels(size_t{2} * 3 * 4, 7);
  for (int64_t channels = 1; channels <= 4; ++channels) {
    const ImageView image{2, 3, channels, absl::MakeSpan(pixels).first(static_cast<size_t>(6 * channels))};
    const auto png = EncodePng(image);
    ASSERT_TRUE(png.ok()) << png.status();
    EXPECT_EQ(png->substr(0, 4), "\x89PNG");
    EXPECT_EQ((*png)[19], 3);  // the width
    EXPECT_EQ((*png)[23], 2);
  }
}

TEST(PngTest, InvalidImages) {
  const std::vector<uint8_t> pixels(6, 7);
  EXPECT_EQ(EncodePng({2, 3, 5, pixels}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodePng({0, 3, 1, {}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodePng({2, 3, 3, pixels}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodePng({int64_t{1} << 40, 1, 1, pixels}).status().code(), StatusCode::kInvalidArgument);
}

TEST(WavTest, SamplesFollowTheHeader) {
  const std::vector<float> samples = {0, 1, -1, 0.5};
  const auto wav = EncodeWav(samples, 2, 8000);
  ASSERT_TRUE(wav.ok()) << wav.status();
  EXPECT_EQ(wav->size(), 44u + 8u);
  EXPECT_EQ(wav->substr(44), std::string("\x00\x00\xff\x7f\x00\x80\x00\x40", 8));
  EXPECT_EQ(EncodeWav({}, 1, 8000)->size(), 44u);
}

TEST(WavTest, InvalidArguments) {
  const std::vector<float> samples = {0, 1, -1};
  for (const auto& [channels, rate] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 8000}, {2, 8000}, {1, 0}, {1, int64_t{1} << 33}, {40000, 8000}, {3, 1'000'000'000}})
    EXPECT_EQ(EncodeWav(samples, channels, rate).status().code(), StatusCode::kInvalidArgument) << channels;
}

}  // namespace
}  // namespace weir::io
