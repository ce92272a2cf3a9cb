// Compares convolutions of float, with and without Winograd's algorithm, to plain loops over doubles.
#include "device/cpu/convolution.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "device/cpu/winograd.h"

namespace weir {
namespace {

struct Case {
  int64_t batch, height, width, in, out, filter;
  bool same;  // SAME padding; VALID otherwise
  bool tiles;
};

ConvSizes SizesOf(const Case& c) {
  ConvSizes s;
  s.batch = c.batch;
  s.in_channels = c.in;
  s.out_channels = c.out;
  s.in = {c.height, c.width, 0};
  s.filter = {c.filter, c.filter, 0};
  s.stride = {1, 1, 0};
  s.dilation = {1, 1, 0};
  const int64_t before = c.same ? (c.filter - 1) / 2 : 0;
  s.before = {before, before, 0};
  const int64_t less = c.same ? 0 : c.filter - 1;
  s.out = {c.height - less, c.width - less, 0};
  return s;
}

std::vector<float> Random(int64_t count, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<float> all(count);
  for (float& x : all) x = numbers(generator);
  return all;
}

// The largest difference to the result in doubles, relative to the largest result.
double ErrorOf(ConvPass pass, const ConvSizes& s, ThreadPool& pool) {
  const std::vector<float> images = Random(s.batch * s.in_elements(), 1);
  const std::vector<float> filter = Random(s.filter_elements(), 2);
  const std::vector<float> gradients = Random(s.batch * s.out_elements(), 3);
  const std::vector<float>& a = pass == ConvPass::kInputGradient ? filter : images;
  const std::vector<float>& b = pass == ConvPass::kForward ? filter : gradients;
  const size_t count = pass == ConvPass::kForward         ? gradients.size()
                       : pass == ConvPass::kInputGradient ? images.size()
                                                          : filter.size();
  std::vector<float> result(count, std::nanf(""));
  ConvolutionCache cache;
  const Status status = cache.Run(&pool, pass, s, a.data(), b.data(), result.data());
  EXPECT_TRUE(status.ok()) << status;
  const std::vector<double> wide_a(a.begin(), a.end());
  const std::vector<double> wide_b(b.begin(), b.end());
  std::vector<double> expected(count);
  ConvolveDirectly(&pool, pass, s, wide_a.data(), wide_b.data(), expected.data());
  double worst = 0;
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double difference = std::abs(expected[i] - result[i]);
    if (!(difference <= worst)) worst = difference;  // true for a NaN too, which then stays
  }
  return worst / largest;
}

TEST(Convolution, MatchesDoublePrecision) {
  const Case cases[] = {
      {8, 14, 14, 32, 64, 5, true, true},   // whole tiles
      {3, 17, 19, 16, 48, 5, true, true},   // tiles that extend past the end
      {5, 16, 21, 48, 16, 5, false, true},  // no padding
      {9, 12, 16, 32, 32, 3, true, true},   // 4 x 4 results per tile
      {4, 23, 30, 16, 64, 3, false, true},  // 4 x 4 results, no padding
      {1, 60, 60, 64, 64, 3, true, true},   // one image
      {4, 14, 14, 24, 64, 5, true, false},  // channels not a multiple of 16
      {2, 7, 7, 16, 16, 3, true, false},    // too little work
      {2, 9, 9, 128, 128, 3, true, false},  // filter too large for the L2 cache
      {16, 14, 14, 1, 32, 5, true, false},  // one input channel
  };
  ThreadPool pool("test", 3);
  for (const Case& c : cases) {
    const ConvSizes s = SizesOf(c);
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kInputGradient, ConvPass::kFilterGradient}) {
      EXPECT_EQ(UseWinograd(pass, s), c.tiles && (c.filter == 5 || pass != ConvPass::kFilterGradient))
          << c.height << "x" << c.width << "x" << c.in;
      const double error = ErrorOf(pass, s, pool);
      EXPECT_LT(error, 4e-6) << c.height << "x" << c.width << "x" << c.in << " by " << c.filter << ", pass "
                             << static_cast<int>(pass);
    }
  }
}

