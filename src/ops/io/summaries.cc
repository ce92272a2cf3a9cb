// Summary ops: scalars, histograms, tensors, and merging of summaries, as serialized Summary messages. A tag occurs
// only once in a summary.
#include <cmath>
#include <set>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/io/histogram.h"
#include "ops/string/map_strings.h"
#include "proto/summary.pb.h"
#include "tensor/tensor_proto.h"

namespace weir::ops {
namespace {

using tensorflow::Summary;

Status SetSummary(KernelContext& ctx, const Summary& summary) {
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{}));
  out.scalar<std::string>() = summary.SerializeAsString();
  return OkStatus();
}

// Returns e.g. " (tag 'loss')" if there is exactly one tag.
std::string SingleTag(const Tensor& tags) {
  return tags.num_elements() == 1 ? fmt::format(" (tag '{}')", *tags.data<std::string>()) : "";
}

template <class T>
Result<Kernel> MakeScalarSummary(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& tags = ctx.input(0);
           const Tensor& values = ctx.input(1);
           if (!(tags.shape() == values.shape()))
             return InvalidArgument("tags and values are not the same shape: {} != {}{}", tags.shape(), values.shape(),
                                    SingleTag(tags));
           Summary summary;
           for (int64_t i = 0; i < tags.num_elements(); ++i) {
             Summary::Value& value = *summary.add_value();
             value.set_tag(tags.data<std::string>()[i]);
             value.set_simple_value(static_cast<float>(values.data<T>()[i]));
           }
           return SetSummary(ctx, summary);
         })
      .Cheap();
}

template <class T>
Result<Kernel> MakeHistogramSummary(KernelSetup&) {
  return Kernel::Sync([limits = HistogramLimits()](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string tag, ScalarString(ctx, 0, "tag"));
    Histogram histogram(limits);
    for (const T& element : ctx.input(1).flat<T>()) {
      const auto value = static_cast<double>(element);
      if (std::isnan(value)) return InvalidArgument("Nan in summary histogram for: {}", tag);
      if (std::isinf(value)) return InvalidArgument("Infinity in summary histogram for: {}", tag);
      histogram.Add(value);
    }
    Summary summary;
    Summary::Value& value = *summary.add_value();
    value.set_tag(tag);
    histogram.ToProto(value.mutable_histo());
    return SetSummary(ctx, summary);
  });
}

Result<Kernel> MakeMergeSummary(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    Summary merged;
    std::set<std::string> tags;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      for (const std::string& bytes : ctx.input(i).flat<std::string>()) {
        Summary one;
        if (!one.ParseFromString(bytes)) return InvalidArgument("Could not parse one of the summary inputs");
        for (Summary::Value& value : *one.mutable_value()) {
          // A TensorSummary has no tag.
          if (!value.tag().empty() && !tags.insert(value.tag()).second)
            return InvalidArgument("Duplicate tag {} found in summary inputs", value.tag());
          merged.add_value()->Swap(&value);
        }
      }
    }
    return SetSummary(ctx, merged);
  });
}

Result<Kernel> MakeTensorSummary(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    Summary summary;
    Summary::Value& value = *summary.add_value();
    value.set_node_name(ctx.name());
    ToProto(ctx.input(0), value.mutable_tensor());
    return SetSummary(ctx, summary);
  });
}

Result<Kernel> MakeTensorSummaryV2(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string tag, ScalarString(ctx, 0, "tag"));
    WEIR_ASSIGN(const std::string metadata, ScalarString(ctx, 2, "serialized_summary_metadata"));
    Summary summary;
    Summary::Value& value = *summary.add_value();
    value.set_tag(tag);
    if (!value.mutable_metadata()->ParseFromString(metadata))
      return InvalidArgument("serialized_summary_metadata of '{}' cannot be read as SummaryMetadata", tag);
    ToProto(ctx.input(1), value.mutable_tensor());
    return SetSummary(ctx, summary);
  });
}

Status ScalarOut(ShapeContext& ctx) {
  ctx.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

constexpr char kRealTypes[] = "realnumbertype";

}  // namespace

void RegisterSummaries(OpRegistry& registry) {
  registry.Add({
      .name = "ScalarSummary",
      .signature = "tags: string, values: T -> summary: string",
      .attrs = {fmt::format("T: {}", kRealTypes)},
      .shape = ScalarOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t, half,
                            uint32_t, uint64_t>(WEIR_FOR_TYPE(MakeScalarSummary)),
  });
  registry.Add({
      .name = "HistogramSummary",
      .signature = "tag: string, values: T -> summary: string",
      .attrs = {fmt::format("T: {} = DT_FLOAT", kRealTypes)},
      .shape = ScalarOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t, half,
                            uint32_t, uint64_t>(WEIR_FOR_TYPE(MakeHistogramSummary)),
  });
  registry.Add({
      .name = "MergeSummary",
      .signature = "inputs: N * string -> summary: string",
      .attrs = {"N: int >= 1"},
      .shape = ScalarOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeMergeSummary),
  });
  registry.Add({
      .name = "TensorSummary",
      .signature = "tensor: T -> summary: string",
      .attrs = {"T: type", "description: string = ''", "labels: list(string) = []", "display_name: string = ''"},
      .shape = ScalarOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeTensorSummary),
  });
  registry.Add({
      .name = "TensorSummaryV2",
      .signature = "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
      .attrs = {"T: type"},
      .shape = ScalarOut,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeTensorSummaryV2),
  });
}

}  // namespace weir::ops
