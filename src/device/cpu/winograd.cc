#include "device/cpu/winograd.h"

#include <algorithm>
#include <array>

#include "device/cpu/winograd_simd.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

constexpr int64_t kTile = kWinogradTile;
constexpr int64_t kTaps = kWinogradTaps;
constexpr int64_t kBlock = 48;      // tiles per block: their transforms stay in the L2 cache
constexpr int64_t kPadFloats = 16;  // floats between the 36 parts, so that they do not map to the same cache sets
constexpr double kNanosPerTileChannel = 2.0;  // nanoseconds per channel of a tile

// The sizes of a pass that slides a filter over images (`from`) to get results (`to`): the forward pass, or the
// gradient of the images, which is the same with a rotated filter.
struct FilterPass {
  int64_t from_channels = 0;
  int64_t to_channels = 0;
  std::array<int64_t, 2> from = {};
  std::array<int64_t, 2> to = {};
  std::array<int64_t, 2> before = {};
  std::array<int64_t, 2> tiles = {};
};

FilterPass FilterPassOf(const ConvSizes& s, bool turned) {
  FilterPass v;
  v.from_channels = turned ? s.out_channels : s.in_channels;
  v.to_channels = turned ? s.in_channels : s.out_channels;
  const int64_t results = WinogradResults(static_cast<int>(s.filter[0]));
  for (size_t i = 0; i < 2; ++i) {
    v.from[i] = turned ? s.out[i] : s.in[i];
    v.to[i] = turned ? s.in[i] : s.out[i];
    v.before[i] = turned ? s.filter[i] - 1 - s.before[i] : s.before[i];
    v.tiles[i] = (v.to[i] - 1) / results + 1;
  }
  return v;
}

class Winograd final : public Convolution {
 public:
  Winograd(ConvPass pass, const ConvSizes& sizes, int threads)
      : pass_(pass),
        sizes_(sizes),
        filter_(static_cast<int>(sizes.filter[0])),
        results_(WinogradResults(filter_)),
        v_(FilterPassOf(sizes, pass == ConvPass::kInputGradient)),
        tiles_(sizes.batch * v_.tiles[0] * v_.tiles[1]),
        blocks_((tiles_ - 1) / kBlock + 1),
        parts_(std::clamp<int64_t>(threads, 1, blocks_)) {}

  Status Run(ThreadPool* pool, const float* a, const float* b, float* to, const RowEpilogue* finish) const override {
    if (pass_ == ConvPass::kFilterGradient) return RunFilterGradient(pool, a, b, to);
    const bool forward = pass_ == ConvPass::kForward;
    return RunFilterPass(pool, forward ? a : b, forward ? b : a, to, finish);
  }

  bool packs_filter() const override { return pass_ != ConvPass::kFilterGradient; }

