// FunctionLibrary: the functions of a graph, stored as FunctionDefs and visible as ops by name. Also instantiates
// function bodies. Thread-safe. Returned OpDefs live as long as the library.
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

  // Lookups also search `base`. Names() and ToProto() leave its functions out.
  // REQUIRES: `base` outlives this library, and its chain of bases does not contain this library.
  void SetBase(const FunctionLibrary* base);

  // Adding an identical definition again is a no-op. A different one under the same name is an error.
  Status Add(const tensorflow::FunctionDef& def);
  Status AddLibrary(const tensorflow::FunctionDefLibrary& library);
  Status AddGradient(const std::string& function, const std::string& gradient);
  // Adds all functions of `other`. Definitions are shared, not copied; conflicts are errors, as for Add.
  Status AddAll(const FunctionLibrary& other);
  const OpDef* FindOp(std::string_view name) const;
  std::shared_ptr<const tensorflow::FunctionDef> Find(std::string_view name) const;
  std::string GradientOf(std::string_view function) const;  // "" if there is none
  bool empty() const;
  std::vector<std::string> Names() const;
  void ToProto(tensorflow::FunctionDefLibrary* proto) const;

 private:
  // Shared between libraries that contain the same function.
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

// The body of a function as a separate graph. _Arg and _Retval nodes (attributes T and index) represent its arguments
// and results.
struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<Node*> args;
  std::vector<Node*> results;
  std::vector<Node*> control_results;
};
// Instantiates a function with `attrs` for the placeholders of its definition. The body looks up its callees in
// `library`, which must outlive it. Nothing is pruned: stateful nodes that no result needs are kept.
Result<FunctionBody> InstantiateFunction(const FunctionLibrary& library, const OpRegistry& registry,
                                         std::string_view name, const AttrMap& attrs);
// Converts the part of a graph between `inputs` and `outputs` to a function (Defun, cond_v2, dataset maps). It contains
// the nodes that the outputs and control outputs need, and all stateful nodes. Arguments are named after the nodes of
// `inputs`, and results after the nodes of `outputs` unless output_names is given.
Result<tensorflow::FunctionDef> GraphToFunction(const Graph& graph, const std::string& name,
                                                const std::vector<Output>& inputs, const std::vector<Output>& outputs,
                                                const std::vector<std::string>& output_names,
                                                const std::vector<Node*>& control_outputs,
                                                const std::string& description);

}  // namespace weir

#endif  // WEIR_GRAPH_FUNCTION_LIBRARY_H_
