#include "ops/nn/candidate_sampling.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include <bit>

#include "base/env.h"

namespace weir::ops {
namespace {

// Returns a uniformly distributed number in [0, bound). Rejects the lowest numbers, which would make the result biased.
template <class U, class Draw>
U UniformBelow(U bound, const Draw& draw) {
  if ((bound & (bound - 1)) == 0) return draw() & (bound - 1);
  const U unfair = std::numeric_limits<U>::max() % bound + 1;
  U x;
  do {
    x = draw();
  } while (x < unfair);
  return x % bound;
}

uint32_t Below32(uint32_t bound, SingleSamples& samples) {
  return UniformBelow<uint32_t>(bound, [&] { return samples(); });
}
uint64_t Below64(uint64_t bound, SingleSamples& samples) {
  return UniformBelow<uint64_t>(bound, [&] {
    const uint64_t low = samples();
    return low | (uint64_t{samples()} << 32);
  });
}

// A table with one entry per class limits the number of classes.
Status CheckTableRange(int64_t range) {
  if (range >= std::numeric_limits<int32_t>::max())
    return InvalidArgument("range_max must be less than {}, but is {}", std::numeric_limits<int32_t>::max(), range);
  return OkStatus();
}

}  // namespace

Result<UniformClasses> UniformClasses::Make(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t range, setup.Attr<int64_t>("range_max"));
  return UniformClasses(range);
}
int64_t UniformClasses::Sample(SingleSamples& samples) const {
  return static_cast<int64_t>(Below64(static_cast<uint64_t>(range_), samples));
}

Result<LogUniformClasses> LogUniformClasses::Make(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t range, setup.Attr<int64_t>("range_max"));
  return LogUniformClasses(range);
}
int64_t LogUniformClasses::Sample(SingleSamples& samples) const {
  const uint32_t high = samples();
  const double x = std::exp(UnitDouble(high, samples()) * log_range_);
  // Rounding may yield a value just beyond the range.
  return x < 0x1p63 ? (static_cast<int64_t>(x) - 1) % range_ : range_ - 1;
}
float LogUniformClasses::Probability(int64_t value) const {
  const double k = static_cast<double>(value);
  return static_cast<float>(std::log((k + 2) / (k + 1)) / log_range_);
}

Result<LearnedClasses> LearnedClasses::Make(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t range, setup.Attr<int64_t>("range_max"));
  WEIR_TRY(CheckTableRange(range));
  WEIR_ASSIGN(Tensor weights, Tensor::Allocate(kInt32, Shape{range}));
  WEIR_ASSIGN(Tensor sums, Tensor::Allocate(kInt32, Shape{range + 1}));
  for (int64_t i = 0; i < range; ++i) weights.data<int32_t>()[i] = 1;
  for (int64_t i = 0; i <= range; ++i) sums.data<int32_t>()[i] = static_cast<int32_t>(i & -i);
  return LearnedClasses(range, std::move(weights), std::move(sums));
}
int64_t LearnedClasses::Sample(SingleSamples& samples) const {
  // Finds the class at which the cumulative sum of the weights exceeds the drawn number.
  auto left = static_cast<int32_t>(Below32(static_cast<uint32_t>(total_), samples));
  const int32_t* sums = sums_.data<int32_t>();
  int64_t at = 0;
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(range_))); step > 0; step /= 2) {
    if (at + step > range_ || sums[at + step] > left) continue;
    at += step;
    left -= sums[at];
  }
  return at;
}
void LearnedClasses::Learn(int64_t value) {
  if (total_ == std::numeric_limits<int32_t>::max()) return;
  ++total_;
  ++weights_.data<int32_t>()[value];
  for (int64_t i = value + 1; i <= range_; i += i & -i) ++sums_.data<int32_t>()[i];
}

Result<float> FrequencyOfLine(std::string_view line) {
  const size_t comma = line.rfind(',');
  const std::string_view number = comma == std::string_view::npos ? line : line.substr(comma + 1);
  float frequency = 0;
  if (!absl::SimpleAtof({number.data(), number.size()}, &frequency))
    return InvalidArgument("Wrong vocabulary format at line: {}", line.substr(0, 200));
  return frequency;
}

