#include "ops/data/dataset.h"

#include <algorithm>

#include "base/process_memory.h"
#include "op/shape_context.h"
#include "tensor/strings.h"

namespace weir::ops {
namespace {

// Iterators call the iterators of their inputs recursively, and datasets and iterators destroy their inputs
// recursively. This many levels fit into a 2 MB stack.
constexpr int kMaxDepth = 2000;

Status NotScalar(std::string_view name, const Tensor& value) {
  return InvalidArgument("{} must be a scalar, but has shape {}", name, value.shape());
}

}  // namespace

PassContext MakePassContext(const StepContext& step) {
  PassContext pass(step);
  if (step.functions == nullptr) return pass;
  std::shared_ptr<FunctionRunner> own = step.functions->WithFreshKernels();
  if (own == nullptr) return pass;
  pass.functions = own.get();
  pass.keep_alive = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<FunctionRunner>>>(
      step.keep_alive, std::move(own));
  return pass;
}

Result<DatasetPtr> DatasetOf(const Tensor& tensor) {
  const IntrusivePtr<const VariantValue> value = VariantOf(tensor);
  const auto* dataset = dynamic_cast<const DatasetValue*>(value.get());
  if (dataset == nullptr)
    return InvalidArgument("expected a dataset, but got {}",
                           value ? value->DebugString() : fmt::format("a tensor of type {}", tensor.dtype()));
  return DatasetPtr::Share(dataset);
}

Result<int> NestingDepth(absl::Span<const Tensor> inputs, const std::string& title) {
  int depth = 0;
  for (const Tensor& input : inputs) {
    if (input.dtype() != kVariant) continue;
    const IntrusivePtr<const VariantValue> value = VariantOf(input);
    if (const auto* dataset = dynamic_cast<const DatasetValue*>(value.get())) depth = std::max(depth, dataset->depth());
  }
  if (depth < kMaxDepth) return depth + 1;
  return ResourceExhausted(
      "{} would nest more than {} datasets. Combine several map functions into one, or read from a list of files "
      "instead of concatenating datasets.",
      title, kMaxDepth);
}

std::string TitleOf(const KernelContext& ctx) { return fmt::format("{} '{}'", ctx.node().op->name, ctx.name()); }

Result<ElementSpec> SpecOf(const AttrMap& attrs) {
  ElementSpec spec;
  if (!attrs.contains("output_shapes")) return ElementSpec{{kString}, {PartialShape::Scalar()}};
  const bool inferred = attrs.contains("Toutput_types");
  WEIR_ASSIGN(spec.types, GetAttr<std::vector<DType>>(attrs, inferred ? "Toutput_types" : "output_types"));
  WEIR_ASSIGN(spec.shapes, GetAttr<std::vector<PartialShape>>(attrs, "output_shapes"));
  if (spec.types.size() != spec.shapes.size())
    return InvalidArgument("there are {} output_types, but {} output_shapes", spec.types.size(), spec.shapes.size());
  return spec;
}

Result<Order> OrderOf(const AttrMap& attrs) {
  if (attrs.contains("sloppy")) {
    WEIR_ASSIGN(const bool sloppy, GetAttr<bool>(attrs, "sloppy"));
    return sloppy ? Order::kAnyOrder : Order::kPassDefault;
  }
  WEIR_ASSIGN(const std::string text, GetAttr<std::string>(attrs, "deterministic"));
  if (text == "true") return Order::kInOrder;
  if (text == "false") return Order::kAnyOrder;
  if (text == "default") return Order::kPassDefault;
  return InvalidArgument("`deterministic` must be \"true\", \"false\" or \"default\", not \"{}\"", text);
}

Status CheckSpec(const ElementSpec& found, const ElementSpec& wanted) {
  if (found.types.size() != wanted.types.size())
    return InvalidArgument("Number of components does not match: expected {} types but got {}.", wanted.types.size(),
                           found.types.size());
  for (size_t i = 0; i < found.types.size(); ++i) {
    if (found.types[i] != wanted.types[i])
      return InvalidArgument("Data type mismatch at component {}: expected {} but got {}.", i, wanted.types[i],
                             found.types[i]);
    if (!wanted.shapes[i].CompatibleWith(found.shapes[i]))
      return InvalidArgument("Incompatible shapes at component {}: expected {} but got {}.", i, wanted.shapes[i],
                             found.shapes[i]);
  }
  return OkStatus();
}

namespace {

// The numeric parameters of a dataset, file names and the tags of its statistics are scalars.
Status DatasetShape(const OpDef& def, ShapeContext& ctx) {
  int at = 0;
  for (const ArgDef& arg : def.inputs) {
    WEIR_ASSIGN(const int count, ArgCount(arg, ctx.attrs()));
    if (!arg.is_list() &&
        (arg.type == kInt64 || arg.type == kBool || arg.name == "filename" || (arg.name == "tag" && at == 1)))
      WEIR_TRY(ctx.WithRank(at, 0).status());
    at += count;
  }
  return ScalarOutputs()(ctx);
}

}  // namespace

void AddDataset(OpRegistry& registry, DatasetOp op) {
  std::vector<std::string> attrs = std::move(op.attrs);
  if (op.has_element_spec) {
    attrs.insert(attrs.end(), {"output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"});
  }
  auto run = [make = std::move(op.make), cardinality = std::move(op.cardinality)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ElementSpec spec, SpecOf(*ctx.node().attrs));
    std::vector<Tensor> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
    WEIR_ASSIGN(const int depth, NestingDepth(inputs, TitleOf(ctx)));
    WEIR_ASSIGN(DatasetValue::MakeFn recipe, make(ctx));
    int64_t count = kUnknownCardinality;
    if (cardinality) {
      WEIR_ASSIGN(count, cardinality(ctx));
    }
    ctx.set_output(
        0, MakeVariant(MakeIntrusive<DatasetValue>(TitleOf(ctx), std::move(spec), std::move(recipe), depth, count)));
    return OkStatus();
  };
  registry.Add({
      .name = op.name,
      .signature = fmt::format("{} -> handle: variant", op.inputs),
      .attrs = std::move(attrs),
      .shape = [&registry,
                name = std::string(op.name)](ShapeContext& ctx) { return DatasetShape(*registry.Find(name), ctx); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([run](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(run); }),
      .traits = {.may_block = false, .keeps_inputs = true},
      .stateful = op.stateful,
  });
}

Result<int64_t> ScalarInt(const KernelContext& ctx, int input, std::string_view name) {
  const Tensor& value = ctx.input(input);
  if (value.rank() != 0) return NotScalar(name, value);
  return value.Int(0);
}

Result<bool> ScalarBool(const KernelContext& ctx, int input, std::string_view name) {
  const Tensor& value = ctx.input(input);
  if (value.rank() != 0) return NotScalar(name, value);
  return value.scalar<bool>();
}

Result<std::string> ScalarText(const KernelContext& ctx, int input, std::string_view name) {
  const Tensor& value = ctx.input(input);
  if (value.rank() != 0) return NotScalar(name, value);
  return value.scalar<std::string>();
}

Result<Tensor> OwnedInput(const KernelContext& ctx, int input) {
  const Tensor& value = ctx.input(input);
  if (value.dtype() == kVariant || value.dtype() == kResource) return value;
  return value.Clone();
}

Result<std::vector<Tensor>> OwnedInputs(const KernelContext& ctx, int first, int count) {
  std::vector<Tensor> values;
  for (int i = first; i < first + count; ++i) {
    WEIR_ASSIGN(Tensor value, OwnedInput(ctx, i));
    values.push_back(std::move(value));
  }
  return values;
}

Status ReserveElement(const Element& element) {
  for (const Tensor& part : element) {
    if (part.dtype() == kString) WEIR_TRY(ReserveStrings(part.flat<std::string>()));
  }
  return ProcessMemory::Get().ReserveKept(sizeof(Element) + element.size() * sizeof(Tensor));
}

Status ElementShapes(ShapeContext& c) {
  WEIR_ASSIGN(const std::vector<PartialShape> shapes, c.Attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs())
    return InvalidArgument("`output_shapes` must be the same length as `output_types` ({} vs. {})", shapes.size(),
                           c.num_outputs());
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

Status SetElement(KernelContext& ctx, Element element) {
  if (static_cast<int>(element.size()) != ctx.num_outputs())
    return InvalidArgument("an element has {} components, but {} are expected", element.size(), ctx.num_outputs());
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    if (element[i].dtype() != ctx.output_type(i))
      return InvalidArgument("component {} of an element is {}, but {} is expected", i, element[i].dtype(),
                             ctx.output_type(i));
    ctx.set_output(i, std::move(element[i]));
  }
  return OkStatus();
}

Status WithElementNumber(const Status& status, const std::string& title, int64_t number) {
  if (status.code() == StatusCode::kCancelled) return status;
  return WithContext(status, fmt::format("{}, element {}", title, number));
}

}  // namespace weir::ops
