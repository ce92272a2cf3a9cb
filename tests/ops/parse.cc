#include "tests/ops/parse.h"

#include <algorithm>
#include <map>

namespace weir::optest {
namespace {

const std::map<std::string, StatusCode, std::less<>>& Codes() {
  static const std::map<std::string, StatusCode, std::less<>> codes = {
      {"Cancelled", StatusCode::kCancelled},
      {"Unknown", StatusCode::kUnknown},
      {"InvalidArgument", StatusCode::kInvalidArgument},
      {"DeadlineExceeded", StatusCode::kDeadlineExceeded},
      {"NotFound", StatusCode::kNotFound},
      {"AlreadyExists", StatusCode::kAlreadyExists},
      {"ResourceExhausted", StatusCode::kResourceExhausted},
      {"FailedPrecondition", StatusCode::kFailedPrecondition},
      {"Aborted", StatusCode::kAborted},
      {"OutOfRange", StatusCode::kOutOfRange},
      {"Unimplemented", StatusCode::kUnimplemented},
      {"Internal", StatusCode::kInternal},
      {"Unavailable", StatusCode::kUnavailable},
      {"DataLoss", StatusCode::kDataLoss},
  };
  return codes;
}

class Parser final {
 public:
  Parser(const OpRegistry& registry, const std::vector<std::string>& functions)
      : registry_(registry), functions_(functions) {}

  Result<Statement> Parse(const Line& line) {
    line_ = line.number;
    literals_ = 0;
    Cursor in(line.text);
    WEIR_ASSIGN(Statement statement, ParseStatement(in));
    if (!in.AtEnd()) return in.Error("text left over");
    statement.line = line.number;
    return statement;
  }

  // "NAME(x: float, y: int32[2]) -> z, w:1"
  Result<Function> FunctionHeader(const Block& block) {
    Cursor in(block.header);
    Function function{.line = block.line};
    WEIR_ASSIGN(function.name, in.Identifier());
    WEIR_TRY(in.Expect("("));
    while (!in.Take(")")) {
      if (!function.args.empty()) WEIR_TRY(in.Expect(","));
      WEIR_ASSIGN(std::string name, in.Identifier());
      WEIR_TRY(in.Expect(":"));
      WEIR_ASSIGN(const DType dtype, Type(in));
      Literal literal{.dtype = dtype};
      if (in.Peek() == '[') {
        WEIR_ASSIGN(literal.shape, ParseShape(in));
      }
      function.args.emplace_back(std::move(name), std::move(literal));
    }
    if (in.Take("->")) {
      WEIR_ASSIGN(function.results, Refs(in));
    }
    if (!in.AtEnd()) return in.Error("text left over");
    return function;
  }

 private:
  Result<Statement> ParseStatement(Cursor& in) {
    Statement s;
    Cursor start = in;
    const std::string word(in.Word());
    if (word == "error" && in.Peek() != '=') return Error(in);
    if (word == "run") {
      s.kind = Kind::kRun;
      WEIR_ASSIGN(s.refs, Refs(in));
      return s;
    }
    if (word == "feed") {
      s.kind = Kind::kFeed;
      WEIR_ASSIGN(std::string name, in.Identifier());
      s.names.push_back(std::move(name));
      WEIR_TRY(in.Expect("="));
      WEIR_ASSIGN(s.literal, LiteralWithValue(in));
      return s;
    }
    if (word == "gradient" && in.Peek() != '=' && in.Peek() != '(') return Gradient(in);
    if (word == "shape" && in.Peek() != '=') return Shape(in);
    if (word == "random") {
      s.kind = Kind::kRandom;
      WEIR_ASSIGN(s.call, ParseCall(in, /*values=*/true));
      for (Arg& arg : s.call.args) WEIR_TRY(FillIn(arg));
      return Tolerance(in, std::move(s));
    }
    if (word == "then" && in.AtEnd()) {
      s.kind = Kind::kThen;
      return s;
    }
    if (word == "covers") return Covers(in);
    if (word == "file") {
      s.kind = Kind::kFile;
      for (int i = 0; i < 2; ++i) {
        WEIR_ASSIGN(std::string text, ParseQuoted(in));
        s.texts.push_back(std::move(text));
      }
      return s;
    }
    if (word == "link") {
      s.kind = Kind::kLink;
      for (int i = 0; i < 2; ++i) {
        if (i == 1) WEIR_TRY(in.Expect("="));
        WEIR_ASSIGN(Ref ref, OneRef(in));
        s.refs.push_back(std::move(ref));
      }
      return s;
    }
    in = start;
    return NodeOrCheck(in);
  }

