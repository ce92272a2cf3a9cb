// DatasetValue: the value of the variant between two dataset ops, a factory of iterators over elements.
// ElementIterator: one pass over the elements. Also declares the functions that the files of this folder define dataset
// ops with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/out_of_memory.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "tensor/variant.h"

namespace weir::ops {

using Element = std::vector<Tensor>;  // one tensor per component

// Not thread-safe. After the end, GetNext keeps returning the end. After an error, GetNext continues with the next
// element.
class ElementIterator {
 public:
  virtual ~ElementIterator() = default;
  // Returns nullopt at the end. Blocks until an element is available or the step is cancelled.
  virtual Result<std::optional<Element>> GetNext(StepContext& step) = 0;
  // Returns whether GetNext would not block; true if unknown. Thread-safe.
  virtual bool IsReady() const { return true; }
};
using IteratorPtr = std::unique_ptr<ElementIterator>;

// The context in which the iterator, functions and threads of one pass run, and the options of the pass.
struct PassContext : StepContext {
  explicit PassContext(const StepContext& step) : StepContext(step) {}
  bool deterministic = true;  // false: elements may come in any order, as they become ready
  // Adds a value to the statistics with this tag. Thread-safe; empty if nobody collects statistics.
  std::function<void(const std::string& tag, double value)> record;
};

// Returns a context for a new pass that starts in `step`. Stateful functions of the pass start with fresh state.
PassContext MakePassContext(const StepContext& step);

struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

constexpr int64_t kUnknownCardinality = -2;

// Immutable and shared. State that passes share (a cache, the seeds of the next pass) has its own lock.
class DatasetValue final : public VariantValue {
 public:
  // `pass` is the context for functions and threads that run between calls of GetNext. REQUIRES: it outlives the
  // iterator, and its token is cancelled before the iterator is destroyed.
  using MakeFn = std::function<Result<IteratorPtr>(PassContext& pass)>;
  DatasetValue(std::string title, ElementSpec spec, MakeFn make, int depth = 1,
               int64_t cardinality = kUnknownCardinality)
      : title_(std::move(title)),
        spec_(std::move(spec)),
        make_(std::move(make)),
        depth_(depth),
        cardinality_(cardinality) {}

  const std::string& title() const { return title_; }  // e.g. "MapDataset 'map'", for error messages
  const ElementSpec& spec() const { return spec_; }
  // The number of nested datasets, including this one.
  int depth() const { return depth_; }
  // The number of elements; kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return cardinality_; }
  Result<IteratorPtr> Iterate(PassContext& pass) const { return make_(pass); }
  std::string DebugString() const override { return title_; }

 private:
  const std::string title_;
  const ElementSpec spec_;
  const MakeFn make_;
  const int depth_;
  const int64_t cardinality_;
};
using DatasetPtr = IntrusivePtr<const DatasetValue>;

// Returns the dataset in a tensor. The error names the actual content.
Result<DatasetPtr> DatasetOf(const Tensor& tensor);
inline Result<DatasetPtr> InputDataset(const KernelContext& ctx, int input = 0) { return DatasetOf(ctx.input(input)); }

// --- dataset ops

// The depth of a dataset made of `inputs`: one more than the deepest of them. ResourceExhausted if that is too deep.
Result<int> NestingDepth(absl::Span<const Tensor> inputs, const std::string& title);
// E.g. "MapDataset 'map'".
std::string TitleOf(const KernelContext& ctx);
// Reads the attributes "output_types" (or "Toutput_types") and "output_shapes"; scalar strings if there are none.
Result<ElementSpec> SpecOf(const AttrMap& attrs);
Status CheckSpec(const ElementSpec& found, const ElementSpec& wanted);

// Reads and checks the inputs and attributes of a node, and returns the iterator factory.
using MakeDataset = std::function<Result<DatasetValue::MakeFn>(KernelContext&)>;
// Returns the cardinality of the dataset that a node makes.
using CardinalityFn = std::function<Result<int64_t>(const KernelContext&)>;
// Definition of a dataset op. `inputs` as in an op signature; `attrs` without those that every dataset op has.
struct DatasetOp {
  const char* name;
  const char* inputs;
  std::vector<std::string> attrs;
  MakeDataset make;
  bool stateful = false;                // a source: never constant-folded
  bool has_element_spec = true;         // has the attributes output_types and output_shapes
  CardinalityFn cardinality = nullptr;  // null: unknown
};
void AddDataset(OpRegistry& registry, DatasetOp op);

// The order of elements, as requested by the attribute "sloppy" or, in later ops, "deterministic".
enum class Order { kInOrder, kAnyOrder, kPassDefault };
Result<Order> OrderOf(const AttrMap& attrs);
inline bool KeepsOrder(Order order, const PassContext& pass) {
  return order == Order::kInOrder || (order == Order::kPassDefault && pass.deterministic);
}

template <class T>
Result<T> NodeAttr(const KernelContext& ctx, std::string_view name) {
  return GetAttr<T>(*ctx.node().attrs, name);
}
// Scalar inputs, checked. `name` is the input's name in the schema, for error messages.
Result<int64_t> ScalarInt(const KernelContext& ctx, int input, std::string_view name);
Result<bool> ScalarBool(const KernelContext& ctx, int input, std::string_view name);
Result<std::string> ScalarText(const KernelContext& ctx, int input, std::string_view name);
// A copy of input i, so that no later step changes it. Variants and resource handles are not copied.
Result<Tensor> OwnedInput(const KernelContext& ctx, int input);
Result<std::vector<Tensor>> OwnedInputs(const KernelContext& ctx, int first, int count);

// Call for each element that an iterator keeps. ResourceExhausted if the process has no memory left for it.
Status ReserveElement(const Element& element);
// The same, and then appends it to `kept`. On an error, `kept` is unchanged.
template <class Elements>
Status KeepElement(Element element, Elements& kept) {
  return CatchOutOfMemory("the elements that a dataset keeps", [&]() -> Status {
    WEIR_TRY(ReserveElement(element));
    kept.push_back(std::move(element));
    return OkStatus();
  });
}

// For ops whose outputs are the components of an element: the shape function, and setting the outputs after a check.
Status ElementShapes(ShapeContext& c);
Status SetElement(KernelContext& ctx, Element element);

// Adds the element's number (from 0) and the dataset's title to an error.
Status WithElementNumber(const Status& status, const std::string& title, int64_t number);

}  // namespace weir::ops
