// The outer form of an .optest file: blocks of lines, with tables and `for` clauses written out. See README.md.
// Invariant: every block carries the line in the file that a reader should look at.
#ifndef WEIR_TESTS_OPS_TEXT_H_
#define WEIR_TESTS_OPS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weir::optest {

struct Line {
  int number = 0;
  std::string text;  // without comment and surrounding space; lines joined while a bracket is open
};

// One `case`, `function`, `shape` or `random`, with nothing left to fill in.
struct Block {
  int line = 0;
  std::string keyword;
  std::string header;   // what follows the keyword
  std::string variant;  // of a case whose header names none of what was filled in: that
  std::vector<Line> body;
};

// Errors say "name:line: what".
Result<std::vector<Block>> ReadBlocks(std::string_view name, std::string_view text);
// The parts of a text between separators; with `skip_empty` only those that are not empty.
std::vector<std::string> Split(std::string_view text, std::string_view separators, bool skip_empty = false);
std::string Trim(std::string_view text);
Status ErrorAt(std::string_view name, int line, std::string_view what);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_TEXT_H_
