// FoldedStages: the bias and the activation that a fused product or convolution applies to its results (`fused_ops`),
// beside kernels for the product, the bias and the activation by themselves, which run one after the other where shapes
// do not suit one loop: with the same values, and the errors of each under the name of its node. Thread-safe.
#pragma once

#include <memory>

#include "device/cpu/finish_rows.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "ops/math/elementwise.h"

namespace weir::ops {

class FoldedStages final {
 public:
  // `first` is the op of the product: it takes the first two inputs and those attributes that it knows.
  static Result<std::shared_ptr<const FoldedStages>> Make(const KernelSetup& setup, const OpRegistry& registry,
                                                          const char* first);

  // Whether Finish can do it: the bias has a number per column.
  bool Suit(const Tensor& bias, int64_t columns) const {
    return in_one_loop_ && bias.rank() == 1 && bias.dim(0) == columns;
  }
  // A FinishRows, once the bias is bound.
  void Finish(const float* bias, float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns) const;
  // Everything, stage by stage.
  Status RunEach(KernelContext& ctx) const;
  // An error of the product itself.
  Status OfProduct(const Status& status) const { return OfStage(0, status); }

 private:
  struct Stage {
    NodeInfo info;
    Kernel kernel;
  };
  static Result<std::unique_ptr<const Stage>> MakeStage(const KernelSetup& setup, const OpRegistry& registry,
                                                        const std::string& op, std::string name);

  Status OfStage(size_t stage, const Status& status) const;

  std::vector<std::unique_ptr<const Stage>> stages_;
  bool named_ = false;  // the stages are nodes that the user knows
  UnaryLoop activation_ = nullptr;
  bool relu_ = false;
  bool in_one_loop_ = false;
};

}  // namespace weir::ops
