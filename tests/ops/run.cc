#include "tests/ops/run.h"

#include <algorithm>

#include "op/kernel.h"
#include "op/testing.h"
#include "proto/config.pb.h"
#include "runtime/kernel_cache.h"

namespace weir::optest {
namespace {

#ifdef WEIR_FEW_TYPES
constexpr bool kFewTypes = true;
#else
constexpr bool kFewTypes = false;
#endif

class CaseRunner final {
 public:
  CaseRunner(const OpRegistry& registry, const File& file, const Case& one, const RunMode& mode)
      : registry_(registry), file_(file), case_(one), mode_(mode), scope_(registry, mode, /*feeds_literals=*/true) {}

  Outcome Run() {
    for (const Function& function : file_.functions) {
      if (Status status = scope_.AddFunction(function); !status.ok()) {
        Fail(function.line, std::string(status.message()));
        return std::move(outcome_);
      }
    }
    const std::vector<Statement>& lines = case_.statements;
    for (size_t i = 0; i < lines.size() && outcome_.skipped.empty();) {
      size_t next = i + 1;
      if (IsCheck(lines[i].kind)) {
        while (next < lines.size() && IsCheck(lines[next].kind)) ++next;
        CheckValues(i, next);
      } else if (next < lines.size() && lines[next].kind == Kind::kError) {
        ExpectError(lines[i], lines[next]);
        ++next;
      } else if (Status status = Do(lines[i]); !status.ok()) {
        Fail(lines[i].line, status.ToString());
        break;  // later lines would only fail for the same reason
      }
      i = next;
    }
    if (session_ != nullptr) {
      if (Status status = session_->Close(); !status.ok()) Fail(case_.line, status.ToString());
    }
    if (!outcome_.skipped.empty()) outcome_.problems.clear();
    return std::move(outcome_);
  }

 private:
  void Fail(int line, std::string text) { outcome_.problems.push_back({line, std::move(text)}); }

  Status Do(const Statement& s) {
    switch (s.kind) {
      case Kind::kNode:
        return scope_.AddNode(s).status();
      case Kind::kLiteral:
        return scope_.AddLiteral(s.names[0], s.literal);
      case Kind::kRun:
        return RunTargets(s);
      case Kind::kFile:
        return scope_.AddFile(s.texts[0], s.texts[1]);
      case Kind::kLink:
        return scope_.Link(s.refs[0], s.refs[1]);
      case Kind::kGradient:
        return Gradient(s);
      case Kind::kRandom:
        return Random(s);
      case Kind::kShapeFn:
        return ShapeFunction(s);
      case Kind::kCovers:
        return Covers(s);
      case Kind::kThen:
        return OkStatus();
      case Kind::kFeed: {
        WEIR_ASSIGN(Feed * feed, scope_.FindFeed(s.names[0]));
        feed->value = s.literal.value;
        return OkStatus();
      }
      case Kind::kShapeOf: {
        if (!mode_.known_shapes) return OkStatus();
        WEIR_ASSIGN(const Output value, scope_.Value(s.refs[0]));
        if (value.shape() == s.shapes[0]) return OkStatus();
        return Internal("the shape of '{}' is known as {}, not {}", s.refs[0].name, value.shape(), s.shapes[0]);
      }
      default:
        return Internal("a line out of place");
    }
  }

  // False if a node of the case has no kernel in this build, which has few types.
  bool HasKernels() {
    if (!kFewTypes) return true;
    for (Node* node : scope_.graph().Nodes()) {
      if (node->op().is_function || node->op().kernels.empty()) continue;
      if (FindKernel(MakeNodeInfo(*node->props(), "/device:CPU:0"), "CPU").ok()) continue;
      outcome_.skipped = fmt::format("no kernel for '{}' ({})", node->name(), node->type());
      return false;
    }
    return true;
  }

