// FoldedStages: the bias and activation (`fused_ops`) of a fused matrix product or convolution. Also has separate
// kernels for the product, the bias and the activation, which run one after the other if the shapes do not suit a
// single loop. They give the same values, and their errors name the original node. Thread-safe.
#pragma once

#include <memory>

#include "device/cpu/row_epilogue.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "ops/math/elementwise.h"

namespace weir::ops {

class FoldedStages final {
 public:
  // `first` is the op of the product. It gets the first two inputs and the attributes that it has.
  static Result<std::shared_ptr<const FoldedStages>> Make(const KernelSetup& setup, const OpRegistry& registry,
                                                          const char* first);

  // Returns whether Finish can be used: the bias is a vector with one element per column.
  bool CanFinish(const Tensor& bias, int64_t columns) const {
    return in_one_loop_ && bias.rank() == 1 && bias.dim(0) == columns;
  }
  // With `bias` bound, a RowEpilogue.
  void Finish(const float* bias, float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns) const;
  // Runs all stages one after the other.
  Status RunEach(KernelContext& ctx) const;
  // Attributes an error to the product.
  Status AsProductError(const Status& status) const { return OfStage(0, status); }

 private:
  struct Stage {
    NodeInfo info;
    Kernel kernel;
  };
  static Result<std::unique_ptr<const Stage>> MakeStage(const KernelSetup& setup, const OpRegistry& registry,
                                                        const std::string& op, std::string name);

  Status OfStage(size_t stage, const Status& status) const;

  std::vector<std::unique_ptr<const Stage>> stages_;
  bool named_ = false;  // the stages are nodes of the user's graph
  UnaryLoop activation_ = nullptr;
  bool relu_ = false;
  bool in_one_loop_ = false;
};

}  // namespace weir::ops
