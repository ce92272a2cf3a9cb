// SaveV2 and MergeV2Checkpoints: values of variables as the files of a checkpoint. What is saved does not change while
// it is written, and training goes on meanwhile.
#include <set>

#include "base/env.h"
#include "io/bundle_writer.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/comm/keep_unchanged.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// A string vector with one element for each of `count` tensors.
Status CheckCount(const Tensor& strings, const char* what, int count) {
  if (strings.rank() != 1 || strings.num_elements() != count)
    return InvalidArgument("{} must be a vector of {} elements, one for each tensor; it has shape {}", what, count,
                           strings.shape());
  return OkStatus();
}

Status AddTensor(io::BundleWriter& writer, const std::string& name, const std::string& spec, const Tensor& value) {
  if (spec.empty()) return writer.Add(name, value);
  WEIR_ASSIGN(const io::ShapeAndSlice place, io::ParseShapeAndSlice(spec));
  if (place.slice_shape != value.shape())
    return InvalidArgument(
        "Slice in shape_and_slice specification does not match the shape of the tensor to save: {}, tensor: {}", spec,
        value.shape());
  return writer.AddSlice(name, place.shape, place.slice, value);
}

constexpr int kFirstTensor = 3;

Result<Kernel> MakeSaveV2(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const int count = ctx.num_inputs() - kFirstTensor;
           WEIR_ASSIGN(const std::string prefix, ScalarString(ctx, 0, "prefix"));
           const Tensor& names = ctx.input(1);
           const Tensor& specs = ctx.input(2);
           WEIR_TRY(CheckCount(names, "tensor_names", count));
           WEIR_TRY(CheckCount(specs, "shape_and_slices", count));
           std::vector<Tensor> values;
           values.reserve(static_cast<size_t>(count));
           for (int i = 0; i < count; ++i) {
             values.push_back(std::move(ctx.raw_input(kFirstTensor + i).tensor));
             WEIR_TRY(KeepUnchanged(&values.back()));
           }
           WEIR_ASSIGN(const std::unique_ptr<io::BundleWriter> writer, io::BundleWriter::Open(RealEnv(), prefix));
           for (int i = 0; i < count; ++i) {
             const std::string& name = names.data<std::string>()[i];
             const Status added =
                 AddTensor(*writer, name, specs.data<std::string>()[i], values[static_cast<size_t>(i)]);
             if (!added.ok()) return WithContext(added, fmt::format("tensor {}", name));
             values[static_cast<size_t>(i)] = Tensor();
           }
           return writer->Finish();
         })
      .Blocking();
}

Result<Kernel> MakeMerge(KernelSetup& setup) {
  WEIR_ASSIGN(const bool delete_old_dirs, setup.Attr<bool>("delete_old_dirs"));
  return Kernel::Sync([delete_old_dirs](KernelContext& ctx) -> Status {
           const Tensor& from = ctx.input(0);
           if (from.rank() != 1)
             return InvalidArgument("checkpoint_prefixes must be a vector, but received shape {}", from.shape());
           WEIR_ASSIGN(const std::string destination, ScalarString(ctx, 1, "destination_prefix"));
           const std::vector<std::string> prefixes(from.flat<std::string>().begin(), from.flat<std::string>().end());
           WEIR_TRY(io::MergeBundles(RealEnv(), prefixes, destination));
           if (!delete_old_dirs) return OkStatus();
           std::set<std::string> directories;
           for (const std::string& prefix : prefixes) directories.emplace(DirectoryOf(prefix));
           directories.erase(std::string(DirectoryOf(destination)));
           // One that another writer has files in stays.
           for (const std::string& directory : directories) RealEnv().DeleteDirectory(directory).IgnoreError();
           return OkStatus();
         })
      .Blocking();
}

Status SaveShapes(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  for (const int i : {1, 2}) {
    WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i, 1));
    WEIR_TRY(MergeDims(shape[0], ctx.num_inputs() - kFirstTensor).status());
  }
  return OkStatus();
}

}  // namespace

void RegisterSave(OpRegistry& registry) {
  registry.Add({
      .name = "SaveV2",
      .signature = "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
      .attrs = {"dtypes: list(type) >= 1"},
      .shape = SaveShapes,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSaveV2),
      .stateful = true,
  });
  registry.Add({
      .name = "MergeV2Checkpoints",
      .signature = "checkpoint_prefixes: string, destination_prefix: string ->",
      .attrs = {"delete_old_dirs: bool = true"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 1).status());
        return ctx.WithRank(1, 0).status();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeMerge),
      .stateful = true,
  });
}

}  // namespace weir::ops
