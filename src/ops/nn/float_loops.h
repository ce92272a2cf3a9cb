// Loops of activations and pooling over floats in the widest vectors of the machine, picked at run time.
#ifndef WEIR_OPS_NN_FLOAT_LOOPS_H_
#define WEIR_OPS_NN_FLOAT_LOOPS_H_

#include <cstdint>

#include "ops/math/elementwise.h"

namespace weir::ops {

// y[i] = max(x[i], 0), where a NaN passes. They may be the same memory.
void ReluLoop(const void* x, void* y, int64_t n);

// Relu6 and Elu, of activations.cc.
void Relu6Loop(const void* x, void* y, int64_t n);
void EluLoop(const void* x, void* y, int64_t n);

// z[i] = x[i] where y[i] > 0, else 0. They may be the same memory.
Fault ReluGradLoop(const void* x, const void* y, void* z, int64_t n, Moving moving);

// y[r][c] += bias[c] over rows that lie `stride` apart, and with `relu` what ReluLoop makes of that.
void AddBiasToRows(float* y, int64_t rows, int64_t stride, const float* bias, int64_t columns, bool relu);

// y[c] = the largest of taps[t][c], of which there are `count` > 0.
void MaxOfTaps(const float* const* taps, int64_t count, int64_t channels, float* y);

// to[t][c] = dy[c] where taps[t][c] is the first of the largest, and 0 elsewhere; with `add` it is added.
void MaxGradientOfTaps(const float* const* taps, float* const* to, int64_t count, int64_t channels, const float* dy,
                       bool add);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_FLOAT_LOOPS_H_
