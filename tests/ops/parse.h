// Parser for the statements of an .optest file. README.md describes the language.
// Invariant: a parsed file uses only ops and attributes that the registry has.
#ifndef WEIR_TESTS_OPS_PARSE_H_
#define WEIR_TESTS_OPS_PARSE_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "op/op_registry.h"
#include "tests/ops/literal.h"
#include "tests/ops/text.h"

namespace weir::optest {

// A reference to an earlier value: "y", or "y:1" for another output.
struct Ref {
  std::string name;
  int index = 0;
};

struct Arg {
  std::variant<Literal, Ref, std::vector<Arg>> value;
};

struct Call {
  std::string op;  // "gradient" for d(y)/d(x)
  std::vector<Arg> args;
  AttrMap attrs;
};

enum class Kind {
  kNode,      // names = call after ...
  kLiteral,   // names[0] = literal
  kError,     // the node or run before fails with code and one of texts
  kRun,       // a step with refs as targets
  kFeed,      // names[0] is fed literal from now on
  kEquals,    // refs[0] == literal within tolerance
  kIs,        // refs[0] has the literal's type and shape
  kBetween,   // refs[0] in [low, high]
  kGradient,  // gradient of refs with respect to wrt within tolerance; check "none": there is no gradient
  kShapeOf,   // refs[0] has the static shape shapes[0]
  kShapeFn,   // call -> shapes, or fails with texts[0]
  kRandom,    // call on random values
  kCovers,    // names: ops; check
  kFile,      // texts: name, content
  kThen,      // starts another step
  kLink,      // input refs[0].index of node refs[0] becomes refs[1]
};
// Whether statements of this kind compare a value.
inline bool IsCheck(Kind kind) { return kind == Kind::kEquals || kind == Kind::kIs || kind == Kind::kBetween; }

struct Statement {
  int line = 0;
  Kind kind = Kind::kNode;
  std::vector<std::string> names;
  Call call;
  std::vector<std::string> after;
  Literal literal;
  std::vector<Ref> refs;
  std::vector<Ref> wrt;
  std::optional<double> tolerance;
  double low = 0;
  double high = 0;
  StatusCode code = StatusCode::kOk;
  std::vector<std::string> texts;
  std::vector<PartialShape> shapes;
  std::string check;
};

struct Case {
  int line = 0;
  std::string title;
  bool known_shapes_only = false;
  bool one_task_only = false;
  std::vector<Statement> statements;
};

// A function that cases pass as an attribute or call as an op.
struct Function {
  int line = 0;
  std::string name;
  std::vector<std::pair<std::string, Literal>> args;  // type and shape
  std::vector<Ref> results;
  std::vector<Statement> statements;
};

struct File {
  std::string name;
  std::vector<Function> functions;
  std::vector<Case> cases;
};

// Error messages have the form "name:line: what".
Result<File> ParseFile(const OpRegistry& registry, const std::string& name, std::string_view text);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_PARSE_H_
