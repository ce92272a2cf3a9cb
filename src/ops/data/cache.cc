// CacheDataset: stores the elements of the first complete pass, in memory or in a tensor bundle. Later passes read
// them.
#include <mutex>

#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"
#include "ops/data/cardinality.h"
#include "ops/data/elements_dataset.h"

namespace weir::ops {
namespace {

// --- in memory
using CachedElements = std::vector<Element>;

// The elements of the first pass that was completed. Thread-safe.
class ElementCache {
 public:
  SharedElements elements() const {
    std::lock_guard lock(mu_);
    return elements_;
  }
  void Keep(CachedElements elements) {
    auto kept = std::make_shared<const CachedElements>(std::move(elements));
    std::lock_guard lock(mu_);
    if (elements_ == nullptr) elements_ = std::move(kept);
  }

 private:
  mutable std::mutex mu_;
  SharedElements elements_;
};

class CacheInMemory final : public ElementIterator {
 public:
  CacheInMemory(IteratorPtr input, std::shared_ptr<ElementCache> memory)
      : input_(std::move(input)), memory_(std::move(memory)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (done_) return element;
    if (element.has_value()) {
      if (Status status = KeepElement(*element, elements_); !status.ok()) {
        done_ = true;  // give up caching and free the memory
        CachedElements().swap(elements_);
        return status;
      }
    } else {
      done_ = true;
      memory_->Keep(std::move(elements_));
    }
    return element;
  }

 private:
  const IteratorPtr input_;
  const std::shared_ptr<ElementCache> memory_;
  CachedElements elements_;
  bool done_ = false;  // stop collecting: the pass is complete, or there is not enough memory
};

// --- in a file
// The key of a component, as in TensorFlow's cache files: numbers are padded so that keys sort numerically.
std::string KeyOf(int64_t element, size_t component, size_t components) {
  constexpr int kElementDigits = 7;
  return fmt::format("{:>{}}_{:>{}}", element, kElementDigits, component, fmt::formatted_size("{}", components - 1));
}

class CacheInFile final : public ElementIterator {
 public:
  CacheInFile(IteratorPtr input, std::string prefix) : input_(std::move(input)), prefix_(std::move(prefix)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    if (ended_) return std::nullopt;
    if (writer_ == nullptr && !given_up_) {
      WEIR_ASSIGN(writer_, io::BundleWriter::Open(*step.env, prefix_));
    }
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (!element.has_value()) {
      ended_ = true;
      if (!given_up_) WEIR_TRY(writer_->Finish());
      return element;
    }
    if (!given_up_) WEIR_TRY(Keep(*element));
    return element;
  }

 private:
  // An incomplete cache would be wrong: after an error nothing is cached, and the next pass tries again.
  Status Keep(const Element& element) {
    for (size_t c = 0; c < element.size(); ++c) {
      Status added = writer_->Add(KeyOf(next_, c, element.size()), element[c]);
      if (added.ok()) continue;
      given_up_ = true;
      writer_.reset();
      return added;
    }
    ++next_;
    return OkStatus();
  }
  const IteratorPtr input_;
  const std::string prefix_;
  std::unique_ptr<io::BundleWriter> writer_;
  int64_t next_ = 0;
  bool given_up_ = false;
  bool ended_ = false;
};

class CachedFile final : public ElementIterator {
 public:
  CachedFile(std::unique_ptr<io::CheckpointReader> reader, ElementSpec spec)
      : reader_(std::move(reader)), spec_(std::move(spec)) {}

  Result<std::optional<Element>> GetNext(StepContext&) override {
    const size_t components = spec_.types.size();
    if (!reader_->tensors().contains(KeyOf(next_, 0, components))) return std::nullopt;
    Element element;
    for (size_t c = 0; c < components; ++c) {
      WEIR_ASSIGN(Tensor value, reader_->Read(KeyOf(next_, c, components)));
      // The file may belong to another dataset.
      if (value.dtype() != spec_.types[c] || !spec_.shapes[c].CompatibleWith(value.shape()))
        return InvalidArgument(
            "the cache file has type {} and shape {} for component {} of element {}, but the dataset has type {} and "
            "shape {}: the file belongs to another dataset; delete the cache files",
            value.dtype(), value.shape(), c, next_, spec_.types[c], spec_.shapes[c]);
      element.push_back(std::move(value));
    }
    ++next_;
    return element;
  }

 private:
  const std::unique_ptr<io::CheckpointReader> reader_;
  const ElementSpec spec_;
  int64_t next_ = 0;
};

Result<DatasetValue::MakeFn> MakeCache(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const std::string filename, ScalarText(ctx, 1, "filename"));
  if (filename.empty()) {
    auto memory = std::make_shared<ElementCache>();
    return [input, memory](PassContext& pass) -> Result<IteratorPtr> {
      if (SharedElements kept = memory->elements()) return MakeElementsIterator(std::move(kept));
      WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
      return std::make_unique<CacheInMemory>(std::move(elements), memory);
    };
  }
  return [input, filename](PassContext& pass) -> Result<IteratorPtr> {
    if (pass.env->Exists(io::BundleIndexName(filename))) {
      WEIR_ASSIGN(std::unique_ptr<io::CheckpointReader> reader, io::OpenBundle(*pass.env, filename));
      return std::make_unique<CachedFile>(std::move(reader), input->spec());
    }
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<CacheInFile>(std::move(elements), filename);
  };
}

}  // namespace

void RegisterCacheDataset(OpRegistry& registry) {
  AddDataset(registry,
             {"CacheDataset", "input_dataset: variant, filename: string", {}, MakeCache, false, true, SameCardinality});
}

}  // namespace weir::ops
