// GpuKernel: how the nodes of an op run on a GPU. It is the factory of a KernelDef for device kind "GPU", so an op
// declares it in its kernel list: `.kernels = WithGpu(CpuKernels<...>(...), {.make = MakeGpuSoftmax, .types =
// kGpuReals})`.
#pragma once

#include <initializer_list>

#include "op/kernel.h"

namespace weir {

class GpuDevice;

// A set of element types.
class TypeSet final {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<DType> types) {
    for (const DType type : types) bits_ |= uint32_t{1} << type;
  }
  constexpr bool contains(DType type) const { return type > 0 && type < 32 && ((bits_ >> type) & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr TypeSet operator|(TypeSet other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  uint32_t bits_ = 0;
};

inline constexpr TypeSet kGpuReals = {kHalf, kBFloat16, kFloat, kDouble};
// Numbers and bool, except int32: TensorFlow keeps int32, the type of shapes and counters, in host memory.
inline constexpr TypeSet kGpuPlain =
    kGpuReals | TypeSet{kInt8, kInt16, kInt64, kUint8, kUint16, kUint32, kUint64, kComplex64, kComplex128, kBool};

struct GpuKernel {
  enum class Runs : uint8_t {
    kOnDevice,  // `make` launches programs
    kCopies,    // `make` only copies and fills memory, which a fake GPU can do, too
    kForwards,  // the CPU's kernel, because it does not touch values in device memory
    kShapes,    // the CPU's kernel; inputs may be in any memory, because it only looks at their shapes
    kOnHost,    // the CPU's kernel; all inputs and outputs are in host memory
  };
  using Make = Result<Kernel> (*)(KernelSetup&, GpuDevice&);

  // The types of an op by its name; empty: the op has no GPU kernel.
  using TypesOf = TypeSet (*)(std::string_view op);

  Make make = nullptr;
  TypeSet types;               // of the attributes `attrs`; empty: all types
  const char* attrs = "T";     // "SrcT,DstT": both; "": the op has no type
  TypesOf types_of = nullptr;  // for families of ops: instead of `types`
  Runs runs = Runs::kOnDevice;

  // Returns an error: only the device (GpuDevice::MakeKernel) creates GPU kernels. A KernelDef needs a factory.
  Result<Kernel> operator()(KernelSetup& setup) const;
};

// Adds the GPU kernel of an op to its kernels. `host_memory` names the arguments that the kernel reads or writes on the
// host. Arguments that are not plain bytes (strings, handles) are always in host memory.
KernelList WithGpu(KernelList kernels, GpuKernel gpu, std::vector<std::string> host_memory = {});
// For ops that forward their inputs.
KernelList ForwardsOnGpu(KernelList kernels, std::vector<std::string> host_memory = {}, const char* attrs = "T");
// For ops that look only at the shapes of their inputs. Their outputs are in host memory.
KernelList ShapesOnGpu(KernelList kernels);
// For ops that compute on the host even if they are placed on a GPU: shapes, control edges, handles. `types`: those of
// the attribute T with which the op may be placed there; empty: all.
KernelList HostOnGpu(KernelList kernels, TypeSet types = {});

// The GPU kernel that a node uses.
struct GpuKernelChoice {
  const KernelDef* def = nullptr;     // null: the node cannot run on a GPU
  const GpuKernel* kernel = nullptr;  // of `def`
  // That of the kernel, or kOnHost for types that the kernel does not support but the host may handle: int32 for all
  // ops, every type for ops that forward values.
  GpuKernel::Runs runs = GpuKernel::Runs::kOnHost;

  bool found() const { return def != nullptr; }
  bool on_host() const { return runs == GpuKernel::Runs::kOnHost; }
  bool only_shapes() const { return runs == GpuKernel::Runs::kShapes; }
};
GpuKernelChoice FindGpuKernel(const OpDef& op, const AttrMap& attrs);

// For each input, then each output of a node on a GPU: whether it is in host memory. Says so for all inputs of nodes
// that look only at shapes. REQUIRES: choice.found().
std::vector<bool> InHostMemory(const GpuKernelChoice& choice, const OpDef& op, const AttrMap& attrs);

}  // namespace weir
