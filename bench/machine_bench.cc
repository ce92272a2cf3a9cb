// Limits of the machine on one thread. Kernels and transports are compared with these.
#include <benchmark/benchmark.h>

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weir {
namespace {

// Memory that is mapped, in huge pages if the kernel provides them, like the memory of tensors.
std::unique_ptr<char, void (*)(void*)> Touched(size_t size) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t rounded = (size + kHugePage - 1) / kHugePage * kHugePage;
  std::unique_ptr<char, void (*)(void*)> memory(static_cast<char*>(std::aligned_alloc(kHugePage, rounded)), std::free);
  madvise(memory.get(), rounded, MADV_HUGEPAGE);
  std::memset(memory.get(), 'x', size);
  return memory;
}

// range(0): bytes copied.
void BM_MachineCopy(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  const auto from = Touched(size);
  const auto to = Touched(size);
  for (auto _ : state) {
    std::memcpy(to.get(), from.get(), size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MachineCopy)->Arg(32 << 10)->Arg(1 << 20)->Arg(4 << 20)->Arg(100 << 20);

// y += x of range(0) floats. It writes to memory that it has just read, which is faster than a copy.
void BM_MachineUpdate(benchmark::State& state) {
  using Lanes [[gnu::vector_size(64)]] = float;
  const auto lanes = static_cast<size_t>(state.range(0)) / 16;
  const auto from = Touched(lanes * sizeof(Lanes));
  const auto to = Touched(lanes * sizeof(Lanes));
  const auto* x = reinterpret_cast<const Lanes*>(from.get());
  auto* y = reinterpret_cast<Lanes*>(to.get());
  for (auto _ : state) {
    for (size_t i = 0; i < lanes; ++i) y[i] += x[i];
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 3 * static_cast<int64_t>(lanes * sizeof(Lanes)));
}
BENCHMARK(BM_MachineUpdate)->Arg(32 << 20);

#if defined(__x86_64__)
// Independent sums in registers, enough to keep all units of the core busy.
constexpr int kSums = 12;
constexpr int kRounds = 1000;

[[gnu::target("avx512f")]] int64_t MultiplyAdd512(float factor) {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_set1_ps(factor);
  const __m512 by = _mm512_set1_ps(factor);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm512_fmadd_ps(sums[i], by, by);
  }
  for (__m512& sum : sums) benchmark::DoNotOptimize(sum);
  return int64_t{16} * kSums * kRounds;
}

[[gnu::target("avx2,fma")]] int64_t MultiplyAdd256(float factor) {
  __m256 sums[kSums];
  for (__m256& sum : sums) sum = _mm256_set1_ps(factor);
  const __m256 by = _mm256_set1_ps(factor);
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm256_fmadd_ps(sums[i], by, by);
  }
  for (__m256& sum : sums) benchmark::DoNotOptimize(sum);
  return int64_t{8} * kSums * kRounds;
}

void BM_MachineMultiplyAdd(benchmark::State& state) {
  const bool wide = __builtin_cpu_supports("avx512f") != 0;
  if (!wide && __builtin_cpu_supports("fma") == 0) {
    state.SkipWithError("no multiply-add here");
    return;
  }
  float factor = 0.5f;
  benchmark::DoNotOptimize(factor);
  int64_t done = 0;
  for (auto _ : state) done += wide ? MultiplyAdd512(factor) : MultiplyAdd256(factor);
  state.counters["flops"] = benchmark::Counter(2.0 * static_cast<double>(done), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_MachineMultiplyAdd);
#endif

}  // namespace
}  // namespace weir
