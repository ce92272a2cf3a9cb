#include "ops/flow/format_value.h"

namespace weir::ops {
namespace {

std::string ElementText(const Tensor& flat, int64_t index) {
  const std::string bracketed = flat.Slice(index, index + 1).Reshaped(Shape{}).SummarizeValue(1);
  const std::string text = bracketed.substr(1, bracketed.size() - 2);
  return flat.dtype() == kString ? fmt::format("\"{}\"", text) : text;
}

class Formatter {
 public:
  Formatter(const Tensor& value, int64_t summarize)
      : shape_(value.shape()), flat_(value.Reshaped(Shape{value.num_elements()})), summarize_(summarize) {}

  void Append(int dim, int64_t begin, int64_t size, std::string* text) const {
    if (dim == shape_.rank()) {
      *text += ElementText(flat_, begin);
      return;
    }
    const int64_t count = shape_[dim];
    const int64_t part = count == 0 ? 0 : size / count;
    const bool shortened = summarize_ >= 0 && count > 2 * summarize_;
    *text += '[';
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) AppendGap(dim, text);
      if (shortened && i == summarize_) {
        *text += "...";
        i = count - summarize_ - 1;
        continue;
      }
      Append(dim + 1, begin + i * part, part, text);
    }
    *text += ']';
  }

 private:
  void AppendGap(int dim, std::string* text) const {
    const int lines = shape_.rank() - dim - 1;
    text->append(lines, '\n');
    text->append(lines > 0 ? dim + 1 : 1, ' ');
  }

  const Shape& shape_;
  const Tensor flat_;
  const int64_t summarize_;
};

}  // namespace

std::string FormatValue(const Tensor& value, int summarize) {
  if (!value.valid()) return "<no tensor>";
  std::string text;
  if (value.num_elements() == 0) {
    for (int i = 0; i < value.rank(); ++i) text += '[';
    for (int i = 0; i < value.rank(); ++i) text += ']';
    return text;
  }
  Formatter(value, summarize).Append(0, 0, value.num_elements(), &text);
  return text;
}

}  // namespace weir::ops
