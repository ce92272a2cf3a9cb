// Sorts row numbers, stably, by passes over eight bits each. I is the type of the given indices. Indices out of range
// become `limit`, which sorts last, and a fault. Blocks of 256 threads, one per tile of 256 numbers.
#define TILE 256

#ifdef KERNEL_TakeRows
extern "C" __global__ void TakeRows(const I* indices, uint32* rows, uint32* order, int64 count, int64 limit,
                                    Fault* fault, uint32 node) {
  const int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int64 index = (int64)indices[i];
  const bool valid = index >= 0 && index < limit;
  rows[i] = valid ? (uint32)index : (uint32)limit;
  order[i] = (uint32)i;
  if (!valid) ReportFault(fault, kBadIndex, node, index, limit, i);
}
#endif

// counts[digit][tile]
#ifdef KERNEL_CountDigits
extern "C" __global__ void CountDigits(const uint32* rows, uint32* counts, int64 count, int shift) {
  __shared__ uint32 bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int64 i = (int64)blockIdx.x * TILE + threadIdx.x;
  if (i < count) atomicAdd(&bins[(rows[i] >> shift) & 255], 1u);  // integers: the order does not matter
  __syncthreads();
  counts[(int64)threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
#endif

// Exclusive prefix sum of n numbers, in place. One block of 1024 threads.
#ifdef KERNEL_SumBefore
extern "C" __global__ void SumBefore(uint32* counts, int64 n) {
  __shared__ uint32 sums[1024];
  const int64 share = (n + 1023) / 1024, begin = threadIdx.x * share, end = begin + share < n ? begin + share : n;
  uint32 total = 0;
  for (int64 i = begin; i < end; ++i) total += counts[i];
  sums[threadIdx.x] = total;
  for (int distance = 1; distance < 1024; distance *= 2) {
    __syncthreads();
    const uint32 before = (int)threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
  }
  uint32 at = sums[threadIdx.x] - total;
  for (int64 i = begin; i < end; ++i) {
    const uint32 own = counts[i];
    counts[i] = at;
    at += own;
  }
}
#endif

#ifdef KERNEL_MoveByDigit
extern "C" __global__ void MoveByDigit(const uint32* rows, const uint32* order, uint32* to_rows, uint32* to_order,
                                       const uint32* counts, int64 count, int shift) {
  __shared__ unsigned short digits[TILE];
  const int64 i = (int64)blockIdx.x * TILE + threadIdx.x;
  const uint32 row = i < count ? rows[i] : 0;
  const unsigned short digit = i < count ? (row >> shift) & 255 : 256;
  digits[threadIdx.x] = digit;
  __syncthreads();
  if (i >= count) return;
  uint32 rank = 0;
  for (int k = 0; k < (int)threadIdx.x; ++k) rank += digits[k] == digit;
  const uint32 at = counts[(int64)digit * gridDim.x + blockIdx.x] + rank;
  to_rows[at] = row;
  to_order[at] = order[i];
}
#endif

// to[row] = MERGE of to[row] and all rows of `from` with that number, in order: scatter updates, segment sums.
#ifdef KERNEL_MergeRows
extern "C" __global__ void MergeRows(T* to, const T* from, const uint32* rows, const uint32* order, int64 count,
                                     int64 width, int64 limit) {
  const int64 e = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count * width) return;
  int64 p = e / width;
  const int64 column = e - p * width;
  const uint32 row = rows[p];
  if (row >= limit || (p > 0 && rows[p - 1] == row)) return;
  typedef Wide<T> W;
  W a = Widen(to[row * width + column]);
  for (; p < count && rows[p] == row; ++p) {
    const W b = Widen(from[(int64)order[p] * width + column]);
    a = (W)(MERGE);
  }
  to[row * width + column] = To<T>(a);
}
#endif
