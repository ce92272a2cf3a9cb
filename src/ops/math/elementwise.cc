#include "ops/math/elementwise.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/math/broadcast.h"
#include "ops/math/cast.h"
#include "ops/math/gpu_elementwise.h"

namespace weir::ops {
namespace {

// Elements that are widened at a time, on the stack.
constexpr int64_t kBlock = 512;
struct alignas(64) Block {
  char bytes[kBlock * 16];
};

const char* At(const void* base, int64_t index, size_t size) {
  return static_cast<const char*>(base) + index * static_cast<int64_t>(size);
}
char* At(void* base, int64_t index, size_t size) {
  return static_cast<char*>(base) + index * static_cast<int64_t>(size);
}

// A loop whose elements are stored in one type and computed in another. `widen` and `narrow` are null if no conversion
// is needed.
template <class Loop>
struct Converted {
  Loop loop = nullptr;
  UnaryLoop widen = nullptr;
  UnaryLoop narrow = nullptr;  // null if the result needs no conversion (comparisons)
  size_t in_size = 0;          // of stored elements
  size_t out_size = 0;

  // `loop` is null if the table has no loop for `type`.
  static Converted For(const LoopTable<Loop>& table, DType type) {
    std::vector<DType> available;
    for (const auto& [t, loop] : table.loops) available.push_back(t);
    const DType compute = ComputeType(type, available);
    Converted c;
    if (compute == kInvalidType) return c;
    c.loop = table.Find(compute);
    if (compute != type) {
      c.widen = CastLoop(type, compute);
      c.narrow = CastLoop(compute, type);
      WEIR_CHECK(c.widen != nullptr && c.narrow != nullptr, type, compute);
    }
    return c;
  }
  // The loop, if it works on elements as they are stored; else null.
  Loop own_loop() const { return widen == nullptr ? loop : nullptr; }
  // Returns a copy with the element sizes of one node.
  Converted Sized(const KernelSetup& setup) const {
    Converted c = *this;
    const DType in = BaseType(setup.input_type(0));
    const DType out = BaseType(setup.output_type(0));
    c.in_size = ElementSize(in);
    c.out_size = ElementSize(out);
    if (in != out) c.narrow = nullptr;
    return c;
  }
};

void Run(const Converted<UnaryLoop>& c, const void* x, void* y, int64_t n) {
  if (c.widen == nullptr) return c.loop(x, y, n);
  Block wide;
  Block result;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    c.widen(At(x, i, c.in_size), wide.bytes, count);
    if (c.narrow == nullptr) {
      c.loop(wide.bytes, At(y, i, c.out_size), count);
    } else {
      c.loop(wide.bytes, result.bytes, count);
      c.narrow(result.bytes, At(y, i, c.out_size), count);
    }
  }
}

LoopError Run(const Converted<BinaryLoop>& c, const void* x, const void* y, void* z, int64_t n, ScalarOperand moving) {
  if (c.widen == nullptr) return c.loop(x, y, z, n, moving);
  Block wide_x;
  Block wide_y;
  Block result;
  if (moving == ScalarOperand::kX) c.widen(x, wide_x.bytes, 1);
  if (moving == ScalarOperand::kY) c.widen(y, wide_y.bytes, 1);
  LoopError fault = LoopError::kNone;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    if (moving != ScalarOperand::kX) c.widen(At(x, i, c.in_size), wide_x.bytes, count);
    if (moving != ScalarOperand::kY) c.widen(At(y, i, c.in_size), wide_y.bytes, count);
    void* out = c.narrow == nullptr ? At(z, i, c.out_size) : result.bytes;
    const LoopError f = c.loop(wide_x.bytes, wide_y.bytes, out, count, moving);
    if (f != LoopError::kNone) fault = f;
    if (c.narrow != nullptr) c.narrow(result.bytes, At(z, i, c.out_size), count);
  }
  return fault;
}

