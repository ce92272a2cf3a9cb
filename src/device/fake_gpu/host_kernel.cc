#include "device/fake_gpu/host_kernel.h"

#include <algorithm>

#include "base/out_of_memory.h"
#include "device/fake_gpu/fake_gpu_stream.h"
#include "device/gpu_memory.h"
#include "op/node_error.h"
#include "op/shape_context.h"

namespace weir {
namespace {

// The state that all runs of a kernel share. Enqueued work that outlives its session keeps it alive.
struct HostKernel {
  NodeInfo node;
  Kernel kernel;
  mutable ThreadPool pool{"weir_fake_gpu", 1};  // with one thread, ParallelFor runs on the caller
};

// A variable that a run uses: its memory at the time when the run was enqueued.
struct UsedVariable {
  ResourcePtr<VariableState> variable;
  int input = 0;
  Tensor value;  // invalid if the variable is not initialized
};

// The memory of a tensor, without a reference to its buffer: stream order keeps it alive.
struct DeviceValue {
  explicit DeviceValue(const Tensor& tensor)
      : dtype(tensor.dtype()), shape(tensor.shape()), memory(tensor.raw()), bytes(tensor.num_bytes()) {}
  Tensor View() const { return Tensor::FromBuffer(dtype, shape, WrapMemory(memory, bytes, {}), memory); }

  DType dtype;
  Shape shape;
  void* memory;
  size_t bytes;
};

class Inputs final : public ShapeContext::Constants {
 public:
  Inputs(KernelContext& ctx, const std::vector<UsedVariable>& variables) : ctx_(ctx), variables_(variables) {}
  const Tensor* Value(int input) override {
    const Tensor& tensor = ctx_.input(input);
    return tensor.valid() && IsPlain(tensor.dtype()) && GpuOf(tensor) == nullptr ? &tensor : nullptr;
  }
  PartialShape AsShape(int input) override {
    const Tensor* const value = Value(input);
    Result<PartialShape> shape = value == nullptr ? PartialShape() : ShapeFromTensor(*value);
    return shape.ok() ? *std::move(shape) : PartialShape();
  }
  HandleInfo Handle(int input) override {
    for (const UsedVariable& used : variables_) {
      if (used.input == input && used.value.valid()) return {used.value.dtype(), PartialShape(used.value.shape())};
    }
    return {};
  }

 private:
  KernelContext& ctx_;
  const std::vector<UsedVariable>& variables_;
};

// The shapes of the outputs; none if the shape function does not know them or fails: then the kernel decides.
std::optional<std::vector<Shape>> OutputShapes(KernelContext& ctx, const std::vector<UsedVariable>& variables) {
  const NodeInfo& node = ctx.node();
  std::vector<PartialShape> shapes;
  for (int i = 0; i < ctx.num_inputs(); ++i)
    shapes.push_back(ctx.input(i).valid() ? PartialShape(ctx.input(i).shape()) : PartialShape());
  for (const UsedVariable& used : variables) {
    if (ctx.ref_input(used.input) && used.value.valid()) shapes[used.input] = PartialShape(used.value.shape());
  }
  Inputs known(ctx, variables);
  ShapeContext inferred(*node.attrs, std::move(shapes), node.input_types, ctx.num_outputs(), &known);
  if (!RunShapeFn(node.op->shape, inferred).ok()) return std::nullopt;
  std::vector<Shape> result;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    if (IsRef(ctx.declared_output_type(i))) {
      result.emplace_back();
      continue;
    }
    if (!inferred.output(i).fully_defined()) return std::nullopt;
    result.push_back(inferred.output(i).ToShape());
  }
  return result;
}

// One run of a kernel, from its start on the host to its end on the stream.
class HostRun final {
 public:
  HostRun(std::shared_ptr<const HostKernel> kernel, GpuDevice& gpu, KernelContext& ctx)
      : kernel_(std::move(kernel)), gpu_(gpu), key_(KeyOf(gpu, ctx)), position_(ctx.loop_position) {
    step_.step_id = ctx.step().step_id;
    step_.pool = &kernel_->pool;
    step_.env = ctx.step().env;
    step_.resources = resources_.get();
    step_.step_resources = resources_;
    step_.cancel = &cancel_;
  }

