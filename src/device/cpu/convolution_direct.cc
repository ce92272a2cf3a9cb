// Convolutions as plain loops: for every filter tap, multiply a vector of channels with a small matrix.
#include <algorithm>

#include "device/cpu/convolution.h"

namespace weir {
namespace {

// Sizes and strides with three spatial dimensions. Unused leading dimensions have size 1.
struct Layout {
  explicit Layout(const ConvSizes& s) : groups(s.groups), batch(s.batch) {
    const int first = ConvSizes::kMaxDims - s.dims;
    for (int i = 0; i < s.dims; ++i) {
      in[first + i] = s.in[i];
      out[first + i] = s.out[i];
      filter[first + i] = s.filter[i];
      stride[first + i] = s.stride[i];
      dilation[first + i] = s.dilation[i];
      before[first + i] = s.before[i];
    }
    in_channels = s.in_channels / groups;
    out_channels = s.out_channels / groups;
    all_out_channels = s.out_channels;
    taps = filter[0] * filter[1] * filter[2];
    in_image = s.in_elements();
    out_image = s.out_elements();
    in_channel = s.channels_first ? in[0] * in[1] * in[2] : 1;
    out_channel = s.channels_first ? out[0] * out[1] * out[2] : 1;
    in_position = s.channels_first ? 1 : s.in_channels;
    out_position = s.channels_first ? 1 : s.out_channels;
  }

  // The position in the image that tap `t` reads for output position `o`, or -1 if it lies in the padding.
  int64_t InputPosition(int64_t o, int64_t t) const {
    int64_t at = 0;
    int64_t scale = 1;
    for (int i = 2; i >= 0; --i) {
      const int64_t x = o % out[i] * stride[i] - before[i] + t % filter[i] * dilation[i];
      if (x < 0 || x >= in[i]) return -1;
      at += x * scale;
      scale *= in[i];
      o /= out[i];
      t /= filter[i];
    }
    return at;
  }
  int64_t out_positions() const { return out[0] * out[1] * out[2]; }

  int64_t groups, batch;
  int64_t in_channels, out_channels;  // per group
  int64_t all_out_channels;
  int64_t taps, in_image, out_image, in_channel, out_channel, in_position, out_position;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, filter[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, before[3] = {0, 0, 0};
};

template <class T>
void Forward(const Layout& l, int64_t begin, int64_t end, const T* images, const T* filter, T* results) {
  for (int64_t p = begin; p < end; ++p) {
    const int64_t image = p / l.out_positions();
    const int64_t o = p % l.out_positions();
    T* y = results + image * l.out_image + o * l.out_position;
    for (int64_t c = 0; c < l.all_out_channels; ++c) y[c * l.out_channel] = T(0);
    for (int64_t t = 0; t < l.taps; ++t) {
      const int64_t at = l.InputPosition(o, t);
      if (at < 0) continue;
      const T* x = images + image * l.in_image + at * l.in_position;
      for (int64_t g = 0; g < l.groups; ++g) {
        for (int64_t i = 0; i < l.in_channels; ++i) {
          const T value = x[(g * l.in_channels + i) * l.in_channel];
          const T* w = filter + (t * l.in_channels + i) * l.all_out_channels + g * l.out_channels;
          T* to = y + g * l.out_channels * l.out_channel;
          for (int64_t c = 0; c < l.out_channels; ++c) to[c * l.out_channel] += value * w[c];
        }
      }
    }
  }
}

template <class T>
void InputGradient(const Layout& l, int64_t begin, int64_t end, const T* filter, const T* gradients, T* to) {
  for (int64_t image = begin; image < end; ++image) {
    T* dx_image = to + image * l.in_image;
    std::fill_n(dx_image, l.in_image, T(0));
    for (int64_t o = 0; o < l.out_positions(); ++o) {
      const T* dy = gradients + image * l.out_image + o * l.out_position;
      for (int64_t t = 0; t < l.taps; ++t) {
        const int64_t at = l.InputPosition(o, t);
        if (at < 0) continue;
        T* dx = dx_image + at * l.in_position;
        for (int64_t g = 0; g < l.groups; ++g) {
          const T* from = dy + g * l.out_channels * l.out_channel;
          for (int64_t i = 0; i < l.in_channels; ++i) {
            const T* w = filter + (t * l.in_channels + i) * l.all_out_channels + g * l.out_channels;
            T sum = T(0);
            for (int64_t c = 0; c < l.out_channels; ++c) sum += from[c * l.out_channel] * w[c];
            dx[(g * l.in_channels + i) * l.in_channel] += sum;
          }
        }
      }
    }
  }
}

// The gradient of the filter taps [begin, end).
template <class T>
void FilterGradient(const Layout& l, int64_t begin, int64_t end, const T* images, const T* gradients, T* to) {
  const int64_t tap_size = l.in_channels * l.all_out_channels;
  std::fill_n(to + begin * tap_size, (end - begin) * tap_size, T(0));
  for (int64_t t = begin; t < end; ++t) {
    for (int64_t p = 0; p < l.batch * l.out_positions(); ++p) {
      const int64_t image = p / l.out_positions();
      const int64_t o = p % l.out_positions();
      const int64_t at = l.InputPosition(o, t);
      if (at < 0) continue;
      const T* x = images + image * l.in_image + at * l.in_position;
      const T* dy = gradients + image * l.out_image + o * l.out_position;
      for (int64_t g = 0; g < l.groups; ++g) {
        for (int64_t i = 0; i < l.in_channels; ++i) {
          const T value = x[(g * l.in_channels + i) * l.in_channel];
          const T* from = dy + g * l.out_channels * l.out_channel;
          T* dw = to + t * tap_size + i * l.all_out_channels + g * l.out_channels;
          for (int64_t c = 0; c < l.out_channels; ++c) dw[c] += value * from[c * l.out_channel];
        }
      }
    }
  }
}

}  // namespace

template <class T>
void ConvolveDirectly(ThreadPool* pool, ConvPass pass, const ConvSizes& sizes, const T* a, const T* b, T* to) {
  const Layout l(sizes);
  const int64_t units = pass == ConvPass::kForward         ? l.batch * l.out_positions()
                        : pass == ConvPass::kInputGradient ? l.batch
                                                           : l.taps;
  auto run = [&](int64_t begin, int64_t end) {
    if (pass == ConvPass::kForward) {
      Forward(l, begin, end, a, b, to);
    } else if (pass == ConvPass::kInputGradient) {
      InputGradient(l, begin, end, a, b, to);
    } else {
      FilterGradient(l, begin, end, a, b, to);
    }
  };
  const double nanos = sizes.multiplications() / static_cast<double>(units);
  if (pool == nullptr) {
    run(0, units);
  } else {
    pool->ParallelFor(units, static_cast<int64_t>(std::min(1e9, nanos)) + 1, run);
  }
}

template void ConvolveDirectly(ThreadPool*, ConvPass, const ConvSizes&, const double*, const double*, double*);

}  // namespace weir