Result<std::vector<float>> FixedClasses::LoadWeights(KernelSetup& setup, int64_t range) {
  WEIR_ASSIGN(const std::string file, setup.Attr<std::string>("vocab_file"));
  WEIR_ASSIGN(const std::vector<float> unigrams, setup.Attr<std::vector<float>>("unigrams"));
  WEIR_ASSIGN(const float distortion, setup.Attr<float>("distortion"));
  WEIR_ASSIGN(const int64_t reserved, setup.Attr<int64_t>("num_reserved_ids"));
  WEIR_ASSIGN(const int64_t num_shards, setup.Attr<int64_t>("num_shards"));
  WEIR_ASSIGN(const int64_t shard, setup.Attr<int64_t>("shard"));
  if (file.empty() && unigrams.empty()) return InvalidArgument("Must provide either vocab_file or unigrams.");
  if (!file.empty() && !unigrams.empty()) return InvalidArgument("Must only provide one of vocab_file and unigrams.");
  if (shard >= num_shards) return InvalidArgument("shard {} must be less than num_shards {}", shard, num_shards);
  std::vector<float> weights;
  // Keep at most one weight too many, which suffices to detect a wrong count.
  const auto add = [&](int64_t word, float weight) {
    if (word % num_shards == shard && static_cast<int64_t>(weights.size()) <= range) weights.push_back(weight);
  };
  const int64_t kept = reserved > shard ? (reserved - shard - 1) / num_shards + 1 : 0;
  weights.assign(static_cast<size_t>(std::min(kept, range + 1)), 0);
  // Words are numbered from the number of reserved ids of this shard.
  auto word = static_cast<int64_t>(weights.size());
  for (const float frequency : unigrams) add(word++, std::pow(frequency, distortion));
  if (!file.empty()) {
    WEIR_ASSIGN(const std::string text, setup.env().ReadFile(file));
    for (const absl::string_view piece : absl::StrSplit(text, '\n')) {
      const std::string_view line(piece.data(), piece.size());
      if (line.empty()) continue;
      if (word % num_shards == shard) {
        WEIR_ASSIGN(const float frequency, FrequencyOfLine(line));
        add(word, std::pow(frequency, distortion));
      }
      ++word;
    }
  }
  return weights;
}

Result<FixedClasses> FixedClasses::Make(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t range, setup.Attr<int64_t>("range_max"));
  WEIR_TRY(CheckTableRange(range));
  WEIR_ASSIGN(std::vector<float> weights, LoadWeights(setup, range));
  if (static_cast<int64_t>(weights.size()) != range)
    return InvalidArgument("range_max is {}, but there are {}{} frequencies", range,
                           static_cast<int64_t>(weights.size()) > range ? "at least " : "", weights.size());
  double sum = 0;
  for (const float weight : weights) {
    if (!(weight >= 0 && std::isfinite(weight)))
      return InvalidArgument("frequencies must be finite and not negative, but one is {}", weight);
    sum += static_cast<double>(weight);
  }
  if (sum == 0) return InvalidArgument("all frequencies are zero");
  return FixedClasses(std::move(weights));
}

FixedClasses::FixedClasses(std::vector<float> weights) : weights_(std::move(weights)), slots_(weights_.size()) {
  const size_t n = weights_.size();
  double sum = 0;
  for (const float weight : weights_) {
    total_ += weight;
    sum += static_cast<double>(weight);
    distinct_ += weight > 0 ? 1 : 0;
  }
  // Every slot has a probability of 1/n. A rare class shares its slot with a frequent class.
  std::vector<double> share(n);
  std::vector<int32_t> rare, frequent;
  for (size_t i = 0; i < n; ++i) {
    share[i] = static_cast<double>(weights_[i] * static_cast<float>(n)) / sum;
    (share[i] < 1 ? rare : frequent).push_back(static_cast<int32_t>(i));
  }
  while (!rare.empty() && !frequent.empty()) {
    const auto small = static_cast<size_t>(rare.back());
    const int32_t big = frequent.back();
    rare.pop_back();
    frequent.pop_back();
    slots_[small].other = big;
    double& left = share[static_cast<size_t>(big)];
    left -= 1 - share[small];
    (left < 1 ? rare : frequent).push_back(big);
  }
  for (size_t i = 0; i < n; ++i) slots_[i].keep = static_cast<float>(share[i]);
  // The remaining classes differ from a whole slot only by rounding errors.
  for (const std::vector<int32_t>* list : {&rare, &frequent})
    for (const int32_t i : *list) slots_[static_cast<size_t>(i)] = {1, i};
}

int64_t FixedClasses::Sample(SingleSamples& samples) const {
  const float r = UnitFloat(samples());
  const uint32_t i = Below32(static_cast<uint32_t>(slots_.size()), samples);
  return r < slots_[i].keep ? static_cast<int64_t>(i) : slots_[i].other;
}

}  // namespace weir::ops