  Result<Statement> NodeOrCheck(Cursor& in) {
    Statement s;
    Cursor start = in;
    WEIR_ASSIGN(Ref first, OneRef(in));
    if (in.Peek() == '(') {  // a node without a name
      in = start;
      return NodeLine(in, std::move(s));
    }
    s.refs = {first};
    if (in.Take("==")) {
      s.kind = Kind::kEquals;
      WEIR_ASSIGN(s.literal, LiteralWithValue(in));
      return Tolerance(in, std::move(s));
    }
    if (in.TakeWord("is")) {
      s.kind = Kind::kIs;
      WEIR_ASSIGN(const DType dtype, Type(in));
      WEIR_ASSIGN(s.literal, ParseLiteral(in, dtype, 0));
      return s;
    }
    if (in.TakeWord("between")) {
      s.kind = Kind::kBetween;
      WEIR_ASSIGN(s.low, in.Number<double>());
      WEIR_TRY(in.TakeWord("and") ? OkStatus() : in.Error("'and' expected"));
      WEIR_ASSIGN(s.high, in.Number<double>());
      return s;
    }
    s.refs.clear();
    s.names.push_back(first.name);
    while (in.Take(",")) {
      WEIR_ASSIGN(std::string name, in.Identifier());
      s.names.push_back(std::move(name));
    }
    if (!in.Take("=")) return in.Error("'=', '==', 'is' or 'between' expected");
    Cursor value = in;
    const std::string_view word = in.Word();
    if (!word.empty() && in.Peek() == '(') {
      in = value;
      return NodeLine(in, std::move(s));
    }
    in = value;
    s.kind = Kind::kLiteral;
    WEIR_ASSIGN(s.literal, LiteralWithValue(in));
    return s;
  }

  Result<Statement> NodeLine(Cursor& in, Statement s) {
    s.kind = Kind::kNode;
    WEIR_ASSIGN(s.call, ParseCall(in, /*values=*/true));
    if (in.TakeWord("after")) {
      do {
        WEIR_ASSIGN(std::string name, in.Identifier());
        s.after.push_back(std::move(name));
      } while (in.Take(","));
    }
    return s;
  }

  Result<Statement> Error(Cursor& in) {
    Statement s{.kind = Kind::kError};
    const std::string word(in.Word());
    auto it = Codes().find(word);
    if (it == Codes().end()) return in.Error(fmt::format("'{}' is no error code", word));
    s.code = it->second;
    while (in.Peek() == '"' || in.Peek() == '\'') {
      WEIR_ASSIGN(std::string text, ParseQuoted(in));
      s.texts.push_back(std::move(text));
      if (!in.TakeWord("or")) break;
    }
    if (s.texts.empty()) return in.Error("a text that the message contains expected");
    return s;
  }

  Result<Statement> Gradient(Cursor& in) {
    Statement s{.kind = Kind::kGradient};
    WEIR_ASSIGN(s.refs, Refs(in));
    if (in.TakeWord("wrt")) {
      WEIR_ASSIGN(s.wrt, Refs(in));
    }
    if (in.TakeWord("is")) {
      WEIR_TRY(in.TakeWord("none") ? OkStatus() : in.Error("'none' expected"));
      s.check = "none";
    }
    return Tolerance(in, std::move(s));
  }

  Result<Statement> Tolerance(Cursor& in, Statement s) {
    if (in.TakeWord("within")) {
      WEIR_ASSIGN(s.tolerance, in.Number<double>());
    }
    return s;
  }

  // "shape Op(inputs; attributes) -> shapes | error 'text'", or "shape y -> [2,?]".
  Result<Statement> Shape(Cursor& in) {
    Statement s{.kind = Kind::kShapeFn};
    Cursor start = in;
    WEIR_ASSIGN(Ref ref, OneRef(in));
    const bool of_value = in.Peek() != '(';
    if (of_value) {
      s.kind = Kind::kShapeOf;
      s.refs = {std::move(ref)};
    } else {
      in = start;
      WEIR_ASSIGN(s.call, ParseCall(in, /*values=*/false));
    }
    WEIR_TRY(in.Expect("->"));
    if (!of_value && in.TakeWord("error")) {
      WEIR_ASSIGN(std::string text, ParseQuoted(in));
      s.texts.push_back(std::move(text));
      return s;
    }
    while (!in.AtEnd()) {
      WEIR_ASSIGN(PartialShape shape, ParseShape(in));
      s.shapes.push_back(std::move(shape));
      if (!in.Take(",")) break;
    }
    if (of_value && s.shapes.size() != 1) return in.Error("one shape expected");
    return s;
  }

  Result<Statement> Covers(Cursor& in) {
    Statement s{.kind = Kind::kCovers, .check = "value"};
    for (const char* check : {"value", "error", "shape", "gradient"}) {
      Cursor ahead = in;
      if (!ahead.TakeWord(check)) continue;
      s.check = check;
      in = ahead;
    }
    while (!in.AtEnd()) {
      in.Take(",");
      WEIR_ASSIGN(std::string op, in.Identifier());
      if (registry_.Find(op) == nullptr) return in.Error(fmt::format("there is no op '{}'", op));
      s.names.push_back(std::move(op));
    }
    return s;
  }

