// Iterators as resources of a graph: IteratorV2, MakeIterator, OneShotIterator, IteratorGetNext, and string handles,
// which let a program select an iterator by feeding its handle.
#include "op/shape_context.h"
#include "ops/data/element_function.h"
#include "ops/data/iterator_resource.h"
#include "ops/state/resource_owner.h"
#include "tensor/tensor_proto.h"

namespace weir::ops {
namespace {

constexpr const char* kTypeName = "IteratorResource";

Result<ResourcePtr<IteratorResource>> ResourceOf(ResourceOwner& handle, KernelContext& ctx, const ElementSpec& spec) {
  WEIR_ASSIGN(ResourcePtr<IteratorResource> resource,
              handle.Get<IteratorResource>(ctx, [&]() -> Result<ResourcePtr<IteratorResource>> {
                return MakeIntrusive<IteratorResource>(spec, !handle.is_private());
              }));
  WEIR_TRY(CheckSpec(resource->spec(), spec));
  return resource;
}

Result<Kernel> MakeIteratorHandle(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle, ResourceOwner::Make(setup, HandleKind::kResource, kTypeName));
  WEIR_ASSIGN(const ElementSpec spec, SpecOf(*setup.node().attrs));
  return Kernel::Sync([handle, spec](KernelContext& ctx) -> Status {
    WEIR_TRY(ResourceOf(*handle, ctx, spec).status());
    handle->SetOutput(ctx);
    return OkStatus();
  });
}

Result<Kernel> MakeOneShotIterator(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle, ResourceOwner::Make(setup, HandleKind::kResource, kTypeName));
  WEIR_ASSIGN(const ElementSpec spec, SpecOf(*setup.node().attrs));
  auto life = std::make_shared<const KernelLifetime>();
  return Kernel::Sync([handle, spec, life](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ResourceOf(*handle, ctx, spec));
           WEIR_TRY(resource->StartOnce(ctx.step(), *life, [&]() -> Result<DatasetPtr> {
             WEIR_ASSIGN(FunctionPtr factory, ElementFunction::Make(ctx, "dataset_factory", 0, 0));
             WEIR_ASSIGN(const Element made, factory->Call(ctx.step(), {}));
             if (made.size() != 1)
               return InvalidArgument("The `dataset_factory` function must return exactly one tensor, not {}",
                                      made.size());
             return DatasetOf(made.front());
           }));
           handle->SetOutput(ctx);
           return OkStatus();
         })
      .Blocking();
}

Result<Kernel> MakeMakeIterator(KernelSetup&) {
  auto life = std::make_shared<const KernelLifetime>();
  return Kernel::Sync([life](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(DatasetPtr dataset, InputDataset(ctx, 0));
           WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ctx.LookupResource<IteratorResource>(1));
           return resource->Start(dataset, ctx.step(), *life);
         })
      .Blocking();
}

Result<Kernel> MakeGetNext(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ctx.LookupResource<IteratorResource>(0));
           WEIR_ASSIGN(std::optional<Element> element, resource->GetNext(ctx.step()));
           if (!element.has_value()) return OutOfRange("End of sequence");
           return SetElement(ctx, *std::move(element));
         })
      .Blocking();
}

Result<Kernel> MakeToStringHandle(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_TRY(ctx.LookupResource<IteratorResource>(0).status());
    tensorflow::TensorProto proto;
    ToProto(ctx.input(0), &proto);
    ctx.set_output(0, Tensor::Scalar(proto.resource_handle_val(0).SerializeAsString()));
    return OkStatus();
  });
}

Result<Kernel> MakeFromStringHandle(KernelSetup& setup) {
  WEIR_ASSIGN(const ElementSpec spec, SpecOf(*setup.node().attrs));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string text, ScalarText(ctx, 0, "string_handle"));
    tensorflow::TensorProto proto;
    proto.set_dtype(tensorflow::DT_RESOURCE);
    proto.mutable_tensor_shape();
    if (text.empty() || !proto.add_resource_handle_val()->ParseFromString(text))
      return InvalidArgument("Could not parse string_handle as a valid ResourceHandle");
    WEIR_ASSIGN(const Tensor handle, FromProto(proto));
    const ResourceHandle& named = handle.scalar<ResourceHandle>();
    WEIR_ASSIGN(ResourcePtr<IteratorResource> resource,
                ctx.resources().Lookup<IteratorResource>(named.container, named.name));
    if (!spec.types.empty()) WEIR_TRY(CheckSpec(resource->spec(), spec));
    ctx.set_output(0, handle);
    return OkStatus();
  });
}

}  // namespace

void RegisterIterators(OpRegistry& registry) {
  const std::vector<std::string> element = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"};
  for (const char* name : {"Iterator", "IteratorV2"}) {
    registry.Add({
        .name = name,
        .signature = "-> handle: resource",
        .attrs = {"shared_name: string", "container: string", element[0], element[1]},
        .shape = ScalarOutputs(),
        .kernels = CpuKernel(MakeIteratorHandle),
        .traits = {.state = StateRole::kHandle, .may_block = false, .iterator = true},
        .stateful = true,
    });
  }
  registry.Add({
      .name = "OneShotIterator",
      .signature = "-> handle: resource",
      .attrs = {"dataset_factory: func", element[0], element[1], "container: string = ''", "shared_name: string = ''"},
      .equal_lengths = {"output_types = output_shapes"},
      .shape = ScalarOutputs(),
      .kernels = CpuKernel(MakeOneShotIterator),
      .traits = {.state = StateRole::kHandle, .may_block = true, .iterator = true},
      .stateful = true,
  });
  registry.Add({
      .name = "MakeIterator",
      .signature = "dataset: variant, iterator: resource ->",
      .attrs = {},
      .shape = NoOutputs(),
      .kernels = CpuKernel(MakeMakeIterator),
      .traits = {.may_block = true, .keeps_inputs = true},
      .stateful = true,
  });
  for (const char* name : {"IteratorGetNext", "IteratorGetNextSync"}) {
    registry.Add({
        .name = name,
        .signature = "iterator: resource -> components: output_types",
        .attrs = element,
        .shape = ElementShapes,
        .kernels = CpuKernel(MakeGetNext),
        .traits = {.may_block = true},
        .stateful = true,
    });
  }
  registry.Add({
      .name = "IteratorToStringHandle",
      .signature = "resource_handle: resource -> string_handle: string",
      .attrs = {},
      .shape = ScalarOutputs(),
      .kernels = CpuKernel(MakeToStringHandle),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  for (const char* name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    registry.Add({
        .name = name,
        .signature = "string_handle: string -> resource_handle: resource",
        .attrs = {"output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"},
        .equal_lengths = {"output_types? = output_shapes?"},
        .shape = ScalarOutputs(),
        .kernels = CpuKernel(MakeFromStringHandle),
        .traits = kNeverBlocks,
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
