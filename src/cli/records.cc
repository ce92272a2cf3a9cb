#include "cli/records.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/live_line.h"
#include "base/rng.h"
#include "io/compression.h"
#include "io/record_file.h"

namespace weir::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr size_t kShownBytes = 40;
constexpr int kShownValues = 8;

// Shows a progress bar on the terminal during its lifetime. No-op if there is no terminal.
class Progress final {
 public:
  explicit Progress(size_t total) : total_(total), is_shown_(LiveLine::OfProcess().Begin()) {}
  ~Progress() {
    if (is_shown_) LiveLine::OfProcess().End();
  }
  Progress(const Progress&) = delete;

  void Set(size_t done) {
    if (!is_shown_) return;
    const size_t filled = kBarWidth * done / total_;
    LiveLine::OfProcess().Set(
        fmt::format("[{}{}] {} of {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), done, total_));
  }
  // Prints a line above the bar.
  static void PrintAbove(const std::string& line) {
    LiveLine::OfProcess().Hide();
    fmt::print(stderr, "{}", line);
    LiveLine::OfProcess().Show();
  }

 private:
  const size_t total_;
  const bool is_shown_;
};

std::vector<size_t> ShuffledOrder(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  SeededRng rng(seed);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[rng.Below(i)]);
  return order;
}

// Returns the number of images written.
Result<size_t> WriteRecords(const MakeRecordsOptions& options, const io::ImageFolder& images, const std::string& path,
                            Env& env) {
  WEIR_ASSIGN(const io::Compression compression, io::ParseCompression(options.compression));
  WEIR_ASSIGN(const std::unique_ptr<io::RecordWriter> writer, io::RecordWriter::Open(env, path, compression));
  Progress progress(images.files.size());
  size_t done = 0;
  size_t damaged = 0;
  for (const size_t i : ShuffledOrder(images.files.size(), options.seed)) {
    const io::ImageFile& file = images.files[i];
    const Result<tensorflow::Example> example =
        io::ImageExample(env, file, images.classes[static_cast<size_t>(file.label)], options.image);
    if (example.ok()) {
      WEIR_TRY(writer->Write(example->SerializeAsString()));
    } else {
      ++damaged;
      progress.PrintAbove(fmt::format("weir records make: {}\n", std::string(example.status().message())));
    }
    progress.Set(++done);
  }
  if (damaged == done || (damaged > 0 && !options.skip_damaged))
    return DataLoss("{} of {} images cannot be read{}", damaged, done,
                    damaged == done ? "" : "; use --skip_damaged to skip them");
  WEIR_TRY(writer->Sync());
  WEIR_TRY(writer->Close());
  return done - damaged;
}

// Reads class names from a file, one per line.
Result<std::vector<std::string>> ClassesIn(Env& env, const std::string& path) {
  WEIR_ASSIGN(const std::string text, env.ReadFile(path));
  std::vector<std::string> classes = absl::StrSplit(text, '\n', absl::SkipWhitespace());
  if (classes.empty()) return InvalidArgument("'{}' contains no class names", path);
  return classes;
}

// Opens a file of unknown compression: tries each until one reads the first record. If all fail, opens it uncompressed,
// which gives the clearest error.
Result<std::unique_ptr<io::RecordReader>> OpenRecords(Env& env, const std::string& path) {
  for (const io::Compression compression : {io::Compression::kNone, io::Compression::kGzip, io::Compression::kZlib}) {
    WEIR_ASSIGN(std::unique_ptr<io::RecordReader> reader, io::RecordReader::Open(env, path, compression));
    if (reader->Next().ok()) return io::RecordReader::Open(env, path, compression);
  }
  return io::RecordReader::Open(env, path);
}

std::string Shown(std::string_view bytes) {
  const std::string text = absl::CHexEscape(std::string(bytes.substr(0, kShownBytes)));
  return bytes.size() <= kShownBytes ? fmt::format("\"{}\"", text)
                                     : fmt::format("\"{}\"... {} bytes", text, bytes.size());
}

template <class Values>
std::string ShownList(std::string_view type, const Values& values) {
  std::vector<std::string> texts;
  for (int i = 0; i < std::min(values.size(), kShownValues); ++i) {
    if constexpr (std::is_convertible_v<decltype(values[i]), std::string_view>) {
      texts.push_back(Shown(values[i]));
    } else {
      texts.push_back(fmt::format("{}", values[i]));
    }
  }
  const std::string more = values.size() > kShownValues ? fmt::format(", ... {} values", values.size()) : "";
  return fmt::format("{} [{}{}]", type, absl::StrJoin(texts, ", "), more);
}

std::string Shown(const tensorflow::Feature& feature) {
  switch (feature.kind_case()) {
    case tensorflow::Feature::kBytesList:
      return ShownList("bytes", feature.bytes_list().value());
    case tensorflow::Feature::kFloatList:
      return ShownList("float", feature.float_list().value());
    case tensorflow::Feature::kInt64List:
      return ShownList("int64", feature.int64_list().value());
    case tensorflow::Feature::KIND_NOT_SET:
      break;
  }
  return "nothing";
}

void Print(int64_t number, const std::string& record) {
  tensorflow::Example example;
  if (!example.ParseFromString(record) || example.features().feature().empty()) {
    fmt::print("record {}: {}\n", number, Shown(record));
    return;
  }
  const auto& features = example.features().feature();
  const std::map<std::string, tensorflow::Feature> sorted(features.begin(), features.end());
  fmt::print("record {}: an example of {} bytes\n", number, record.size());
  size_t width = 0;
  for (const auto& [name, feature] : sorted) width = std::max(width, name.size());
  for (const auto& [name, feature] : sorted) fmt::print("  {:<{}}  {}\n", name, width, Shown(feature));
}

Result<int64_t> Count(const std::string& file, Env& env) {
  WEIR_ASSIGN(const std::unique_ptr<io::RecordReader> reader, OpenRecords(env, file));
  int64_t count = 0;
  for (;; ++count) {
    const Result<std::optional<std::string>> record = reader->Next();
    if (!record.ok()) return WithContext(record.status(), fmt::format("after {} good records", count));
    if (!record->has_value()) return count;
  }
}

}  // namespace

