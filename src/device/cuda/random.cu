// Random numbers: the sequences of src/base/philox.h with the conversions of src/ops/math/random_numbers.h. T is float,
// double, Half, BFloat16, int or int64. Counter and key come from device memory: {counter[4], key[2]}.
struct Philox {
  uint32 counter[4];
  uint32 key[2];
};
__device__ __forceinline__ void Skip(Philox& p, uint64 blocks) {
  const uint64 low = ((uint64)p.counter[1] << 32) | p.counter[0], sum = low + blocks;
  p.counter[0] = (uint32)sum;
  p.counter[1] = (uint32)(sum >> 32);
  if (sum < low && ++p.counter[2] == 0) ++p.counter[3];
}
struct Block {
  uint32 at[4];
};
__device__ __forceinline__ Block Next(Philox& p) {
  uint32 b0 = p.counter[0], b1 = p.counter[1], b2 = p.counter[2], b3 = p.counter[3], k0 = p.key[0], k1 = p.key[1];
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint32 a_high = __umulhi(0xD2511F53u, b0), a_low = 0xD2511F53u * b0;
    const uint32 b_high = __umulhi(0xCD9E8D57u, b2), b_low = 0xCD9E8D57u * b2;
    b0 = b_high ^ b1 ^ k0;
    b1 = b_low;
    b2 = a_high ^ b3 ^ k1;
    b3 = a_low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  Skip(p, 1);
  return {{b0, b1, b2, b3}};
}

__device__ __forceinline__ float UnitFloat(uint32 x) { return __uint_as_float((127u << 23) | (x & 0x7fffffu)) - 1.0f; }
__device__ __forceinline__ double UnitDouble(uint32 high, uint32 low) {
  return __longlong_as_double((int64)((1023ULL << 52) | ((uint64)(high & 0xfffffu) << 32) | low)) - 1.0;
}
template <class W>
__device__ __forceinline__ void TwoNormals(W radius, W angle, W* to) {
  const W least = (W)1.0e-7;
  const W length = sqrt((W)-2 * log(radius < least ? least : radius));
  to[0] = sin(angle) * length;
  to[1] = cos(angle) * length;
}

template <class N>
struct Numbers {
  static const int kCount = 4;
  static __device__ N Unit(uint32 x) { return To<N>(UnitFloat(x)); }
  static __device__ void Uniform(const Block& x, N* to) {
    for (int i = 0; i < 4; ++i) to[i] = Unit(x.at[i]);
  }
  static __device__ void Normal(const Block& x, N* to) {
    for (int i = 0; i < 4; i += 2) {
      float pair[2];
      Pair(x.at + i, pair);
      to[i] = To<N>(pair[0]);
      to[i + 1] = To<N>(pair[1]);
    }
  }
  typedef float W;
  static const int kBitsOfPair = 2;
  static __device__ void Pair(const uint32* x, float* to) {
    TwoNormals(UnitFloat(x[0]), (float)(6.283185307179586476925286766559 * (double)UnitFloat(x[1])), to);
  }
};
template <>
__device__ Half Numbers<Half>::Unit(uint32 x) {
  const Half one_to_two = {(unsigned short)((15u << 10) | (x & 0x3ffu))};
  return To<Half>(Widen(one_to_two) - 1.0f);
}
template <>
__device__ BFloat16 Numbers<BFloat16>::Unit(uint32 x) {
  const BFloat16 one_to_two = {(unsigned short)((127u << 7) | (x & 0x7fu))};
  return To<BFloat16>(Widen(one_to_two) - 1.0f);
}
template <>
struct Numbers<double> {
  static const int kCount = 2;
  static __device__ void Uniform(const Block& x, double* to) {
    to[0] = UnitDouble(x.at[0], x.at[1]);
    to[1] = UnitDouble(x.at[2], x.at[3]);
  }
  static __device__ void Normal(const Block& x, double* to) { Pair(x.at, to); }
  typedef double W;
  static const int kBitsOfPair = 4;
  static __device__ void Pair(const uint32* x, double* to) {
    TwoNormals(UnitDouble(x[0], x[1]), 6.283185307179586476925286766559 * UnitDouble(x[2], x[3]), to);
  }
};

#ifdef KERNEL_FillRandom
extern "C" __global__ void FillRandom(const Philox* start, T* to, int64 n) {
  const int kCount = Numbers<T>::kCount;
  const int64 group = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (group * kCount >= n) return;
  Philox p = *start;
  Skip(p, (uint64)group);
  T numbers[kCount];
  Numbers<T>::DISTRIBUTION(Next(p), numbers);
  for (int i = 0; i < kCount && group * kCount + i < n; ++i) to[group * kCount + i] = numbers[i];
}
#endif

// Normal numbers within two deviations: each group of outputs has its own part of the sequence.
#ifdef KERNEL_FillTruncated
extern "C" __global__ void FillTruncated(const Philox* start, T* to, int64 n) {
  const int kCount = Numbers<T>::kCount;
  const int64 group = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (group * kCount >= n) return;
  Philox p = *start;
  Skip(p, (uint64)group * (kCount * 256 / 4));
  int64 at = group * kCount;
  for (int left = kCount; left > 0;) {
    const Block x = Next(p);
    for (int b = 0; b < 4; b += Numbers<T>::kBitsOfPair) {
      typename Numbers<T>::W pair[2];
      Numbers<T>::Pair(x.at + b, pair);
      for (int i = 0; i < 2; ++i) {
        if (left == 0 || !(fabs(pair[i]) < 2)) continue;
        if (at < n) to[at] = To<T>(pair[i]);
        ++at;
        --left;
      }
    }
  }
}
#endif

// Integers in [low, low + range).
#ifdef KERNEL_FillIntegers
extern "C" __global__ void FillIntegers(const Philox* start, T* to, int64 n, int64 low, uint64 range) {
  const int kCount = sizeof(T) == 8 ? 2 : 4;
  const int64 group = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (group * kCount >= n) return;
  Philox p = *start;
  Skip(p, (uint64)group);
  const Block x = Next(p);
  for (int i = 0; i < kCount && group * kCount + i < n; ++i) {
    const uint64 bits = kCount == 2 ? x.at[2 * i] | ((uint64)x.at[2 * i + 1] << 32) : (uint64)x.at[i];
    to[group * kCount + i] = (T)((uint64)low + bits % range);
  }
}
#endif
