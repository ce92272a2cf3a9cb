// Cursor: a tokenizer for the text of op schemas and shapes. Does not own the text.
#ifndef WEIR_OP_CURSOR_H_
#define WEIR_OP_CURSOR_H_

#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "base/status.h"

namespace weir {

class Cursor final {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  // The next non-space character, or 0 at the end.
  char Peek() { return AtEnd() ? '\0' : text_[at_]; }
  // The next character, including spaces, or 0 at the end. TakeRaw consumes it.
  char PeekRaw() const { return at_ == text_.size() ? '\0' : text_[at_]; }
  char TakeRaw() { return at_ == text_.size() ? '\0' : text_[at_++]; }
  // Consumes `token` if it comes next.
  bool Take(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // Consumes the next word if it equals `word`.
  bool TakeWord(std::string_view word) {
    const size_t before = at_;
    if (Word() == word) return true;
    at_ = before;
    return false;
  }
  Status Expect(std::string_view token) {
    if (Take(token)) return OkStatus();
    return Error(fmt::format("'{}' expected", token));
  }
  // Consumes letters, digits and underscores. Empty if there are none.
  std::string_view Word() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // A word that starts with a letter or an underscore.
  Result<std::string> Identifier() {
    if (std::isdigit(static_cast<unsigned char>(Peek()))) return Error("a name expected");
    const std::string_view word = Word();
    if (word.empty()) return Error("a name expected");
    return std::string(word);
  }
  // An int64_t or a floating-point number.
  template <class T>
  Result<T> Number() {
    SkipSpace();
    size_t begin = at_;
    if (begin < text_.size() && text_[begin] == '+') ++begin;
    T value{};
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) return Error("a number out of range");
    if (error != std::errc()) return Error("a number expected");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }
  // 'text' or "text", with \\ \' \" \n \t inside.
  Result<std::string> Quoted() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Error("a quoted string expected");
    std::string out;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      char c = text_[i];
      if (c == quote) {
        at_ = i + 1;
        return out;
      }
      if (c == '\\' && i + 1 < text_.size()) {
        c = text_[++i];
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
      out += c;
    }
    return Error("unterminated string");
  }
  // InvalidArgument with the position in the text.
  Status Error(std::string_view what) const {
    return InvalidArgument("{} at '{}' in '{}'", what, text_.substr(at_), text_);
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace weir

#endif  // WEIR_OP_CURSOR_H_
