// SaveV2 and MergeV2Checkpoints, and Save and SaveSlices of format V1: write tensors to checkpoint files. The values do
// not change while they are written, and training can continue meanwhile.
#include <set>

#include "base/file_scheme.h"
#include "io/bundle_writer.h"
#include "io/slice_table_writer.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/comm/lease_or_copy.h"
#include "ops/data/iterator_state.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// Checks that `strings` is a vector with one element per tensor.
Status CheckCount(const Tensor& strings, const char* what, int count) {
  if (strings.rank() != 1 || strings.num_elements() != count)
    return InvalidArgument("{} must be a vector of {} elements, one for each tensor; it has shape {}", what, count,
                           strings.shape());
  return OkStatus();
}

Status AddSlice(io::BundleWriter& writer, const std::string& name, const io::ShapeAndSlice& place,
                const Tensor& value) {
  return writer.AddSlice(name, place.shape, place.slice, value);
}
Status AddSlice(io::SliceTableWriter& writer, const std::string& name, const io::ShapeAndSlice& place,
                const Tensor& value) {
  return writer.Add(name, place.shape, place.slice, value);
}

template <class Writer>
Status AddTensor(Writer& writer, const std::string& name, const std::string& spec, const Tensor& value) {
  if (spec.empty()) return writer.Add(name, value);
  WEIR_ASSIGN(const io::ShapeAndSlice place, io::ParseShapeAndSlice(spec));
  if (place.slice_shape != value.shape())
    return InvalidArgument(
        "Slice in shape_and_slice specification does not match the shape of the tensor to save: {}, tensor: {}", spec,
        value.shape());
  return AddSlice(writer, name, place, value);
}

constexpr int kFirstTensor = 3;

// The state of an iterator as a string; checkpoints hold no other variants.
Result<Tensor> StateText(const Tensor& variant) {
  const IntrusivePtr<const VariantValue> value = VariantOf(variant);
  const auto* state = dynamic_cast<const IteratorState*>(value.get());
  if (state == nullptr)
    return InvalidArgument("cannot save {}, but only the states of iterators and tensors of other types",
                           value ? value->DebugString() : "an empty variant");
  return Tensor::Scalar(state->Text());
}

// Takes the current values of the inputs. Later updates of their variables do not change them.
Result<std::vector<Tensor>> TakeValues(KernelContext& ctx, int first) {
  std::vector<Tensor> values;
  values.reserve(static_cast<size_t>(ctx.num_inputs() - first));
  for (int i = first; i < ctx.num_inputs(); ++i) {
    values.push_back(std::move(ctx.raw_input(i).tensor));
    if (values.back().dtype() == kVariant) {
      WEIR_ASSIGN(values.back(), StateText(values.back()));
    }
    WEIR_TRY(LeaseOrCopy(&values.back()));
  }
  return values;
}

Result<Kernel> MakeSaveV2(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const int count = ctx.num_inputs() - kFirstTensor;
           WEIR_ASSIGN(const std::string prefix, ScalarString(ctx, 0, "prefix"));
           const Tensor& names = ctx.input(1);
           const Tensor& specs = ctx.input(2);
           WEIR_TRY(CheckCount(names, "tensor_names", count));
           WEIR_TRY(CheckCount(specs, "shape_and_slices", count));
           WEIR_ASSIGN(std::vector<Tensor> values, TakeValues(ctx, kFirstTensor));
           WEIR_ASSIGN(const std::unique_ptr<io::BundleWriter> writer, io::BundleWriter::Open(ctx.env(), prefix));
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

// Save and SaveSlices. The latter has the slice specs as input 2.
Result<Kernel> MakeSave(KernelSetup& setup) {
  const bool has_slices = setup.node().op->name == "SaveSlices";
  return Kernel::Sync([has_slices](KernelContext& ctx) -> Status {
           const int first = has_slices ? kFirstTensor : kFirstTensor - 1;
           const int count = ctx.num_inputs() - first;
           WEIR_ASSIGN(const std::string filename, ScalarString(ctx, 0, "filename"));
           const Tensor& names = ctx.input(1);
           WEIR_TRY(CheckCount(names, "tensor_names", count));
           if (has_slices) WEIR_TRY(CheckCount(ctx.input(2), "shapes_and_slices", count));
           WEIR_ASSIGN(std::vector<Tensor> values, TakeValues(ctx, first));
           io::SliceTableWriter writer(ctx.env(), filename);
           for (int i = 0; i < count; ++i) {
             const std::string& name = names.data<std::string>()[i];
             const std::string spec = has_slices ? ctx.input(2).data<std::string>()[i] : "";
             const Status added = AddTensor(writer, name, spec, values[static_cast<size_t>(i)]);
             if (!added.ok()) return WithContext(added, fmt::format("tensor {}", name));
             values[static_cast<size_t>(i)] = Tensor();
           }
           return writer.Finish();
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
           for (const std::string& prefix : prefixes) WEIR_TRY(CheckFileScheme(prefix));
           WEIR_TRY(io::MergeBundles(ctx.env(), prefixes, destination));
           if (!delete_old_dirs) return OkStatus();
           std::set<std::string> directories;
           for (const std::string& prefix : prefixes) directories.emplace(DirectoryOf(prefix));
           directories.erase(std::string(DirectoryOf(destination)));
           // Deleting fails if another writer has files in the directory; that is fine.
           for (const std::string& directory : directories) ctx.env().DeleteDirectory(directory).IgnoreError();
           return OkStatus();
         })
      .Blocking();
}

// Input 0 is a scalar, inputs 1 to kFirst - 1 are vectors with one element per tensor.
template <int kFirst>
Status SaveShapes(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  for (int i = 1; i < kFirst; ++i) {
    WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i, 1));
    WEIR_TRY(MergeDims(shape[0], ctx.num_inputs() - kFirst).status());
  }
  return OkStatus();
}

}  // namespace

void RegisterSave(OpRegistry& registry) {
  registry.Add({
      .name = "SaveV2",
      .signature = "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
      .attrs = {"dtypes: list(type) >= 1"},
      .shape = SaveShapes<kFirstTensor>,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSaveV2),
      .traits = {.may_block = true, .keeps_inputs = false},
      .stateful = true,
  });
  registry.Add({
      .name = "Save",
      .signature = "filename: string, tensor_names: string, data: T ->",
      .attrs = {"T: list(type) >= 1"},
      .shape = SaveShapes<kFirstTensor - 1>,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSave),
      .traits = {.may_block = true, .keeps_inputs = false},
      .stateful = true,
  });
  registry.Add({
      .name = "SaveSlices",
      .signature = "filename: string, tensor_names: string, shapes_and_slices: string, data: T ->",
      .attrs = {"T: list(type) >= 1"},
      .shape = SaveShapes<kFirstTensor>,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSave),
      .traits = {.may_block = true, .keeps_inputs = false},
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
      .traits = {.may_block = true, .keeps_inputs = false},
      .stateful = true,
  });
}

}  // namespace weir::ops
