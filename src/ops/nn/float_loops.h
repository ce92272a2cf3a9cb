// Vectorized float loops of activations and pooling. The instruction set is selected at run time.
#ifndef WEIR_OPS_NN_FLOAT_LOOPS_H_
#define WEIR_OPS_NN_FLOAT_LOOPS_H_

#include <cstdint>

#include "ops/math/elementwise.h"

namespace weir::ops {

// y[i] = max(x[i], 0). Propagates NaN. x and y may be the same memory.
void ReluLoop(const void* x, void* y, int64_t n);

// Relu6 and Elu, as in activations.cc.
void Relu6Loop(const void* x, void* y, int64_t n);
void EluLoop(const void* x, void* y, int64_t n);

// z[i] = y[i] > 0 ? x[i] : 0. They may be the same memory.
LoopError ReluGradLoop(const void* x, const void* y, void* z, int64_t n, ScalarOperand moving);

// y[r][c] += bias[c] for rows that are `stride` elements apart; then applies Relu if `relu` is set.
void AddBiasToRows(float* y, int64_t rows, int64_t stride, const float* bias, int64_t columns, bool relu);

// y[c] = the maximum of taps[t][c]. REQUIRES: count > 0.
void MaxOfTaps(const float* const* taps, int64_t count, int64_t channels, float* y);

// to[t][c] = dy[c] if taps[t][c] is the first maximum, else 0. With `add`, adds to to[t][c].
void MaxGradientOfTaps(const float* const* taps, float* const* to, int64_t count, int64_t channels, const float* dy,
                       bool add);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_FLOAT_LOOPS_H_
