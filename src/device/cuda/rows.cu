// Kernels with one block per row: softmax, log-softmax, cross entropy, argmax, in_top_k. T is the element type, L the
// type of labels or of the resulting indices. Rows are computed in W, shifted by their maximum.
typedef Wide<T> W;

template <bool kMax>
__device__ W AcrossBlock(W a) {
  __shared__ W partial[33];
  for (int lane = 16; lane > 0; lane >>= 1) {
    const W b = WarpGet(a, lane);
    a = kMax ? (a < b || b != b ? b : a) : a + b;
  }
  if (blockDim.x == 32) return a;
  __syncthreads();  // the previous call may still read `partial`
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = a;
  __syncthreads();
  if (threadIdx.x < 32) {
    a = threadIdx.x < (blockDim.x >> 5) ? partial[threadIdx.x] : kMax ? Limits<W>::Lowest() : (W)0;
    for (int lane = 16; lane > 0; lane >>= 1) {
      const W b = WarpGet(a, lane);
      a = kMax ? (a < b || b != b ? b : a) : a + b;
    }
    if (threadIdx.x == 0) partial[32] = a;
  }
  __syncthreads();
  return partial[32];
}

// The maximum of a row and the sum of exp(x - maximum).
__device__ void MaxAndSum(const T* x, int64 n, int64 step, W& shift, W& sum) {
  W most = Limits<W>::Lowest();
  for (int64 i = threadIdx.x; i < n; i += blockDim.x) {
    const W v = Widen(x[i * step]);
    most = most < v ? v : most;
  }
  shift = AcrossBlock<true>(most);
  W total = 0;
  for (int64 i = threadIdx.x; i < n; i += blockDim.x) total += exp(Widen(x[i * step]) - shift);
  sum = AcrossBlock<false>(total);
}

#ifdef KERNEL_Softmax
extern "C" __global__ void Softmax(const T* x, T* y, int64 n) {
  const int64 row = blockIdx.x;
  W shift, sum;
  MaxAndSum(x + row * n, n, 1, shift, sum);
  const W scale = (W)1 / sum;
  for (int64 i = threadIdx.x; i < n; i += blockDim.x)
    y[row * n + i] = To<T>(exp(Widen(x[row * n + i]) - shift) * scale);
}
#endif

#ifdef KERNEL_LogSoftmax
extern "C" __global__ void LogSoftmax(const T* x, T* y, int64 n) {
  const int64 row = blockIdx.x;
  W shift, sum;
  MaxAndSum(x + row * n, n, 1, shift, sum);
  const W log_sum = log(sum);
  for (int64 i = threadIdx.x; i < n; i += blockDim.x) y[row * n + i] = To<T>(Widen(x[row * n + i]) - shift - log_sum);
}
#endif

// loss[r] = sum of labels * (log(sum of exp) - x); backprop = softmax - labels. A stride of 0 broadcasts.
#ifdef KERNEL_CrossEntropy
extern "C" __global__ void CrossEntropy(const T* x, const T* labels, T* loss, T* backprop, int64 n, int64 x_row,
                                        int64 x_step, int64 label_row, int64 label_step) {
  const int64 row = blockIdx.x;
  const T* in = x + row * x_row;
  W shift, sum;
  MaxAndSum(in, n, x_step, shift, sum);
  const W log_sum = log(sum), scale = (W)1 / sum;
  W total = 0;
  for (int64 i = threadIdx.x; i < n; i += blockDim.x) {
    const W v = Widen(in[i * x_step]) - shift;
    const W z = Widen(labels[row * label_row + i * label_step]);
    if (z != 0) total += z * (log_sum - v);
    backprop[row * n + i] = To<T>(exp(v) * scale - z);
  }
  total = AcrossBlock<false>(total);
  if (threadIdx.x == 0) loss[row] = To<T>(total);
}
#endif

// The same with class numbers as labels. A label out of range is a fault and gives NaN.
#ifdef KERNEL_SparseCrossEntropy
extern "C" __global__ void SparseCrossEntropy(const T* x, const L* labels, T* loss, T* backprop, int64 n, Fault* fault,
                                              uint32 node) {
  const int64 row = blockIdx.x;
  const T* in = x + row * n;
  const int64 label = (int64)labels[row];
  const bool valid = label >= 0 && label < n;
  W shift, sum;
  MaxAndSum(in, n, 1, shift, sum);
  const W scale = (W)1 / sum, nan = (W)__int_as_float(0x7fc00000);
  for (int64 i = threadIdx.x; i < n; i += blockDim.x) {
    const W p = exp(Widen(in[i]) - shift) * scale;
    backprop[row * n + i] = To<T>(!valid ? nan : i == label ? p - (W)1 : p);
  }
  if (threadIdx.x != 0) return;
  loss[row] = To<T>(valid ? log(sum) - (Widen(in[label]) - shift) : nan);
  if (!valid) ReportFault(fault, kBadLabel, node, label, n, row);
}
#endif

// The index of the first largest or (kMin) smallest element of [outer, n, inner] along n; NaNs are ignored. A warp per
// result.
#ifdef KERNEL_ArgExtreme
extern "C" __global__ void ArgExtreme(const T* x, L* to, int64 results, int64 n, int64 inner) {
  const int64 result = (int64)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (result >= results) return;
  const int64 outer = result / inner;
  const T* in = x + (outer * n * inner + (result - outer * inner));
  W best = WORST;
  int64 at = 0;
  for (int64 i = threadIdx.x & 31; i < n; i += 32) {
    const W v = Widen(in[i * inner]);
    if (v BETTER best) best = v, at = i;
  }
  for (int lane = 16; lane > 0; lane >>= 1) {
    const W other = WarpGet(best, lane);
    const int64 other_at = WarpGet(at, lane);
    if (other BETTER best || (other == best && other_at < at)) best = other, at = other_at;
  }
  // If no element is better than WORST (all are equal to it or NaN), the result is 0.
  if ((threadIdx.x & 31) == 0) to[result] = (L)((best == (W)(WORST)) ? 0 : at);
}
#endif

// to[row]: fewer than k predictions of the row are larger than that of its target, and all are finite.
#ifdef KERNEL_InTopK
extern "C" __global__ void InTopK(const T* predictions, const L* targets, bool* to, int64 n, int64 k) {
  const int64 row = blockIdx.x, target = (int64)targets[row];
  const bool valid = target >= 0 && target < n;
  const T* p = predictions + row * n;
  const W own = valid ? Widen(p[target]) : (W)0;
  W more = 0, bad = 0;
  for (int64 i = threadIdx.x; valid && i < n; i += blockDim.x) {
    const W v = Widen(p[i]);
    if (!(fabs(v) < Limits<W>::Highest())) bad = 1;
    if (v > own) more += 1;
  }
  more = AcrossBlock<false>(more);
  bad = AcrossBlock<false>(bad);
  if (threadIdx.x == 0) to[row] = valid && bad == 0 && more < (W)k;
}
#endif
