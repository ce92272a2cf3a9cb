// ReadFile, WriteFile and MatchingFiles.
#include <algorithm>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeReadFile(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const std::string name, ScalarString(ctx, 0, "Input filename tensor"));
           WEIR_ASSIGN(std::string text, ctx.env().ReadFile(name));
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{}));
           out.scalar<std::string>() = std::move(text);
           return OkStatus();
         })
      .Blocking();
}

Result<Kernel> MakeWriteFile(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const std::string name, ScalarString(ctx, 0, "Input filename tensor"));
           WEIR_ASSIGN(const std::string text, ScalarString(ctx, 1, "Contents tensor"));
           const std::string directory(DirectoryOf(name));
           if (!directory.empty() && !ctx.env().Exists(directory)) WEIR_TRY(ctx.env().MakeDirectories(directory));
           return ctx.env().ReplaceFile(name, text);
         })
      .Blocking();
}

Result<Kernel> MakeMatchingFiles(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& patterns = ctx.input(0);
           if (patterns.rank() > 1)
             return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: {}",
                                    patterns.shape());
           std::vector<std::string> names;
           for (const std::string& pattern : patterns.flat<std::string>()) {
             WEIR_ASSIGN(std::vector<std::string> found, ctx.env().Match(pattern));
             names.insert(names.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
           }
           std::sort(names.begin(), names.end());
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{static_cast<int64_t>(names.size())}));
           std::move(names.begin(), names.end(), out.data<std::string>());
           return OkStatus();
         })
      .Blocking();
}

Status ScalarInputs(ShapeContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(PartialShape scalar, ctx.WithRank(i, 0));
    if (i < ctx.num_outputs()) ctx.set_output(i, std::move(scalar));
  }
  return OkStatus();
}

}  // namespace

void RegisterFiles(OpRegistry& registry) {
  registry.Add({
      .name = "ReadFile",
      .signature = "filename: string -> contents: string",
      .shape = ScalarInputs,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeReadFile),
      .traits = {.may_block = true},
  });
  registry.Add({
      .name = "WriteFile",
      .signature = "filename: string, contents: string ->",
      .shape = ScalarInputs,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeWriteFile),
      .traits = {.may_block = true, .keeps_inputs = false},
      .stateful = true,
  });
  registry.Add({
      .name = "MatchingFiles",
      .signature = "pattern: string -> filenames: string",
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRankAtMost(0, 1).status());
        ctx.set_output(0, PartialShape{kUnknownDim});
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeMatchingFiles),
      .traits = {.may_block = true},
  });
}

}  // namespace weir::ops
