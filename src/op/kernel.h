// Kernel: the code of one node, created once and then run many times, possibly on several threads at once. KernelSetup
// is what a kernel factory gets: types and attributes. KernelContext is one run: inputs, outputs, threads, state.
#ifndef WEIR_OP_KERNEL_H_
#define WEIR_OP_KERNEL_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/thread_pool.h"
#include "op/cancel.h"
#include "op/function_runner.h"
#include "op/op_def.h"
#include "op/rendezvous.h"
#include "op/resource.h"
#include "tensor/for_type.h"

namespace weir {

class KernelContext;
class PyFuncRunner;
using Done = std::function<void(Status)>;

// The properties of a node that its kernel needs. Outlives the kernel.
struct NodeInfo {
  std::string name;
  const OpDef* op = nullptr;
  std::shared_ptr<const AttrMap> attrs;
  std::vector<DType> input_types;  // may be reference types
  std::vector<DType> output_types;
  std::string device;  // full name of the node's device
};

class KernelSetup final {
 public:
  KernelSetup(const NodeInfo& node, Env& env, ResourceManager* resources, FunctionRunner* functions)
      : node_(node), env_(env), resources_(resources), functions_(functions) {}
  const NodeInfo& node() const { return node_; }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(*node_.attrs, name);
  }
  bool HasAttr(std::string_view name) const { return node_.attrs->find(name) != node_.attrs->end(); }
  // If `i` is out of range they return kInvalidType, and MakeKernel fails.
  DType input_type(int i) const { return TypeAt(node_.input_types, "input", i); }
  DType output_type(int i) const { return TypeAt(node_.output_types, "output", i); }
  int num_inputs() const { return static_cast<int>(node_.input_types.size()); }
  int num_outputs() const { return static_cast<int>(node_.output_types.size()); }
  FunctionRunner* functions() const { return functions_; }
  ResourceManager* resources() const { return resources_; }
  // The files that the kernel may use; lives as long as its session or server.
  Env& env() const { return env_; }
  // The first out-of-range access, or OK.
  const Status& access_error() const { return access_error_; }

 private:
  DType TypeAt(const std::vector<DType>& types, const char* kind, int i) const;

  const NodeInfo& node_;
  Env& env_;
  ResourceManager* resources_;
  FunctionRunner* functions_;
  mutable Status access_error_;
};

class Kernel final {
 public:
  using SyncFn = std::function<Status(KernelContext&)>;
  // Must call `done` exactly once. The context stays valid until then.
  using AsyncFn = std::function<void(KernelContext&, Done)>;

  Kernel() = default;
  static Kernel Sync(SyncFn run) {
    Kernel k;
    k.sync_ = std::move(run);
    return k;
  }
  static Kernel Async(AsyncFn run) {
    Kernel k;
    k.async_ = std::move(run);
    return k;
  }
  // Cheaper than scheduling it on another thread: runs inline.
  Kernel&& Cheap() && {
    cheap_ = true;
    return std::move(*this);
  }
  // May block on something external (files, Python): runs on the elastic pool.
  Kernel&& Blocking() && {
    blocking_ = true;
    return std::move(*this);
  }
  bool is_async() const { return async_ != nullptr; }
  bool cheap() const { return cheap_; }
  bool blocking() const { return blocking_; }
  // Returns the kernel's status, or KernelContext::access_error() if there was one.
  Status Run(KernelContext& ctx) const;
  // `done` gets the kernel's status. The caller must then check KernelContext::access_error().
  void RunAsync(KernelContext& ctx, Done done) const { async_(ctx, std::move(done)); }

 private:
  SyncFn sync_;
  AsyncFn async_;
  bool cheap_ = false;
  bool blocking_ = false;
};

// State of one step, shared by all its kernels. A copy keeps all that it points to alive, except `cancel`: a kernel
// that does not react to cancellation may outlive its step and its session.
struct StepContext {
  int64_t step_id = 0;
  ThreadPool* pool = nullptr;  // for computation
  ElasticPool* blocking_pool = nullptr;
  Env* env = nullptr;                               // the files of the process; null only where no kernel uses files
  ResourceManager* resources = nullptr;             // lifetime of the session or server
  std::shared_ptr<ResourceManager> step_resources;  // lifetime of the step: TensorArrays, stacks
  FunctionRunner* functions = nullptr;
  PyFuncRunner* py_functions = nullptr;  // null if this process does not run Python
  bool may_end_process = false;          // for the op Abort
  IntrusivePtr<Rendezvous> rendezvous;
  CancelToken* cancel = nullptr;
  const std::string* session_handle = nullptr;
  int call_depth = 0;  // function calls that this step is inside of; a blocking one counts as several
  std::shared_ptr<const void>
      keep_alive;  // owns those targets of the pointers above that may be destroyed before the process ends
};

// A value on an edge: a tensor, or a reference to a variable.
struct EdgeValue {
  Tensor tensor;
  ResourcePtr<VariableState> ref;
  bool is_ref() const { return static_cast<bool>(ref); }
};

