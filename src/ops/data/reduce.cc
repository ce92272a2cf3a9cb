// ReduceDataset and DatasetToSingleElement: compute values from a whole dataset within one step.
#include "op/shape_context.h"
#include "ops/data/cancellation.h"
#include "ops/data/element_function.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeReduce(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(DatasetPtr dataset, InputDataset(ctx));
           WEIR_ASSIGN(const int num_state, NumTypes(ctx, "Tstate"));
           WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1 + num_state));
           Element state;
           for (int i = 0; i < num_state; ++i) state.push_back(ctx.input(1 + i));
           PassContext pass = MakePassContext(ctx.step());
           WEIR_ASSIGN(function, function->In(pass));
           WEIR_ASSIGN(IteratorPtr elements, dataset->Iterate(pass));
           for (int64_t number = 0;; ++number) {
             WEIR_TRY(CheckNotCancelled(ctx.step()));
             WEIR_ASSIGN(std::optional<Element> element, elements->GetNext(pass));
             if (!element.has_value()) return SetElement(ctx, std::move(state));
             Element args = std::move(state);
             for (Tensor& component : *element) args.push_back(std::move(component));
             Result<Element> next = function->Call(pass, std::move(args));
             if (!next.ok()) return WithElementNumber(next.status(), TitleOf(ctx), number);
             state = *std::move(next);
           }
         })
      .Blocking();
}

Result<Kernel> MakeSingleElement(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(DatasetPtr dataset, InputDataset(ctx));
           PassContext pass = MakePassContext(ctx.step());
           WEIR_ASSIGN(IteratorPtr elements, dataset->Iterate(pass));
           WEIR_ASSIGN(std::optional<Element> element, elements->GetNext(pass));
           if (!element.has_value()) return InvalidArgument("Dataset was empty.");
           WEIR_ASSIGN(const std::optional<Element> second, elements->GetNext(pass));
           if (second.has_value()) return InvalidArgument("Dataset had more than one element.");
           return SetElement(ctx, *std::move(element));
         })
      .Blocking();
}

}  // namespace

void RegisterDataReductions(OpRegistry& registry) {
  registry.Add({
      .name = "ReduceDataset",
      .signature =
          "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> components: output_types",
      .attrs = {"f: func", "Tstate: list(type) >= 1", "Targuments: list(type) >= 0", "output_types: list(type) >= 1",
                "output_shapes: list(shape) >= 1", "use_inter_op_parallelism: bool = true"},
      .equal_lengths = {"Tstate = output_types"},
      .shape = ElementShapes,
      .kernels = CpuKernel(MakeReduce),
      .traits = {.may_block = true},
      .stateful = true,
  });
  registry.Add({
      .name = "DatasetToSingleElement",
      .signature = "dataset: variant -> components: output_types",
      .attrs = {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"},
      .shape = ElementShapes,
      .kernels = CpuKernel(MakeSingleElement),
      .traits = {.may_block = true},
      .stateful = true,
  });
}

}  // namespace weir::ops
