// StringSplit and StringSplitV2: split each string of a vector; the result is a sparse matrix with one row per string.
// The first splits at any character of its delimiter, the second at the whole separator or, without one, at white
// space.
#include <algorithm>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

void SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty, Parts* parts) {
  if (text.empty()) return;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) parts->push_back(text.substr(i, 1));
    return;
  }
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) parts->push_back(text.substr(begin, end - begin));
    if (end == text.size()) return;
    begin = end + 1;
  }
}

// After max_splits words (if not negative) the rest is one part, even if it is empty.
void SplitAtWhiteSpace(std::string_view text, int64_t max_splits, Parts* parts) {
  if (max_splits == 0) {
    parts->push_back(text);
    return;
  }
  const auto skip = [&text] { text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size())); };
  skip();
  for (int64_t words = 1; !text.empty(); ++words) {
    const size_t end = std::min(text.find_first_of(kWhiteSpace), text.size());
    parts->push_back(text.substr(0, end));
    text.remove_prefix(end);
    skip();
    if (words == max_splits) {
      parts->push_back(text);
      return;
    }
  }
}

void SplitAtSeparator(std::string_view text, std::string_view separator, int64_t max_splits, Parts* parts) {
  for (int64_t cuts = 0;; ++cuts) {
    const size_t end = cuts == max_splits ? std::string_view::npos : text.find(separator);
    parts->push_back(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + separator.size());
  }
}

// split(text, parts) appends the parts of one string.
template <class F>
Status SplitAll(KernelContext& ctx, F&& split) {
  const Tensor& input = ctx.input(0);
  if (input.rank() != 1) return InvalidArgument("input must be a vector, got shape: {}", input.shape());
  const int64_t rows = input.dim(0);
  Parts parts;
  std::vector<size_t> ends;
  ends.reserve(static_cast<size_t>(rows));
  size_t columns = 0;
  for (const std::string& text : input.flat<std::string>()) {
    const size_t before = parts.size();
    split(text, &parts);
    ends.push_back(parts.size());
    columns = std::max(columns, parts.size() - before);
  }
  const auto count = static_cast<int64_t>(parts.size());
  WEIR_ASSIGN(Tensor indices, ctx.Allocate(0, Shape{count, 2}));
  WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{count}));
  WEIR_ASSIGN(Tensor shape, ctx.Allocate(2, Shape{2}));
  int64_t* index = indices.data<int64_t>();
  std::string* value = values.data<std::string>();
  size_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; at < ends[static_cast<size_t>(row)]; ++at, ++column) {
      *index++ = row;
      *index++ = column;
      *value++ = std::string(parts[at]);
    }
  }
  shape.data<int64_t>()[0] = rows;
  shape.data<int64_t>()[1] = static_cast<int64_t>(columns);
  return OkStatus();
}

Result<Kernel> MakeStringSplit(KernelSetup& setup) {
  WEIR_ASSIGN(const bool skip_empty, setup.Attr<bool>("skip_empty"));
  return Kernel::Sync([skip_empty](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string delimiters, ScalarString(ctx, 1, "delimiter"));
    return SplitAll(ctx, [&](std::string_view text, Parts* parts) { SplitAtAny(text, delimiters, skip_empty, parts); });
  });
}

Result<Kernel> MakeStringSplitV2(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t max_splits, setup.Attr<int64_t>("maxsplit"));
  return Kernel::Sync([max_splits](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string separator, ScalarString(ctx, 1, "sep"));
    return SplitAll(ctx, [&](std::string_view text, Parts* parts) {
      if (separator.empty())
        SplitAtWhiteSpace(text, max_splits, parts);
      else
        SplitAtSeparator(text, separator, max_splits, parts);
    });
  });
}

Status StringSplitShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 1).status());
  WEIR_TRY(ctx.WithRank(1, 0).status());
  ctx.set_output(0, PartialShape{kUnknownDim, 2});
  ctx.set_output(1, PartialShape{kUnknownDim});
  ctx.set_output(2, PartialShape{2});
  return OkStatus();
}

}  // namespace

void RegisterStringSplit(OpRegistry& registry) {
  registry.Add({
      .name = "StringSplit",
      .signature = "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
      .attrs = {"skip_empty: bool = true"},
      .shape = StringSplitShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStringSplit),
  });
  registry.Add({
      .name = "StringSplitV2",
      .signature = "input: string, sep: string -> indices: int64, values: string, shape: int64",
      .attrs = {"maxsplit: int = -1"},
      .shape = StringSplitShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStringSplitV2),
  });
}

}  // namespace weir::ops