Status MakeRecords(const MakeRecordsOptions& options, Env& env) {
  std::vector<std::string> classes;
  if (!options.labels.empty()) {
    WEIR_ASSIGN(classes, ClassesIn(env, options.labels));
  }
  WEIR_ASSIGN(const io::ImageFolder images, io::ListImages(env, options.folder, classes));
  const std::string part = options.file + ".part";
  const Result<size_t> written = WriteRecords(options, images, part, env);
  if (!written.ok()) {
    (void)env.DeleteFile(part);  // best effort: the first error matters more
    return written.status();
  }
  WEIR_TRY(env.WriteFileAtomically(options.file + ".labels", absl::StrJoin(images.classes, "\n") + "\n"));
  WEIR_TRY(env.Rename(part, options.file));
  fmt::print("{} records of {} classes in {}\n", *written, images.classes.size(), options.file);
  return OkStatus();
}

Status ShowRecords(const ShowRecordsOptions& options, Env& env) {
  WEIR_ASSIGN(const std::unique_ptr<io::RecordReader> reader, OpenRecords(env, options.file));
  for (int64_t i = 0; i < options.limit; ++i) {
    WEIR_ASSIGN(const std::optional<std::string> record, reader->Next());
    if (!record.has_value()) {
      if (i == 0) fmt::print("{} has no records\n", options.file);
      return OkStatus();
    }
    Print(i, *record);
  }
  WEIR_ASSIGN(const std::optional<std::string> next, reader->Next());
  if (next.has_value()) fmt::print("... more records follow; raise --limit to show them\n");
  return OkStatus();
}

Status CountRecords(const std::vector<std::string>& files, Env& env) {
  size_t bad = 0;
  for (const std::string& file : files) {
    const Result<int64_t> count = Count(file, env);
    if (count.ok()) {
      fmt::print("{} {}\n", *count, file);
      continue;
    }
    ++bad;
    std::fflush(stdout);
    fmt::print(stderr, "weir records count: {}\n", std::string(count.status().message()));
  }
  return bad == 0 ? OkStatus() : DataLoss("{} of {} files cannot be read to the end", bad, files.size());
}

}  // namespace weir::cli
