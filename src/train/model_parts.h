// The nodes and the saver that get a model ready and keep it: those that a graph's collections name, and defaults for
// the rest, which the collections name from then on. What Supervisor and Scaffold have in common.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "train/session_manager.h"

namespace weir {

class ModelParts final {
 public:
  // What becomes of a collection with several items: FailedPrecondition, or the first is taken.
  enum class Several { kError, kFirst };
  ModelParts(Graph& graph, Several several) : graph_(graph), several_(several) {}

  using MakeOutput = FunctionRef<Result<Output>()>;
  using MakeNode = FunctionRef<Result<Node*>()>;
  using MakeSaver = FunctionRef<Result<std::shared_ptr<Saver>>()>;
  Result<std::optional<ReadyOp>> Find(const char* collection) const;
  Result<ReadyOp> FindOrMake(const char* collection, MakeOutput make) const;
  Result<std::vector<Node*>> FindOrMakeNodes(const char* collection, MakeNode make) const;
  // That of the graph's collection, or all summaries merged; none without any.
  Result<std::optional<Output>> Summary() const;
  Result<std::shared_ptr<Saver>> FindOrMakeSaver(MakeSaver make) const;

  std::vector<VariablePtr> AllVariables() const;  // global and local ones
  // Initializes local variables and tables and, where it is given, `more`.
  Result<Node*> LocalInit(Node* more = nullptr) const;

 private:
  Result<std::optional<std::any>> Item(const char* collection) const;

  Graph& graph_;
  const Several several_;
};

}  // namespace weir
