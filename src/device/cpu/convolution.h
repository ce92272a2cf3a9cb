// Convolutions of float and their gradients with respect to input and filter, with oneDNN or, where that is faster,
// Winograd's algorithm. Images and results keep the layout of their tensors; only the filter is reordered, and only
// when it has changed. Every primitive runs on one thread; the batch is split over the threads of the pool.
#ifndef WEIR_DEVICE_CPU_CONVOLUTION_H_
#define WEIR_DEVICE_CPU_CONVOLUTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/row_epilogue.h"
#include "tensor/tensor.h"

namespace weir {

// Images are [batch, in..., in_channels] (or [batch, in_channels, in...]). Filters are [filter..., in_channels /
// groups, out_channels]. Both are dense. All sizes are positive.
struct ConvSizes {
  static constexpr int kMaxDims = 3;
  using Dims = std::array<int64_t, kMaxDims>;

  int dims = 2;  // 2 or 3: the number of used elements in each Dims below, outermost dimension first
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  bool channels_first = false;
  Dims in = {};
  Dims out = {};
  Dims filter = {};
  Dims stride = {};
  Dims dilation = {};
  Dims before = {};  // padding before the first element of each dimension

  bool operator==(const ConvSizes&) const = default;
  int64_t in_elements() const;   // per image
  int64_t out_elements() const;  // per image
  int64_t filter_elements() const;
  double multiplications() const;  // for the whole batch
};

enum class ConvPass { kForward, kInputGradient, kFilterGradient };

// One pass over images of given sizes. Holds the compiled primitives. Thread-safe.
class Convolution {
 public:
  virtual ~Convolution() = default;
  // Arguments `a`, `b` -> `to`:
  //   kForward:        images, packed filter               -> results
  //   kInputGradient:  packed filter, gradients of results -> gradients of images
  //   kFilterGradient: images, gradients of results        -> gradient of the filter, in the layout of its tensor
  // If `finish` is not null, it gets the results of kForward; a row is the channels of one pixel.
  // REQUIRES: channels last if `finish` is not null.
  virtual Status Run(ThreadPool* pool, const float* a, const float* b, float* to, const RowEpilogue* finish) const = 0;
  // Whether Run needs the filter in another layout than its tensor; PackFilter converts to that layout.
  virtual bool packs_filter() const = 0;
  virtual Result<Tensor> PackFilter(ThreadPool* pool, const float* filter) const = 0;
};
// `threads`: how many threads the batch is split for. Fails if memory is exhausted or oneDNN does not support the
// convolution.
Result<std::shared_ptr<const Convolution>> MakeConvolution(ConvPass pass, const ConvSizes& sizes, int threads);

// LRU cache of the convolutions of one kernel, by size. Also keeps the last packed filter and a copy of the plain one:
// the filter is packed again only if it differs from the copy, bit for bit. Thread-safe.
class ConvolutionCache final {
 public:
  // Like Convolution::Run, but takes the filter in the layout of its tensor.
  Status Run(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const float* a, const float* b, float* to,
             const RowEpilogue* finish = nullptr);
  int64_t filters_packed() const;

 private:
  struct Entry {
    ConvPass pass;
    ConvSizes sizes;
    int threads;
    std::shared_ptr<const Convolution> convolution;
  };
  struct Filter {
    std::shared_ptr<const Convolution> convolution;
    Tensor plain;
    Tensor packed;
  };

  Result<std::shared_ptr<const Convolution>> Get(ConvPass pass, const ConvSizes& sizes, int threads);
  Result<Tensor> Packed(ThreadPool* pool, const std::shared_ptr<const Convolution>& convolution, const float* filter,
                        int64_t elements);

  mutable std::mutex mu_;
  std::vector<Entry> entries_;  // most recently used first
  Filter filter_;
  int64_t filters_packed_ = 0;
};

// The same passes for other types (double) as plain loops, split over the pool.
template <class T>
void ConvolveDirectly(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const T* a, const T* b, T* to);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_CONVOLUTION_H_
