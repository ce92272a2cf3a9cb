// ImmutableConst: a constant read from a file, once per node.
#include <mutex>

#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Tensor> ReadTensor(Env& env, DType dtype, const Shape& shape, const std::string& path) {
  WEIR_ASSIGN(std::unique_ptr<ReadableFile> file, env.OpenRead(path));
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, shape));
  WEIR_ASSIGN(uint64_t size, file->Size());
  if (size < t.num_bytes())
    return InvalidArgument("{} has {} bytes, but a {} tensor of shape {} needs {}", path, size, dtype, shape,
                           t.num_bytes());
  WEIR_ASSIGN(size_t got, file->Read(0, t.num_bytes(), static_cast<char*>(t.raw())));
  if (got != t.num_bytes()) return DataLoss("{} ended after {} bytes", path, got);
  return t;
}

Result<Kernel> MakeImmutableConst(KernelSetup& setup) {
  WEIR_ASSIGN(DType dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(PartialShape partial, setup.Attr<PartialShape>("shape"));
  WEIR_ASSIGN(std::string path, setup.Attr<std::string>("memory_region_name"));
  if (!IsPlain(dtype)) return InvalidArgument("{} elements cannot be read from a file", dtype);
  if (!partial.fully_defined()) return InvalidArgument("the shape {} must be known", partial);
  struct State {
    std::mutex mu;
    Tensor value;
  };
  auto state = std::make_shared<State>();
  const Shape shape = partial.ToShape();
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
           std::lock_guard lock(state->mu);
           if (!state->value.valid()) {
             WEIR_ASSIGN(state->value, ReadTensor(ctx.env(), dtype, shape, path));
           }
           ctx.set_output(0, state->value);
           return OkStatus();
         })
      .Blocking();
}

}  // namespace

void RegisterImmutableConst(OpRegistry& registry) {
  registry.Add({
      .name = "ImmutableConst",
      .signature = "-> tensor: dtype",
      .attrs = {"dtype: type", "shape: shape", "memory_region_name: string"},
      .shape = ShapeFromAttr("shape"),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeImmutableConst),
  });
}

}  // namespace weir::ops
