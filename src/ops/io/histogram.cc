#include "ops/io/histogram.h"

#include <algorithm>
#include <limits>

namespace weir::ops {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

}  // namespace

std::vector<double> HistogramLimits() {
  std::vector<double> positive;
  for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
  positive.push_back(kLargest);
  std::vector<double> limits(positive.rbegin(), positive.rend());
  for (double& v : limits) v = -v;
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

Histogram::Histogram(const std::vector<double>& limits)
    : limits_(limits), counts_(limits.size(), 0.0), min_(kLargest), max_(-kLargest) {}

void Histogram::Add(double value) {
  const auto above = std::upper_bound(limits_.begin(), limits_.end(), value);
  const auto bucket = std::min<size_t>(static_cast<size_t>(above - limits_.begin()), limits_.size() - 1);
  counts_[bucket] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  num_ += 1;
  sum_ += value;
  sum_squares_ += value * value;
}

void Histogram::ToProto(tensorflow::HistogramProto* proto) const {
  proto->set_min(min_);
  proto->set_max(max_);
  proto->set_num(num_);
  proto->set_sum(sum_);
  proto->set_sum_squares(sum_squares_);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0)
      while (i + 1 < counts_.size() && counts_[i + 1] == 0) ++i;
    proto->add_bucket_limit(limits_[i]);
    proto->add_bucket(counts_[i]);
  }
}

}  // namespace weir::ops
