// TensorArray: an array of tensors of one type that lives as long as a step: a handle, and a flow value that stands for
// all that was done to it. A value: writing gives a new TensorArray, and only what is read from that one sees what was
// written. The errors of building stay with the graph.
#pragma once

#include <memory>
#include <string>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

class TensorArray final {
 public:
  struct Options {
    PartialShape element_shape = {};
    bool dynamic_size = false;     // grows as elements are written
    bool clear_after_read = true;  // an element can be read once
    bool infer_shape = true;       // all elements have one shape
    std::string tensor_array_name = "";
    std::string name = "";
  };

  TensorArray() = default;  // invalid
  TensorArray(Graph& graph, DType dtype, const Input& size, const Options& options);
  TensorArray(Graph& graph, DType dtype, const Input& size) : TensorArray(graph, dtype, size, Options()) {}
  // An array that there is already.
  static TensorArray Wrap(Output handle, Output flow, DType dtype, const PartialShape& element_shape = {},
                          bool infer_shape = true);

  bool valid() const { return handle_.valid() && flow_.valid(); }
  Output handle() const { return handle_; }
  Output flow() const { return flow_; }
  DType dtype() const { return dtype_; }
  bool dynamic_size() const { return dynamic_size_; }
  bool infer_shape() const { return infer_shape_; }
  // What is known of all elements.
  PartialShape element_shape() const { return element_shape_ == nullptr ? PartialShape() : *element_shape_; }

  // The same array after what `flow` stands for: how it leaves a loop.
  TensorArray WithFlow(Output flow) const;
  TensorArray Identity() const;

  TensorArray Write(const Input& index, const Input& value, const std::string& name = "") const;
  // Row i of `value` to element i; to element indices[i].
  TensorArray Unstack(const Input& value, const std::string& name = "") const;
  TensorArray Scatter(const Input& indices, const Input& value, const std::string& name = "") const;
  // The first lengths[0] rows to element 0, and so on.
  TensorArray Split(const Input& value, const Input& lengths, const std::string& name = "") const;
  Output Read(const Input& index, const std::string& name = "") const;
  Output Stack(const std::string& name = "") const;
  Output Gather(const Input& indices, const std::string& name = "") const;
  Output Concat(const std::string& name = "") const;
  Output Size(const std::string& name = "") const;
  // The array for the gradients of this one that `source` names, after `flow` (invalid: after this one's).
  TensorArray Grad(const std::string& source, Output flow = {}) const;
  Node* Close(const std::string& name = "") const;

 private:
  // Takes note of the shape of a new element.
  void Learn(const PartialShape& shape) const;

  Output handle_;
  Output flow_;
  DType dtype_ = kInvalidType;
  bool dynamic_size_ = false;
  bool infer_shape_ = true;
  std::shared_ptr<PartialShape> element_shape_;  // shared by all values of one array
};

}  // namespace weir
