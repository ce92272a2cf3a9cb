// InitializeTableFromTextFile: keys and values are a column of each line, the whole line, or the line number.
#include "absl/strings/numbers.h"
#include "ops/state/lookup_ops.h"
#include "tensor/strings.h"

namespace weir::ops {
namespace {

constexpr int64_t kLineNumber = -1;
constexpr int64_t kWholeLine = -2;

struct TextFormat {
  int64_t key_index = 0;
  int64_t value_index = 0;
  int64_t vocab_size = -1;  // number of lines to read; -1: all
  char delimiter = '\t';
};

absl::string_view View(std::string_view text) { return absl::string_view(text.data(), text.size()); }

// A vector of one dtype that grows line by line.
class Column {
 public:
  Column(DType dtype, int64_t index, const char* what) : dtype_(dtype), index_(index), what_(what) {}

  Status Check() const {
    if (index_ == kLineNumber && dtype_ != kInt64) {
      return InvalidArgument("{} index for line number requires table {} dtype of int64, got {}", what_, what_, dtype_);
    }
    switch (dtype_) {
      case kString:
      case kInt64:
      case kInt32:
      case kFloat:
      case kDouble:
        return OkStatus();
      default:
        return InvalidArgument("Data type {} not supported.", dtype_);
    }
  }
  Status Add(int64_t line_number, std::string_view line, const std::vector<std::string_view>& fields) {
    if (index_ == kLineNumber) {
      ints_.push_back(line_number);
      return OkStatus();
    }
    const std::string_view field = index_ == kWholeLine ? line : fields[static_cast<size_t>(index_)];
    bool valid = true;
    if (dtype_ == kString) {
      strings_.emplace_back(field);
    } else if (dtype_ == kInt64) {
      valid = absl::SimpleAtoi(View(field), &ints_.emplace_back());
    } else if (dtype_ == kInt32) {
      int32_t value = 0;
      valid = absl::SimpleAtoi(View(field), &value);
      ints_.push_back(value);
    } else if (dtype_ == kFloat) {
      float value = 0;
      valid = absl::SimpleAtof(View(field), &value);
      doubles_.push_back(value);
    } else {
      valid = absl::SimpleAtod(View(field), &doubles_.emplace_back());
    }
    if (!valid) return InvalidArgument("Field {} in line {} is not a valid {}.", field, line_number, dtype_);
    return OkStatus();
  }
  Result<Tensor> ToTensor() const {
    switch (dtype_) {
      case kString:
        WEIR_TRY(ReserveStrings(strings_));
        return Vector<std::string>(strings_);
      case kInt64:
        return Vector<int64_t>(ints_);
      case kInt32:
        return Vector<int32_t>(ints_);
      case kFloat:
        return Vector<float>(doubles_);
      default:
        return Vector<double>(doubles_);
    }
  }

 private:
  template <class T, class From>
  static Result<Tensor> Vector(const std::vector<From>& values) {
    WEIR_ASSIGN(Tensor tensor, Tensor::Allocate(DTypeOf<T>(), Shape{static_cast<int64_t>(values.size())}));
    T* to = tensor.data<T>();
    for (const From& value : values) *to++ = static_cast<T>(value);
    return tensor;
  }
  DType dtype_;
  int64_t index_;
  const char* what_;
  std::vector<std::string> strings_;
  std::vector<int64_t> ints_;
  std::vector<double> doubles_;
};

Status FillFromText(LookupTableResource& table, const std::string& file, const std::string& text,
                    const TextFormat& format) {
  Column keys(table.spec().key_dtype, format.key_index, "Key");
  Column values(table.spec().value_dtype, format.value_index, "Value");
  WEIR_TRY(keys.Check());
  WEIR_TRY(values.Check());
  const size_t columns = static_cast<size_t>(std::max<int64_t>({format.key_index, format.value_index, -1}) + 1);
  std::vector<std::string_view> fields;
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size() && number != format.vocab_size; ++number) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return InvalidArgument("Invalid content in {}: line {} is empty", file, number);
    if (columns > 0) {
      fields.clear();
      for (std::string_view rest = line;;) {
        const size_t at = rest.find(format.delimiter);
        fields.push_back(rest.substr(0, at));
        if (at == std::string_view::npos) break;
        rest.remove_prefix(at + 1);
      }
      if (fields.size() < columns) {
        return InvalidArgument("Invalid number of columns in {} line {} ({}) : expected at least {} got {}", file,
                               number, line, columns, fields.size());
      }
    }
    WEIR_TRY(keys.Add(number, line, fields));
    WEIR_TRY(values.Add(number, line, fields));
  }
  if (number < format.vocab_size) {
    return InvalidArgument("Invalid vocab_size in {}: expected {} but got {}", file, format.vocab_size, number);
  }
  if (number == 0) return OutOfRange("there is no line to read in {}", file);
  WEIR_ASSIGN(const Tensor all_keys, keys.ToTensor());
  WEIR_ASSIGN(const Tensor all_values, values.ToTensor());
  return table.Initialize(all_keys, all_values);
}

Result<Kernel> MakeInitializeFromFile(KernelSetup& setup, HandleKind handle_kind) {
  TextFormat format;
  WEIR_ASSIGN(format.key_index, setup.Attr<int64_t>("key_index"));
  WEIR_ASSIGN(format.value_index, setup.Attr<int64_t>("value_index"));
  WEIR_ASSIGN(format.vocab_size, setup.Attr<int64_t>("vocab_size"));
  WEIR_ASSIGN(const std::string delimiter, setup.Attr<std::string>("delimiter"));
  if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char, got '{}'", delimiter);
  format.delimiter = delimiter[0];
  return Kernel::Sync([handle_kind, format](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<LookupTableResource> table, TableInput(ctx, handle_kind));
           const Tensor& name = ctx.input(1);
           if (name.num_elements() != 1)
             return InvalidArgument("filename should be a single string, but got {}", name.shape());
           const std::string& file = *name.data<std::string>();
           if (file.empty()) return InvalidArgument("filename cannot be empty.");
           WEIR_ASSIGN(const std::string text, ctx.env().ReadFile(file));
           return FillFromText(*table, file, text, format);
         })
      .Blocking();
}

Status FileNameShape(ShapeContext& c) { return c.WithRank(1, 0).status(); }

}  // namespace

void RegisterInitializeTableFromFile(OpRegistry& registry) {
  AddTableOp(registry, "InitializeTableFromTextFileV2",
             {.name = "InitializeTableFromTextFile",
              .signature = "filename: string ->",
              .attrs = {"key_index: int >= -2", "value_index: int >= -2", "vocab_size: int >= -1 = -1",
                        "delimiter: string = '\t'"},
              .shape = FileNameShape,
              .traits = {.may_block = true}},
             MakeInitializeFromFile);
}

}  // namespace weir::ops
