// Stacks: a loop pushes values that the backward loop pops. A stack lives as long as its step.
#include <deque>
#include <memory>
#include <mutex>

#include "base/process_memory.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/flow/step_handle.h"

namespace weir::ops {
namespace {

constexpr char kStackContainer[] = "_stacks";

class Stack final : public Resource {
 public:
  Stack(std::string name, DType elem_type, int64_t max_size)
      : name_(std::move(name)), elem_type_(elem_type), max_size_(max_size) {}

  Status Push(Tensor value) {
    std::lock_guard lock(mu_);
    WEIR_TRY(CheckOpenLocked());
    if (value.dtype() != elem_type_) return InvalidArgument("Must have type {} but got {}", elem_type_, value.dtype());
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_)
      return InvalidArgument("Stack[{}] overflowed its max_size ({})", name_, max_size_);
    WEIR_TRY(ProcessMemory::Get().ReserveKept(sizeof(Tensor)));
    values_.push_back(std::move(value));
    return OkStatus();
  }
  Result<Tensor> Pop() {
    std::lock_guard lock(mu_);
    WEIR_TRY(CheckOpenLocked());
    if (values_.empty()) return InvalidArgument("Stack[{}] is empty when calling Pop().", name_);
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  void Close() {
    std::lock_guard lock(mu_);
    values_.clear();
    closed_ = true;
  }
  DType elem_type() const { return elem_type_; }
  std::string DebugString() const override { return fmt::format("Stack[{}]", name_); }

 private:
  Status CheckOpenLocked() const {
    return closed_ ? InvalidArgument("Stack[{}] has already been closed.", name_) : OkStatus();
  }

  const std::string name_;
  const DType elem_type_;
  const int64_t max_size_;  // negative: unbounded
  std::mutex mu_;
  std::deque<Tensor> values_;  // a deque, so that growing does not move tensors
  bool closed_ = false;
};

Result<Kernel> MakeStack(KernelSetup& setup) {
  WEIR_ASSIGN(const DType elem_type, setup.Attr<DType>("elem_type"));
  WEIR_ASSIGN(std::string base, setup.Attr<std::string>("stack_name"));
  if (base.empty()) base = setup.node().name;
  auto next = std::make_shared<std::atomic<int64_t>>(0);
  return Kernel::Sync([elem_type, base, next](KernelContext& ctx) -> Status {
           int64_t max_size = -1;
           if (ctx.num_inputs() == 1) {
             if (ctx.input(0).rank() != 0)
               return InvalidArgument("Stack size must be a scalar, but had shape: {}", ctx.input(0).shape());
             max_size = ctx.input(0).Int(0);
           }
           WEIR_ASSIGN(std::string name,
                       (AddToStep<Stack>(ctx, kStackContainer, base, *next, [&](const std::string& n) {
                         return MakeIntrusive<Stack>(n, elem_type, max_size);
                       })));
           if (ctx.output_type(0) == kResource) {
             ctx.set_output(0, StepHandle(kStackContainer, name, ctx.node().device));
           } else {
             auto handle = MakeIntrusive<VariableState>(kString);
             handle->Write(Tensor::Vector<std::string>({kStackContainer, name}));
             ctx.set_ref_output(0, std::move(handle));
           }
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakePush(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Stack> stack, LookupInStep<Stack>(ctx, 0));
           WEIR_TRY(stack->Push(ctx.input(1)));
           ctx.set_output(0, ctx.input(1));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakePop(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Stack> stack, LookupInStep<Stack>(ctx, 0));
           if (stack->elem_type() != ctx.output_type(0))
             return InvalidArgument("{} has elements of type {}, but {} was requested", stack->DebugString(),
                                    stack->elem_type(), ctx.output_type(0));
           WEIR_ASSIGN(Tensor value, stack->Pop());
           ctx.set_output(0, std::move(value));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeStackClose(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Stack> stack, LookupInStep<Stack>(ctx, 0));
           stack->Close();
           return OkStatus();
         })
      .Cheap();
}

Status PushShape(ShapeContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

}  // namespace

void RegisterStack(OpRegistry& registry) {
  struct Version {
    const char* make;
    const char* push;
    const char* pop;
    const char* close;
    const char* handle;
    const char* make_inputs;
    bool is_resource;
  };
  for (const Version& v :
       {Version{"Stack", "StackPush", "StackPop", "StackClose", "Ref(string)", "", false},
        Version{"StackV2", "StackPushV2", "StackPopV2", "StackCloseV2", "resource", "max_size: int32 ", true}}) {
    registry.Add({
        .name = v.make,
        .signature = fmt::format("{}-> handle: {}", v.make_inputs, v.handle),
        .attrs = {"elem_type: type", "stack_name: string = ''"},
        .shape = v.is_resource ? ScalarOutputs() : FixedShapes("[2]"),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(MakeStack),
        .traits = {.state = StateRole::kHandle, .may_block = false},
        .stateful = true,
    });
    registry.Add({
        .name = v.push,
        .signature = fmt::format("handle: {}, elem: T -> output: T", v.handle),
        .attrs = {"T: type", "swap_memory: bool = false"},
        .shape = PushShape,
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(MakePush),
        .traits = {.may_block = false, .keeps_inputs = true},
        .stateful = v.is_resource,
    });
    registry.Add({
        .name = v.pop,
        .signature = fmt::format("handle: {} -> elem: elem_type", v.handle),
        .attrs = {"elem_type: type"},
        .shape = UnknownOutputs(),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(MakePop),
        .traits = kNeverBlocks,
        .stateful = v.is_resource,
    });
    registry.Add({
        .name = v.close,
        .signature = fmt::format("handle: {} ->", v.handle),
        .shape = NoOutputs(),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(MakeStackClose),
        .traits = kNeverBlocks,
        .stateful = v.is_resource,
    });
  }
}

}  // namespace weir::ops
