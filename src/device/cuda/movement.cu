// Kernels that move elements of type T (Bits8 to Bits128) without interpreting them.

// Fills with two alternating words, for patterns of 8 and 16 bytes.
#ifdef KERNEL_FillWide
extern "C" __global__ void FillWide(uint64* to, int64 n, uint64 even, uint64 odd) {
  const int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = (i & 1) ? odd : even;
}
#endif

#ifdef KERNEL_StridedCopy
// Copies a block of `dims`, with separate strides for source and target: transpose, slice, concat, split, pad, tile,
// reverse, broadcast. Strides may be zero (of the source) or negative.
struct CopyArgs {
  const T* from;
  T* to;
  int64 n;
  int64 dims[RANK];
  int64 from_strides[RANK];
  int64 to_strides[RANK];
};
extern "C" __global__ void StridedCopy(const CopyArgs args) {
  const int64 first = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  const int64 step = (int64)gridDim.x * blockDim.x;
  for (int64 i = first; i < args.n; i += step) {
    uint64 rest = (uint64)i;
    int64 from = 0, to = 0;
#pragma unroll
    for (int d = RANK - 1; d >= 0; --d) {
      int64 at = (int64)rest;
      if (d > 0) {
        const uint64 next =
            (rest >> 32) == 0 ? (uint64)((uint32)rest / (uint32)args.dims[d]) : rest / (uint64)args.dims[d];
        at -= (int64)(next * (uint64)args.dims[d]);
        rest = next;
      }
      from += at * args.from_strides[d];
      to += at * args.to_strides[d];
    }
    args.to[to] = args.from[from];
  }
}
#endif

// Transposes matrices [batch, rows, columns] through shared memory. Blocks of 32 x 8 threads; grid: column tiles, row
// tiles, batch.
#ifdef KERNEL_TransposeTiles
extern "C" __global__ void TransposeTiles(const T* from, T* to, int64 rows, int64 columns) {
  __shared__ T tile[32][33];
  const int64 base = (int64)blockIdx.z * rows * columns;
  const int64 column = (int64)blockIdx.x * 32 + threadIdx.x;
  for (int64 tile_row = blockIdx.y; tile_row * 32 < rows; tile_row += gridDim.y) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      const int64 row = tile_row * 32 + k;
      if (row < rows && column < columns) tile[k][threadIdx.x] = from[base + row * columns + column];
    }
    __syncthreads();
    const int64 to_column = tile_row * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
      const int64 to_row = (int64)blockIdx.x * 32 + k;
      if (to_row < columns && to_column < rows) to[base + to_row * rows + to_column] = tile[threadIdx.x][k];
    }
    __syncthreads();
  }
}
#endif

// to[o, k, i] = from[o, indices[k], i]. An index out of range gives zeros and a fault.
#ifdef KERNEL_Gather
extern "C" __global__ void Gather(const T* from, const INDEX_TYPE* indices, T* to, int64 n, int64 limit, int64 count,
                                  int64 inner, Fault* fault, uint32 node) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  const int64 row = e / inner, i = e - row * inner;
  const int64 o = row / count, k = row - o * count;
  const int64 index = (int64)indices[k];
  if (index >= 0 && index < limit) {
    to[e] = from[(o * limit + index) * inner + i];
  } else {
    to[e] = T();
    if (i == 0) ReportFault(fault, kBadIndex, node, index, limit, k);
  }
}
#endif

// The same where each index is a tuple of `depth` numbers: offsets of slices of `inner` elements.
struct Tuple {
  int64 limits[7];
};
#ifdef KERNEL_GatherTuples
extern "C" __global__ void GatherTuples(const T* from, const INDEX_TYPE* indices, T* to, int64 n, int64 inner,
                                        int depth, const Tuple tuple, Fault* fault, uint32 node) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  const int64 k = e / inner, i = e - k * inner;
  int64 at = 0;
  for (int d = 0; d < depth; ++d) {
    const int64 index = (int64)indices[k * depth + d];
    if (index < 0 || index >= tuple.limits[d]) {
      to[e] = T();
      if (i == 0) ReportFault(fault, kBadIndex, node, index, tuple.limits[d], k);
      return;
    }
    at = at * tuple.limits[d] + index;
  }
  to[e] = from[at * inner + i];
}
#endif

// to[o, d, i] = d == indices[o, i] ? on : off, for 0 <= d < depth. Other indices give no `on`.
#ifdef KERNEL_OneHot
extern "C" __global__ void OneHot(const INDEX_TYPE* indices, const T* on, const T* off, T* to, int64 n, int64 depth,
                                  int64 inner) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  const int64 i = e % inner, rest = e / inner;
  const int64 d = rest % depth, o = rest / depth;
  to[e] = (int64)indices[o * inner + i] == d ? *on : *off;
}
#endif
