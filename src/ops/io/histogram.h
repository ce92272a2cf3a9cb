// Histogram: counts values in fixed buckets. Bucket limits grow by 10 % and are symmetric around zero. They are
// TensorFlow's limits, so that histograms of both can be compared.
#pragma once

#include <vector>

#include "proto/summary.pb.h"

namespace weir::ops {

// The upper limits of the buckets in ascending order; the last is the largest double.
std::vector<double> HistogramLimits();

class Histogram final {
 public:
  // REQUIRES: `limits` are HistogramLimits() and outlive this object.
  explicit Histogram(const std::vector<double>& limits);
  void Add(double value);
  // Merges adjacent empty buckets.
  void ToProto(tensorflow::HistogramProto* proto) const;

 private:
  const std::vector<double>& limits_;
  std::vector<double> counts_;
  double min_;
  double max_;
  double num_ = 0;
  double sum_ = 0;
  double sum_squares_ = 0;
};

}  // namespace weir::ops
