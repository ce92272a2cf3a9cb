// The computation of layers, given their input and the values of their variables (which layer.h lists).
// Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compose/convolution.h"
#include "graph/compose/random.h"
#include "graph/compose/variable.h"

namespace weir::layers {

// --- User arguments, checked ---
// Expands `sizes` to one size per dimension; a single size applies to all. `what` is the name of the argument.
Result<std::vector<int64_t>> SizesFor(int count, const std::vector<int64_t>& sizes, const char* what);
// "valid" or "same" in any case, converted to the spelling of ops.
Result<std::string> PaddingFor(const std::string& padding);
// "channels_first" or "channels_last".
Result<bool> IsChannelsFirst(const std::string& data_format);
// The size of the channel axis, which must be known to create variables.
Result<int64_t> ChannelsOf(const PartialShape& shape, int64_t axis, const std::string& layer);

// A window over images with `dims` spatial dimensions. strides and dilations have one entry per dimension; padding is
// spelled as in ops.
struct ImageWindow {
  int dims = 2;
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::string padding = "VALID";
  bool channels_first = false;
};

struct LayerResult {
  Output y;
  OutputList updates;  // updates of variables, to run with each step; empty if not training
};

// --- Layers; a bias may be absent ---
// x * kernel + bias over the last dimension.
Output ApplyDense(Output x, const Input& kernel, const Input& bias);
Output ApplyConvolution(Output x, const Input& kernel, const Input& bias, const ImageWindow& window);
Output ApplySeparable(Output x, const Input& depthwise, const Input& pointwise, const Input& bias,
                      const ImageWindow& window);
Output ApplyDepthwise(Output x, const Input& depthwise, const Input& bias, const ImageWindow& window);
Output ApplyTransposed(Output x, const Input& kernel, const Input& bias, int64_t filters,
                       const std::vector<int64_t>& kernel_size, const ImageWindow& window);
Output ApplyPooling(Output x, PoolKind kind, const std::vector<int64_t>& pool_size, const ImageWindow& window);
// Flattens all but the first dimension, with channels last.
Output ApplyFlatten(Output x, bool channels_first);
// Dropout if `training`, which may be known only at run time; else x unchanged.
Output ApplyDropout(Output x, const Input& rate, const Input& noise_shape, OpSeed seed, const Input& training);

// Batch renormalization: a batch is corrected towards slower averages of mean and standard deviation, by a factor
// between rmin and rmax and an offset of at most dmax. Absent bounds do not limit.
struct Renorm {
  double momentum = 0.99;
  Input rmin, rmax, dmax;
};
// How a batch is normalized, derived from its shape and type.
struct NormPlan {
  int axis = 0;  // channel axis of the batch, after it is divided into virtual batches
  int64_t channels = 0;
  DType dtype = kFloat;  // type of the variables
  bool fused = false;
  // The moments are those of parts of the batch of this many rows. 0: of the whole batch.
  int64_t virtual_batch_size = 0;
  PartialShape weights;  // the shape of the variables
};
// Without `fused`, uses the fused op where possible. `composed`: it never is.
Result<NormPlan> PlanNorm(const PartialShape& shape, DType dtype, int64_t axis, std::optional<bool> fused,
                          const std::string& layer, bool composed = false,
                          std::optional<int64_t> virtual_batch_size = {});
struct NormWeights {
  Input gamma;  // absent: 1
  Input beta;   // absent: 0
  Input moving_mean;
  Input moving_variance;
  // The variables of the moving mean and variance, which training updates. Null if those are not variables; training is
  // then not possible.
  VariablePtr mean_variable = nullptr;
  VariablePtr variance_variable = nullptr;
  // Only for batch renormalization.
  VariablePtr moving_stddev = nullptr;
  VariablePtr renorm_mean = nullptr;
  VariablePtr renorm_stddev = nullptr;
};
LayerResult ApplyNorm(Output x, const NormPlan& plan, const NormWeights& weights, double momentum, double epsilon,
                      const Input& training, const std::optional<Renorm>& renorm = {});

}  // namespace weir::layers
