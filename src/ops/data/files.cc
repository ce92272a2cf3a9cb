// Datasets that read files one after the other: TFRecordDataset, TextLineDataset, FixedLengthRecordDataset.
#include "io/compression.h"
#include "ops/data/cancellation.h"
#include "ops/data/dataset.h"
#include "ops/io/reader.h"

namespace weir::ops {
namespace {

class FileRecords final : public ElementIterator {
 public:
  FileRecords(std::shared_ptr<const std::vector<std::string>> files, OpenSource open)
      : files_(std::move(files)), open_(std::move(open)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      if (source_ == nullptr) {
        if (next_file_ == files_->size()) return std::nullopt;
        WEIR_ASSIGN(source_, open_(*step.env, (*files_)[next_file_++]));
      }
      Record record;
      bool last = false;
      const Result<bool> found = source_->Next(&record, &last);
      if (!found.ok() || !*found) source_ = nullptr;  // after an error continue with the next file
      if (!found.ok()) return found.status();
      if (*found) return Element{Tensor::Scalar(std::move(record.value))};
    }
  }

 private:
  const std::shared_ptr<const std::vector<std::string>> files_;
  const OpenSource open_;
  size_t next_file_ = 0;
  std::unique_ptr<RecordSource> source_;
};

Result<DatasetValue::MakeFn> FilesRecipe(const KernelContext& ctx, OpenSource open) {
  const Tensor& names = ctx.input(0);
  if (names.rank() > 1) return InvalidArgument("`filenames` must be a scalar or a vector.");
  const auto flat = names.flat<std::string>();
  auto files = std::make_shared<const std::vector<std::string>>(flat.begin(), flat.end());
  return [files, open = std::move(open)](StepContext&) -> Result<IteratorPtr> {
    return std::make_unique<FileRecords>(files, open);
  };
}

Status CheckBufferSize(const KernelContext& ctx, int input) {
  WEIR_ASSIGN(const int64_t size, ScalarInt(ctx, input, "buffer_size"));
  if (size < 0) return InvalidArgument("`buffer_size` must be >= 0 (0 == default)");
  return OkStatus();
}

Result<std::string> CompressionOf(const KernelContext& ctx, int input) {
  WEIR_ASSIGN(std::string name, ScalarText(ctx, input, "compression_type"));
  WEIR_TRY(io::ParseCompression(name).status());
  return name;
}

Result<DatasetValue::MakeFn> MakeRecords(KernelContext& ctx) {
  WEIR_ASSIGN(const std::string compression, CompressionOf(ctx, 1));
  WEIR_TRY(CheckBufferSize(ctx, 2));
  return FilesRecipe(ctx, RecordFileSource(compression));
}

Result<DatasetValue::MakeFn> MakeTextLines(KernelContext& ctx) {
  WEIR_ASSIGN(const std::string compression, CompressionOf(ctx, 1));
  WEIR_TRY(CheckBufferSize(ctx, 2));
  return FilesRecipe(ctx, TextLineSource(0, compression));
}

template <bool has_compression>
Result<DatasetValue::MakeFn> MakeFixedLength(KernelContext& ctx) {
  FixedLengthOptions options;
  WEIR_ASSIGN(options.header_bytes, ScalarInt(ctx, 1, "header_bytes"));
  WEIR_ASSIGN(options.record_bytes, ScalarInt(ctx, 2, "record_bytes"));
  WEIR_ASSIGN(options.footer_bytes, ScalarInt(ctx, 3, "footer_bytes"));
  WEIR_TRY(CheckBufferSize(ctx, 4));
  constexpr int64_t kMostBytes = int64_t{1} << 40;
  if (options.header_bytes < 0 || options.header_bytes > kMostBytes)
    return InvalidArgument("`header_bytes` must be >= 0, but is {}", options.header_bytes);
  if (options.record_bytes <= 0 || options.record_bytes > kMostBytes)
    return InvalidArgument("`record_bytes` must be > 0, but is {}", options.record_bytes);
  if (options.footer_bytes < 0 || options.footer_bytes > kMostBytes)
    return InvalidArgument("`footer_bytes` must be >= 0, but is {}", options.footer_bytes);
  if constexpr (has_compression) {
    WEIR_ASSIGN(options.encoding, CompressionOf(ctx, 5));
  }
  return FilesRecipe(
      ctx,
      [options, open = FixedLengthSource(options)](Env& env,
                                                   const std::string& path) -> Result<std::unique_ptr<RecordSource>> {
        if (options.encoding.empty()) {
          WEIR_ASSIGN(const FileInfo info, env.Stat(path));
          const int64_t body = static_cast<int64_t>(info.size) - options.header_bytes - options.footer_bytes;
          if (body < 0 || body % options.record_bytes != 0)
            return InvalidArgument(
                "Excluding the header ({} bytes) and footer ({} bytes), input file \"{}\" has body length {} bytes, "
                "which "
                "is not an exact multiple of the record length ({} bytes).",
                options.header_bytes, options.footer_bytes, path, body, options.record_bytes);
        }
        return open(env, path);
      });
}

}  // namespace

void RegisterFileDatasets(OpRegistry& registry) {
  const char* files = "filenames: string, compression_type: string, buffer_size: int64";
  AddDataset(registry, {"TFRecordDataset", files, {}, MakeRecords, true, false});
  AddDataset(registry, {"TextLineDataset", files, {}, MakeTextLines, true, false});
  const std::string fixed =
      "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64";
  const std::string fixed_v2 = fixed + ", compression_type: string";
  AddDataset(registry, {"FixedLengthRecordDataset", fixed.c_str(), {}, MakeFixedLength<false>, true, false});
  AddDataset(registry, {"FixedLengthRecordDatasetV2", fixed_v2.c_str(), {}, MakeFixedLength<true>, true, false});
}

}  // namespace weir::ops