Kernel MakeUnary(const Converted<UnaryLoop>& c, int cost) {
  return Kernel::Sync([c, cost](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           const void* in = x.raw();
           const int64_t n = x.num_elements();
           WEIR_ASSIGN(Tensor y, c.in_size == c.out_size ? ctx.ForwardOrAllocate(0, 0) : ctx.Allocate(0, x.shape()));
           return ctx.ParallelFor(n, cost, [&](int64_t begin, int64_t end) {
             Run(c, At(in, begin, c.in_size), At(y.raw(), begin, c.out_size), end - begin);
           });
         })
      .Cheap();
}

// Collects faults from several threads.
class FaultFlag {
 public:
  void Report(LoopError f) {
    if (f != LoopError::kNone) fault_.store(f, std::memory_order_relaxed);
  }
  Status ToStatus() const {
    const LoopError f = fault_.load(std::memory_order_relaxed);
    return f == LoopError::kNone ? OkStatus() : FaultStatus(f);
  }

 private:
  std::atomic<LoopError> fault_{LoopError::kNone};
};

Status RunFlat(KernelContext& ctx, const Converted<BinaryLoop>& c, const void* x, const void* y, const Tensor& z,
               ScalarOperand moving, int cost) {
  const int64_t n = z.num_elements();
  FaultFlag fault;
  WEIR_TRY(ctx.ParallelFor(n, cost, [&](int64_t begin, int64_t end) {
    fault.Report(Run(c, moving == ScalarOperand::kX ? x : At(x, begin, c.in_size),
                     moving == ScalarOperand::kY ? y : At(y, begin, c.in_size), At(z.raw(), begin, c.out_size),
                     end - begin, moving));
  }));
  return fault.ToStatus();
}

Status RunBroadcast(KernelContext& ctx, const Converted<BinaryLoop>& c, const BroadcastPlan& plan, const void* x,
                    const void* y, const Tensor& z, int cost) {
  const ScalarOperand moving = plan.is_scalar_in_run(0)   ? ScalarOperand::kX
                               : plan.is_scalar_in_run(1) ? ScalarOperand::kY
                                                          : ScalarOperand::kNone;
  FaultFlag fault;
  WEIR_TRY(ctx.ParallelFor(
      z.num_elements(), cost + 8 / std::max<int64_t>(plan.run_length(), 1), [&](int64_t begin, int64_t end) {
        plan.ForRuns(begin, end, [&](const BroadcastPlan::Offsets& at, int64_t out, int64_t n) {
          fault.Report(
              Run(c, At(x, at[0], c.in_size), At(y, at[1], c.in_size), At(z.raw(), out, c.out_size), n, moving));
        });
      }));
  return fault.ToStatus();
}

// Returns whether y is a short row that is broadcast to every row of x, like a bias.
bool IsShortRow(const Tensor& x, const Tensor& y) {
  constexpr int64_t kShort = 256;
  const Shape& rows = x.shape();
  const Shape& row = y.shape();
  if (!IsPlain(y.dtype()) || row.rank() > rows.rank() || y.num_elements() < 2 || y.num_elements() > kShort)
    return false;
  for (int i = 1; i <= row.rank(); ++i) {
    if (row[row.rank() - i] != rows[rows.rank() - i]) return false;
  }
  return true;
}

// Repeats the row, so that the loop gets long enough.
Status RunRows(KernelContext& ctx, const Converted<BinaryLoop>& c, const void* x, const void* y, int64_t row,
               const Tensor& z, int cost) {
  constexpr int64_t kLong = 1024;
  const int64_t block = kLong / row * row;
  std::vector<char> rows(static_cast<size_t>(block) * c.in_size);
  for (int64_t i = 0; i < block; i += row) {
    std::memcpy(At(rows.data(), i, c.in_size), y, static_cast<size_t>(row) * c.in_size);
  }
  const int64_t n = z.num_elements();
  FaultFlag fault;
  WEIR_TRY(ctx.ParallelFor((n + block - 1) / block, cost * block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * block; i < std::min(n, end * block); i += block) {
      fault.Report(Run(c, At(x, i, c.in_size), rows.data(), At(z.raw(), i, c.out_size), std::min(block, n - i),
                       ScalarOperand::kNone));
    }
  }));
  return fault.ToStatus();
}

