// GradientContext: what a gradient function gets: inputs, outputs and attributes of its node. The graph records the
// first construction error and autodiff checks it once at the end, so gradient functions need no error handling.
#ifndef WEIR_OP_GRADIENT_CONTEXT_H_
#define WEIR_OP_GRADIENT_CONTEXT_H_

#include "op/op_def.h"

namespace weir {

// Indices are checked: an out-of-range access returns an invalid Output or no gradient, and differentiation fails with
// access_error().
class GradientContext final {
 public:
  // `d_outputs`: the incoming gradients, one per output. `dense` converts a Grad to a dense Output (no gradient:
  // zeros).
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
  // The incoming gradient of output i as a dense value; zeros if there is none.
  Output d_output(int i) const { return HasOutput(i) ? dense_(d_outputs_[i], Output(node_, i)) : Output(node_, -1); }
  // The incoming gradient without conversion: none, dense or IndexedSlices.
  const Grad& raw_d_output(int i) const { return HasOutput(i) ? d_outputs_[i] : NoGrad(); }
  // g as a dense value of `like`'s shape.
  Output Dense(const Grad& g, Output like) const { return dense_(g, like); }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs_, name);
  }
  const AttrMap& attrs() const { return attrs_; }

  // The first out-of-range access, or OK. The message does not name the node: the caller adds it.
  const Status& access_error() const { return access_error_; }

 private:
  // Whether the node has this input or output. Records an error if not.
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
