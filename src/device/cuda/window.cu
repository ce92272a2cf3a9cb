// Pools and convolutions, NHWC. T is the element type. A convolution is a matrix product with the patches of the input:
// TakePatches writes them as rows, SumPatches is its transpose.
typedef Wide<T> W;

struct Window {
  int64 batch, height, width, channels;  // of the input
  int64 out_height, out_width;
  int64 rows, columns;  // of the window
  int64 row_step, column_step;
  int64 row_dilation, column_dilation;
  int64 top, left;  // padding
};

__device__ __forceinline__ int64 Split(int64& rest, int64 size) {
  const int64 next = (rest >> 32) == 0 && (size >> 32) == 0 ? (int64)((uint32)rest / (uint32)size) : rest / size;
  const int64 at = rest - next * size;
  rest = next;
  return at;
}

// patches[(b, oy, ox), (r, c, channel)]
#ifdef KERNEL_TakePatches
extern "C" __global__ void TakePatches(const T* x, T* patches, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), c = Split(rest, w.columns), r = Split(rest, w.rows);
  const int64 ox = Split(rest, w.out_width), oy = Split(rest, w.out_height);
  const int64 y = oy * w.row_step - w.top + r * w.row_dilation;
  const int64 ix = ox * w.column_step - w.left + c * w.column_dilation;
  const bool inside = y >= 0 && y < w.height && ix >= 0 && ix < w.width;
  patches[e] = inside ? x[((rest * w.height + y) * w.width + ix) * w.channels + channel] : To<T>(0.0f);
}
#endif

// x[b, y, x, channel] = the sum of all patch elements that correspond to it.
#ifdef KERNEL_SumPatches
extern "C" __global__ void SumPatches(const T* patches, T* x, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), ix = Split(rest, w.width), iy = Split(rest, w.height);
  W sum = 0;
  for (int64 r = 0; r < w.rows; ++r) {
    const int64 y = iy + w.top - r * w.row_dilation;
    if (y < 0 || y % w.row_step != 0 || y / w.row_step >= w.out_height) continue;
    for (int64 c = 0; c < w.columns; ++c) {
      const int64 at = ix + w.left - c * w.column_dilation;
      if (at < 0 || at % w.column_step != 0 || at / w.column_step >= w.out_width) continue;
      const int64 row = (rest * w.out_height + y / w.row_step) * w.out_width + at / w.column_step;
      sum += Widen(patches[((row * w.rows + r) * w.columns + c) * w.channels + channel]);
    }
  }
  x[e] = To<T>(sum);
}
#endif

#ifdef KERNEL_MaxPool
extern "C" __global__ void MaxPool(const T* x, T* to, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), ox = Split(rest, w.out_width), oy = Split(rest, w.out_height);
  W best = Limits<W>::Lowest();
  for (int64 r = 0; r < w.rows; ++r) {
    const int64 y = oy * w.row_step - w.top + r;
    if (y < 0 || y >= w.height) continue;
    for (int64 c = 0; c < w.columns; ++c) {
      const int64 ix = ox * w.column_step - w.left + c;
      if (ix < 0 || ix >= w.width) continue;
      const W v = Widen(x[((rest * w.height + y) * w.width + ix) * w.channels + channel]);
      best = best < v ? v : best;
    }
  }
  to[e] = To<T>(best);
}
#endif

// dx[i] = the sum of dy over the windows whose first maximum is i.
#ifdef KERNEL_MaxPoolGrad
extern "C" __global__ void MaxPoolGrad(const T* x, const T* y, const T* dy, T* dx, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), ix = Split(rest, w.width), iy = Split(rest, w.height);
  const W own = Widen(x[e]);
  W sum = 0;
  for (int64 r = 0; r < w.rows; ++r) {
    const int64 at_y = iy + w.top - r;
    if (at_y < 0 || at_y % w.row_step != 0 || at_y / w.row_step >= w.out_height) continue;
    for (int64 c = 0; c < w.columns; ++c) {
      const int64 at_x = ix + w.left - c;
      if (at_x < 0 || at_x % w.column_step != 0 || at_x / w.column_step >= w.out_width) continue;
      const int64 oy = at_y / w.row_step, ox = at_x / w.column_step;
      const int64 o = ((rest * w.out_height + oy) * w.out_width + ox) * w.channels + channel;
      if (own != Widen(y[o])) continue;
      // Is it the first of the window's maxima?
      bool first = true;
      for (int64 k = 0; first && k < r * w.columns + c; ++k) {
        const int64 py = oy * w.row_step - w.top + k / w.columns, px = ox * w.column_step - w.left + k % w.columns;
        if (py >= 0 && py < w.height && px >= 0 && px < w.width)
          first = Widen(x[((rest * w.height + py) * w.width + px) * w.channels + channel]) != own;
      }
      if (first) sum += Widen(dy[o]);
    }
  }
  dx[e] = To<T>(sum);
}
#endif

// The number of input elements that a window covers in one dimension.
__device__ __forceinline__ int64 Covered(int64 at, int64 step, int64 padding, int64 window, int64 size) {
  const int64 begin = at * step - padding, end = begin + window;
  return (end < size ? end : size) - (begin > 0 ? begin : 0);
}

#ifdef KERNEL_AvgPool
extern "C" __global__ void AvgPool(const T* x, T* to, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), ox = Split(rest, w.out_width), oy = Split(rest, w.out_height);
  W sum = 0;
  for (int64 r = 0; r < w.rows; ++r) {
    const int64 y = oy * w.row_step - w.top + r;
    if (y < 0 || y >= w.height) continue;
    for (int64 c = 0; c < w.columns; ++c) {
      const int64 ix = ox * w.column_step - w.left + c;
      if (ix < 0 || ix >= w.width) continue;
      sum += Widen(x[((rest * w.height + y) * w.width + ix) * w.channels + channel]);
    }
  }
  to[e] = To<T>(sum / (W)(Covered(oy, w.row_step, w.top, w.rows, w.height) *
                          Covered(ox, w.column_step, w.left, w.columns, w.width)));
}
#endif

#ifdef KERNEL_AvgPoolGrad
extern "C" __global__ void AvgPoolGrad(const T* dy, T* dx, int64 n, const Window w) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int64 rest = e;
  const int64 channel = Split(rest, w.channels), ix = Split(rest, w.width), iy = Split(rest, w.height);
  W sum = 0;
  for (int64 r = 0; r < w.rows; ++r) {
    const int64 at_y = iy + w.top - r;
    if (at_y < 0 || at_y % w.row_step != 0 || at_y / w.row_step >= w.out_height) continue;
    for (int64 c = 0; c < w.columns; ++c) {
      const int64 at_x = ix + w.left - c;
      if (at_x < 0 || at_x % w.column_step != 0 || at_x / w.column_step >= w.out_width) continue;
      const int64 oy = at_y / w.row_step, ox = at_x / w.column_step;
      sum += Widen(dy[((rest * w.out_height + oy) * w.out_width + ox) * w.channels + channel]) /
             (W)(Covered(oy, w.row_step, w.top, w.rows, w.height) *
                 Covered(ox, w.column_step, w.left, w.columns, w.width));
    }
  }
  dx[e] = To<T>(sum);
}
#endif
