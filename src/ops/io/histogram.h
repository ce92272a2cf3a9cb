// Histogram: how often values fall between fixed limits that grow by a tenth each, the same on both sides of zero. The
// limits are TensorFlow's, so that histograms of both can be compared.
#pragma once

#include <vector>

#include "proto/summary.pb.h"

namespace weir::ops {

// The upper limits of the buckets, rising; the last is the largest double.
std::vector<double> HistogramLimits();

class Histogram final {
 public:
  // REQUIRES: `limits` outlives this; HistogramLimits().
  explicit Histogram(const std::vector<double>& limits);
  void Add(double value);
  // Empty buckets that stand beside each other become one.
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