  // The packed layout is [36][channel of the images][channel of the results].
  Result<Tensor> PackFilter(ThreadPool* pool, const float* filter) const override {
    const int64_t taps = int64_t{filter_} * filter_;
    WEIR_ASSIGN(const Tensor packed, Scratch(kTaps * FilterStep()));
    float* u = packed.data<float>();
    Tensor turned;
    if (pass_ == ConvPass::kInputGradient) {
      WEIR_ASSIGN(turned, Scratch(taps * FilterStep()));
      float* to = turned.data<float>();
      const int64_t in = sizes_.in_channels;
      const int64_t out = sizes_.out_channels;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const float* w = filter + (taps - 1 - tap) * in * out;
        for (int64_t i = 0; i < in; ++i) {
          for (int64_t o = 0; o < out; ++o) to[(tap * out + o) * in + i] = w[i * out + o];
        }
      }
      filter = to;
    }
    WEIR_TRY(ForRanges(pool, v_.from_channels, 30 * v_.to_channels, [&](int64_t begin, int64_t end) {
      TransformFilter(filter_, filter + begin * v_.to_channels, FilterStep(), (end - begin) * v_.to_channels,
                      u + begin * v_.to_channels, FilterStep());
      return OkStatus();
    }));
    return packed;
  }

 private:
  struct Block {
    int64_t first, count;
  };
  Block BlockAt(int64_t i) const { return {i * kBlock, std::min(kBlock, tiles_ - i * kBlock)}; }
  int64_t FilterStep() const { return v_.from_channels * v_.to_channels; }
  static int64_t BlockStep(int64_t channels) { return kBlock * channels + kPadFloats; }
  int64_t cost() const {
    return static_cast<int64_t>(kNanosPerTileChannel * kBlock * (v_.from_channels + v_.to_channels));
  }

  static Result<Tensor> Scratch(int64_t floats) { return Tensor::Allocate(kFloat, Shape{floats}); }

  // Calls work(begin, end) over [0, total) and returns its first error.
  template <class F>
  static Status ForRanges(ThreadPool* pool, int64_t total, int64_t cost, F work) {
    if (pool == nullptr) return work(0, total);
    std::mutex mu;
    Status error;
    pool->ParallelFor(total, cost, [&](int64_t begin, int64_t end) {
      Status status = work(begin, end);
      const std::lock_guard lock(mu);
      if (error.ok() && !status.ok()) error = std::move(status);
    });
    return error;
  }

  // The position in the results where tile `t` begins.
  struct TilePosition {
    int64_t image, row, column;
  };
  TilePosition PositionOf(int64_t t) const {
    const int64_t per_image = v_.tiles[0] * v_.tiles[1];
    const int64_t within = t % per_image;
    return {t / per_image, within / v_.tiles[1] * results_, within % v_.tiles[1] * results_};
  }

  // Pointers to the `size` x `size` elements of an image that begin at (row, column). Elements outside of the image
  // point to `outside`.
  template <class T>
  static void TapsOf(T* image, const std::array<int64_t, 2>& in, int64_t channels, int64_t row, int64_t column,
                     int64_t size, T* outside, T** taps) {
    for (int64_t i = row; i < row + size; ++i) {
      const bool inside = i >= 0 && i < in[0];
      for (int64_t j = column; j < column + size; ++j)
        *taps++ = inside && j >= 0 && j < in[1] ? image + (i * in[1] + j) * channels : outside;
    }
  }

  // Transforms the tiles of a block to [36][tile of the block][channel].
  void TransformImages(Block block, const float* images, const float* zeros, float* to) const {
    const int64_t channels = v_.from_channels;
    const int64_t size = v_.from[0] * v_.from[1] * channels;
    const float* taps[kTaps];
    for (int64_t t = 0; t < block.count; ++t) {
      const TilePosition p = PositionOf(block.first + t);
      TapsOf(images + p.image * size, v_.from, channels, p.row - v_.before[0], p.column - v_.before[1], kTile, zeros,
             taps);
      TransformImage(taps, channels, to + t * channels, BlockStep(channels));
    }
  }

  // Calls `finish` with the results of a tile that lie inside the image.
  void FinishTile(const TilePosition& p, float* image, const RowEpilogue& finish) const {
    const int64_t channels = v_.to_channels;
    const int64_t columns = std::min(results_, v_.to[1] - p.column);
    for (int64_t i = p.row; i < std::min(p.row + results_, v_.to[0]); ++i)
      finish(image + (i * v_.to[1] + p.column) * channels, columns, channels, 0, channels);
  }

  Status RunFilterPass(ThreadPool* pool, const float* images, const float* u, float* to,
                       const RowEpilogue* finish) const {
    return ForRanges(pool, blocks_, cost(), [&](int64_t begin, int64_t end) -> Status {
      const int64_t from_step = BlockStep(v_.from_channels);
      const int64_t to_step = BlockStep(v_.to_channels);
      const int64_t most = std::max(v_.from_channels, v_.to_channels);
      WEIR_ASSIGN(const Tensor scratch, Scratch(kTaps * (from_step + to_step) + 2 * most));
      float* from = scratch.data<float>();
      float* products = from + kTaps * from_step;
      float* zeros = products + kTaps * to_step;
      float* discard = zeros + most;
      std::fill_n(from, kTaps * from_step, 0.0f);  // the rows that pad the last block are multiplied too
      std::fill_n(zeros, most, 0.0f);
      const int64_t size = v_.to[0] * v_.to[1] * v_.to_channels;
      float* taps[kTaps];
      for (int64_t i = begin; i < end; ++i) {
        const Block block = BlockAt(i);
        TransformImages(block, images, zeros, from);
        const int64_t rows = (block.count + 7) / 8 * 8;
        for (int64_t p = 0; p < kTaps; ++p) {
          MultiplyTiles(rows, v_.from_channels, v_.to_channels, from + p * from_step, v_.from_channels, 1,
                        u + p * FilterStep(), products + p * to_step, false);
        }
        for (int64_t t = 0; t < block.count; ++t) {
          const TilePosition p = PositionOf(block.first + t);
          TapsOf(to + p.image * size, v_.to, v_.to_channels, p.row, p.column, results_, discard, taps);
          TransformBack(filter_, products + t * v_.to_channels, to_step, v_.to_channels, taps);
          if (finish != nullptr) FinishTile(p, to + p.image * size, *finish);
        }
      }
      return OkStatus();
    });
  }

  // Each part sums over its tiles, block by block. The sums are added in a fixed order, so that the result is
  // deterministic.
  Status RunFilterGradient(ThreadPool* pool, const float* images, const float* gradients, float* to) const {
    const int64_t sums_size = kTaps * FilterStep();
    WEIR_ASSIGN(const Tensor sums, Scratch(parts_ * sums_size));
    WEIR_TRY(ForRanges(pool, parts_, cost() * (blocks_ / parts_), [&](int64_t begin, int64_t end) -> Status {
      for (int64_t part = begin; part < end; ++part) {
        WEIR_TRY(SumOfPart(part, images, gradients, sums.data<float>() + part * sums_size));
      }
      return OkStatus();
    }));
    float* total = sums.data<float>();
    for (int64_t part = 1; part < parts_; ++part) {
      const float* more = total + part * sums_size;
      for (int64_t i = 0; i < sums_size; ++i) total[i] += more[i];
    }
    TransformFilterBack(total, FilterStep(), FilterStep(), to, FilterStep());
    return OkStatus();
  }

  Status SumOfPart(int64_t part, const float* images, const float* gradients, float* sum) const {
    const int64_t in_step = BlockStep(v_.from_channels);
    const int64_t out_step = BlockStep(v_.to_channels);
    const int64_t most = std::max(v_.from_channels, v_.to_channels);
    WEIR_ASSIGN(const Tensor scratch, Scratch(kTaps * (in_step + out_step) + most));
    float* in = scratch.data<float>();
    float* out = in + kTaps * in_step;
    float* zeros = out + kTaps * out_step;
    std::fill_n(zeros, most, 0.0f);
    const int64_t size = v_.to[0] * v_.to[1] * v_.to_channels;
    const float* taps[kTaps];
    const int64_t first = part * blocks_ / parts_;
    const int64_t last = (part + 1) * blocks_ / parts_;
    for (int64_t i = first; i < last; ++i) {
      const Block block = BlockAt(i);
      TransformImages(block, images, zeros, in);
      for (int64_t t = 0; t < block.count; ++t) {
        const TilePosition p = PositionOf(block.first + t);
        TapsOf(gradients + p.image * size, v_.to, v_.to_channels, p.row, p.column, results_,
               static_cast<const float*>(zeros), taps);
        TransformGradient(taps, v_.to_channels, out + t * v_.to_channels, out_step);
      }
      for (int64_t p = 0; p < kTaps; ++p) {
        MultiplyTiles(v_.from_channels, block.count, v_.to_channels, in + p * in_step, 1, v_.from_channels,
                      out + p * out_step, sum + p * FilterStep(), i > first);
      }
    }
    return OkStatus();
  }

  const ConvPass pass_;
  const ConvSizes sizes_;
  const int filter_;
  const int64_t results_;  // per dimension of a tile
  const FilterPass v_;
  const int64_t tiles_;
  const int64_t blocks_;
  const int64_t parts_;
};

}  // namespace

