// Changes of gradients between ComputeGradients and ApplyGradients: factors, clipping and noise; and the train op,
// which returns the loss after the updates. Pairs without a gradient stay as they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/train/optimizer.h"

namespace weir {

using GradientList = std::vector<GradAndVar>;

// Multiplies the gradients of variables by a factor, by op name. InvalidArgument if such a variable has no gradient.
Result<GradientList> MultiplyGradients(const GradientList& list, const std::map<std::string, Input>& factors);
// Scales each gradient to an L2 norm of at most max_norm.
Result<GradientList> ClipGradientNorms(const GradientList& list, const Input& max_norm);
// Scales all gradients to a joint norm of at most max_norm.
Result<GradientList> ClipGradientsTogether(const GradientList& list, const Input& max_norm);
// Adds truncated normal noise times `scale`.
Result<GradientList> AddGradientNoise(const GradientList& list, const Input& scale, OpSeed seed = {});

struct AdaptiveClipping {
  Input std_factor = 2.0f;
  Input decay = 0.95f;
  Input static_max_norm = {};  // absent: no further limit
  Input global_step = {};      // if given, the averages adapt faster in the first steps
  double epsilon = 1e-8;
  std::string name = "";  // default: "AdaptiveMaxNorm"
};
struct AdaptivelyClipped {
  GradientList list;
  Output max_norm;
};
// Scales all gradients if the log of their joint norm exceeds its running mean by std_factor standard deviations. The
// variables "mean" and "sq_mean" hold the running averages.
Result<AdaptivelyClipped> ClipGradientsAdaptively(const GradientList& list, const AdaptiveClipping& how);

// The loss, computed after the updates have run. Without updates, the loss itself.
Result<Output> LossAfterUpdates(Output loss, const std::vector<Node*>& updates);
// The loss, returned after `apply` has run, in the collection "train_op". With check_numerics, a loss that is not
// finite is an error.
Result<Output> TrainOpOf(Output loss, Node* apply, bool check_numerics = true);

}  // namespace weir
