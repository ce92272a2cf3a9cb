// SerializeIterator and DeserializeIterator: the position of an iterator. Setting it starts a new pass over the dataset
// of the iterator and skips the elements before the position.
#include "ops/data/iterator_state.h"

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "op/shape_context.h"
#include "ops/data/iterator_resource.h"

namespace weir::ops {
namespace {

constexpr absl::string_view kStatePrefix = "weir iterator at ";

Result<Kernel> MakeSerializeIterator(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ctx.LookupResource<IteratorResource>(0));
    WEIR_ASSIGN(const int64_t position, resource->Position());
    ctx.set_output(0, MakeVariant(MakeIntrusive<IteratorState>(position)));
    return OkStatus();
  });
}

Result<Kernel> MakeDeserializeIterator(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<IteratorResource> resource, ctx.LookupResource<IteratorResource>(0));
           const IntrusivePtr<const VariantValue> value = VariantOf(ctx.input(1));
           const auto* state = dynamic_cast<const IteratorState*>(value.get());
           if (state == nullptr) {
             return InvalidArgument("`serialized` must be the state of an iterator, but is {}",
                                    value ? value->DebugString() : "empty");
           }
           return resource->Restore(ctx.step(), state->position());
         })
      .Blocking();
}

}  // namespace

std::string IteratorState::Text() const { return fmt::format("{}{}", std::string(kStatePrefix), position_); }

Result<IntrusivePtr<const IteratorState>> IteratorState::Parse(const std::string& text) {
  absl::string_view rest = text;
  int64_t position = 0;
  if (!absl::ConsumePrefix(&rest, kStatePrefix) || !absl::SimpleAtoi(rest, &position) || position < 0)
    return InvalidArgument("the checkpoint has no valid state of an iterator, but '{}'", text.substr(0, 100));
  return MakeIntrusive<const IteratorState>(position);
}

void RegisterIteratorState(OpRegistry& registry) {
  registry.Add({
      .name = "SerializeIterator",
      .signature = "resource_handle: resource -> serialized: variant",
      .attrs = {},
      .shape = ScalarOutputs(),
      .kernels = CpuKernel(MakeSerializeIterator),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "DeserializeIterator",
      .signature = "resource_handle: resource, serialized: variant ->",
      .attrs = {},
      .shape = NoOutputs(),
      .kernels = CpuKernel(MakeDeserializeIterator),
      .traits = {.may_block = true, .keeps_inputs = false},
      .stateful = true,
  });
}

}  // namespace weir::ops