bool UseWinograd(ConvPass pass, const ConvSizes& s) {
  if (s.dims != 2 || s.channels_first || s.groups != 1) return false;
  if (s.in_channels % 16 != 0 || s.out_channels % 16 != 0) return false;
  // The transformed filter must stay in the L2 cache.
  if (s.in_channels > 4096 || s.out_channels > 4096 || s.in_channels * s.out_channels > 4096) return false;
  if (s.filter[0] != s.filter[1] || (s.filter[0] != 3 && s.filter[0] != 5)) return false;
  // With 4 x 4 results per tile the gradient of the filter would lose a digit of precision.
  if (pass == ConvPass::kFilterGradient && s.filter[0] != 5) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (s.stride[i] != 1 || s.dilation[i] != 1 || s.before[i] >= s.filter[i]) return false;
  }
  constexpr double kWorthIt = 1e7;  // fewer multiplications do not pay for the transforms of the filter
  if (s.multiplications() < kWorthIt) return false;
  // Tiles that extend past the end of the image cost as much as whole ones.
  const FilterPass v = FilterPassOf(s, false);
  const double done = static_cast<double>(v.tiles[0] * v.tiles[1] * kTaps);
  const double asked = static_cast<double>(s.out[0] * s.out[1] * s.filter[0] * s.filter[1]);
  return asked >= 2 * done;
}

std::shared_ptr<const Convolution> MakeWinogradConvolution(ConvPass pass, const ConvSizes& sizes, int threads) {
  return std::make_shared<Winograd>(pass, sizes, threads);
}

}  // namespace weir
