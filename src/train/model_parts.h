// The nodes and the saver that initialize and save a model: those in the graph's collections, and defaults for the
// rest, which are added to the collections. Shared by Supervisor and Scaffold.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "train/session_manager.h"

namespace weir {

class ModelParts final {
 public:
  // Behaviour for a collection with several items: fail with FailedPrecondition, or use the first item.
  enum class Several { kError, kFirst };
  ModelParts(Graph& graph, Several several) : graph_(graph), several_(several) {}

  using MakeOutput = FunctionRef<Result<Output>()>;
  using MakeNode = FunctionRef<Result<Node*>()>;
  using MakeSaver = FunctionRef<Result<std::shared_ptr<Saver>>()>;
  Result<std::optional<ReadyOp>> Find(const char* collection) const;
  Result<ReadyOp> FindOrMake(const char* collection, MakeOutput make) const;
  Result<std::vector<Node*>> FindOrMakeNodes(const char* collection, MakeNode make) const;
  // The collection's summary, or all summaries merged; nullopt if there are none.
  Result<std::optional<Output>> Summary() const;
  Result<std::shared_ptr<Saver>> FindOrMakeSaver(MakeSaver make) const;

  std::vector<VariablePtr> AllVariables() const;  // global and local
  // A node that initializes local variables and tables, and runs `more` if not null.
  Result<Node*> LocalInit(Node* more = nullptr) const;

 private:
  Result<std::optional<std::any>> Item(const char* collection) const;

  Graph& graph_;
  const Several several_;
};

}  // namespace weir
