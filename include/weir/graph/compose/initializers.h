// Initial values of variables, with TensorFlow's rules and defaults. Each function builds the value for one shape. For
// a partition, the shape of the whole variable determines the scale.
#pragma once

#include "weir/graph/compose/random.h"
#include "weir/graph/input.h"

namespace weir {

// The partition of a variable being initialized: the shape of the whole variable, and the offset of the partition.
struct PartitionInfo {
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;
};

Result<Output> ZerosInitial(Graph& graph, const PartialShape& shape, DType dtype);
Result<Output> OnesInitial(Graph& graph, const PartialShape& shape, DType dtype);
// A scalar fills the shape. A list or tensor gives the elements in row-major order, with the last one repeated. With
// verify_shape the shape must match exactly.
Result<Output> ConstantInitial(Graph& graph, const PartialShape& shape, DType dtype, const Tensor& value,
                               bool verify_shape = false);

enum class FanMode { kIn, kOut, kAverage };
// kContribTruncatedNormal is that of tf.contrib.layers, whose deviation before truncation is sqrt(1.3 * scale / fan).
enum class VarianceDistribution { kNormal, kTruncatedNormal, kUntruncatedNormal, kUniform, kContribTruncatedNormal };
struct VarianceScaling {
  float scale = 1.0f;
  FanMode mode = FanMode::kIn;
  VarianceDistribution distribution = VarianceDistribution::kTruncatedNormal;
  OpSeed seed = {};
};
Result<Output> VarianceScalingInitial(Graph& graph, const PartialShape& shape, DType dtype, const VarianceScaling& how,
                                      const PartitionInfo* partition = nullptr);
Result<Output> OrthogonalInitial(Graph& graph, const PartialShape& shape, DType dtype, float gain = 1.0f,
                                 OpSeed seed = {});
Result<Output> IdentityInitial(Graph& graph, const PartialShape& shape, DType dtype, float gain = 1.0f,
                               const PartitionInfo* partition = nullptr);
Result<Output> UniformUnitScalingInitial(Graph& graph, const PartialShape& shape, DType dtype, float factor = 1.0f,
                                         OpSeed seed = {}, const PartitionInfo* partition = nullptr);
// Glorot uniform: scale 1, average of the fans. The default of get_variable for floating types.
Result<Output> GlorotUniformInitial(Graph& graph, const PartialShape& shape, DType dtype, OpSeed seed = {},
                                    const PartitionInfo* partition = nullptr);
// (fan in, fan out) of a weight: the last two dimensions, each times the size of the receptive field.
std::pair<double, double> ComputeFans(const std::vector<int64_t>& shape);

}  // namespace weir
