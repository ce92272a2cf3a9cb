// GpuDevice: a GPU as a device of a session or server. Its stream is opened when the first kernel is made or the first
// value allocated. Kernels enqueue their work on the stream and return; a step ends when its work is done
// (WaitForStep). Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/gpu_stream.h"
#include "op/gpu_kernel.h"

namespace weir {

class GpuDevice final : public Device {
 public:
  struct Options {
    std::string name;         // "/job:localhost/replica:0/task:0/device:GPU:0"
    std::string description;  // "device: 0, name: NVIDIA H200, ..."
    uint64_t incarnation = 0;
    uint64_t memory_limit = 0;  // in bytes
    std::function<Result<std::shared_ptr<GpuStream>>()> open;
    // Creates the kernels that launch programs. Set for a fake GPU, which cannot run programs; null: GpuKernel::make.
    std::function<Result<Kernel>(KernelSetup&, GpuDevice&)> make_kernel = nullptr;
  };
  explicit GpuDevice(Options options);
  // Waits for the work of the device.
  ~GpuDevice() override;
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  const tensorflow::DeviceAttributes& attributes() const override { return attributes_; }
  Allocator& allocator() override { return allocator_; }
  GpuDevice* gpu() const override { return const_cast<GpuDevice*>(this); }

  Result<std::shared_ptr<GpuStream>> stream();
  Result<Kernel> MakeKernel(const GpuKernelChoice& choice, KernelSetup& setup);

  // For kernels: like the methods of KernelContext, but in device memory.
  Result<Tensor> Allocate(KernelContext& ctx, int output, const Shape& shape);
  Result<Tensor> ForwardOrAllocate(KernelContext& ctx, std::initializer_list<int> inputs, int output,
                                   const Shape& shape);
  // Reuses the memory of the input for the output, if this run has the only reference and type and shape are right.
  std::optional<Tensor> TryForward(KernelContext& ctx, int input, int output, const Shape& shape);
  Result<Tensor> AllocateTemp(DType dtype, const Shape& shape) { return Tensor::Allocate(allocator_, dtype, shape); }
  // A copy with its own memory, for variables. FailedPrecondition during a capture, because the variable would keep
  // memory of the graph. REQUIRES: the tensor is in the memory of this device.
  Result<Tensor> Copy(const Tensor& tensor);
  // Returns the value of a variable for writing in place. If it is in use, first replaces it by a copy. In use means:
  // with `shared` (resource variables), there is another reference; else (reference variables), it is leased
  // (Tensor::HasReaders). REQUIRES: variable.mu() held exclusively, and the value is valid.
  Result<Tensor> ValueToUpdate(VariableState& variable, bool shared);

  // Assigns a number to the node, which GpuFault::node reports. Call once per kernel.
  uint32_t NumberOf(const NodeInfo& node);
  // Records an error of work that was enqueued for a step. The key of a step is the address of its cancel token. Null:
  // the next step that ends gets the error.
  void ReportError(const void* step, Status error);
  // Waits for all work so far. Returns the first error of the step's work.
  Status WaitForStep(const void* step);
  // Whether some kernel may report a fault.
  bool MayFault();
  // The error of a fault that a program has reported, if there is one; clears it. REQUIRES: the work is done.
  Status TakeFault(GpuStream& stream);

 private:
  class GpuAllocator final : public Allocator {
   public:
    explicit GpuAllocator(GpuDevice& device) : device_(device) {}
    Result<BufferPtr> Allocate(size_t bytes) override;

   private:
    GpuDevice& device_;
  };

  const Options options_;
  tensorflow::DeviceAttributes attributes_;
  GpuAllocator allocator_{*this};
  std::mutex mu_;
  std::optional<Result<std::shared_ptr<GpuStream>>> stream_;
  std::map<const void*, Status> errors_;
  struct NumberedNode {
    std::string name;
    std::string op;
  };
  std::vector<NumberedNode> numbered_nodes_;   // that may report faults; number 0 is no node
  std::atomic<uint64_t> launches_checked_{0};  // the launches whose faults were taken
};

}  // namespace weir
