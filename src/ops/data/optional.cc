// Optionals: variants that hold an element or nothing. IteratorGetNextAsOptional returns nothing at the end of a
// dataset instead of an error.
#include "op/shape_context.h"
#include "ops/data/iterator_resource.h"

namespace weir::ops {
namespace {

class OptionalValue final : public VariantValue {
 public:
  explicit OptionalValue(std::optional<Element> element) : element_(std::move(element)) {}
  const std::optional<Element>& element() const { return element_; }
  std::string DebugString() const override { return element_.has_value() ? "an optional" : "an empty optional"; }

 private:
  const std::optional<Element> element_;
};

Tensor MakeOptional(std::optional<Element> element) {
  return MakeVariant(MakeIntrusive<OptionalValue>(std::move(element)));
}

Result<IntrusivePtr<const OptionalValue>> InputOptional(const KernelContext& ctx) {
  const IntrusivePtr<const VariantValue> value = VariantOf(ctx.input(0));
  const auto* optional = dynamic_cast<const OptionalValue*>(value.get());
  if (optional == nullptr)
    return InvalidArgument("expected an optional, but got {}",
                           value ? value->DebugString() : fmt::format("a tensor of type {}", ctx.input(0).dtype()));
  return IntrusivePtr<const OptionalValue>::Share(optional);
}

Result<Kernel> MakeFromValue(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Element element, OwnedInputs(ctx, 0, ctx.num_inputs()));
    ctx.set_output(0, MakeOptional(std::move(element)));
    return OkStatus();
  });
}

Result<Kernel> MakeNone(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    ctx.set_output(0, MakeOptional(std::nullopt));
    return OkStatus();
  });
}

Result<Kernel> MakeHasValue(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const auto optional, InputOptional(ctx));
    ctx.set_output(0, Tensor::Scalar(optional->element().has_value()));
    return OkStatus();
  });
}

Result<Kernel> MakeGetValue(KernelSetup& setup) {
  WEIR_ASSIGN(const ElementSpec spec, SpecOf(*setup.node().attrs));
  return Kernel::Sync([spec](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const auto optional, InputOptional(ctx));
    if (!optional->element().has_value()) return InvalidArgument("The given optional does not have a value.");
    const Element& element = *optional->element();
    ElementSpec found;
    for (const Tensor& part : element) {
      found.types.push_back(part.dtype());
      found.shapes.emplace_back(part.shape());
    }
    WEIR_TRY(CheckSpec(found, spec));
    return SetElement(ctx, element);
  });
}

Result<Kernel> MakeNextAsOptional(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ctx.LookupResource<IteratorResource>(0));
           WEIR_ASSIGN(std::optional<Element> element, resource->GetNext(ctx.step()));
           ctx.set_output(0, MakeOptional(std::move(element)));
           return OkStatus();
         })
      .Blocking();
}

}  // namespace

void RegisterOptionals(OpRegistry& registry) {
  const std::vector<std::string> element = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"};
  const OpTraits keeps = {.may_block = false, .keeps_inputs = true};
  registry.Add({.name = "OptionalFromValue",
                .signature = "components: Toutput_types -> optional: variant",
                .attrs = {"Toutput_types: list(type) >= 1"},
                .shape = ScalarOutputs(),
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeFromValue),
                .traits = keeps});
  registry.Add({.name = "OptionalNone",
                .signature = "-> optional: variant",
                .attrs = {},
                .shape = ScalarOutputs(),
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeNone)});
  registry.Add({.name = "OptionalHasValue",
                .signature = "optional: variant -> has_value: bool",
                .attrs = {},
                .shape = ScalarOutputs(),
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeHasValue)});
  registry.Add({.name = "OptionalGetValue",
                .signature = "optional: variant -> components: output_types",
                .attrs = element,
                .shape = ElementShapes,
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeGetValue)});
  registry.Add({.name = "IteratorGetNextAsOptional",
                .signature = "iterator: resource -> optional: variant",
                .attrs = element,
                .shape = ScalarOutputs(),
                .kernels = CpuKernel(MakeNextAsOptional),
                .traits = {.may_block = true},
                .stateful = true});
}

}  // namespace weir::ops
