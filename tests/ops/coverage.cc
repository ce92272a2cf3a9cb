#include "tests/ops/coverage.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace weir::optest {
namespace {

// True if no output can be fetched. Such an op is tested by its effects.
bool HasNoValues(const OpDef& op) {
  return std::all_of(op.outputs.begin(), op.outputs.end(),
                     [](const ArgDef& arg) { return arg.is_ref || arg.type == kResource || arg.type == kVariant; });
}

bool FeedsDouble(const std::vector<Arg>& args) {
  return std::any_of(args.begin(), args.end(), [](const Arg& arg) {
    if (const auto* list = std::get_if<std::vector<Arg>>(&arg.value)) return FeedsDouble(*list);
    const Literal* literal = std::get_if<Literal>(&arg.value);
    return literal != nullptr && (literal->dtype == kDouble || literal->dtype == kComplex128);
  });
}

class CaseCoverage final {
 public:
  CaseCoverage(const OpRegistry& registry, const Case& one, Coverage* coverage)
      : registry_(registry), case_(one), coverage_(*coverage) {}

  void Add() {
    const std::vector<Statement>& lines = case_.statements;
    const bool checks = std::any_of(lines.begin(), lines.end(), [](const Statement& s) { return IsCheck(s.kind); });
    for (size_t i = 0; i < lines.size(); ++i) {
      const Statement& s = lines[i];
      const bool fails = i + 1 < lines.size() && lines[i + 1].kind == Kind::kError;
      if (s.kind == Kind::kNode) AddNode(s, fails, checks);
      if (s.kind == Kind::kRun && fails) AddAll(s.refs, "error");
      if (IsCheck(s.kind)) AddAll(s.refs, "value");
      if (s.kind == Kind::kGradient) AddAll(s.refs, "gradient");
      if (s.kind == Kind::kShapeOf) AddAll(s.refs, "shape");
      if (s.kind == Kind::kShapeFn) coverage_[s.call.op].insert(s.texts.empty() ? "shape" : "error");
      if (s.kind == Kind::kRandom && FeedsDouble(s.call.args)) coverage_[s.call.op].insert("gradient");
      if (s.kind == Kind::kCovers) {
        for (const std::string& op : s.names) coverage_[op].insert(s.check);
      }
    }
  }

 private:
  void AddNode(const Statement& s, bool fails, bool checks) {
    for (const std::string& name : s.names) ops_[name] = s.call.op;
    const OpDef* op = registry_.Find(s.call.op);
    if (op == nullptr) return;
    if (fails) {
      coverage_[op->name].insert("error");
    } else if (checks && HasNoValues(*op)) {
      coverage_[op->name].insert("value");
    }
  }
  void AddAll(const std::vector<Ref>& refs, const char* check) {
    for (const Ref& ref : refs) {
      auto it = ops_.find(ref.name);
      if (it != ops_.end() && registry_.Find(it->second) != nullptr) coverage_[it->second].insert(check);
    }
  }

  const OpRegistry& registry_;
  const Case& case_;
  Coverage& coverage_;
  std::map<std::string, std::string, std::less<>> ops_;
};

struct Reasons {
  std::map<std::string, Checks, std::less<>> left_out;
  std::set<std::string> todo;
  std::vector<std::string> wrong;
};

Reasons ParseReasons(const OpRegistry& registry, const Groups& groups, std::string_view text) {
  Reasons reasons;
  int number = 0;
  for (const std::string& raw : Split(text, "\n")) {
    ++number;
    const std::string line = Trim(raw);
    if (line.empty() || line.front() == '#') continue;
    auto wrong = [&](std::string_view what) {
      reasons.wrong.push_back(fmt::format("reasons.txt:{}: {}: {}", number, what, line));
    };
    const std::vector<std::string> words = Split(line, " \t", /*skip_empty=*/true);
    if (words[0] == "todo") {
      if (words.size() != 2 || groups.count(words[1]) == 0) {
        wrong("'todo' and a folder of src/ops expected");
      } else {
        reasons.todo.insert(words[1]);
      }
      continue;
    }
    const OpDef* op = registry.Find(words[0]);
    if (op == nullptr) {
      wrong("there is no such op");
    } else if (words.size() < 5) {
      wrong("an op, its checks and a reason in words expected");
    } else {
      const Checks needed = NeededChecks(*op);
      for (const std::string& check : Split(words[1], ",")) {
        if (needed.count(check) == 0) wrong(fmt::format("the op needs no '{}'", check));
        reasons.left_out[op->name].insert(check);
      }
    }
  }
  return reasons;
}

}  // namespace

void AddCoverage(const OpRegistry& registry, const File& file, Coverage* coverage) {
  for (const Case& one : file.cases) CaseCoverage(registry, one, coverage).Add();
}

Checks NeededChecks(const OpDef& op) {
  Checks needed = {"value", "error"};
  if (!op.outputs.empty()) needed.insert("shape");
  if (op.gradient) needed.insert("gradient");
  return needed;
}

CoverageReport CheckCoverage(const OpRegistry& registry, const Groups& groups, const Coverage& coverage,
                             std::string_view reasons_text) {
  const Reasons reasons = ParseReasons(registry, groups, reasons_text);
  CoverageReport report{.wrong = reasons.wrong};
  for (const auto& [group, ops] : groups) {
    const bool todo = reasons.todo.count(group) != 0;
    bool complete = true;
    for (const std::string& name : ops) {
      const auto covered = coverage.find(name);
      const auto left_out = reasons.left_out.find(name);
      std::vector<std::string> missing;
      for (const std::string& check : NeededChecks(*registry.Find(name))) {
        const bool has = covered != coverage.end() && covered->second.count(check) != 0;
        const bool excused = left_out != reasons.left_out.end() && left_out->second.count(check) != 0;
        if (has && excused)
          report.wrong.push_back(fmt::format("{}: reasons.txt excuses its {}, but a case has it", name, check));
        if (!has && !excused) missing.push_back(check);
      }
      if (missing.empty()) continue;
      complete = false;
      (todo ? report.todo : report.wrong)
          .push_back(fmt::format("{}: {} lacks {}", group, name, absl::StrJoin(missing, ", ")));
    }
    if (todo && complete && !ops.empty())
      report.wrong.push_back(fmt::format("reasons.txt: 'todo {}' is done, take it out", group));
  }
  return report;
}

}  // namespace weir::optest
