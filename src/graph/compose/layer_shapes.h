// Layers without variables that Keras has and tf.layers has not: cropping, padding, enlarging, global pooling, products
// of batches, and activations with parameters. Errors are recorded in the graph's build state; the result is then
// invalid.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir::layers {

// How much to remove or add before and after each spatial dimension.
using Margins = std::vector<std::pair<int64_t, int64_t>>;
Output CropSpatial(Output x, const Margins& margins, bool channels_first);
Output PadSpatial(Output x, const Margins& margins, bool channels_first);
// Repeats each element along the spatial dimensions.
Output EnlargeSpatial(Output x, const std::vector<int64_t>& factors, bool channels_first);
// The same for images, by bilinear interpolation.
Output EnlargeBilinear(Output x, int64_t rows, int64_t columns, bool channels_first);
// The largest value or the mean over all spatial dimensions.
Output PoolGlobally(Output x, bool max, bool channels_first);

// Contracts axis x_axis of x with axis y_axis of y, for each row of the batch. Axes count from 0, the batch.
Output BatchDot(Output x, Output y, int64_t x_axis, int64_t y_axis);
// Contracts the last axis of x with the second-last axis of y. The operands may have any rank.
Output DotOf(Graph& graph, const Input& x, const Input& y);

// alpha * (x - threshold) below the threshold, x above it, at most max_value.
Output LimitedRelu(Output x, double alpha, std::optional<double> max_value, double threshold);
Output ParametricRelu(Output x, Output alpha);
// Dropout for selu: keeps mean and variance.
Output AlphaDropout(Output x, double rate, const Input& noise_shape, std::optional<int64_t> seed);

// Moves the norms over `axes` into [low, high], by the fraction `rate` of the way; 1 moves them all the way.
Output BoundedNorms(Output x, const std::vector<int64_t>& axes, double low, std::optional<double> high, double rate,
                    double epsilon);
// l1 * sum of absolute values + l2 * sum of squares.
Output PenaltyOf(Output x, double l1, double l2);

// [..., features] to values with mean 0 and variance 1 over `axes`; scale and offset broadcast and may be absent.
Output NormalizeOver(Output x, const std::vector<int64_t>& axes, const Input& scale, const Input& offset,
                     double epsilon);

}  // namespace weir::layers