  Result<std::vector<Tensor>> Step(const std::vector<Output>& fetches, const std::vector<Node*>& targets) {
    if (!HasKernels()) return Cancelled("skipped");
    if (session_ == nullptr) {
      WEIR_ASSIGN(session_, mode_.open(scope_.shared_graph()));
    }
    if (const std::vector<Node*> initializers = scope_.TakeInitializers(); !initializers.empty()) {
      WEIR_TRY(session_->Run({.targets = initializers}).status());
    }
    RunRequest request{scope_.feeds(), fetches, targets};
    tensorflow::RunOptions options;
    options.set_output_partition_graphs(true);
    tensorflow::RunMetadata metadata;
    if (mode_.observe) {
      request.options = &options;
      request.metadata = &metadata;
    }
    WEIR_ASSIGN(std::vector<Tensor> values, session_->Run(request));
    if (mode_.observe) mode_.observe(metadata);
    for (size_t i = 0; i < fetches.size(); ++i) {
      if (fetches[i].base_dtype() != values[i].dtype() || !fetches[i].shape().CompatibleWith(values[i].shape())) {
        return Internal("'{}' is known as {} {} before the run, but is {} {}", fetches[i].name(),
                        fetches[i].base_dtype(), fetches[i].shape(), values[i].dtype(), values[i].shape());
      }
    }
    WEIR_TRY(CheckMemory(fetches, values));
    return values;
  }

  // Checks the trait OutputMemory: the result of an op with kOwn never shares memory with its feeds.
  Status CheckMemory(const std::vector<Output>& fetches, const std::vector<Tensor>& values) {
    for (size_t i = 0; i < fetches.size(); ++i) {
      const Node& node = *fetches[i].node;
      if (node.op().output_memory() != OutputMemory::kOwn || values[i].num_elements() == 0) continue;
      for (const Feed& feed : scope_.feeds()) {
        const bool is_input = std::any_of(node.inputs().begin(), node.inputs().end(),
                                          [&](const Output& input) { return input == feed.output; });
        if (is_input && values[i].SharesMemoryWith(feed.value))
          return Internal("'{}' ({}) shares memory with an input, against its traits", node.name(), node.type());
      }
    }
    return OkStatus();
  }

  Status RunTargets(const Statement& s) {
    std::vector<Node*> targets;
    for (const Ref& ref : s.refs) {
      WEIR_ASSIGN(const Output output, scope_.Raw(ref));
      targets.push_back(output.node);
    }
    return Step({}, targets).status();
  }

  // Runs one step and checks its values with the lines [begin, end).
  void CheckValues(size_t begin, size_t end) {
    std::vector<Output> fetches;
    for (size_t i = begin; i < end; ++i) {
      const Statement& s = case_.statements[i];
      Result<Output> output = scope_.Value(s.refs[0]);
      if (!output.ok()) return Fail(s.line, output.status().ToString());
      fetches.push_back(*output);
    }
    const Result<std::vector<Tensor>> values = Step(fetches, {});
    if (!values.ok()) return Fail(case_.statements[begin].line, values.status().ToString());
    for (size_t i = begin; i < end; ++i) {
      const Statement& s = case_.statements[i];
      const Tensor& value = (*values)[i - begin];
      std::string wrong;
      if (s.kind == Kind::kEquals) {
        wrong = Difference(value, s.literal.value, s.tolerance);
      } else if (s.kind == Kind::kBetween) {
        wrong = OutOfRange(value, s.low, s.high);
      } else if (value.dtype() != s.literal.dtype || !s.literal.shape.CompatibleWith(value.shape())) {
        wrong = fmt::format("is {} {}, not {} {}", value.dtype(), value.shape(), s.literal.dtype, s.literal.shape);
      }
      if (!wrong.empty()) Fail(s.line, fmt::format("{}:{} {}", s.refs[0].name, s.refs[0].index, wrong));
    }
  }

  Status Try(const Statement& s) {
    if (s.kind == Kind::kRun) return RunTargets(s);
    WEIR_ASSIGN(Node * node, scope_.AddNode(s));
    std::vector<Output> fetches;
    for (int i = 0; i < node->num_outputs(); ++i) {
      const DType type = node->output_type(i);
      if (!IsRef(type) && type != kResource && type != kVariant) fetches.push_back(Output(node, i));
    }
    return Step(fetches, {node}).status();
  }

