#include "tests/ops/text.h"

#include "absl/strings/str_replace.h"

namespace weir::optest {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;  // "$name" -> text

// Removes the comment and counts the open brackets.
std::string Strip(std::string_view line, int* open) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#') {
      line = line.substr(0, i);
      break;
    } else if (c == '(' || c == '{') {
      ++*open;
    } else if (c == ')' || c == '}') {
      --*open;
    }
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return std::string(line);
}

std::vector<std::string> Cells(std::string_view row) {
  row.remove_prefix(1);
  if (row.ends_with('|')) row.remove_suffix(1);
  std::vector<std::string> cells;
  for (const std::string& cell : Split(row, "|")) cells.push_back(Trim(cell));
  return cells;
}

Block FilledIn(const Block& block, const Values& values) {
  Block filled = block;
  filled.header = absl::StrReplaceAll(block.header, values);
  if (block.keyword == "case" && filled.header == block.header) {
    for (const auto& [name, value] : values) filled.variant += fmt::format(" ({}: {})", name.substr(1), value);
  }
  for (Line& line : filled.body) line.text = absl::StrReplaceAll(line.text, values);
  return filled;
}

// Expands "case NAME for T in half float" to one block per word.
std::vector<Block> WithoutFor(const Block& block) {
  const size_t at = block.header.rfind(" for ");
  if (at == std::string::npos) return {block};
  const std::vector<std::string> words = Split(block.header.substr(at + 5), " ,", /*skip_empty=*/true);
  if (words.size() < 3 || words[1] != "in") return {block};
  Block rest = block;
  rest.header = Trim(block.header.substr(0, at));
  std::vector<Block> all;
  for (size_t i = 2; i < words.size(); ++i) {
    for (Block& one : WithoutFor(FilledIn(rest, {{"$" + words[0], words[i]}}))) all.push_back(std::move(one));
  }
  return all;
}

// Expands a table, whose lines start with '|': the first line names the columns, every other line makes a block.
Result<std::vector<Block>> WithoutTable(std::string_view name, const Block& block) {
  Block rest = block;
  rest.body.clear();
  std::vector<std::string> columns;
  std::vector<std::pair<int, Values>> rows;
  for (const Line& line : block.body) {
    if (!line.text.starts_with('|')) {
      rest.body.push_back(line);
      continue;
    }
    std::vector<std::string> cells = Cells(line.text);
    if (columns.empty()) {
      columns = std::move(cells);
      continue;
    }
    if (cells.size() != columns.size()) {
      return ErrorAt(name, line.number, fmt::format("{} cells under {} columns", cells.size(), columns.size()));
    }
    Values values;
    for (size_t i = 0; i < cells.size(); ++i) values.emplace_back("$" + columns[i], cells[i]);
    rows.emplace_back(line.number, std::move(values));
  }
  if (columns.empty()) return std::vector<Block>{rest};
  if (rows.empty()) return ErrorAt(name, block.line, "a table without rows");
  std::vector<Block> all;
  for (const auto& [line, values] : rows) {
    all.push_back(FilledIn(rest, values));
    all.back().line = line;
  }
  return all;
}

}  // namespace

std::vector<std::string> Split(std::string_view text, std::string_view separators, bool skip_empty) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find_first_of(separators);
    const std::string_view part = text.substr(0, at);
    if (!part.empty() || !skip_empty) parts.emplace_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

Status ErrorAt(std::string_view name, int line, std::string_view what) {
  return InvalidArgument("{}:{}: {}", name, line, what);
}

Result<std::vector<Block>> ReadBlocks(std::string_view name, std::string_view text) {
  std::vector<Block> raw;
  int number = 0;
  int open = 0;
  bool indented = false;
  std::string joined;
  int first = 0;
  for (const std::string& physical : Split(text, "\n")) {
    ++number;
    const std::string line = Strip(physical, &open);
    const std::string content = Trim(line);
    if (joined.empty()) {
      if (content.empty()) continue;
      indented = content.size() != line.size();
      first = number;
      joined = content;
    } else if (!content.empty()) {
      joined += ' ';
      joined += content;
    }
    if (open < 0) return ErrorAt(name, number, "a bracket closes that was not open");
    if (open > 0) continue;
    if (indented) {
      if (raw.empty()) return ErrorAt(name, first, "an indented line before any case");
      raw.back().body.push_back({first, joined});
    } else {
      const size_t space = joined.find(' ');
      Block block{first, joined.substr(0, space), space == std::string::npos ? "" : joined.substr(space + 1), "", {}};
      if (block.keyword != "case" && block.keyword != "function" && block.keyword != "shape" &&
          block.keyword != "random") {
        return ErrorAt(name, first,
                       fmt::format("'{}' does not start a case, function, shape or random", block.keyword));
      }
      raw.push_back(std::move(block));
    }
    joined.clear();
  }
  if (open > 0) return ErrorAt(name, first, "a bracket stays open");
  std::vector<Block> blocks;
  for (const Block& block : raw) {
    WEIR_ASSIGN(const std::vector<Block> rows, WithoutTable(name, block));
    for (const Block& row : rows) {
      for (Block& one : WithoutFor(row)) blocks.push_back(std::move(one));
    }
  }
  return blocks;
}

}  // namespace weir::optest
