// What layers compute out of their input and variables that there are already; layers.h makes the variables, and so do
// the classes of Python. Errors stay with the graph's build state, and the result is then invalid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compose/convolution.h"
#include "graph/compose/random.h"
#include "graph/compose/variable.h"

namespace weir::layers {

// --- arguments as users write them, checked
// One size for each of `count` dimensions, of one for all or one each. `what` is the name of the argument.
Result<std::vector<int64_t>> SizesFor(int count, const std::vector<int64_t>& sizes, const char* what);
// "valid" or "same", in any case, as ops have it.
Result<std::string> PaddingFor(const std::string& padding);
// "channels_first" or "channels_last".
Result<bool> IsChannelsFirst(const std::string& data_format);
// The size of an axis that variables are made for: it must be known.
Result<int64_t> ChannelsOf(const PartialShape& shape, int64_t axis, const std::string& layer);

// A window over images with `dims` spatial dimensions: strides and dilations have one size for each, padding as ops
// have it.
struct Window {
  int dims = 2;
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::string padding = "VALID";
  bool channels_first = false;
};

// --- layers; a bias may be absent
// x * kernel + bias over the last dimension.
Output ApplyDense(Output x, const Input& kernel, const Input& bias);
Output ApplyConvolution(Output x, const Input& kernel, const Input& bias, const Window& window);
Output ApplySeparable(Output x, const Input& depthwise, const Input& pointwise, const Input& bias,
                      const Window& window);
Output ApplyTransposed(Output x, const Input& kernel, const Input& bias, int64_t filters,
                       const std::vector<int64_t>& kernel_size, const Window& window);
Output ApplyPooling(Output x, PoolKind kind, const std::vector<int64_t>& pool_size, const Window& window);
// All but the first dimension in one. Channels that come first go last.
Output ApplyFlatten(Output x, bool channels_first);
// x as it is unless training, which may be a number of the run.
Output ApplyDropout(Output x, const Input& rate, const Input& noise_shape, OpSeed seed, const Input& training);

// How a batch is normalized, settled by its shape and type.
struct NormPlan {
  int axis = 0;  // of the channels
  int64_t channels = 0;
  DType dtype = kFloat;  // of the variables
  bool fused = false;
};
// `fused` not given: where it can be.
Result<NormPlan> PlanNorm(const PartialShape& shape, DType dtype, int64_t axis, std::optional<bool> fused,
                          const std::string& layer);
struct NormWeights {
  Input gamma;  // absent: 1
  Input beta;   // absent: 0
  Input moving_mean;
  Input moving_variance;
  // The variables behind the last two, to be updated. Null where they are something else, which cannot train.
  VariablePtr mean_variable = nullptr;
  VariablePtr variance_variable = nullptr;
};
struct NormResult {
  Output y;
  OutputList updates;  // of the moving averages, to be run with each step; none when it is not training
};
NormResult ApplyNorm(Output x, const NormPlan& plan, const NormWeights& weights, double momentum, double epsilon,
                     const Input& training);

}  // namespace weir::layers
