// StringNGrams: n-grams of given widths for each row of a ragged tensor of strings, padded at both ends.
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// Limits the total number of strings in all n-grams of a run, against absurd widths.
constexpr int64_t kMaxPieces = int64_t{1} << 31;

struct NGramFormat {
  std::string separator;
  std::vector<int64_t> widths;
  std::string left_pad;
  std::string right_pad;
  int64_t pad_width = 0;  // -1: width - 1
  bool preserve_short = false;

  int64_t PadFor(int64_t width) const { return pad_width < 0 ? width - 1 : std::min(pad_width, width - 1); }
  int64_t CountFor(int64_t length, int64_t width) const {
    return std::max<int64_t>(0, length + 2 * PadFor(width) - width + 1);
  }
};

// Returns the n-gram that begins at `begin` of the padded row.
std::string NGram(const NGramFormat& format, absl::Span<const std::string> row, int64_t begin, int64_t width,
                  int64_t pad) {
  std::string text;
  for (int64_t i = begin; i < begin + width; ++i) {
    if (i > begin) text += format.separator;
    const int64_t at = i - pad;
    text += at < 0                                  ? format.left_pad
            : at < static_cast<int64_t>(row.size()) ? row[static_cast<size_t>(at)]
                                                    : format.right_pad;
  }
  return text;
}

// Returns (width, count) of the n-grams of a row. With preserve_short, a row without n-grams is one n-gram.
Result<std::vector<std::pair<int64_t, int64_t>>> RowNGrams(const NGramFormat& format, int64_t length) {
  std::vector<std::pair<int64_t, int64_t>> found;
  for (const int64_t width : format.widths) {
    if (const int64_t count = format.CountFor(length, width); count > 0) found.emplace_back(width, count);
  }
  if (!found.empty() || !format.preserve_short || length == 0) return found;
  if (format.pad_width < 0)
    return InvalidArgument(
        "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got {}",
        format.pad_width);
  found.emplace_back(length + 2 * format.pad_width, 1);
  return found;
}

Status CheckSplits(const Ints& splits, int64_t size) {
  if (splits.front() != 0) return InvalidArgument("First split value must be 0, got {}", splits.front());
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1] || splits[i] > size)
      return InvalidArgument("Invalid split value {}, must be in [{}, {}]", splits[i], splits[i - 1], size);
  }
  if (splits.back() != size)
    return InvalidArgument("Last split value must be data size. Expected {}, got {}", size, splits.back());
  return OkStatus();
}

template <class T>
Result<Kernel> MakeNGrams(KernelSetup& setup) {
  NGramFormat format;
  WEIR_ASSIGN(format.separator, setup.Attr<std::string>("separator"));
  WEIR_ASSIGN(format.widths, setup.Attr<std::vector<int64_t>>("ngram_widths"));
  WEIR_ASSIGN(format.left_pad, setup.Attr<std::string>("left_pad"));
  WEIR_ASSIGN(format.right_pad, setup.Attr<std::string>("right_pad"));
  WEIR_ASSIGN(format.pad_width, setup.Attr<int64_t>("pad_width"));
  WEIR_ASSIGN(format.preserve_short, setup.Attr<bool>("preserve_short_sequences"));
  if (format.pad_width > kMaxPieces) return InvalidArgument("pad_width {} is too large", format.pad_width);
  for (const int64_t width : format.widths) {
    if (width <= 0 || width > kMaxPieces)
      return InvalidArgument("ngram_widths must contain positive values, got {}", width);
  }
  return Kernel::Sync([format](KernelContext& ctx) -> Status {
    const Tensor& data = ctx.input(0);
    const Ints splits = IntsOf(ctx.input(1));
    WEIR_ASSIGN(Tensor out_splits, ctx.Allocate(1, ctx.input(1).shape()));
    // No splits: as many empty strings as inputs.
    if (splits.empty()) return ctx.Allocate(0, Shape{data.num_elements()}).status();
    WEIR_TRY(CheckSplits(splits, data.num_elements()));
    int64_t total = 0;
    int64_t pieces = 0;
    out_splits.data<T>()[0] = 0;
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      WEIR_ASSIGN(const auto found, RowNGrams(format, splits[row + 1] - splits[row]));
      for (const auto& [width, count] : found) {
        WEIR_ASSIGN(const int64_t more, CheckedMultiply(width, count));
        pieces += std::min(more, kMaxPieces);
        if (pieces >= kMaxPieces) return ResourceExhausted("the n-grams of width {} exceed the size limit", width);
        total += count;
      }
      out_splits.data<T>()[row + 1] = static_cast<T>(total);
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{total}));
    std::string* to = out.data<std::string>();
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      const absl::Span<const std::string> texts(data.data<std::string>() + splits[row],
                                                static_cast<size_t>(splits[row + 1] - splits[row]));
      WEIR_ASSIGN(const auto found, RowNGrams(format, static_cast<int64_t>(texts.size())));
      for (const auto& [width, count] : found) {
        for (int64_t begin = 0; begin < count; ++begin)
          *to++ = NGram(format, texts, begin, width, format.PadFor(width));
      }
    }
    return OkStatus();
  });
}

Status NGramsShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 1).status());
  WEIR_ASSIGN(PartialShape splits, ctx.WithRank(1, 1));
  ctx.set_output(0, PartialShape{kUnknownDim});
  ctx.set_output(1, std::move(splits));
  return OkStatus();
}

}  // namespace

void RegisterNGrams(OpRegistry& registry) {
  registry.Add({
      .name = "StringNGrams",
      .signature = "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
      .attrs = {"separator: string", "ngram_widths: list(int) >= 0", "left_pad: string", "right_pad: string",
                "pad_width: int", "preserve_short_sequences: bool", "Tsplits: {int32, int64} = DT_INT64"},
      .shape = NGramsShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernelsFor<int32_t, int64_t>("Tsplits", WEIR_FOR_TYPE(MakeNGrams)),
  });
}

}  // namespace weir::ops
