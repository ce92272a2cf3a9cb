// Writes the output of several tasks as whole lines with a task prefix, to an output that may be slow.
// Invariant: nothing here blocks; unwritten text is queued.
#ifndef WEIR_CLI_PREFIXED_OUTPUT_H_
#define WEIR_CLI_PREFIXED_OUTPUT_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace weir::cli {

class OutputQueue final {
 public:
  explicit OutputQueue(int fd) : fd_(fd) {}
  OutputQueue(const OutputQueue&) = delete;

  int fd() const { return fd_; }
  size_t size() const { return text_.size() - written_; }
  void Add(std::string_view text) {
    if (!is_discarded_) text_ += text;
  }
  // REQUIRES: poll() has just reported fd() as writable. Writes as much as cannot block. After an error, discards
  // everything.
  Status WriteSome();
  // Drops the queued text and everything added later.
  void Discard();
  // Whether to use colour: fd() is a terminal, and the environment does not disable it.
  bool wants_colour() const;

 private:
  int fd_;
  std::string text_;
  size_t written_ = 0;
  bool is_discarded_ = false;
};

class LinePrefixer final {
 public:
  explicit LinePrefixer(std::string prefix) : prefix_(std::move(prefix)) {}
  // Adds a chunk of text. Writes each line when it is complete, and splits overlong lines.
  void Add(std::string_view text, OutputQueue& out);
  // Ends an incomplete last line.
  void Finish(OutputQueue& out);

 private:
  std::string prefix_;
  std::string partial_;
};

// "[worker/1] ". `colour` is an index into the palette, used if `in_colour`.
std::string TaskPrefix(std::string_view task, int colour, bool in_colour);

}  // namespace weir::cli

#endif  // WEIR_CLI_PREFIXED_OUTPUT_H_
