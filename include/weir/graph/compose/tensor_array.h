// TensorArray: an array of tensors of one type that lives for one step. It consists of a handle and a flow value, which
// orders the operations. A value type: a write returns a new TensorArray, and only reads from the new one see the
// write. Errors are recorded in the graph's build state.
#pragma once

#include <memory>
#include <string>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

class TensorArray final {
 public:
  struct Options {
    PartialShape element_shape = {};
    bool dynamic_size = false;     // grows as elements are written
    bool clear_after_read = true;  // an element can be read only once
    bool infer_shape = true;       // all elements have one shape
    std::string tensor_array_name = "";
    std::string name = "";
  };

  TensorArray() = default;  // invalid
  TensorArray(Graph& graph, DType dtype, const Input& size, const Options& options);
  TensorArray(Graph& graph, DType dtype, const Input& size) : TensorArray(graph, dtype, size, Options()) {}
  // Wraps an existing array.
  static TensorArray Wrap(Output handle, Output flow, DType dtype, const PartialShape& element_shape = {},
                          bool infer_shape = true);

  bool valid() const { return handle_.valid() && flow_.valid(); }
  Output handle() const { return handle_; }
  Output flow() const { return flow_; }
  DType dtype() const { return dtype_; }
  bool dynamic_size() const { return dynamic_size_; }
  bool infer_shape() const { return infer_shape_; }
  // The static shape of all elements.
  PartialShape element_shape() const { return element_shape_ == nullptr ? PartialShape() : *element_shape_; }

  // The same array after the operations of `flow`, e.g. after a loop.
  TensorArray WithFlow(Output flow) const;
  TensorArray Identity() const;

  TensorArray Write(const Input& index, const Input& value, const std::string& name = "") const;
  // Unstack writes row i to element i, Scatter to element indices[i].
  TensorArray Unstack(const Input& value, const std::string& name = "") const;
  TensorArray Scatter(const Input& indices, const Input& value, const std::string& name = "") const;
  // Writes the first lengths[0] rows to element 0, and so on.
  TensorArray Split(const Input& value, const Input& lengths, const std::string& name = "") const;
  Output Read(const Input& index, const std::string& name = "") const;
  Output Stack(const std::string& name = "") const;
  Output Gather(const Input& indices, const std::string& name = "") const;
  Output Concat(const std::string& name = "") const;
  Output Size(const std::string& name = "") const;
  // The gradient array named by `source`, after `flow` (default: this array's flow).
  TensorArray Grad(const std::string& source, Output flow = {}) const;
  Node* Close(const std::string& name = "") const;

 private:
  // Merges the shape of a new element into element_shape_.
  void MergeElementShape(const PartialShape& shape) const;

  Output handle_;
  Output flow_;
  DType dtype_ = kInvalidType;
  bool dynamic_size_ = false;
  bool infer_shape_ = true;
  std::shared_ptr<PartialShape> element_shape_;  // shared by all copies of one array
};

}  // namespace weir
