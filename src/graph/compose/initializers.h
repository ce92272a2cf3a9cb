// Initial values of variables, with TensorFlow's rules and defaults. Each makes nodes for one shape; a partition of a
// larger variable is scaled by the whole one's shape.
#pragma once

#include "graph/compose/random.h"
#include "graph/input.h"

namespace weir {

// Which piece of a variable is made: the whole one's shape and the offset of the piece.
struct PartitionInfo {
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;
};

Result<Output> ZerosInitial(Graph& graph, const PartialShape& shape, DType dtype);
Result<Output> OnesInitial(Graph& graph, const PartialShape& shape, DType dtype);
// A scalar fills the shape; a list or tensor gives elements in row-major order, the last repeated (verify: must fit
// exactly).
Result<Output> ConstantInitial(Graph& graph, const PartialShape& shape, DType dtype, const Tensor& value,
                               bool verify_shape = false);

enum class FanMode { kIn, kOut, kAverage };
enum class VarianceDistribution { kNormal, kTruncatedNormal, kUntruncatedNormal, kUniform };
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
// Glorot's: uniform, scale 1, average fan. What get_variable uses for floating types.
Result<Output> GlorotUniformInitial(Graph& graph, const PartialShape& shape, DType dtype, OpSeed seed = {},
                                    const PartitionInfo* partition = nullptr);
// (fan in, fan out) of a weight's shape: the receptive field times the last two dimensions.
std::pair<double, double> ComputeFans(const std::vector<int64_t>& shape);

}  // namespace weir