  void ExpectError(const Statement& s, const Statement& expected) {
    const Status status = Try(s);
    if (status.ok()) return Fail(expected.line, "there was no error");
    const std::string message(status.message());
    bool found = false;
    for (const std::string& text : expected.texts) found |= message.find(text) != std::string::npos;
    if (status.code() != expected.code || !found) return Fail(expected.line, "the error is: " + status.ToString());
    if (s.kind == Kind::kNode && s.call.op != "gradient" && message.find(s.call.op) == std::string::npos) {
      Fail(expected.line, "the error does not name the op: " + message);
    }
  }

  Status Gradient(const Statement& s) {
    if (!mode_.checks_gradients) return OkStatus();
    std::vector<Output> ys;
    std::vector<Output> xs;
    for (const Ref& ref : s.refs) {
      WEIR_ASSIGN(const Output y, scope_.Value(ref));
      ys.push_back(y);
    }
    for (const Ref& ref : s.wrt) {
      WEIR_ASSIGN(const Output x, scope_.Raw(ref));
      xs.push_back(x);
    }
    return CheckGradient(scope_, ys, std::move(xs), s.check != "none", s.tolerance.value_or(1e-6),
                         [&](const std::vector<Output>& fetches) { return Step(fetches, {}); });
  }

  Status Random(const Statement& s) {
    WEIR_ASSIGN(Node * node, scope_.AddNode(s));
    std::vector<Output> outputs;
    bool any_double = false;
    for (int i = 0; i < node->num_outputs(); ++i) {
      outputs.push_back(Output(node, i));
      any_double |= node->output_type(i) == kDouble || node->output_type(i) == kComplex128;
    }
    WEIR_TRY(Step(outputs, {}).status());
    bool double_fed = false;
    for (const Feed& feed : scope_.feeds())
      double_fed |= feed.output.dtype() == kDouble || feed.output.dtype() == kComplex128;
    if (!mode_.checks_gradients || !node->op().gradient || !any_double || !double_fed) return OkStatus();
    return CheckGradient(scope_, outputs, {}, /*exists=*/true, s.tolerance.value_or(1e-6),
                         [&](const std::vector<Output>& fetches) { return Step(fetches, {}); });
  }

  Status ShapeFunction(const Statement& s) {
    const OpDef* op = registry_.Find(s.call.op);
    std::vector<DType> types;
    std::vector<PartialShape> shapes;
    std::map<int, Tensor> known;
    for (const Arg& arg : s.call.args) {
      const Literal* literal = std::get_if<Literal>(&arg.value);
      if (literal == nullptr) return InvalidArgument("a shape line takes shapes and literals");
      if (literal->value.valid()) known.emplace(static_cast<int>(types.size()), literal->value);
      types.push_back(literal->dtype);
      shapes.push_back(literal->shape);
    }
    AttrMap attrs = s.call.attrs;
    Result<std::vector<PartialShape>> result = [&]() -> Result<std::vector<PartialShape>> {
      WEIR_TRY(InferTestAttrs(*op, types, &attrs));
      return InferShapes(*op, shapes, attrs, std::move(known));
    }();
    if (!s.texts.empty()) {
      if (result.ok()) return Internal("there was no error: {}", ShapesToText(*result));
      if (result.status().message().find(s.texts[0]) != std::string::npos) return OkStatus();
      return result.status();
    }
    WEIR_TRY(result.status());
    if (*result == s.shapes) return OkStatus();
    return Internal("the shape function gives {}, not {}", ShapesToText(*result), ShapesToText(s.shapes));
  }

  // Checks that the ops of a `covers` line occur in the case or in a function.
  Status Covers(const Statement& s) {
    for (const std::string& op : s.names) {
      bool found = false;
      for (Node* node : scope_.graph().Nodes()) found |= node->type() == op;
      for (const Function& function : file_.functions) {
        for (const Statement& line : function.statements) found |= line.call.op == op;
      }
      if (!found) return InvalidArgument("no node of the case so far is a {}", op);
    }
    return OkStatus();
  }

  const OpRegistry& registry_;
  const File& file_;
  const Case& case_;
  const RunMode& mode_;
  Scope scope_;
  std::unique_ptr<Session> session_;
  Outcome outcome_;
};

}  // namespace

Outcome RunCase(const OpRegistry& registry, const File& file, const Case& one, const RunMode& mode) {
  return CaseRunner(registry, file, one, mode).Run();
}

}  // namespace weir::optest