// Work cheaper than this runs on the current thread.
constexpr double kInlineNanos = 20000;
// The interval at which a long loop checks whether its step is cancelled.
constexpr int64_t kCancelCheckNanos = 10'000'000;

// One run of a kernel. Indices are checked: an out-of-range access returns an empty value, and the run fails with
// access_error(). The accessors are thread-safe.
class KernelContext final {
 public:
  KernelContext(const NodeInfo& node, StepContext& step, absl::Span<EdgeValue> inputs, absl::Span<EdgeValue> outputs)
      : node_(node), step_(step), inputs_(inputs), outputs_(outputs) {}

  const NodeInfo& node() const { return node_; }
  const std::string& name() const { return node_.name; }
  StepContext& step() const { return step_; }
  // The loop frame and iteration of this run. The same on every task. Both are 0 outside of loops.
  struct LoopPosition {
    uint64_t frame = 0;
    int64_t iteration = 0;
  };
  LoopPosition loop_position;
  // Set only for nodes that run even if their inputs are dead (sends).
  bool inputs_dead = false;
  ResourceManager& resources() const { return *step_.resources; }
  Env& env() const { return *step_.env; }
  CancelToken& cancel() const { return *step_.cancel; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // The value of input i. For a reference input, its current value (an alias, not a copy).
  const Tensor& input(int i) const { return InputAt(i).tensor; }
  DType output_type(int i) const { return BaseType(declared_output_type(i)); }
  // A reference type for reference outputs.
  DType declared_output_type(int i) const {
    if (static_cast<size_t>(i) >= node_.output_types.size()) [[unlikely]] {
      MissingOutput(i);
      return kInvalidType;
    }
    return node_.output_types[i];
  }
  // The variable behind reference input i. REQUIRES: the schema declares the input as Ref.
  const ResourcePtr<VariableState>& ref_input(int i) const { return InputAt(i).ref; }
  EdgeValue& raw_input(int i) const { return InputAt(i); }

  // Allocates a tensor and sets it as the output. Uninitialized for plain types.
  Result<Tensor> Allocate(int output, const Shape& shape);
  // Scratch memory.
  Result<Tensor> AllocateTemp(DType dtype, const Shape& shape) { return Tensor::Allocate(dtype, shape); }
  // Reuses the memory of an input for the output if this run holds the only reference to it and element size and count
  // match; allocates otherwise. Sets the tensor as the output. The shape defaults to that of the input.
  Result<Tensor> ForwardOrAllocate(int input, int output) {
    return ForwardOrAllocate({input}, output, InputAt(input).tensor.shape());
  }
  Result<Tensor> ForwardOrAllocate(std::initializer_list<int> inputs, int output, const Shape& shape);
  void set_output(int i, Tensor value) { OutputAt(i).tensor = std::move(value); }
  void set_ref_output(int i, ResourcePtr<VariableState> ref) { OutputAt(i).ref = std::move(ref); }
  const Tensor& output(int i) const { return OutputAt(i).tensor; }
  // Forwards reference input i to reference output o.
  void ForwardRef(int i, int o) { OutputAt(o).ref = InputAt(i).ref; }

  // The resource named by the handle in input i.
  template <class T>
  Result<ResourcePtr<T>> LookupResource(int i) const {
    const Tensor& handle = input(i);
    if (handle.dtype() != kResource || handle.num_elements() != 1)
      return InvalidArgument("input {} is not a resource handle", i);
    const ResourceHandle& h = *handle.data<ResourceHandle>();
    return resources().Lookup<T>(h.container, h.name);
  }

  // Calls work(i) or work(begin, end) over [0, n), in parallel if worthwhile. `cost_per_unit` is in nanoseconds,
  // roughly. If the step is cancelled it stops early and returns the reason, except in kernels that update state in
  // place: an update is never left half done.
  template <class F>
  Status ParallelFor(int64_t n, int64_t cost_per_unit, F&& work) const {
    const CancelToken* const cancel = RunsInline(n, cost_per_unit) ? nullptr : CancelTokenForLoops();
    if (cancel == nullptr) {
      ParallelForAll(n, cost_per_unit, work);
      return OkStatus();
    }
    const int64_t block = std::clamp<int64_t>(kCancelCheckNanos / std::max<int64_t>(cost_per_unit, 1), 1, n);
    step_.pool->ParallelFor(n, cost_per_unit, [&](int64_t begin, int64_t end) {
      for (; begin < end && !cancel->cancelled(); begin += block) OverRange(work, begin, std::min(begin + block, end));
    });
    return cancel->reason();
  }
  // ParallelFor that ignores cancellation, for callers that need all results of `work`.
  template <class F>
  void ParallelForAll(int64_t n, int64_t cost_per_unit, F&& work) const {
    if (!RunsInline(n, cost_per_unit)) {
      step_.pool->ParallelFor(n, cost_per_unit, [&](int64_t begin, int64_t end) { OverRange(work, begin, end); });
    } else if (n > 0) {
      OverRange(work, 0, n);
    }
  }

  // Marks output i as dead (Switch, Merge). REQUIRES: i < 64.
  void set_dead(int i) {
    if (static_cast<size_t>(i) >= std::min<size_t>(outputs_.size(), 64)) [[unlikely]] {
      MissingOutput(i);
      return;
    }
    dead_outputs_ |= uint64_t{1} << i;
  }
  bool is_dead(int i) const { return static_cast<unsigned>(i) < 64 && ((dead_outputs_ >> i) & 1) != 0; }

  // The first out-of-range access of the kernel, as an error that names the node and its op.
  bool has_access_error() const { return bad_access_.load(std::memory_order_relaxed) != 0; }
  Status access_error() const;

 private:
  bool RunsInline(int64_t n, int64_t cost_per_unit) const {
    return n <= 0 || step_.pool == nullptr ||
           static_cast<double>(n) * static_cast<double>(cost_per_unit) < kInlineNanos;
  }
  template <class F>
  static void OverRange(F& work, int64_t begin, int64_t end) {
    if constexpr (std::is_invocable_v<F&, int64_t, int64_t>) {
      work(begin, end);
    } else {
      for (int64_t i = begin; i < end; ++i) work(i);
    }
  }
  // The token that ParallelFor checks; null if it must not stop early.
  const CancelToken* CancelTokenForLoops() const;
  EdgeValue& InputAt(int i) const {
    if (static_cast<size_t>(i) >= inputs_.size()) [[unlikely]]
      return MissingInput(i);
    return inputs_.data()[i];
  }
  EdgeValue& OutputAt(int i) const {
    if (static_cast<size_t>(i) >= outputs_.size()) [[unlikely]]
      return MissingOutput(i);
    return outputs_.data()[i];
  }
  // Records the access and returns an empty value.
  [[gnu::cold, gnu::noinline]] EdgeValue& MissingInput(int i) const;
  [[gnu::cold, gnu::noinline]] EdgeValue& MissingOutput(int i) const;

  const NodeInfo& node_;
  StepContext& step_;
  absl::Span<EdgeValue> inputs_;
  absl::Span<EdgeValue> outputs_;
  uint64_t dead_outputs_ = 0;
  mutable std::atomic<uint64_t> bad_access_{0};  // kind and index of the first out-of-range access
};

inline Status Kernel::Run(KernelContext& ctx) const {
  Status status = sync_(ctx);
  if (ctx.has_access_error()) [[unlikely]]
    return ctx.access_error();
  return status;
}

// --- kernel lists ---
// Sanitizer builds compile kernels for these types only. A list with none of them is compiled in full.
#ifdef WEIR_FEW_TYPES
template <class T>
constexpr bool kCompiledType =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
    std::is_same_v<T, uint8_t> || std::is_same_v<T, bool> || std::is_same_v<T, std::string>;
#else
template <class T>
constexpr bool kCompiledType = true;
#endif

// CpuKernels<float, double>(WEIR_FOR_TYPE(MakeSoftmax)): one kernel per type of attribute "T".
template <class... Ts, class Make>
KernelList CpuKernelsFor(std::string attr, Make make) {
  constexpr bool kNoneCompiled = !(kCompiledType<Ts> || ...);
  KernelList list;
  list.reserve(sizeof...(Ts));
  auto add = [&]<class T>(TypeTag<T>) {
    if constexpr (kCompiledType<T> || kNoneCompiled) {
      list.push_back(KernelDef{.types = {{attr, DTypeOf<T>()}},
                               .make = [make](KernelSetup& setup) { return make(TypeTag<T>{}, setup); },
                               .host_memory = {}});
    }
  };
  (add(TypeTag<Ts>{}), ...);
  return list;
}
template <class... Ts, class Make>
KernelList CpuKernels(Make make) {
  return CpuKernelsFor<Ts...>("T", make);
}
// One kernel for all types.
KernelList CpuKernel(KernelFactory make);
KernelList JoinKernels(std::vector<KernelList> lists);
// One kernel per value of a type attribute, all from a factory that does not depend on the C++ type.
KernelList CpuKernelForTypes(std::string attr, std::vector<DType> types, KernelFactory make);

#define WEIR_FOR_TYPE(Make) \
  [](auto tag, ::weir::KernelSetup& setup) { return Make<typename decltype(tag)::type>(setup); }

// The kernel for `node` on a device kind ("CPU"), or an error that lists the available kernels.
Result<const KernelDef*> FindKernel(const NodeInfo& node, std::string_view device_kind);
// Runs the factory. Also fails if the factory asked for the type of an input or output that the node does not have.
Result<Kernel> MakeKernel(const KernelDef& def, KernelSetup& setup);

}  // namespace weir

#endif  // WEIR_OP_KERNEL_H_
