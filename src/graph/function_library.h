// FunctionLibrary: the functions of a graph, as messages, seen as ops by name; and bodies made from
// them. Thread-safe. OpDefs handed out live as long as the library.
#ifndef WEIR_GRAPH_FUNCTION_LIBRARY_H_
#define WEIR_GRAPH_FUNCTION_LIBRARY_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "proto/function.pb.h"

namespace weir {

class FunctionLibrary final {
 public:
  explicit FunctionLibrary(const OpRegistry& registry) : registry_(registry) {}

  // From now on whoever looks for a function here finds those of `base`, too. Names() and ToProto() leave them out.
  // REQUIRES: `base` outlives this library, and has no base itself that leads back here.
  void SetBase(const FunctionLibrary* base);

  // Adding the same definition again is fine; another one under the same name is an error.
  Status Add(const tensorflow::FunctionDef& def);
  Status AddLibrary(const tensorflow::FunctionDefLibrary& library);
  Status AddGradient(const std::string& function, const std::string& gradient);
  // Replaces nothing, merges all of `other` into this one. Definitions are shared, not copied.
  Status AddAll(const FunctionLibrary& other);
  const OpDef* FindOp(std::string_view name) const;
  std::shared_ptr<const tensorflow::FunctionDef> Find(std::string_view name) const;
  std::string GradientOf(std::string_view function) const;  // "" when none
  bool empty() const;
  std::vector<std::string> Names() const;
  void ToProto(tensorflow::FunctionDefLibrary* proto) const;

 private:
  // Libraries that have the same function share both.
  struct Entry {
    std::shared_ptr<const tensorflow::FunctionDef> def;
    std::shared_ptr<const OpDef> op;
  };
  Status AddEntry(const std::string& name, Entry entry);
  std::optional<Entry> FindEntry(std::string_view name) const;

  const OpRegistry& registry_;
  mutable std::mutex mu_;
  const FunctionLibrary* base_ = nullptr;
  std::map<std::string, Entry, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> gradients_;
};

// A function's body as a graph of its own: _Arg and _Retval nodes (attributes T and index) stand
// for its arguments and results.
struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<Node*> args;
  std::vector<Node*> results;
  std::vector<Node*> control_results;
};
// With `attrs` put in for the placeholders of the definition. The body finds the functions that it calls in `library`,
// which outlives it. Nothing is pruned: stateful nodes that no result needs are there, too.
Result<FunctionBody> InstantiateFunction(const FunctionLibrary& library, const OpRegistry& registry,
                                         std::string_view name, const AttrMap& attrs);
// A graph built between `inputs` and `outputs` written down as a function (Defun, cond_v2, dataset
// maps): the nodes that outputs and control outputs need, and stateful ones. Arguments are called
// after the nodes of `inputs`; without output_names, results are called after theirs.
Result<tensorflow::FunctionDef> GraphToFunction(const Graph& graph, const std::string& name,
                                                const std::vector<Output>& inputs, const std::vector<Output>& outputs,
                                                const std::vector<std::string>& output_names,
                                                const std::vector<Node*>& control_outputs,
                                                const std::string& description);

}  // namespace weir

#endif  // WEIR_GRAPH_FUNCTION_LIBRARY_H_
