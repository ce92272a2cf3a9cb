// The computations of contrib layers, given their input and the values of their variables: normalizations, and
// rearrangements of images, channels and sequences. Errors are recorded in the graph's build state; the result is then
// invalid.
#pragma once

#include <optional>
#include <vector>

#include "graph/compose/sparse.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir::layers {

// The scale and offset of a normalized value. Both may be absent.
struct NormParameters {
  Input gamma;
  Input beta;
};
// Normalizes each row over the axes from begin_axis on.
Output NormalizeLayer(Output x, int64_t begin_axis, const NormParameters& parameters);
// Instance normalization: gives each channel of each image mean 0 and variance 1.
Output NormalizeInstances(Output x, bool channels_first, double epsilon, const NormParameters& parameters);
struct GroupNormOptions {
  int64_t groups = 32;
  int64_t channels_axis = -1;
  std::vector<int64_t> reduction_axes = {-3, -2};
  double epsilon = 1e-6;
  bool mean_close_to_zero = false;  // computes the variance from the sum of squares
};
// Checks the axes and the number of groups, and returns the number of channels.
Result<int64_t> GroupNormChannels(const PartialShape& shape, const GroupNormOptions& options);
// Normalizes groups of channels.
Output NormalizeGroups(Output x, const GroupNormOptions& options, const NormParameters& parameters);
// x / sqrt(epsilon + sum of squares along `axis`).
Output NormalizeUnit(Output x, int64_t axis, double epsilon);
// Scales vectors to lie inside of the unit ball.
Output NormalizePoincare(Output x, int64_t axis, double epsilon);

// The largest value of each of num_units groups along `axis`.
Output MaxOut(Output x, int64_t num_units, int64_t axis);
// The expected position of each channel's softmax: [rows, 2 * channels], from -1 to 1.
Output SpatialSoftmax(Output features, const Input& temperature, bool channels_first);
// Convolves each channel with the same [height, width, 1, 1] filter.
Output ConvolveInPlane(Output x, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding);
// Flattens the axes from new_rank - 1 on.
Output FlattenInner(Output x, int64_t new_rank);
// [batch, height, width, channels] to [width, batch * height, channels], and back.
Output ImagesToSequence(Output x, bool channels_first);
Output SequenceToImages(Output x, int64_t height, bool channels_first);
// The elements that differ from `eos_token`.
Sparse SparseOf(Output x, const Input& eos_token);
// x * weights + biases over the last dimension, for x of any rank of at least two.
Output MultiplyRows(Output x, const Input& weights, const Input& biases);

}  // namespace weir::layers