  Status Prepare(KernelContext& ctx) {
    WEIR_TRY(FindVariables(ctx));
    const std::optional<std::vector<Shape>> shapes = OutputShapes(ctx, used_);
    knows_shapes_ = shapes.has_value();
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& input = ctx.input(i);
      const bool device = IsPlain(input.dtype()) && GpuOf(input) != nullptr;
      host_inputs_.push_back(device || ctx.ref_input(i) ? Tensor() : input);
      inputs_.emplace_back(device && !ctx.ref_input(i) ? std::optional<DeviceValue>(input) : std::nullopt);
    }
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (IsRef(ctx.declared_output_type(i))) {
        ctx.ForwardRef(0, i);
        outputs_.emplace_back();
        continue;
      }
      if (!knows_shapes_) {
        outputs_.emplace_back();
        continue;
      }
      WEIR_ASSIGN(const Tensor output, gpu_.Allocate(ctx, i, (*shapes)[i]));
      outputs_.emplace_back(output);
    }
    for (const UsedVariable& used : used_) {
      if (const UsedVariable* const first = FirstUse(used.variable); first != &used) {
        Variable again = variables_[first - used_.data()];
        again.input = used.input;
        variables_.push_back(std::move(again));
        continue;
      }
      variables_.push_back({MakeIntrusive<VariableState>(used.variable->dtype()), used.input, std::nullopt});
      if (used.value.valid()) variables_.back().value = DeviceValue(used.value);
      const Tensor& handle = ctx.input(used.input);
      if (handle.dtype() != kResource) continue;
      const ResourceHandle& h = *handle.data<ResourceHandle>();
      WEIR_TRY(resources_->Create(h.container, h.name, variables_.back().variable));
    }
    used_.clear();
    return OkStatus();
  }

  std::vector<const void*> memory() const {
    std::vector<const void*> memory;
    const auto add = [&](const std::optional<DeviceValue>& value) {
      if (value.has_value() && value->bytes > 0) memory.push_back(value->memory);
    };
    for (const auto& input : inputs_) add(input);
    for (const auto& output : outputs_) add(output);
    for (const Variable& variable : variables_) add(variable.value);
    return memory;
  }

  bool knows_shapes() const { return knows_shapes_; }

  // Runs on the stream.
  void Run() {
    try {
      status_ = RunKernel();
    } catch (...) {
      status_ = StatusFromCurrentException(kernel_->node.op->name);
    }
    if (!status_.ok() && knows_shapes_)
      gpu_.ReportError(key_, WithNode(status_, kernel_->node.name, kernel_->node.op->name));
  }

  // For outputs whose shapes only the kernel knows. REQUIRES: the stream has run this.
  Status TakeResults(KernelContext& ctx, const std::shared_ptr<GpuStream>& stream) {
    WEIR_TRY(status_);
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (IsRef(ctx.declared_output_type(i))) continue;
      WEIR_ASSIGN(Tensor output, CopyToGpu(stream, results_[i]));
      ctx.set_output(i, std::move(output));
    }
    return OkStatus();
  }

 private:
  // The key under which errors of this run are reported. Null during a capture, because any step may replay the run.
  static const void* KeyOf(GpuDevice& gpu, KernelContext& ctx) {
    const Result<std::shared_ptr<GpuStream>> stream = gpu.stream();
    return stream.ok() && (*stream)->is_capturing() ? nullptr : ctx.step().cancel;
  }

  struct Variable {
    ResourcePtr<VariableState> variable;
    int input = 0;
    std::optional<DeviceValue> value;
  };

  // A node may use one variable several times.
  const UsedVariable* FirstUse(const ResourcePtr<VariableState>& variable) const {
    const auto use = std::find_if(used_.begin(), used_.end(),
                                  [&](const UsedVariable& used) { return used.variable.get() == variable.get(); });
    return use == used_.end() ? nullptr : &*use;
  }

  Status FindVariables(KernelContext& ctx) {
    const bool updates = ctx.node().op->traits.state == StateRole::kUpdates;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      UsedVariable used{.variable = ctx.ref_input(i), .input = i};
      const bool by_reference = static_cast<bool>(used.variable);
      if (!by_reference) {
        if (ctx.input(i).dtype() != kResource) continue;
        WEIR_ASSIGN(used.variable, ctx.LookupResource<VariableState>(i));
      } else {
        ctx.raw_input(i).tensor = Tensor();  // our own alias must not count as a reader
      }
      if (const UsedVariable* const first = FirstUse(used.variable); first != nullptr) {
        used.value = first->value;
        used_.push_back(std::move(used));
        continue;
      }
      std::lock_guard lock(used.variable->mu());
      used.value = used.variable->value_locked();
      if (used.value.valid() && used.value.num_elements() > 0 && GpuOf(used.value) == nullptr) {
        return Unimplemented("node '{}' ({}) on {} uses a variable that is in the memory of the host", ctx.name(),
                             ctx.node().op->name, gpu_.name());
      }
      if (updates && used.value.valid()) {
        used.value = Tensor();
        WEIR_ASSIGN(used.value, gpu_.ValueToUpdate(*used.variable, /*shared=*/!by_reference));
      }
      used_.push_back(std::move(used));
    }
    return OkStatus();
  }

  Status RunKernel() {
    for (Variable& variable : variables_) {
      if (variable.value.has_value()) variable.variable->Write(variable.value->View());
    }
    // A second reference to each input, so that the kernel does not reuse memory that other nodes still read.
    std::vector<Tensor> values;
    for (size_t i = 0; i < inputs_.size(); ++i)
      values.push_back(inputs_[i].has_value() ? inputs_[i]->View() : host_inputs_[i]);
    std::vector<EdgeValue> in(inputs_.size());
    for (size_t i = 0; i < in.size(); ++i) in[i].tensor = values[i];
    for (const Variable& variable : variables_) {
      if (in[variable.input].tensor.valid()) continue;  // a resource handle
      in[variable.input].ref = variable.variable;
      in[variable.input].tensor = variable.variable->Read();
    }
    std::vector<EdgeValue> out(outputs_.size());
    KernelContext ctx(kernel_->node, step_, absl::MakeSpan(in), absl::MakeSpan(out));
    ctx.loop_position = position_;
    WEIR_TRY(kernel_->kernel.Run(ctx));
    for (size_t i = 0; i < out.size(); ++i) {
      if (outputs_[i].has_value()) WEIR_TRY(Store(out[i].tensor, *outputs_[i]));
      if (knows_shapes_ || !out[i].tensor.valid()) continue;
      results_.resize(out.size());
      WEIR_ASSIGN(results_[i], out[i].tensor.Clone());  // it may be the memory of an input
    }
    for (Variable& variable : variables_) {
      if (variable.value.has_value()) WEIR_TRY(Store(variable.variable->Read(), *variable.value));
    }
    return OkStatus();
  }

  Status Store(const Tensor& from, const DeviceValue& to) const {
    if (!from.valid() || from.dtype() != to.dtype || !(from.shape() == to.shape)) {
      return Internal("the kernel returned {}, but its shape function promised {} {}", from.ToString(0), to.dtype,
                      to.shape);
    }
    if (from.raw() != to.memory && to.bytes > 0) std::memcpy(to.memory, from.raw(), to.bytes);
    return OkStatus();
  }

  const std::shared_ptr<const HostKernel> kernel_;
  GpuDevice& gpu_;
  const void* const key_;
  StepContext step_;
  CancelToken cancel_;
  const std::shared_ptr<ResourceManager> resources_ = std::make_shared<ResourceManager>();
  const KernelContext::LoopPosition position_;
  std::vector<UsedVariable> used_;
  std::vector<Variable> variables_;
  std::vector<Tensor> host_inputs_;
  std::vector<std::optional<DeviceValue>> inputs_;
  std::vector<std::optional<DeviceValue>> outputs_;
  bool knows_shapes_ = true;
  std::vector<Tensor> results_;  // the outputs if !knows_shapes_
  Status status_;
};

}  // namespace

Result<Kernel> MakeHostKernel(KernelSetup& setup, GpuDevice& gpu) {
  auto host = std::make_shared<HostKernel>();
  host->node = setup.node();
  KernelSetup own_setup(host->node, setup.env(), setup.resources(), setup.functions());
  WEIR_ASSIGN(const KernelDef* def, FindKernel(host->node, "CPU"));
  WEIR_ASSIGN(host->kernel, MakeKernel(*def, own_setup));
  if (host->kernel.is_async())
    return Internal("op '{}' has an asynchronous kernel and cannot run on a fake GPU", host->node.op->name);
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync(
             [host = std::shared_ptr<const HostKernel>(std::move(host)), &gpu,
              stream = std::static_pointer_cast<FakeGpuStream>(std::move(stream))](KernelContext& ctx) -> Status {
               auto run = std::make_shared<HostRun>(host, gpu, ctx);
               WEIR_TRY(run->Prepare(ctx));
               stream->Enqueue(run->memory(), [run] { run->Run(); });
               if (run->knows_shapes()) return OkStatus();
               WEIR_TRY(stream->Synchronize());
               return run->TakeResults(ctx, stream);
             })
      .Cheap();
}

}  // namespace weir
