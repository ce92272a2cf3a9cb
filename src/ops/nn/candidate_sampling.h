// Distributions over the classes [0, range) for candidate sampling. Random bits are mapped to classes as in TensorFlow,
// so equal seeds draw equal classes. A distribution has range(), most_distinct() (the number of classes with nonzero
// probability), Sample(samples) and Probability(class); one that learns also has Learn(class).
#ifndef WEIR_OPS_NN_CANDIDATE_SAMPLING_H_
#define WEIR_OPS_NN_CANDIDATE_SAMPLING_H_

#include <limits>
#include <string_view>
#include <vector>

#include "op/kernel.h"
#include "ops/math/random_numbers.h"

namespace weir::ops {

class UniformClasses final {
 public:
  static constexpr bool kLearns = false;
  static Result<UniformClasses> Make(KernelSetup& setup);
  int64_t range() const { return range_; }
  int64_t most_distinct() const { return range_; }
  int64_t Sample(SingleSamples& samples) const;
  float Probability(int64_t) const { return probability_; }

 private:
  explicit UniformClasses(int64_t range)
      : range_(range), probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}
  int64_t range_;
  float probability_;
};

// Class k has the probability log((k + 2) / (k + 1)) / log(range + 1): Zipf's law for classes sorted by frequency.
class LogUniformClasses final {
 public:
  static constexpr bool kLearns = false;
  static Result<LogUniformClasses> Make(KernelSetup& setup);
  int64_t range() const { return range_; }
  int64_t most_distinct() const { return range_; }
  int64_t Sample(SingleSamples& samples) const;
  float Probability(int64_t value) const;

 private:
  explicit LogUniformClasses(int64_t range) : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t range_;
  double log_range_;
};

// The weight of a class is 1 plus the number of times it was a true class. Not thread-safe.
class LearnedClasses final {
 public:
  static constexpr bool kLearns = true;
  static Result<LearnedClasses> Make(KernelSetup& setup);
  int64_t range() const { return range_; }
  int64_t most_distinct() const { return range_; }
  int64_t Sample(SingleSamples& samples) const;
  float Probability(int64_t value) const { return static_cast<float>(weight(value)) / static_cast<float>(total_); }
  void Learn(int64_t value);

 private:
  LearnedClasses(int64_t range, Tensor weights, Tensor sums)
      : range_(range), total_(static_cast<int32_t>(range)), weights_(std::move(weights)), sums_(std::move(sums)) {}
  int32_t weight(int64_t value) const { return weights_.data<int32_t>()[value]; }
  int64_t range_;
  int32_t total_;
  Tensor weights_;  // [range] int32
  Tensor sums_;     // [range + 1] int32: a Fenwick tree over the weights
};

// Frequencies from an attribute or a file, by the alias method (Vose, "A linear algorithm for generating random numbers
// with a given distribution").
class FixedClasses final {
 public:
  static constexpr bool kLearns = false;
  static Result<FixedClasses> Make(KernelSetup& setup);
  int64_t range() const { return static_cast<int64_t>(weights_.size()); }
  int64_t most_distinct() const { return distinct_; }
  int64_t Sample(SingleSamples& samples) const;
  float Probability(int64_t value) const { return weights_[static_cast<size_t>(value)] / total_; }

 private:
  // The slot's own class is returned with probability `keep`, else `other`.
  struct Slot {
    float keep = 1;
    int32_t other = 0;
  };
  static Result<std::vector<float>> LoadWeights(KernelSetup& setup, int64_t range);
  explicit FixedClasses(std::vector<float> weights);
  std::vector<float> weights_;
  float total_ = 0;
  int64_t distinct_ = 0;
  std::vector<Slot> slots_;
};

// Parses the last field of a vocabulary line, e.g. "word,more,3.5".
Result<float> FrequencyOfLine(std::string_view line);

}  // namespace weir::ops

#endif  // WEIR_OPS_NN_CANDIDATE_SAMPLING_H_
