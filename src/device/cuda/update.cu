// Optimizer updates. The host defines F (float or double, or Half and BFloat16), SLOTS, SCALARS, FLAG and RULE: the
// statements that update s[0] (the parameter), s[1], ... from the gradient g, the scalars c[0], c[1], ... and FLAG.
// They are the formulas of src/ops/state/update_rules.cc.
typedef Wide<F> W;
#define MAX_TENSORS 16

__device__ __forceinline__ W SignOf(W x) { return x > 0 ? (W)1 : x < 0 ? (W)-1 : x; }
__device__ __forceinline__ W Shrink(W x, W t) {
  const W rest = fabs(x) - t;
  return SignOf(x) * (rest > 0 ? rest : (W)0);
}

__device__ __forceinline__ W FtrlRate(W accum, W power) { return power == (W)-0.5 ? sqrt(accum) : pow(accum, -power); }
__device__ __forceinline__ void Ftrl(W* s, W g, W lr, W l1, W l2, W shrinkage, W power, bool scaled) {
  if (scaled) l1 *= lr, l2 *= lr;
  const W inverse_lr = scaled ? (W)1 : (W)1 / lr;
  const W accum = s[1] + g * g, rate = FtrlRate(accum, power);
  const W full = g + (W)2 * shrinkage * s[0];
  s[2] = s[2] + full * (scaled ? lr : (W)1) - (rate - FtrlRate(s[1], power)) * inverse_lr * s[0];
  s[0] = fabs(s[2]) > l1 ? (l1 * SignOf(s[2]) - s[2]) / (rate * inverse_lr + (W)2 * l2) : (W)0;
  s[1] = accum;
}

struct Scalars {
  const F* at[6];
};
__device__ __forceinline__ void Update(const Scalars& scalars, W* s, W g) {
  W c[6];
#pragma unroll
  for (int i = 0; i < SCALARS; ++i) c[i] = Widen(*scalars.at[i]);
  RULE
}

// Several tensors of one rule in one launch: blockIdx.y is the tensor.
struct Tensors {
  F* slots[MAX_TENSORS][4];
  const F* gradients[MAX_TENSORS];
  int64 sizes[MAX_TENSORS];
  Scalars scalars[MAX_TENSORS];
};
#ifdef KERNEL_UpdateDense
extern "C" __global__ void UpdateDense(const Tensors tensors) {
  const int t = blockIdx.y;
  const int64 n = tensors.sizes[t], step = (int64)gridDim.x * blockDim.x * V;
  for (int64 i = ((int64)blockIdx.x * blockDim.x + threadIdx.x) * V; i < n; i += step) {
    Pack<F, V> packs[4], gradient;
    if (i + V <= n) {
#pragma unroll
      for (int k = 0; k < SLOTS; ++k) packs[k] = *(const Pack<F, V>*)(tensors.slots[t][k] + i);
      gradient = *(const Pack<F, V>*)(tensors.gradients[t] + i);
    } else {
      for (int j = 0; j < V && i + j < n; ++j) {
        for (int k = 0; k < SLOTS; ++k) packs[k].at[j] = tensors.slots[t][k][i + j];
        gradient.at[j] = tensors.gradients[t][i + j];
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) {
      W s[4];
#pragma unroll
      for (int k = 0; k < SLOTS; ++k) s[k] = Widen(packs[k].at[j]);
      Update(tensors.scalars[t], s, Widen(gradient.at[j]));
#pragma unroll
      for (int k = 0; k < SLOTS; ++k) packs[k].at[j] = To<F>(s[k]);
    }
    if (i + V <= n) {
#pragma unroll
      for (int k = 0; k < SLOTS; ++k) *(Pack<F, V>*)(tensors.slots[t][k] + i) = packs[k];
    } else {
      for (int j = 0; j < V && i + j < n; ++j) {
        for (int k = 0; k < SLOTS; ++k) tensors.slots[t][k][i + j] = packs[k].at[j];
      }
    }
  }
}
#endif

// Row order[p] of the gradient updates row rows[p] of every slot. `rows` is sorted, `order` ascends within equal rows,
// and one thread handles all gradients of a row and column, so the result does not depend on timing.
#ifdef KERNEL_UpdateRows
extern "C" __global__ void UpdateRows(F* slot0, F* slot1, F* slot2, F* slot3, const F* gradient, const uint32* rows,
                                      const uint32* order, int64 count, int64 width, int64 limit,
                                      const Scalars scalars) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count * width) return;
  int64 p = e / width;
  const int64 column = e - p * width;
  const uint32 row = rows[p];
  if (row >= limit || (p > 0 && rows[p - 1] == row)) return;
  F* const slots[4] = {slot0, slot1, slot2, slot3};
  W s[4];
#pragma unroll
  for (int k = 0; k < SLOTS; ++k) s[k] = Widen(slots[k][row * width + column]);
  for (; p < count && rows[p] == row; ++p) {
    Update(scalars, s, Widen(gradient[(int64)order[p] * width + column]));
    // Round to the type in memory after each gradient, as separate updates would.
#pragma unroll
    for (int k = 0; k < SLOTS; ++k) s[k] = Widen(To<F>(s[k]));
  }
#pragma unroll
  for (int k = 0; k < SLOTS; ++k) slots[k][row * width + column] = To<F>(s[k]);
}
#endif
