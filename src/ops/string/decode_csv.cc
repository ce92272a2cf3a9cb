// DecodeCSV: parses CSV records into one tensor per column. A quoted field may contain delimiters, line breaks and
// (doubled) quotes; line breaks before a field are skipped.
#include "op/shape_context.h"
#include "ops/string/map_strings.h"
#include "ops/string/number_text.h"

namespace weir::ops {
namespace {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;
  std::string missing;                // a field with this text counts as empty
  std::vector<int64_t> columns = {};  // selected columns, ascending; empty: all
};

class CsvRecord final {
 public:
  CsvRecord(const CsvFormat& format, std::string_view text) : format_(format), text_(text) {}

  // Reads the selected fields into *fields.
  Status Read(std::vector<std::string>* fields) {
    fields->clear();
    int64_t number = 0;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n' || text_[at_] == '\r') {
        ++at_;
        continue;
      }
      const bool quoted = format_.quotes && text_[at_] == '"';
      WEIR_ASSIGN(std::string field, quoted ? Quoted() : Plain());
      if (Wanted(number++, fields->size())) fields->push_back(std::move(field));
      if (!format_.columns.empty() && fields->size() == format_.columns.size()) return OkStatus();
    }
    // A delimiter at the end is followed by an empty field.
    if (!text_.empty() && text_.back() == format_.delimiter && Wanted(number, fields->size())) fields->emplace_back();
    return OkStatus();
  }

 private:
  bool Wanted(int64_t number, size_t have) const { return format_.columns.empty() || format_.columns[have] == number; }

  Result<std::string> Plain() {
    const size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != format_.delimiter; ++at_) {
      const char c = text_[at_];
      if ((format_.quotes && c == '"') || c == '\n' || c == '\r')
        return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
    }
    std::string field(text_.substr(begin, at_ - begin));
    ++at_;
    return field;
  }
  Result<std::string> Quoted() {
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        field.push_back(text_[at_]);
        continue;
      }
      ++at_;
      if (at_ >= text_.size() || text_[at_] == format_.delimiter) {
        ++at_;
        return field;
      }
      if (text_[at_] != '"') return InvalidArgument("Quote inside a string has to be escaped by another quote");
      field.push_back('"');
    }
    return InvalidArgument("Quoted field has to end with quote followed by delim or end");
  }

  const CsvFormat& format_;
  std::string_view text_;
  size_t at_ = 0;
};

template <class T>
Status PutNumber(const Tensor& column, int64_t row, size_t number, const std::string& field) {
  if (!ParseNumber(field, &column.data<T>()[row]))
    return InvalidArgument("Field {} in record {} is not a valid {}: {}", number, row, column.dtype(), field);
  return OkStatus();
}

Status PutField(const Tensor& column, int64_t row, size_t number, std::string field) {
  switch (column.dtype()) {
    case kFloat:
      return PutNumber<float>(column, row, number, field);
    case kDouble:
      return PutNumber<double>(column, row, number, field);
    case kInt32:
      return PutNumber<int32_t>(column, row, number, field);
    case kInt64:
      return PutNumber<int64_t>(column, row, number, field);
    default:
      column.data<std::string>()[row] = std::move(field);
      return OkStatus();
  }
}

void PutDefault(const Tensor& column, int64_t row, const Tensor& value) {
  switch (column.dtype()) {
    case kFloat:
      column.data<float>()[row] = value.scalar<float>();
      break;
    case kDouble:
      column.data<double>()[row] = value.scalar<double>();
      break;
    case kInt32:
      column.data<int32_t>()[row] = value.scalar<int32_t>();
      break;
    case kInt64:
      column.data<int64_t>()[row] = value.scalar<int64_t>();
      break;
    default:
      column.data<std::string>()[row] = value.scalar<std::string>();
  }
}

Result<CsvFormat> CsvFormatOf(KernelSetup& setup) {
  CsvFormat format;
  WEIR_ASSIGN(const std::string delimiter, setup.Attr<std::string>("field_delim"));
  WEIR_ASSIGN(format.quotes, setup.Attr<bool>("use_quote_delim"));
  WEIR_ASSIGN(format.missing, setup.Attr<std::string>("na_value"));
  WEIR_ASSIGN(format.columns, setup.Attr<std::vector<int64_t>>("select_cols"));
  if (delimiter.size() != 1) return InvalidArgument("field_delim should be only 1 char, not '{}'", delimiter);
  format.delimiter = delimiter[0];
  if (!format.columns.empty() && format.columns.size() != static_cast<size_t>(setup.num_outputs()))
    return InvalidArgument("select_cols should match output size: {} vs. {}", format.columns.size(),
                           setup.num_outputs());
  for (size_t i = 0; i < format.columns.size(); ++i) {
    if (format.columns[i] < 0) return InvalidArgument("select_cols should be non-negative, not {}", format.columns[i]);
    if (i > 0 && format.columns[i] <= format.columns[i - 1])
      return InvalidArgument("select_cols should be strictly increasing indices");
  }
  return format;
}

Result<Kernel> MakeDecodeCsv(KernelSetup& setup) {
  WEIR_ASSIGN(const CsvFormat format, CsvFormatOf(setup));
  return Kernel::Sync([format](KernelContext& ctx) -> Status {
    const Tensor& records = ctx.input(0);
    std::vector<Tensor> columns;
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      const Tensor& value = ctx.input(i + 1);
      if (value.rank() > 1)
        return InvalidArgument("record_defaults[{}] must be a scalar or a vector, not of shape {}", i, value.shape());
      if (value.num_elements() > 1)
        return InvalidArgument("There should only be 1 default per field but field {} has {}", i, value.num_elements());
      WEIR_ASSIGN(Tensor column, ctx.Allocate(i, records.shape()));
      columns.push_back(std::move(column));
    }
    std::vector<std::string> fields;
    for (int64_t row = 0; row < records.num_elements(); ++row) {
      WEIR_TRY(CsvRecord(format, records.data<std::string>()[row]).Read(&fields));
      if (fields.size() != columns.size())
        return InvalidArgument("Expect {} fields but have {} in record {}", columns.size(), fields.size(), row);
      for (size_t f = 0; f < columns.size(); ++f) {
        if (!fields[f].empty() && fields[f] != format.missing) {
          WEIR_TRY(PutField(columns[f], row, f, std::move(fields[f])));
          continue;
        }
        const Tensor& value = ctx.input(static_cast<int>(f) + 1);
        if (value.num_elements() != 1) return InvalidArgument("Field {} is required but missing in record {}!", f, row);
        PutDefault(columns[f], row, value);
      }
    }
    return OkStatus();
  });
}

Status DecodeCsvShape(ShapeContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(const PartialShape value, ctx.WithRankAtMost(i, 1));
    if (value.known_rank() && value.rank() == 1 && value[0] > 1)
      return InvalidArgument("Shape of a default must be a length-0 or length-1 vector, or a scalar, not {}", value);
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, ctx.input(0));
  return OkStatus();
}

}  // namespace

void RegisterDecodeCsv(OpRegistry& registry) {
  registry.Add({
      .name = "DecodeCSV",
      .signature = "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
      .attrs = {"OUT_TYPE: list({float, double, int32, int64, string}) >= 1", "field_delim: string = ','",
                "use_quote_delim: bool = true", "na_value: string = ''", "select_cols: list(int) = []"},
      .shape = DecodeCsvShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeCsv),
  });
}

}  // namespace weir::ops
