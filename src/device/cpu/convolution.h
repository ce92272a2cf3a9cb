// Convolutions of float on oneDNN, or by Winograd's tiles where these take less: the result, and its gradients by the
// input and by the filter. Images and results stay in the layout of their tensors, so that nothing but the filter is
// ever reordered, and that only when it has changed. Every primitive runs on one thread; the batch is split over the
// threads of the pool.
#ifndef WEIR_DEVICE_CPU_CONVOLUTION_H_
#define WEIR_DEVICE_CPU_CONVOLUTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/finish_rows.h"
#include "tensor/tensor.h"

namespace weir {

// Images are [batch, in..., in_channels] (or [batch, in_channels, in...]), filters [filter..., in_channels / groups,
// out_channels], dense both. All sizes are positive.
struct ConvSizes {
  static constexpr int kMaxDims = 3;
  using Dims = std::array<int64_t, kMaxDims>;

  int dims = 2;  // 2 or 3: how many of each list below count, the outermost first
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
  Dims before = {};  // zeros that stand before the first element of each dimension

  bool operator==(const ConvSizes&) const = default;
  // Per image.
  int64_t in_elements() const;
  int64_t out_elements() const;
  int64_t filter_elements() const;
  double multiplications() const;  // of all images
};

enum class ConvPass { kForward, kInputGradient, kFilterGradient };

// One pass over images of given sizes: its primitives. Thread-safe.
class Convolution {
 public:
  virtual ~Convolution() = default;
  // kForward: images, packed filter -> results. kInputGradient: packed filter, gradients of results -> gradients of
  // images. kFilterGradient: images, gradients of results -> gradient of the filter, in the layout of its tensor.
  // `finish`, where it is not null, gets the results of a kForward as rows of a pixel's channels. REQUIRES for it:
  // channels last.
  virtual Status Run(ThreadPool* pool, const float* a, const float* b, float* to, const FinishRows* finish) const = 0;
  // Whether Run takes the filter in another layout than its tensor has, and that layout.
  virtual bool packs_filter() const = 0;
  virtual Result<Tensor> PackFilter(ThreadPool* pool, const float* filter) const = 0;
};
// Split for so many threads. An error means that memory ran out or that oneDNN cannot do it.
Result<std::shared_ptr<const Convolution>> MakeConvolution(ConvPass pass, const ConvSizes& sizes, int threads);

// The convolutions of one kernel by their sizes, made when first asked for; those not used for long are dropped. Keeps
// the filter that was packed last beside a copy of what it was made of: as long as that is the same, bit for bit, it is
// not packed again. Thread-safe.
class ConvolutionCache final {
 public:
  // As Convolution::Run, with the filter as its tensor has it.
  Status Run(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const float* a, const float* b, float* to,
             const FinishRows* finish = nullptr);
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
  std::vector<Entry> entries_;  // the last used first
  Filter filter_;
  int64_t filters_packed_ = 0;
};

// The same passes for other numbers (double) as plain loops, split over the pool.
template <class T>
void ConvolveDirectly(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const T* a, const T* b, T* to);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_CONVOLUTION_H_