Kernel MakeBinary(const Converted<BinaryLoop>& c, int cost, int first, int second) {
  return Kernel::Sync([c, cost, first, second](KernelContext& ctx) -> Status {
           // The inputs stay in the context, so x and y stay valid while the output reuses the memory of one of them.
           const Tensor& a = ctx.input(first);
           const Tensor& b = ctx.input(second);
           const void* x = a.raw();
           const void* y = b.raw();
           auto output = [&](std::initializer_list<int> reusable, const Shape& shape) {
             return c.in_size == c.out_size ? ctx.ForwardOrAllocate(reusable, 0, shape) : ctx.Allocate(0, shape);
           };
           if (a.shape() == b.shape()) {
             WEIR_ASSIGN(Tensor z, output({first, second}, a.shape()));
             return RunFlat(ctx, c, x, y, z, ScalarOperand::kNone, cost);
           }
           if (b.num_elements() == 1 && b.rank() <= a.rank()) {
             WEIR_ASSIGN(Tensor z, output({first}, a.shape()));
             return RunFlat(ctx, c, x, y, z, ScalarOperand::kY, cost);
           }
           if (a.num_elements() == 1 && a.rank() <= b.rank()) {
             WEIR_ASSIGN(Tensor z, output({second}, b.shape()));
             return RunFlat(ctx, c, x, y, z, ScalarOperand::kX, cost);
           }
           if (IsShortRow(a, b)) {
             WEIR_ASSIGN(Tensor z, output({first}, a.shape()));
             return RunRows(ctx, c, x, y, b.num_elements(), z, cost);
           }
           Result<BroadcastPlan> made = BroadcastPlan::Make({&a.shape(), &b.shape()});
           // Shapes in the message must be in the order of the inputs.
           if (!made.ok() && first > second) made = BroadcastPlan::Make({&b.shape(), &a.shape()});
           WEIR_ASSIGN(const BroadcastPlan plan, std::move(made));
           const bool like_a = plan.shape() == a.shape();
           const bool like_b = plan.shape() == b.shape();
           WEIR_ASSIGN(Tensor z, like_a   ? output({first}, plan.shape())
                                 : like_b ? output({second}, plan.shape())
                                          : ctx.Allocate(0, plan.shape()));
           return RunBroadcast(ctx, c, plan, x, y, z, cost);
         })
      .Cheap();
}

// Takes the elements in their order in memory, whatever the shapes. The result has the shape of input 0.
Kernel MakeFlatBinary(const Converted<BinaryLoop>& c, int cost) {
  return Kernel::Sync([c, cost](KernelContext& ctx) -> Status {
           const Tensor& a = ctx.input(0);
           const Tensor& b = ctx.input(1);
           if (a.num_elements() != b.num_elements())
             return InvalidArgument("The two arguments to a cwise op must have same number of elements, got {} and {}",
                                    a.num_elements(), b.num_elements());
           const void* x = a.raw();
           const void* y = b.raw();
           WEIR_ASSIGN(Tensor z, ctx.ForwardOrAllocate({0, 1}, 0, a.shape()));
           return RunFlat(ctx, c, x, y, z, ScalarOperand::kNone, cost);
         })
      .Cheap();
}

KernelList MakeBinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops, int cost, int first,
                             int second) {
  KernelList list;
  for (DType type : types) {
    Converted<BinaryLoop> c = Converted<BinaryLoop>::For(loops, type);
    if (c.loop == nullptr) continue;
    auto make = [c, cost, first, second](KernelSetup& setup) -> Result<Kernel> {
      return MakeBinary(c.Sized(setup), cost, first, second);
    };
    const ElementLoop loop{.binary = c.own_loop(), .swapped = first > second, .may_be_scalar = 0b11, .cost = cost};
    list.push_back(
        KernelDef{.types = {{"T", type}}, .make = KernelWithLoop{.loop = loop, .make = make}, .host_memory = {}});
  }
  return list;
}

}  // namespace

