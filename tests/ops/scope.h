// Scope: builds the graph of one case, or the body of one function, line by line, and knows the values of its names.
#ifndef WEIR_TESTS_OPS_SCOPE_H_
#define WEIR_TESTS_OPS_SCOPE_H_

#include <map>
#include <memory>

#include "graph/node_builder.h"
#include "session/session.h"
#include "tests/ops/parse.h"

namespace weir::optest {

// How the graphs of the cases are run: in a local or a remote session.
struct RunMode {
  std::string name;
  bool known_shapes = true;  // false: placeholders have unknown shapes
  bool checks_gradients = true;
  std::function<Result<std::unique_ptr<Session>>(std::shared_ptr<Graph>)> open;
  bool spread = false;                     // nodes are spread over several tasks
  std::function<std::string(int)> device;  // returns the device of the n-th node of a case; may be null
  std::function<void(const tensorflow::RunMetadata&)> observe;  // gets the plan of every step; may be null
};

class Scope final {
 public:
  // With `feeds_literals`, literals become placeholders; without (in a function body), constants.
  Scope(const OpRegistry& registry, const RunMode& mode, bool feeds_literals);

  Graph& graph() const { return *graph_; }
  const std::shared_ptr<Graph>& shared_graph() const { return graph_; }
  std::vector<Feed>& feeds() { return feeds_; }
  // Takes the initializers of variables that have not been run yet.
  std::vector<Node*> TakeInitializers() { return std::move(initializers_); }

  Status AddFunction(const Function& function);
  // Builds the node (or gradients) of the line and binds its names.
  Result<Node*> AddNode(const Statement& statement);
  Status AddLiteral(const std::string& name, const Literal& literal);
  Status AddPlaceholder(const std::string& name, const Literal& literal);
  Status AddFile(const std::string& name, const std::string& content);
  Status Link(const Ref& input, const Ref& value);

  // The value of a name. Reads a resource variable that was made by a literal.
  Result<Output> Value(const Ref& ref);
  Result<Output> Raw(const Ref& ref) const;
  Result<Feed*> FindFeed(const std::string& name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  struct Bound {
    Output output;
    bool whole_node = false;        // the name refers to the whole node: "name:1" is output 1
    DType variable = kInvalidType;  // type of a resource variable made by a literal
    Output read;
  };
  Result<Output> MakeLiteral(const std::string& name, const Literal& literal);
  Result<Output> MakeVariable(const std::string& name, const Literal& literal);
  Result<Input> MakeInput(const Arg& arg);
  Result<Node*> AddGradientNodes(const Statement& statement);
  Status Bind(const std::string& name, Bound bound);
  std::string Device() const;  // device of the next node
  std::string InFolder(std::string text) const;

  const RunMode& mode_;
  const bool feeds_literals_;
  std::shared_ptr<Graph> graph_;
  std::map<std::string, Bound, std::less<>> names_;
  std::vector<Feed> feeds_;
  std::vector<Node*> initializers_;
  std::string folder_;  // contains the files of `file` lines
  int nodes_ = 0;
};

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_SCOPE_H_
