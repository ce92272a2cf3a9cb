// TensorArrayState: an array of tensors of one type that lives as long as its step: each slot is written once and read
// once (or more often, without clear_after_read). The array of its gradients adds up what is written to a slot.
// Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "op/kernel.h"

namespace weir::ops {

constexpr char kTensorArrayContainer[] = "_tensor_arrays";

class TensorArrayState final : public Resource {
 public:
  struct Options {
    DType dtype = kInvalidType;
    PartialShape element_shape;
    bool identical_element_shapes = false;
    bool dynamic_size = false;
    bool clear_after_read = true;
    bool adds_writes = false;  // gradients: several writes to a slot are added up
  };
  TensorArrayState(std::string name, int32_t size, Options options)
      : name_(std::move(name)), options_(std::move(options)), size_(size) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return options_.dtype; }
  std::string DebugString() const override { return fmt::format("TensorArray[{}]", name_); }

  Result<int32_t> Size() const;
  // What is known of the shape of all elements.
  PartialShape ElementShape() const;
  // Narrows it.
  Status SetElementShape(const PartialShape& shape);
  // Makes room for indices below `size` where the array may grow; false where it may not.
  Result<bool> Reserve(int64_t size);

  Status Write(int32_t index, Tensor value);
  // Zeros of the known shape for a slot that was never written.
  Result<Tensor> Read(int32_t index);
  void Close();

  // An array of as many slots for the gradients of this one; from now on this one does not grow. `prepended` goes
  // before the shape of every element.
  Result<ResourcePtr<TensorArrayState>> MakeGradients(std::string name, const Shape& prepended);

 private:
  struct Slot {
    Tensor value;
    Shape shape;  // of what was written, kept after the value is gone
    bool has_shape = false;
    bool written = false;
    bool read = false;
    bool owned = false;  // the value is this array's own memory: a sum
  };
  Status CheckOpen() const;
  Result<Slot*> SlotAt(int32_t index);
  Status AddTo(Slot& slot, int32_t index, const Tensor& value);

  const std::string name_;
  mutable std::mutex mu_;
  Options options_;
  int32_t size_;
  std::vector<Slot> slots_;  // grows up to size_ as slots are used
  bool closed_ = false;
  bool has_sums_ = false;
};

}  // namespace weir::ops