DType ComputeType(DType type, const std::vector<DType>& available) {
  auto has = [&](DType t) { return std::find(available.begin(), available.end(), t) != available.end(); };
  if (has(type)) return type;
  if ((type == kHalf || type == kBFloat16) && has(kFloat)) return kFloat;
  if ((type == kHalf || type == kBFloat16 || type == kFloat) && has(kDouble)) return kDouble;
  if (type == kComplex64 && has(kComplex128)) return kComplex128;
  return kInvalidType;
}

std::vector<DType> TypesNamed(std::string_view names) {
  std::vector<DType> types;
  while (!names.empty()) {
    const size_t comma = names.find(", ");
    const std::vector<DType> group = TypeGroup(names.substr(0, comma));
    types.insert(types.end(), group.begin(), group.end());
    if (group.empty()) {
      Result<DType> type = ParseDType(names.substr(0, comma));
      WEIR_CHECK(type.ok(), names);
      types.push_back(*type);
    }
    names = comma == std::string_view::npos ? "" : names.substr(comma + 2);
  }
  return types;
}

KernelList UnaryKernels(const std::vector<DType>& types, const UnaryLoops& loops, int cost, std::string attr) {
  KernelList list;
  for (DType type : types) {
    Converted<UnaryLoop> c = Converted<UnaryLoop>::For(loops, type);
    if (c.loop == nullptr) continue;
    auto make = [c, cost](KernelSetup& setup) -> Result<Kernel> { return MakeUnary(c.Sized(setup), cost); };
    const ElementLoop loop{.unary = c.own_loop(), .cost = cost};
    list.push_back(
        KernelDef{.types = {{attr, type}}, .make = KernelWithLoop{.loop = loop, .make = make}, .host_memory = {}});
  }
  return list;
}

KernelList BinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops, int cost) {
  return MakeBinaryKernels(types, loops, cost, 0, 1);
}
KernelList SwappedBinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops, int cost) {
  return MakeBinaryKernels(types, loops, cost, 1, 0);
}

KernelList UntypedKernels(KernelList kernels) {
  for (KernelDef& def : kernels) def.types.clear();
  return kernels;
}

GradientFn FromXAndY(UnaryGradient gradient) {
  return [gradient](GradientContext& g) -> Result<Gradients> {
    return Gradients{gradient(g.input(0), g.output(0), g.d_output(0))};
  };
}

void AddUnary(OpRegistry& registry, UnaryOp op) {
  registry.Add({
      .name = op.name,
      .signature = "x: T -> y: T",
      .attrs = {"T: {" + op.types + "}"},
      .shape = SameAsInput(0),
      .gradient = op.gradient,
      .no_gradient = op.no_gradient,
      .kernels = WithGpu(UnaryKernels(TypesNamed(op.types), op.loops, op.cost), GpuElementwise()),
      .traits = op.traits,
  });
}

void AddGradientOfUnary(OpRegistry& registry, BinaryOp op) {
  KernelList kernels = BinaryKernels(TypesNamed(op.types), op.loops, op.cost);
  for (KernelDef& def : kernels) {
    ElementLoop loop = LoopOf(def)->loop;
    loop.may_be_scalar = 0;
    const Converted<BinaryLoop> c = Converted<BinaryLoop>::For(op.loops, def.types[0].second);
    def.make = KernelWithLoop{.loop = loop, .make = [c, cost = op.cost](KernelSetup& setup) -> Result<Kernel> {
                                return MakeFlatBinary(c.Sized(setup), cost);
                              }};
  }
  registry.Add({
      .name = op.name,
      .signature = op.signature,
      .attrs = {"T: {" + op.types + "}"},
      .shape = SameAsInput(0),
      .gradient = op.gradient,
      .kernels = WithGpu(std::move(kernels), GpuFlat()),
  });
}

void AddBinary(OpRegistry& registry, BinaryOp op) {
  registry.Add({
      .name = op.name,
      .signature = op.signature,
      .attrs = {"T: {" + op.types + "}"},
      .shape = BroadcastInputs(),
      .gradient = op.gradient,
      .kernels = WithGpu(BinaryKernels(TypesNamed(op.types), op.loops, op.cost), GpuElementwise()),
      .traits = {.fold = op.fold},
      .commutative = op.commutative,
      .aggregate = op.aggregate,
  });
}

}  // namespace weir::ops
