// What several tasks write, as whole lines that say whose they are, on an output that may be slow.
// Invariant: nothing here blocks; what cannot be written yet is kept.
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
    if (!is_lost_) text_ += text;
  }
  // REQUIRES: poll() has just said that fd() is writable. Writes as much as then cannot block. After an error
  // everything is discarded.
  Status WriteSome();
  // Drops what has been added and whatever will be.
  void Discard();
  // Whether lines written there should be in colour: a terminal, and nobody has said no.
  bool wants_colour() const;

 private:
  int fd_;
  std::string text_;
  size_t written_ = 0;
  bool is_lost_ = false;
};

class LinePrefixer final {
 public:
  explicit LinePrefixer(std::string prefix) : prefix_(std::move(prefix)) {}
  // Text in pieces of any size; lines leave as they become whole, overlong ones in several lines.
  void Add(std::string_view text, OutputQueue& out);
  // A last line without an end gets one.
  void Finish(OutputQueue& out);

 private:
  std::string prefix_;
  std::string partial_;
};

// "[worker/1] ", in the colour number `colour` where there are colours.
std::string TaskPrefix(std::string_view task, int colour, bool in_colour);

}  // namespace weir::cli

#endif  // WEIR_CLI_PREFIXED_OUTPUT_H_
