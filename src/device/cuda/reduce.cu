// Reductions without atomics, so that equal inputs give equal bits. The host defines:
//   T, A, OUT    the types of the elements, of the accumulator and of the result
//   TAKE         the value of element x: "x", "x * x"
//   INIT, MERGE, FINISH   expressions: initial value; accumulators a and b combined; result from a of n elements
// Large reductions run twice: partial results first, then their reduction.
__device__ __forceinline__ A Take(T element) {
  const Wide<T> x = Widen(element);
  return (A)(TAKE);
}
__device__ __forceinline__ A Merge(A a, A b) { return (A)(MERGE); }
__device__ __forceinline__ OUT Finish(A a, int64 n) { return To<OUT>(FINISH); }

// Merges the values of all threads of a block. The result is in thread 0. Blocks have a multiple of 32 threads.
__device__ A MergeBlock(A a) {
  __shared__ A partial[32];
  for (int lane = 16; lane > 0; lane >>= 1) a = Merge(a, WarpGet(a, lane));
  if (blockDim.x <= 32) return a;
  const int warp = threadIdx.x >> 5;
  if ((threadIdx.x & 31) == 0) partial[warp] = a;
  __syncthreads();
  if (warp == 0) {
    a = threadIdx.x < (blockDim.x >> 5) ? partial[threadIdx.x] : (A)(INIT);
    for (int lane = 16; lane > 0; lane >>= 1) a = Merge(a, WarpGet(a, lane));
  }
  return a;
}

// [rows, n] to [rows, parts]: block (row, part) reduces its share of a row. `total` is n of the whole reduction.
#ifdef KERNEL_ReduceRows
extern "C" __global__ void ReduceRows(const T* from, OUT* to, int64 n, int64 total) {
  const int64 row = blockIdx.x, parts = gridDim.y;
  const int64 share = (n + parts - 1) / parts;
  const int64 begin = blockIdx.y * share, end = begin + share < n ? begin + share : n;
  A a = INIT;
  const T* x = from + row * n;
  for (int64 i = begin + threadIdx.x; i < end; i += blockDim.x) a = Merge(a, Take(x[i]));
  a = MergeBlock(a);
  if (threadIdx.x == 0) to[row * parts + blockIdx.y] = Finish(a, total);
}
#endif

// [rows, n] to [rows] with a warp per row, for short rows.
#ifdef KERNEL_ReduceShortRows
extern "C" __global__ void ReduceShortRows(const T* from, OUT* to, int64 rows, int64 n) {
  const int64 row = (int64)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (row >= rows) return;
  A a = INIT;
  for (int64 i = threadIdx.x & 31; i < n; i += 32) a = Merge(a, Take(from[row * n + i]));
  for (int lane = 16; lane > 0; lane >>= 1) a = Merge(a, WarpGet(a, lane));
  if ((threadIdx.x & 31) == 0) to[row] = Finish(a, n);
}
#endif

// [outer, n, inner] to [parts, outer, inner]. Blocks of 32 x 8 threads; grid: tiles of inner, parts, outer.
#ifdef KERNEL_ReduceColumns
extern "C" __global__ void ReduceColumns(const T* from, OUT* to, int64 n, int64 inner, int64 total, int64 outers) {
  __shared__ A partial[8][33];
  const int64 column = (int64)blockIdx.x * 32 + threadIdx.x;
  const int64 parts = gridDim.y, share = (n + parts - 1) / parts;
  const int64 begin = blockIdx.y * share, end = begin + share < n ? begin + share : n;
  for (int64 outer = blockIdx.z; outer < outers; outer += gridDim.z) {
    A a = INIT;
    if (column < inner) {
      const T* x = from + outer * n * inner + column;
      for (int64 i = begin + threadIdx.y; i < end; i += 8) a = Merge(a, Take(x[i * inner]));
    }
    partial[threadIdx.y][threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.y == 0 && column < inner) {
      for (int k = 1; k < 8; ++k) a = Merge(a, partial[k][threadIdx.x]);
      to[((int64)blockIdx.y * outers + outer) * inner + column] = Finish(a, total);
    }
    __syncthreads();
  }
}
#endif

#ifdef KERNEL_ReduceAxes
// Any axes: one warp per result walks the reduced dimensions with their strides.
struct AxesArgs {
  const T* from;
  OUT* to;
  int64 results;
  int64 n;
  int64 kept_dims[RANK];
  int64 kept_strides[RANK];
  int64 dims[RANK];
  int64 strides[RANK];
};
__device__ __forceinline__ int64 Walk(const int64* dims, const int64* strides, int64 rest) {
  int64 at = 0;
  for (int d = RANK - 1; d >= 0; --d) {
    const int64 next = rest / dims[d];
    at += (rest - next * dims[d]) * strides[d];
    rest = next;
  }
  return at;
}
extern "C" __global__ void ReduceAxes(const AxesArgs args) {
  const int64 result = (int64)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (result >= args.results) return;
  const T* x = args.from + Walk(args.kept_dims, args.kept_strides, result);
  A a = INIT;
  for (int64 i = threadIdx.x & 31; i < args.n; i += 32) a = Merge(a, Take(x[Walk(args.dims, args.strides, i)]));
  for (int lane = 16; lane > 0; lane >>= 1) a = Merge(a, WarpGet(a, lane));
  if ((threadIdx.x & 31) == 0) args.to[result] = Finish(a, args.n);
}
#endif
