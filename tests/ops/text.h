// Splits an .optest file into blocks of lines, with tables and `for` clauses expanded. See README.md.
// Invariant: every block has the line number in the file that error messages should name.
#ifndef WEIR_TESTS_OPS_TEXT_H_
#define WEIR_TESTS_OPS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weir::optest {

struct Line {
  int number = 0;
  std::string text;  // without comment and surrounding space; lines are joined while a bracket is open
};

// One `case`, `function`, `shape` or `random`, with all substitutions done.
struct Block {
  int line = 0;
  std::string keyword;
  std::string header;  // the rest of the line after the keyword
  std::string
      variant;  // the substituted values, if the header does not contain them; appended to the title of the case
  std::vector<Line> body;
};

// Error messages have the form "name:line: what".
Result<std::vector<Block>> ReadBlocks(std::string_view name, std::string_view text);
// Splits a text at the separators. `skip_empty` drops empty parts.
std::vector<std::string> Split(std::string_view text, std::string_view separators, bool skip_empty = false);
std::string Trim(std::string_view text);
Status ErrorAt(std::string_view name, int line, std::string_view what);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_TEXT_H_