  Result<std::vector<Ref>> Refs(Cursor& in) {
    std::vector<Ref> refs;
    do {
      WEIR_ASSIGN(Ref ref, OneRef(in));
      refs.push_back(std::move(ref));
    } while (in.Take(","));
    return refs;
  }

  Result<Ref> OneRef(Cursor& in) {
    Ref ref;
    WEIR_ASSIGN(ref.name, in.Identifier());
    if (in.Take(":")) {
      WEIR_ASSIGN(const int64_t index, in.Number<int64_t>());
      ref.index = static_cast<int>(index);
    }
    return ref;
  }

  Result<DType> Type(Cursor& in) {
    Cursor before = in;
    const std::string word(in.Word());
    Result<DType> type = ParseDType(word);
    if (!type.ok()) return before.Error(fmt::format("'{}' is not an element type", word));
    return type;
  }

  Result<Literal> OneLiteral(Cursor& in) {
    Role role = Role::kFed;
    if (in.TakeWord("const")) {
      role = Role::kConst;
    } else if (in.TakeWord("var")) {
      role = Role::kVariable;
    } else if (in.TakeWord("resource_var")) {
      role = Role::kResource;
    }
    WEIR_ASSIGN(const DType dtype, Type(in));
    WEIR_ASSIGN(Literal literal, ParseLiteral(in, dtype, static_cast<uint64_t>(line_) * 64 + ++literals_));
    literal.role = role;
    return literal;
  }

  Result<Literal> LiteralWithValue(Cursor& in) {
    WEIR_ASSIGN(Literal literal, OneLiteral(in));
    if (!literal.value.valid()) return in.Error("values expected");
    return literal;
  }

  // Fills literals without values with random ones.
  Status FillIn(Arg& arg) {
    if (auto* list = std::get_if<std::vector<Arg>>(&arg.value)) {
      for (Arg& element : *list) WEIR_TRY(FillIn(element));
    }
    Literal* literal = std::get_if<Literal>(&arg.value);
    if (literal == nullptr || literal->value.valid()) return OkStatus();
    if (!literal->shape.fully_defined()) return InvalidArgument("random values need a known shape");
    const bool integer = IsInteger(literal->dtype);
    const uint64_t seed = static_cast<uint64_t>(line_) * 64 + 32 + ++literals_;
    WEIR_ASSIGN(literal->value,
                RandomTensor(literal->dtype, literal->shape.ToShape(), integer ? 0 : -2, integer ? 9 : 2, seed));
    return OkStatus();
  }

  // With `values`, arguments are values. Without, they are shapes for a shape function; a literal is then a known
  // value.
  Result<Call> ParseCall(Cursor& in, bool values) {
    Call call;
    WEIR_ASSIGN(call.op, in.Identifier());
    const OpDef* op = registry_.Find(call.op);
    const bool is_function = std::find(functions_.begin(), functions_.end(), call.op) != functions_.end();
    if (op == nullptr && !is_function && call.op != "gradient") {
      return in.Error(fmt::format("there is no op '{}'", call.op));
    }
    WEIR_TRY(in.Expect("("));
    while (in.Peek() != ')' && in.Peek() != ';') {
      if (!call.args.empty()) WEIR_TRY(in.Expect(","));
      WEIR_ASSIGN(Arg arg, ParseArg(in, values));
      call.args.push_back(std::move(arg));
    }
    if (in.Take(";")) {
      do {
        WEIR_ASSIGN(std::string name, in.Identifier());
        WEIR_TRY(in.Expect("="));
        const AttrDef* def = op == nullptr ? nullptr : op->FindAttr(name);
        if (def == nullptr && !name.starts_with('_')) {
          return in.Error(fmt::format("op '{}' has no attribute '{}'", call.op, name));
        }
        WEIR_ASSIGN(call.attrs[name], Attr(in, def == nullptr ? "string" : def->type));
      } while (in.Take(","));
    }
    WEIR_TRY(in.Expect(")"));
    return call;
  }

  Result<Arg> ParseArg(Cursor& in, bool values) {
    if (!values && (in.Peek() == '[' || in.Peek() == '?')) {
      Literal literal;
      WEIR_ASSIGN(literal.shape, ParseShape(in));
      return Arg{literal};
    }
    if (in.Take("[")) {
      std::vector<Arg> list;
      while (!in.Take("]")) {
        if (!list.empty()) WEIR_TRY(in.Expect(","));
        WEIR_ASSIGN(Arg arg, ParseArg(in, values));
        list.push_back(std::move(arg));
      }
      return Arg{std::move(list)};
    }
    Cursor ahead = in;
    const std::string word(ahead.Word());
    const bool role = word == "const" || word == "var" || word == "resource_var";
    const bool typed = ParseDType(word).ok() && (ahead.Peek() == '[' || ahead.Peek() == '{' || ahead.Peek() == '?');
    if (role || typed || (!values && ParseDType(word).ok())) {
      WEIR_ASSIGN(Literal literal, OneLiteral(in));
      return Arg{std::move(literal)};
    }
    WEIR_ASSIGN(Ref ref, OneRef(in));
    return Arg{std::move(ref)};
  }

