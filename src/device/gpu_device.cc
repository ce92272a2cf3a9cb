#include "device/gpu_device.h"

#include "device/gpu_memory.h"
#include "op/node_error.h"

namespace weir {

GpuDevice::GpuDevice(Options options) : options_(std::move(options)) {
  attributes_.set_name(options_.name);
  attributes_.set_device_type("GPU");
  attributes_.set_physical_device_desc(fmt::format("{} {}", kWeirDevice, options_.description));
  attributes_.set_memory_limit(static_cast<int64_t>(options_.memory_limit));
  attributes_.set_incarnation(options_.incarnation);
}

GpuDevice::~GpuDevice() {
  if (stream_.has_value() && stream_->ok()) (**stream_)->Synchronize().IgnoreError();
}

Result<std::shared_ptr<GpuStream>> GpuDevice::stream() {
  std::lock_guard lock(mu_);
  if (!stream_.has_value()) {
    stream_ = options_.open();
    if (stream_->ok() && options_.memory_limit > 0) (**stream_)->SetMemoryLimit(options_.memory_limit);
    if (!stream_->ok()) stream_ = WithContext(stream_->status(), name());
  }
  return *stream_;
}

Result<BufferPtr> GpuDevice::GpuAllocator::Allocate(size_t bytes) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, device_.stream());
  WEIR_ASSIGN(void* const memory, stream->Allocate(bytes));
  return BufferPtr(MakeIntrusive<GpuBuffer>(memory, bytes, std::move(stream)));
}

Result<Kernel> GpuDevice::MakeKernel(const GpuKernelChoice& choice, KernelSetup& setup) {
  WEIR_TRY(stream().status());
  if (choice.on_host() || choice.only_shapes() || choice.runs == GpuKernel::Runs::kForwards) {
    WEIR_ASSIGN(const KernelDef* on_host, FindKernel(setup.node(), "CPU"));
    return weir::MakeKernel(*on_host, setup);
  }
  if (choice.runs == GpuKernel::Runs::kOnDevice && options_.make_kernel) return options_.make_kernel(setup, *this);
  if (choice.kernel->make == nullptr)
    return Unimplemented("op '{}' has no program for {} yet", setup.node().op->name, name());
  return choice.kernel->make(setup, *this);
}

Result<Tensor> GpuDevice::Allocate(KernelContext& ctx, int output, const Shape& shape) {
  WEIR_ASSIGN(Tensor tensor, Tensor::Allocate(allocator_, ctx.output_type(output), shape));
  ctx.set_output(output, tensor);
  return tensor;
}

Result<Tensor> GpuDevice::ForwardOrAllocate(KernelContext& ctx, std::initializer_list<int> inputs, int output,
                                            const Shape& shape) {
  for (const int i : inputs) {
    if (std::optional<Tensor> reused = TryForward(ctx, i, output, shape)) return *std::move(reused);
  }
  return Allocate(ctx, output, shape);
}

std::optional<Tensor> GpuDevice::TryForward(KernelContext& ctx, int input, int output, const Shape& shape) {
  const EdgeValue& value = ctx.raw_input(input);
  const Tensor& in = value.tensor;
  if (value.is_ref() || !in.valid() || !in.OwnsMemoryAlone() || in.dtype() != ctx.output_type(output) ||
      !(in.shape() == shape))
    return std::nullopt;
  Tensor reused = in;
  ctx.set_output(output, reused);
  return reused;
}

Result<Tensor> GpuDevice::Copy(const Tensor& tensor) {
  WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, this->stream());
  if (stream->is_capturing()) return FailedPrecondition("a variable cannot get new memory during a capture");
  WEIR_ASSIGN(Tensor copy, AllocateTemp(tensor.dtype(), tensor.shape()));
  WEIR_TRY(stream->CopyOnDevice(copy.raw(), tensor.raw(), tensor.num_bytes()));
  return copy;
}

Result<Tensor> GpuDevice::ValueToUpdate(VariableState& variable, bool shared) {
  Tensor& value = variable.value_locked();
  const bool in_use = shared ? !value.OwnsMemoryAlone() : value.HasReaders();
  if (value.num_elements() == 0 || !in_use) return value;
  WEIR_ASSIGN(value, Copy(value));
  return value;
}

uint32_t GpuDevice::NumberOf(const NodeInfo& node) {
  std::lock_guard lock(mu_);
  numbered_nodes_.push_back({node.name, node.op->name});
  return static_cast<uint32_t>(numbered_nodes_.size());
}

bool GpuDevice::MayFault() {
  std::lock_guard lock(mu_);
  return !numbered_nodes_.empty();
}

Status GpuDevice::TakeFault(GpuStream& stream) {
  WEIR_ASSIGN(const GpuFault fault, stream.TakeFault());
  std::lock_guard lock(mu_);
  const bool known = fault.node > 0 && fault.node <= numbered_nodes_.size();
  const auto describe = [&]() -> Status {
    switch (fault.kind) {
      case GpuFault::kNone:
        return OkStatus();
      case GpuFault::kIndex:
        return InvalidArgument("indices[{}] = {} is not in [0, {})", fault.position, fault.value, fault.limit);
      case GpuFault::kLabel:
        return InvalidArgument("received a label value of {} which is outside the valid range of [0, {})", fault.value,
                               fault.limit);
      case GpuFault::kDivisionByZero:
        return InvalidArgument("Integer division by zero");
      case GpuFault::kNegativePower:
        return InvalidArgument("Integers to negative integer powers are not allowed");
      default:
        return InvalidArgument("a value is not valid: element {} is {}", fault.position, fault.value);
    }
  };
  const Status error = describe();
  if (error.ok() || !known) return error;
  return WithNode(error, numbered_nodes_[fault.node - 1].name, numbered_nodes_[fault.node - 1].op);
}

void GpuDevice::ReportError(const void* step, Status error) {
  std::lock_guard lock(mu_);
  errors_.try_emplace(step, std::move(error));
}

Status GpuDevice::WaitForStep(const void* step) {
  WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, this->stream());
  const uint64_t launches = stream->num_launches();
  Status waited = stream->Synchronize();
  if (waited.ok() && MayFault() && launches_checked_.load(std::memory_order_acquire) < launches) {
    waited = TakeFault(*stream);
    launches_checked_.store(launches, std::memory_order_release);
  }
  std::lock_guard lock(mu_);
  auto error = errors_.extract(step);
  if (error.empty()) error = errors_.extract(nullptr);  // errors of replays are stored without a step
  return error.empty() ? waited : error.mapped();
}

}  // namespace weir
