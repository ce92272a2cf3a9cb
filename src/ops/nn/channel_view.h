// A tensor viewed as [outer, channels, inner]. inner is 1 if channels come last.
#ifndef WEIR_OPS_NN_CHANNEL_VIEW_H_
#define WEIR_OPS_NN_CHANNEL_VIEW_H_

#include "tensor/shape.h"

namespace weir::ops {

struct ChannelView {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  ChannelView(const Shape& shape, int channel_axis) {
    for (int i = 0; i < shape.rank(); ++i)
      (i < channel_axis ? outer : i == channel_axis ? channels : inner) *= shape[i];
  }

  int64_t per_channel() const { return outer * inner; }
  // Calls f(index of first element, channel) for every run of `inner` elements.
  template <class F>
  void ForRuns(F f) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t c = 0; c < channels; ++c) f((o * channels + c) * inner, c);
  }
};

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_CHANNEL_VIEW_H_
