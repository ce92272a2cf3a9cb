// Gradient accumulators. Gradients from old steps are dropped; TakeGrad waits until enough gradients were applied.
// Value types. Errors are recorded in the graph's build state.
#pragma once

#include <string>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct AccumulatorOptions {
  PartialShape shape = {};       // shape of every gradient
  std::string shared_name = "";  // accumulators with the same name on one device share their state
  std::string name = "";
  std::string reduction_type = "MEAN";  // or "SUM"
};

// Common part of both kinds.
class AccumulatorRef {
 public:
  AccumulatorRef() = default;  // invalid
  AccumulatorRef(Output ref, DType dtype, PartialShape shape) : ref_(ref), dtype_(dtype), shape_(std::move(shape)) {}

  bool valid() const { return ref_.valid(); }
  Graph& graph() const { return ref_.graph(); }
  Output accumulator_ref() const { return ref_; }
  const std::string& name() const { return ref_.node->name(); }
  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }

  // The number of gradients accumulated.
  Output NumAccumulated(const std::string& name = "") const;
  // Gradients of earlier steps count as stale from here on.
  Node* SetGlobalStep(const Input& new_global_step, const std::string& name = "") const;

 protected:
  ~AccumulatorRef() = default;

 private:
  std::string OpName(const char* op) const;

  Output ref_;
  DType dtype_ = kInvalidType;
  PartialShape shape_;
};

class DenseAccumulator final : public AccumulatorRef {
 public:
  using AccumulatorRef::AccumulatorRef;
  static DenseAccumulator Make(Graph& graph, DType dtype, const AccumulatorOptions& options = {});

  Node* ApplyGrad(const Input& grad, const Input& local_step = 0, const std::string& name = "") const;
  // Blocks until `num_required` gradients were applied; returns their mean (or sum).
  Output TakeGrad(const Input& num_required, const std::string& name = "") const;
};

class SparseAccumulator final : public AccumulatorRef {
 public:
  using AccumulatorRef::AccumulatorRef;
  static SparseAccumulator Make(Graph& graph, DType dtype, const AccumulatorOptions& options = {});

  // Applies rows of a gradient; grad_shape may be absent.
  Node* ApplyGrad(const Input& grad_indices, const Input& grad_values, const Input& grad_shape = {},
                  const Input& local_step = 0, const std::string& name = "") const;
  // Like DenseAccumulator::TakeGrad. The mean of a row is over the gradients that contain it.
  IndexedSlices TakeGrad(const Input& num_required, const std::string& name = "") const;
};

}  // namespace weir
