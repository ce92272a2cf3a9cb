// Loops of activations and pooling over floats in the widest vectors of the machine, picked at run time.
#ifndef WEIR_OPS_NN_FLOAT_LOOPS_H_
#define WEIR_OPS_NN_FLOAT_LOOPS_H_

#include <cstdint>

namespace weir::ops {

// y[i] = max(x[i], 0), where a NaN passes. They may be the same memory.
void ReluLoop(const void* x, void* y, int64_t n);

// y[c] = the largest of taps[t][c], of which there are `count` > 0.
void MaxOfTaps(const float* const* taps, int64_t count, int64_t channels, float* y);

// to[t][c] = dy[c] where taps[t][c] is the first of the largest, and 0 elsewhere; with `add` it is added.
void MaxGradientOfTaps(const float* const* taps, float* const* to, int64_t count, int64_t channels, const float* dy,
                       bool add);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_FLOAT_LOOPS_H_
