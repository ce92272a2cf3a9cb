// Common declarations of all device sources: types, conversions, faults, and functions of the expressions.
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

// Plain bits, for kernels that only move elements.
typedef unsigned char Bits8;
typedef unsigned short Bits16;
typedef unsigned int Bits32;
typedef unsigned long long Bits64;
struct __align__(16) Bits128 {
  unsigned long long low, high;
};

struct Half {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
};
template <class F>
struct Complex {
  F re, im;
};
typedef Complex<float> Complex64;
typedef Complex<double> Complex128;

template <class F>
__device__ Complex<F> operator+(Complex<F> a, Complex<F> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class F>
__device__ Complex<F> operator-(Complex<F> a, Complex<F> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class F>
__device__ Complex<F> operator-(Complex<F> a) {
  return {-a.re, -a.im};
}
template <class F>
__device__ Complex<F> operator*(Complex<F> a, Complex<F> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class F>
__device__ Complex<F> operator/(Complex<F> a, Complex<F> b) {
  // Scaled by the larger part of the divisor, so that its square does not overflow.
  if (fabs(b.re) >= fabs(b.im)) {
    const F r = b.im / b.re, d = b.re + b.im * r;
    return {(a.re + a.im * r) / d, (a.im - a.re * r) / d};
  }
  const F r = b.re / b.im, d = b.re * r + b.im;
  return {(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}
template <class F>
__device__ bool operator==(Complex<F> a, Complex<F> b) {
  return a.re == b.re && a.im == b.im;
}
template <class F>
__device__ bool operator!=(Complex<F> a, Complex<F> b) {
  return !(a == b);
}
template <class T>
__device__ T Conjugate(T x) {
  return x;
}
template <class F>
__device__ Complex<F> Conjugate(Complex<F> x) {
  return {x.re, -x.im};
}

// ---- the type that values are computed in: float for the 16-bit floats, else the type itself ----
template <class T>
struct ComputeOf {
  typedef T type;
};
template <>
struct ComputeOf<Half> {
  typedef float type;
};
template <>
struct ComputeOf<BFloat16> {
  typedef float type;
};
template <class T>
using Wide = typename ComputeOf<T>::type;

template <class T>
__device__ __forceinline__ T Widen(T x) {
  return x;
}
__device__ __forceinline__ float Widen(Half x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
__device__ __forceinline__ float Widen(BFloat16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// To<T>(x): conversion between any two types.
template <class T>
struct Converter {
  template <class F>
  static __device__ __forceinline__ T From(F x) {
    return (T)x;
  }
  template <class F>
  static __device__ __forceinline__ T From(Complex<F> x) {
    return (T)x.re;
  }
};
template <>
struct Converter<bool> {
  template <class F>
  static __device__ __forceinline__ bool From(F x) {
    return x != (F)0;
  }
  template <class F>
  static __device__ __forceinline__ bool From(Complex<F> x) {
    return x.re != 0 || x.im != 0;
  }
};
template <>
struct Converter<Half> {
  static __device__ __forceinline__ Half From(float x) {
    Half y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
  template <class F>
  static __device__ __forceinline__ Half From(F x) {
    return From((float)x);
  }
  template <class F>
  static __device__ __forceinline__ Half From(Complex<F> x) {
    return From((float)x.re);
  }
};
template <>
struct Converter<BFloat16> {
  static __device__ __forceinline__ BFloat16 From(float x) {
    BFloat16 y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
  template <class F>
  static __device__ __forceinline__ BFloat16 From(F x) {
    return From((float)x);
  }
  template <class F>
  static __device__ __forceinline__ BFloat16 From(Complex<F> x) {
    return From((float)x.re);
  }
};
template <class G>
struct Converter<Complex<G>> {
  template <class F>
  static __device__ __forceinline__ Complex<G> From(F x) {
    return {(G)x, (G)0};
  }
  template <class F>
  static __device__ __forceinline__ Complex<G> From(Complex<F> x) {
    return {(G)x.re, (G)x.im};
  }
};
template <class T, class F>
__device__ __forceinline__ T To(F x) {
  return Converter<T>::From(x);
}

// ---- faults: see GpuFault in device/gpu_stream.h ----
struct Fault {
  unsigned kind, node;
  long long value, limit, position;
};
enum FaultKind { kNoFault, kBadIndex, kBadLabel, kDivisionByZero, kNegativePower, kNotFinite };
__device__ __noinline__ void ReportFault(Fault* fault, unsigned kind, unsigned node, int64 value, int64 limit,
                                         int64 position) {
  if (fault == 0 || atomicCAS(&fault->kind, 0u, kind) != 0u) return;
  fault->node = node;
  fault->value = value;
  fault->limit = limit;
  fault->position = position;
}

// ---- 16-byte accesses ----
template <class T, int N>
struct __align__(sizeof(T) * N) Pack {
  T at[N];
};

// ---- limits ----
template <class T>
struct Limits;
#define WEIR_LIMITS(T, LOW, HIGH)                       \
  template <>                                           \
  struct Limits<T> {                                    \
    static __device__ T Lowest() { return (T)(LOW); }   \
    static __device__ T Highest() { return (T)(HIGH); } \
  };
WEIR_LIMITS(float, -__int_as_float(0x7f800000), __int_as_float(0x7f800000))
WEIR_LIMITS(double, -__longlong_as_double(0x7ff0000000000000LL), __longlong_as_double(0x7ff0000000000000LL))
WEIR_LIMITS(int8, -128, 127)
WEIR_LIMITS(uint8, 0, 255)
WEIR_LIMITS(short, -32768, 32767)
WEIR_LIMITS(uint16, 0, 65535)
WEIR_LIMITS(int, -2147483647 - 1, 2147483647)
WEIR_LIMITS(uint32, 0, 4294967295u)
WEIR_LIMITS(int64, -9223372036854775807LL - 1, 9223372036854775807LL)
WEIR_LIMITS(uint64, 0, 18446744073709551615ULL)
WEIR_LIMITS(bool, 0, 1)

template <class T>
__device__ __forceinline__ T WarpGet(T x, int lane) {
  // Shuffles move 32 bits.
  union {
    T value;
    unsigned words[(sizeof(T) + 3) / 4];
  } u;
  u.value = x;
  for (int i = 0; i < (int)((sizeof(T) + 3) / 4); ++i) u.words[i] = __shfl_xor_sync(0xffffffffu, u.words[i], lane);
  return u.value;
}

// ---- functions of the elementwise expressions ----
template <class T>
__device__ T TruncateQuotient(T x, T y, unsigned& fault) {
  if (y == 0) {
    fault = kDivisionByZero;
    return 0;
  }
  if ((T)-1 < (T)0 && y == (T)-1) return (T)(0 - (uint64)x);
  return (T)(x / y);
}
template <class T>
__device__ T TruncateRemainder(T x, T y, unsigned& fault) {
  if (y == 0) {
    fault = kDivisionByZero;
    return 0;
  }
  if ((T)-1 < (T)0 && y == (T)-1) return 0;
  return (T)(x % y);
}
template <class T>
__device__ T FloorQuotient(T x, T y, unsigned& fault) {
  const T q = TruncateQuotient(x, y, fault);
  return (x < 0) != (y < 0) && TruncateRemainder(x, y, fault) != 0 ? (T)(q - 1) : q;
}
template <class T>
__device__ T FloorRemainder(T x, T y, unsigned& fault) {
  const T r = TruncateRemainder(x, y, fault);
  return r != 0 && (r < 0) != (y < 0) ? (T)(r + y) : r;
}
template <class T>
__device__ T FloorRemainderOfFloats(T x, T y) {
  const T r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
template <class T>
__device__ T IntegerPower(T x, T y, unsigned& fault) {
  if (y < 0) {
    fault = kNegativePower;
    return 0;
  }
  uint64 base = (uint64)x, result = 1;
  for (uint64 rest = (uint64)y; rest != 0; rest >>= 1) {
    if (rest & 1) result *= base;
    base *= base;
  }
  return (T)result;
}
template <class T>
__device__ int ShiftAmount(T y) {
  const int last = (int)sizeof(T) * 8 - 1;
  return y < (T)0 ? 0 : y > (T)last ? last : (int)y;
}