  template <class T, class F>
  Result<AttrValue> AttrOf(Cursor& in, bool list, F&& parse) {
    if (!list) {
      WEIR_ASSIGN(T value, parse(in));
      return AttrValue(std::move(value));
    }
    std::vector<T> values;
    WEIR_TRY(in.Expect("["));
    while (!in.Take("]")) {
      if (!values.empty()) WEIR_TRY(in.Expect(","));
      WEIR_ASSIGN(T value, parse(in));
      values.push_back(std::move(value));
    }
    return AttrValue(std::move(values));
  }

  Result<AttrValue> Attr(Cursor& in, std::string_view kind) {
    const bool list = kind.starts_with("list(");
    if (list) kind = kind.substr(5, kind.size() - 6);
    if (kind == "string") return AttrOf<std::string>(in, list, ParseQuoted);
    if (kind == "int") return AttrOf<int64_t>(in, list, [](Cursor& c) { return c.Number<int64_t>(); });
    if (kind == "float") return AttrOf<float>(in, list, [](Cursor& c) { return c.Number<float>(); });
    if (kind == "type") return AttrOf<DType>(in, list, [&](Cursor& c) { return Type(c); });
    if (kind == "shape") return AttrOf<PartialShape>(in, list, ParseShape);
    if (kind == "bool") {
      return AttrOf<bool>(in, list, [](Cursor& c) -> Result<bool> {
        if (c.TakeWord("true")) return true;
        if (c.TakeWord("false")) return false;
        return c.Error("true or false expected");
      });
    }
    if (kind == "tensor") {
      return AttrOf<Tensor>(in, list, [&](Cursor& c) -> Result<Tensor> {
        WEIR_ASSIGN(Literal literal, LiteralWithValue(c));
        return literal.value;
      });
    }
    return AttrOf<FuncAttr>(in, list, [](Cursor& c) -> Result<FuncAttr> {
      WEIR_ASSIGN(std::string name, c.Identifier());
      return FuncAttr{std::move(name), nullptr};
    });
  }

  const OpRegistry& registry_;
  const std::vector<std::string>& functions_;
  int line_ = 0;
  uint64_t literals_ = 0;
};

Status CheckOrder(const std::string& name, const std::vector<Statement>& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].kind != Kind::kError) continue;
    if (i > 0 && (statements[i - 1].kind == Kind::kNode || statements[i - 1].kind == Kind::kRun)) continue;
    return ErrorAt(name, statements[i].line, "an error line follows a node or a run");
  }
  return OkStatus();
}

}  // namespace

Result<File> ParseFile(const OpRegistry& registry, const std::string& name, std::string_view text) {
  WEIR_ASSIGN(const std::vector<Block> blocks, ReadBlocks(name, text));
  File file{.name = name};
  std::vector<std::string> functions;
  Parser parser(registry, functions);
  auto at = [&](int line, const Status& status) { return ErrorAt(name, line, std::string(status.message())); };
  for (const Block& block : blocks) {
    std::vector<Statement> statements;
    bool known_shapes_only = false;
    bool one_task_only = false;
    std::vector<Line> lines = block.body;
    const bool one_line = block.keyword == "shape" || block.keyword == "random";
    if (one_line) lines.insert(lines.begin(), Line{block.line, block.keyword + " " + block.header});
    for (const Line& line : lines) {
      if (line.text == "only known shapes" || line.text == "only one task") {
        (line.text == "only one task" ? one_task_only : known_shapes_only) = true;
        continue;
      }
      Result<Statement> statement = parser.Parse(line);
      if (!statement.ok()) return at(line.number, statement.status());
      statements.push_back(*std::move(statement));
    }
    WEIR_TRY(CheckOrder(name, statements));
    if (block.keyword == "function") {
      Result<Function> function = parser.FunctionHeader(block);
      if (!function.ok()) return at(block.line, function.status());
      function->statements = std::move(statements);
      functions.push_back(function->name);
      file.functions.push_back(*std::move(function));
      continue;
    }
    std::string title = one_line ? block.keyword + " " + block.header : block.header + block.variant;
    file.cases.push_back({block.line, std::move(title), known_shapes_only, one_task_only, std::move(statements)});
  }
  return file;
}

}  // namespace weir::optest
