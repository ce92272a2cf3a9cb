// Memory allocation for running kernels, and the choice of a kernel for a node.
#include "op/kernel.h"

#include <map>

#include "absl/strings/str_join.h"
#include "op/memory_slot.h"

namespace weir {
namespace {

// Whether the memory of `in` may be reused for the output: this is the only reference, and type and alignment fit.
bool CanForward(const EdgeValue& in, DType dtype, const Shape& shape) {
  const Tensor& t = in.tensor;
  if (in.is_ref() || !t.valid() || !t.OwnsMemoryAlone()) return false;
  if (t.num_elements() != shape.num_elements()) return false;
  if (t.dtype() != dtype) {
    if (!IsPlain(t.dtype()) || !IsPlain(dtype) || ElementSize(t.dtype()) != ElementSize(dtype)) return false;
  }
  return reinterpret_cast<uintptr_t>(t.raw()) % kBufferAlignment == 0;
}

bool Matches(const KernelDef& kernel, const AttrMap& attrs) {
  for (const auto& [name, type] : kernel.types) {
    auto it = attrs.find(name);
    if (it == attrs.end()) return false;
    if (const DType* value = it->second.As<DType>()) {
      if (BaseType(*value) != type) return false;
    } else if (const auto* values = it->second.As<std::vector<DType>>()) {
      for (const DType v : *values) {
        if (BaseType(v) != type) return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

// The kinds in KernelContext::bad_access_; the low 32 bits are the index.
constexpr uint64_t kInputAccess = uint64_t{1} << 32;
constexpr uint64_t kOutputAccess = uint64_t{2} << 32;

void Record(std::atomic<uint64_t>& first, uint64_t kind, int index) {
  uint64_t none = 0;
  first.compare_exchange_strong(none, kind | static_cast<uint32_t>(index), std::memory_order_relaxed);
}

// A thread-local empty tensor, of a type that the kernel probably expects.
EdgeValue& EmptyValue(DType type) {
  thread_local EdgeValue empty;
  empty = EdgeValue();
  Result<Tensor> tensor = Tensor::Allocate(type, Shape{0});
  if (tensor.ok()) empty.tensor = *std::move(tensor);
  return empty;
}

Status AccessError(const NodeInfo& node, std::string_view kind, int index, size_t count) {
  return Internal("the kernel of node '{}' (op {}) used {} {}, but the node has {} {}s", node.name, node.op->name, kind,
                  index, count, kind);
}

// "T in {float, double}", or "T=float, Tidx=int32; ..." where kernels differ in several attributes.
std::string DescribeKernels(const std::vector<const KernelDef*>& kernels) {
  std::map<std::string, std::vector<std::string>> by_attr;
  std::vector<std::string> rows;
  bool single = true;
  for (const KernelDef* kernel : kernels) {
    single = single && kernel->types.size() == 1;
    std::vector<std::string> row;
    for (const auto& [name, type] : kernel->types) {
      by_attr[name].push_back(OpDefTypeName(type));
      row.push_back(fmt::format("{}={}", name, OpDefTypeName(type)));
    }
    rows.push_back(absl::StrJoin(row, ", "));
  }
  if (!single || by_attr.size() != 1) return absl::StrJoin(rows, "; ");
  return fmt::format("{} in {{{}}}", by_attr.begin()->first, absl::StrJoin(by_attr.begin()->second, ", "));
}

// "T=int8, Tidx=int32": the node's values of all type attributes.
std::string DescribeChoice(const NodeInfo& node) {
  std::vector<std::string> parts;
  for (const AttrDef& def : node.op->attrs) {
    auto it = node.attrs->find(def.name);
    if (it == node.attrs->end()) continue;
    if (const DType* type = it->second.As<DType>()) {
      parts.push_back(fmt::format("{}={}", def.name, OpDefTypeName(*type)));
    } else if (def.type == "list(type)") {
      parts.push_back(fmt::format("{}={}", def.name, it->second.ToString()));
    }
  }
  return parts.empty() ? "" : " with " + absl::StrJoin(parts, ", ");
}

}  // namespace

DType KernelSetup::TypeAt(const std::vector<DType>& types, const char* kind, int i) const {
  if (static_cast<size_t>(i) < types.size()) return types[i];
  if (access_error_.ok()) access_error_ = AccessError(node_, kind, i, types.size());
  return kInvalidType;
}

EdgeValue& KernelContext::MissingInput(int i) const {
  Record(bad_access_, kInputAccess, i);
  return EmptyValue(node_.input_types.empty() ? kFloat : BaseType(node_.input_types.back()));
}

EdgeValue& KernelContext::MissingOutput(int i) const {
  Record(bad_access_, kOutputAccess, i);
  return EmptyValue(node_.output_types.empty() ? kFloat : BaseType(node_.output_types.back()));
}

Status KernelContext::access_error() const {
  const uint64_t access = bad_access_.load(std::memory_order_relaxed);
  if (access == 0) return OkStatus();
  const bool input = (access & kInputAccess) != 0;
  return AccessError(node_, input ? "input" : "output", static_cast<int>(access & UINT32_MAX),
                     input ? inputs_.size() : outputs_.size());
}

Result<Tensor> KernelContext::Allocate(int output, const Shape& shape) {
  if (static_cast<size_t>(output) >= outputs_.size()) [[unlikely]] {
    MissingOutput(output);
    return access_error();
  }
  EdgeValue& value = outputs_.data()[output];
  MemorySlot* slot = OfferedSlot(value);
  WEIR_ASSIGN(Tensor t, slot != nullptr ? AllocateIn(*slot, output_type(output), shape)
                                        : Tensor::Allocate(output_type(output), shape));
  value.tensor = t;
  return t;
}

Result<Tensor> KernelContext::ForwardOrAllocate(std::initializer_list<int> inputs, int output, const Shape& shape) {
  const DType dtype = output_type(output);
  if (static_cast<size_t>(output) >= outputs_.size()) [[unlikely]]
    return Allocate(output, shape);
  for (const int i : inputs) {
    const EdgeValue& value = InputAt(i);
    if (!CanForward(value, dtype, shape)) continue;
    const Tensor& in = value.tensor;
    Tensor t = in.dtype() == dtype ? in : in.BitcastTo(dtype);
    if (!(t.shape() == shape)) t = t.Reshaped(shape);
    outputs_.data()[output].tensor = t;
    return t;
  }
  return Allocate(output, shape);
}

const CancelToken* KernelContext::CancelTokenForLoops() const {
  if (node_.op == nullptr) return nullptr;
  // A loop that changes state runs to its end. Random ops are stateful, too, but only compute.
  const OpDef& op = *node_.op;
  if (op.stateful && (op.traits.state != StateRole::kNone || op.keeps_inputs())) return nullptr;
  for (const DType type : node_.input_types) {
    if (IsRef(type) || type == kResource) return nullptr;
  }
  return step_.cancel;
}

KernelList CpuKernel(KernelFactory make) {
  KernelList list;
  list.push_back(KernelDef{.types = {}, .make = std::move(make), .host_memory = {}});
  return list;
}

KernelList JoinKernels(std::vector<KernelList> lists) {
  KernelList joined;
  for (KernelList& list : lists) {
    joined.insert(joined.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  }
  return joined;
}

KernelList CpuKernelForTypes(std::string attr, std::vector<DType> types, KernelFactory make) {
  KernelList list;
  list.reserve(types.size());
  for (const DType type : types) list.push_back(KernelDef{.types = {{attr, type}}, .make = make, .host_memory = {}});
  return list;
}

Result<const KernelDef*> FindKernel(const NodeInfo& node, std::string_view device_kind) {
  std::vector<const KernelDef*> candidates;
  std::vector<std::string> devices;
  for (const KernelDef& kernel : node.op->kernels) {
    if (kernel.device != device_kind) {
      if (devices.empty() || devices.back() != kernel.device) devices.push_back(kernel.device);
      continue;
    }
    if (Matches(kernel, *node.attrs)) return &kernel;
    candidates.push_back(&kernel);
  }
  std::string there_are;
  if (!candidates.empty()) {
    there_are = "available kernels: " + DescribeKernels(candidates);
  } else if (!devices.empty()) {
    there_are = "available kernels: " + absl::StrJoin(devices, ", ");
  } else {
    there_are = "the op has no kernels";
  }
  return MarkNode(InvalidArgument("no {} kernel for op '{}'{} (node '{}'); {}", device_kind, node.op->name,
                                  DescribeChoice(node), node.name, there_are),
                  node.name);
}

Result<Kernel> MakeKernel(const KernelDef& def, KernelSetup& setup) {
  Result<Kernel> kernel = def.make(setup);
  WEIR_TRY(setup.access_error());
  return kernel;
}

}  // namespace weir