TEST(Convolution, IsDeterministic) {
  const ConvSizes s = SizesOf({16, 14, 14, 32, 64, 5, true, true});
  const std::vector<float> images = Random(s.batch * s.in_elements(), 1);
  const std::vector<float> gradients = Random(s.batch * s.out_elements(), 3);
  Result<std::shared_ptr<const Convolution>> convolution = MakeConvolution(ConvPass::kFilterGradient, s, 4);
  ASSERT_TRUE(convolution.ok());
  ThreadPool pool("test", 4);
  std::vector<float> first(s.filter_elements()), again(s.filter_elements());
  ASSERT_TRUE((*convolution)->Run(nullptr, images.data(), gradients.data(), first.data(), nullptr).ok());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE((*convolution)->Run(&pool, images.data(), gradients.data(), again.data(), nullptr).ok());
    ASSERT_EQ(first, again);
  }
}

// With Winograd's algorithm and with oneDNN: an unchanged filter is packed once, and every change is detected.
TEST(Convolution, PacksItsFilterOncePerChange) {
  ThreadPool pool("test", 2);
  for (const Case& c : {Case{8, 14, 14, 32, 64, 5, true, true}, Case{2, 9, 9, 128, 128, 3, true, false}}) {
    const ConvSizes s = SizesOf(c);
    const ConvSizes one_more = SizesOf({c.batch + 1, c.height, c.width, c.in, c.out, c.filter, c.same, c.tiles});
    const std::vector<float> images = Random(one_more.batch * s.in_elements(), 1);
    std::vector<float> filter = Random(s.filter_elements(), 2);
    std::vector<float> result(one_more.batch * s.out_elements()), expected(result.size());
    ConvolutionCache cache;
    auto run = [&](ConvolutionCache& with, const ConvSizes& sizes, std::vector<float>& to) {
      const Status status = with.Run(&pool, ConvPass::kForward, sizes, images.data(), filter.data(), to.data());
      ASSERT_TRUE(status.ok()) << status;
    };
    for (int i = 0; i < 3; ++i) run(cache, s, result);
    EXPECT_EQ(cache.filters_packed(), 1);
    for (const size_t changed : {size_t{0}, filter.size() / 2, filter.size() - 1}) {
      filter[changed] += 0.5f;
      const int64_t before = cache.filters_packed();
      for (int i = 0; i < 2; ++i) run(cache, s, result);
      EXPECT_EQ(cache.filters_packed(), before + 1);
      ConvolutionCache other;
      run(other, s, expected);
      EXPECT_EQ(result, expected) << "after a change at " << changed;
    }
    // Another batch size may need another filter layout.
    run(cache, one_more, result);
    ConvolutionCache other;
    run(other, one_more, expected);
    EXPECT_EQ(result, expected);
  }
}

TEST(Convolution, EqualFilterBytesOfAnotherShapeAreRepacked) {
  ThreadPool pool("test", 2);
  const ConvSizes wide = SizesOf({4, 14, 14, 24, 64, 5, true, false});
  const ConvSizes narrow = SizesOf({4, 14, 14, 64, 24, 5, true, false});
  const std::vector<float> images = Random(narrow.batch * narrow.in_elements(), 1);
  const std::vector<float> filter = Random(wide.filter_elements(), 2);
  std::vector<float> result(wide.batch * wide.out_elements()), expected(result.size());
  ConvolutionCache cache, fresh;
  auto run = [&](ConvolutionCache& with, const ConvSizes& sizes, std::vector<float>& to) {
    const Status status = with.Run(&pool, ConvPass::kForward, sizes, images.data(), filter.data(), to.data());
    ASSERT_TRUE(status.ok()) << status;
  };
  run(cache, wide, result);
  result.assign(result.size(), 0.0f);
  run(cache, narrow, result);
  run(fresh, narrow, expected);
  EXPECT_EQ(result, expected);
}

TEST(Convolution, StridesDilationsGroupsAndChannelsFirstAreNotTiled) {
  const ConvSizes fits = SizesOf({8, 14, 14, 32, 64, 5, true, true});
  EXPECT_TRUE(UseWinograd(ConvPass::kForward, fits));
  ConvSizes s = fits;
  s.stride[1] = 2;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
  s = fits;
  s.dilation[0] = 2;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
  s = fits;
  s.groups = 2;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
  s = fits;
  s.channels_first = true;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
  s = fits;
  s.dims = 3;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
  s = fits;
  s.before[0] = 7;
  EXPECT_FALSE(UseWinograd(ConvPass::kForward, s));
}

}  // namespace
}  // namespace weir
