// DatasetCardinality, and AssertCardinalityDataset, which checks the number of elements of a pass.
#include "ops/data/cardinality.h"

#include "op/shape_context.h"

namespace weir::ops {

Result<int64_t> SameCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const DatasetPtr input, InputDataset(ctx));
  return input->cardinality();
}

Result<int64_t> CardinalityIfPreserved(const KernelContext& ctx) {
  WEIR_ASSIGN(const bool preserved, NodeAttr<bool>(ctx, "preserve_cardinality"));
  if (!preserved) return kUnknownCardinality;
  return SameCardinality(ctx);
}

int64_t BatchedCardinality(int64_t count, int64_t size, bool drop_remainder) {
  if (count < 0) return count;
  return count / size + (!drop_remainder && count % size != 0 ? 1 : 0);
}

int64_t RepeatedCardinality(int64_t each, int64_t count) {
  if (count == 0 || each == 0) return 0;
  if (count < 0) return kInfiniteCardinality;
  if (each < 0) return each;
  int64_t product = 0;
  return __builtin_mul_overflow(each, count, &product) ? kUnknownCardinality : product;
}

namespace {

Result<Kernel> MakeCardinality(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const DatasetPtr dataset, InputDataset(ctx));
    ctx.set_output(0, Tensor::Scalar<int64_t>(dataset->cardinality()));
    return OkStatus();
  });
}

class AssertCardinality final : public ElementIterator {
 public:
  AssertCardinality(IteratorPtr input, int64_t count) : input_(std::move(input)), count_(count) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (element.has_value()) {
      ++read_;
      if (count_ >= 0 && read_ > count_)
        return FailedPrecondition("Input dataset was expected to contain {} but contained at least {}.",
                                  Elements(count_), Elements(read_));
    } else if (read_ != count_) {
      if (count_ == kInfiniteCardinality)
        return FailedPrecondition(
            "Input dataset was expected to contain an infinite number of elements but contained only {}.",
            Elements(read_));
      return FailedPrecondition("Input dataset was expected to contain {} but contained only {}.", Elements(count_),
                                Elements(read_));
    }
    return element;
  }

 private:
  static std::string Elements(int64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

  const IteratorPtr input_;
  const int64_t count_;
  int64_t read_ = 0;
};

Result<DatasetValue::MakeFn> MakeAssertCardinality(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t count, ScalarInt(ctx, 1, "cardinality"));
  return [input, count](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<AssertCardinality>(std::move(elements), count);
  };
}

}  // namespace

void RegisterCardinality(OpRegistry& registry) {
  registry.Add({
      .name = "DatasetCardinality",
      .signature = "input_dataset: variant -> cardinality: int64",
      .attrs = {"cardinality_options: string = ''"},  // not in TensorFlow 1.15; newer clients set it
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeCardinality),
  });
  AddDataset(registry, {.name = "AssertCardinalityDataset",
                        .inputs = "input_dataset: variant, cardinality: int64",
                        .attrs = {},
                        .make = MakeAssertCardinality,
                        .cardinality = [](const KernelContext& ctx) { return ScalarInt(ctx, 1, "cardinality"); }});
}

}  // namespace weir::ops
