// GradientContext: what a gradient function sees of the node it differentiates. While it builds, errors of graph
// construction stay with the graph's build state and autodiff checks once, so the code reads like arithmetic.
#ifndef WEIR_OP_GRADIENT_CONTEXT_H_
#define WEIR_OP_GRADIENT_CONTEXT_H_

#include "op/op_def.h"

namespace weir {

// Indices are checked: an input or output that the node does not have is an invalid Output or no gradient, and
// differentiation fails with access_error().
class GradientContext final {
 public:
  // d_outputs: what flows in, one per output. `dense` turns any Grad into an Output (zeros where there is none).
  GradientContext(Node* node, std::vector<Output> inputs, std::vector<Grad> d_outputs, const AttrMap& attrs,
                  std::function<Output(const Grad&, Output like)> dense)
      : node_(node),
        inputs_(std::move(inputs)),
        d_outputs_(std::move(d_outputs)),
        attrs_(attrs),
        dense_(std::move(dense)) {}

  Node* node() const { return node_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(d_outputs_.size()); }
  Output input(int i) const { return HasInput(i) ? inputs_[i] : Output(node_, -1); }
  Output output(int i) const { return HasOutput(i) ? Output(node_, i) : Output(node_, -1); }
  // What flows into output i, as a dense value: zeros where nothing flows.
  Output d_output(int i) const { return HasOutput(i) ? dense_(d_outputs_[i], Output(node_, i)) : Output(node_, -1); }
  // The same as it comes: none, dense or rows.
  const Grad& raw_d_output(int i) const { return HasOutput(i) ? d_outputs_[i] : NoGrad(); }
  // g as a dense value of `like`'s shape.
  Output Dense(const Grad& g, Output like) const { return dense_(g, like); }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs_, name);
  }
  const AttrMap& attrs() const { return attrs_; }

  // The first access out of range. The caller, which knows the node, names it.
  const Status& access_error() const { return access_error_; }

 private:
  // False, and an error, when the node has no such input or output.
  bool HasInput(int i) const {
    return static_cast<size_t>(i) < inputs_.size() || RecordAccess("input", i, inputs_.size());
  }
  bool HasOutput(int i) const {
    return static_cast<size_t>(i) < d_outputs_.size() || RecordAccess("output", i, d_outputs_.size());
  }
  bool RecordAccess(const char* kind, int index, size_t count) const {
    if (access_error_.ok()) {
      access_error_ = Internal("the gradient function used {} {}, but there are {} {}s", kind, index, count, kind);
    }
    return false;
  }
  static const Grad& NoGrad() {
    static const Grad none;
    return none;
  }

  Node* node_;
  std::vector<Output> inputs_;
  std::vector<Grad> d_outputs_;
  const AttrMap& attrs_;
  std::function<Output(const Grad&, Output)> dense_;
  mutable Status access_error_;
};

}  // namespace weir

#endif  // WEIR_OP_GRADIENT_CONTEXT_H_
