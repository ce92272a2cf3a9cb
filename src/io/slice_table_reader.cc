// Reading V1 checkpoints: one or more tables (shards). The entry "" of a table lists its tensors and their parts. Every
// other entry is one part, as a SavedTensorSlices message.
#include "io/checkpoint_reader.h"
#include "io/saved_parts.h"
#include "io/table.h"
#include "proto/tensor_bundle.pb.h"
#include "tensor/tensor_proto.h"

namespace weir::io {
namespace {

using tensorflow::SavedTensorSlices;

class SliceTableReader final : public CheckpointReader {
 public:
  explicit SliceTableReader(std::string pattern) : pattern_(std::move(pattern)) {}

  Status AddTable(std::unique_ptr<Table> table) {
    const std::string& path = table->path();
    WEIR_ASSIGN(const std::optional<std::string> bytes, table->Find(""));
    SavedTensorSlices slices;
    if (!bytes.has_value() || !slices.ParseFromString(*bytes))
      return DataLoss("{}: not a V1 checkpoint: the table has no list of tensors", path);
    for (const auto& meta : slices.meta().tensor()) {
      const Status added = AddTensor(meta, tables_.size());
      if (!added.ok()) return DataLoss("{}: tensor {}: {}", path, meta.name(), std::string(added.message()));
    }
    tables_.push_back(std::move(table));
    return OkStatus();
  }

  const std::map<std::string, SavedTensor>& tensors() const override { return tensors_; }
  Result<SavedTensor> Find(const std::string& name) const override {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) return NotFound("Key {} not found in checkpoint {}", name, pattern_);
    return at->second;
  }
  Result<Tensor> Read(const std::string& name) const override {
    WEIR_ASSIGN(const SavedTensor tensor, Find(name));
    return ReadSlice(name, TensorSlice::Full(tensor.shape.rank()));
  }
  Result<Tensor> ReadSlice(const std::string& name, const TensorSlice& slice) const override {
    WEIR_ASSIGN(const SavedTensor tensor, Find(name));
    return Assemble(name, tensor, slice, parts_.find(name)->second,
                    [&](const SavedPart& part) { return ReadPart(name, tensor, part); });
  }

 private:
  Status AddTensor(const tensorflow::SavedSliceMeta& meta, size_t file) {
    SavedTensor tensor;
    WEIR_ASSIGN(tensor.dtype, DTypeFromNumber(meta.type()));
    WEIR_ASSIGN(const PartialShape shape, weir::FromProto(meta.shape()));
    if (!shape.fully_defined()) return DataLoss("the shape {} is not known", shape);
    WEIR_ASSIGN(tensor.shape, Shape::Make(shape.dims()));
    const auto [at, added] = tensors_.emplace(meta.name(), tensor);
    if (!added && (at->second.dtype != tensor.dtype || at->second.shape != tensor.shape))
      return DataLoss("its parts differ in type or shape");
    std::vector<SavedPart>& parts = parts_[meta.name()];
    for (const auto& slice : meta.slice()) WEIR_TRY(AddPart(slice, tensor.shape, file, parts));
    return OkStatus();
  }

  Result<Tensor> ReadPart(const std::string& name, const SavedTensor& tensor, const SavedPart& part) const {
    const Table& table = *tables_[part.file];
    WEIR_ASSIGN(const std::optional<std::string> bytes, table.Find(part.slice.Key(name)));
    SavedTensorSlices slices;
    if (!bytes.has_value() || !slices.ParseFromString(*bytes))
      return DataLoss("{}: the part {} of tensor {} is missing", table.path(), part.slice.ToString(), name);
    // The message has only values. Type and shape are those of the part.
    tensorflow::TensorProto& data = *slices.mutable_data()->mutable_data();
    WEIR_ASSIGN(const Shape shape, part.within.shape());
    data.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype));
    data.clear_tensor_shape();
    weir::ToProto(shape, data.mutable_tensor_shape());
    // In this format there is one value per element (other TensorProtos may repeat the last one). Check this before
    // allocating, because the shape in the file is untrusted.
    if (static_cast<uint64_t>(shape.num_elements()) > bytes->size())
      return DataLoss("{}: the part {} of tensor {} has too few values", table.path(), part.slice.ToString(), name);
    Result<Tensor> value = weir::FromProto(data);
    if (!value.ok()) return DataLoss("{}: tensor {}: {}", table.path(), name, std::string(value.status().message()));
    return value;
  }

  const std::string pattern_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::map<std::string, SavedTensor> tensors_;
  std::map<std::string, std::vector<SavedPart>> parts_;
};

}  // namespace

Result<std::unique_ptr<CheckpointReader>> OpenSliceTables(Env& env, const std::string& pattern) {
  WEIR_ASSIGN(const std::vector<std::string> paths, env.Match(pattern));
  if (paths.empty())
    return NotFound("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}", pattern);
  auto reader = std::make_unique<SliceTableReader>(pattern);
  for (const std::string& path : paths) {
    Result<std::unique_ptr<Table>> table = Table::Open(env, path);
    if (table.status().code() == StatusCode::kFailedPrecondition)  // a directory
      return DataLoss("{}: not a checkpoint: {}", path, std::string(table.status().message()));
    if (!table.ok()) return table.status();
    WEIR_TRY(reader->AddTable(*std::move(table)));
  }
  return reader;
}

}  // namespace weir::io
