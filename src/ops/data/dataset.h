// Dataset: what the variant between two dataset ops holds: a recipe for iterators over elements. DatasetIterator: one
// pass over them. The vocabulary below is what the files of this folder write dataset ops with.
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

// Used by one thread at a time. After the end it stays at the end; after an error it goes on with the next element.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  // Nothing at the end. Blocks while it waits for an element, until the step is cancelled.
  virtual Result<std::optional<Element>> GetNext(StepContext& step) = 0;
  // Whether GetNext would return at once; true where nobody knows. From any thread.
  virtual bool IsReady() const { return true; }
};
using IteratorPtr = std::unique_ptr<DatasetIterator>;

// What an iterator and the functions and threads of its pass live in, and how the pass was told to run.
struct DatasetHome : StepContext {
  explicit DatasetHome(const StepContext& step) : StepContext(step) {}
  bool deterministic = true;  // false: elements may come as they are ready, not in their order
};

// A home for a new pass in the time of a step: functions of the pass that keep a state begin anew.
DatasetHome HomeOf(const StepContext& step);

struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// Immutable and shared; what passes have in common (a cache, the seeds of the next pass) guards itself.
class Dataset final : public VariantValue {
 public:
  // `home` is what functions and threads run in between calls of GetNext. It outlives the iterator, and its token is
  // cancelled before the iterator goes.
  using MakeFn = std::function<Result<IteratorPtr>(DatasetHome& home)>;
  Dataset(std::string title, ElementSpec spec, MakeFn make, int depth = 1)
      : title_(std::move(title)), spec_(std::move(spec)), make_(std::move(make)), depth_(depth) {}

  const std::string& title() const { return title_; }  // "MapDataset 'map'", for errors
  const ElementSpec& spec() const { return spec_; }
  // How many datasets this one is made of, one inside of the other.
  int depth() const { return depth_; }
  Result<IteratorPtr> Iterate(DatasetHome& home) const { return make_(home); }
  std::string DebugString() const override { return title_; }

 private:
  const std::string title_;
  const ElementSpec spec_;
  const MakeFn make_;
  const int depth_;
};
using DatasetPtr = IntrusivePtr<const Dataset>;

// The dataset in a tensor, or an error that says what is there instead.
Result<DatasetPtr> DatasetOf(const Tensor& tensor);
inline Result<DatasetPtr> InputDataset(const KernelContext& ctx, int input = 0) { return DatasetOf(ctx.input(input)); }

// --- ops that make a dataset
// The depth of a dataset made of `inputs`: one more than that of the deepest dataset among them. ResourceExhausted when
// that is too deep.
Result<int> DepthOver(absl::Span<const Tensor> inputs, const std::string& title);
// "MapDataset 'map'".
std::string TitleOf(const KernelContext& ctx);
// What the attributes "output_types" (or "Toutput_types") and "output_shapes" say; strings where there are none.
Result<ElementSpec> SpecOf(const AttrMap& attrs);
Status CheckSpec(const ElementSpec& found, const ElementSpec& wanted);

// Reads the inputs and attributes of a node, checks them, and gives the recipe.
using MakeDataset = std::function<Result<Dataset::MakeFn>(KernelContext&)>;
// A row of a registration. `inputs` as in a signature; `attrs` without what every dataset has.
struct DatasetOp {
  const char* name;
  const char* inputs;
  std::vector<std::string> attrs;
  MakeDataset make;
  bool stateful = false;                        // a source: never computed ahead
  bool has_element_spec = true;                 // attributes output_types and output_shapes
  std::vector<std::string> equal_lengths = {};  // OpEntry::equal_lengths; those of the element spec are added
};
void AddDataset(OpRegistry& registry, DatasetOp op);

// What the attribute "sloppy", or "deterministic" of later ops, says of the order of elements.
enum class Order { kKept, kAsReady, kAsThePass };
Result<Order> OrderOf(const AttrMap& attrs);
inline bool KeepsOrder(Order order, const DatasetHome& home) {
  return order == Order::kKept || (order == Order::kAsThePass && home.deterministic);
}

template <class T>
Result<T> NodeAttr(const KernelContext& ctx, std::string_view name) {
  return GetAttr<T>(*ctx.node().attrs, name);
}
// Scalar inputs, checked; `name` as the schema calls it.
Result<int64_t> ScalarInt(const KernelContext& ctx, int input, std::string_view name);
Result<bool> ScalarBool(const KernelContext& ctx, int input, std::string_view name);
Result<std::string> ScalarText(const KernelContext& ctx, int input, std::string_view name);
// Input i as a value that no later step changes.
Result<Tensor> KeptInput(const KernelContext& ctx, int input);
Result<std::vector<Tensor>> KeptInputs(const KernelContext& ctx, int first, int count);

// To be called for each element that an iterator keeps: ResourceExhausted where the process has no memory left for it.
Status ReserveElement(const Element& element);
// The same, and then puts it at the end of what is kept. On an error, `kept` is as it was.
template <class Elements>
Status KeepElement(Element element, Elements& kept) {
  return CatchOutOfMemory("the elements that a dataset keeps", [&]() -> Status {
    WEIR_TRY(ReserveElement(element));
    kept.push_back(std::move(element));
    return OkStatus();
  });
}

// The shapes of a node whose outputs are the components of an element, and the outputs themselves, checked.
Status ElementShapes(ShapeContext& c);
Status SetElement(KernelContext& ctx, Element element);

// An error of element `number` (from 0) of a dataset.
Status AtElement(const Status& status, const std::string& title, int64_t number);

}  // namespace weir::ops
