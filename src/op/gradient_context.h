// GradientContext: what a gradient function sees of the node it differentiates. While it builds, errors of graph
// construction stay with the graph's build state and autodiff checks once, so the code reads like arithmetic.
#ifndef WEIR_OP_GRADIENT_CONTEXT_H_
#define WEIR_OP_GRADIENT_CONTEXT_H_

#include "op/op_def.h"

namespace weir {

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
  Output input(int i) const { return inputs_[i]; }
  Output output(int i) const { return Output(node_, i); }
  // What flows into output i, as a dense value: zeros where nothing flows.
  Output d_output(int i) const { return dense_(d_outputs_[i], output(i)); }
  // The same as it comes: none, dense or rows.
  const Grad& raw_d_output(int i) const { return d_outputs_[i]; }
  // g as a dense value of `like`'s shape.
  Output Dense(const Grad& g, Output like) const { return dense_(g, like); }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs_, name);
  }
  const AttrMap& attrs() const { return attrs_; }

 private:
  Node* node_;
  std::vector<Output> inputs_;
  std::vector<Grad> d_outputs_;
  const AttrMap& attrs_;
  std::function<Output(const Grad&, Output)> dense_;
};

}  // namespace weir

#endif  // WEIR_OP_GRADIENT_CONTEXT_H_
