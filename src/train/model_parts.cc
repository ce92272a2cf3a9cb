#include "train/model_parts.h"

#include <any>

#include "graph/compose/lookup.h"
#include "graph/compose/summary.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "train/log.h"

namespace weir {

Result<std::optional<std::any>> ModelParts::Item(const char* collection) const {
  std::vector<std::any> items = graph_.collections().Items(collection);
  if (items.size() > 1 && several_ == Several::kError)
    return FailedPrecondition(
        "More than one item in the collection \"{}\". Please indicate which one to use by passing it to the "
        "tf.Scaffold constructor as: tf.Scaffold({}=item to use)",
        collection, collection);
  if (items.size() > 1) TrainInfo("Found {} {} operations. Returning the first one.", items.size(), collection);
  if (items.empty()) return std::nullopt;
  return std::move(items[0]);
}

Result<std::optional<ReadyOp>> ModelParts::Find(const char* collection) const {
  WEIR_ASSIGN(const std::optional<std::any> item, Item(collection));
  if (!item) return std::nullopt;
  if (const auto* output = std::any_cast<Output>(&*item)) return ReadyOp(*output);
  if (auto* const* node = std::any_cast<Node*>(&*item)) return ReadyOp(*node);
  return InvalidArgument("the item of collection '{}' is not a node", collection);
}

Result<ReadyOp> ModelParts::FindOrMake(const char* collection, MakeOutput make) const {
  WEIR_ASSIGN(const std::optional<ReadyOp> found, Find(collection));
  if (found) return *found;
  WEIR_ASSIGN(const Output made, make());
  graph_.collections().Add(collection, made);
  return ReadyOp(made);
}

Result<std::vector<Node*>> ModelParts::FindOrMakeNodes(const char* collection, MakeNode make) const {
  WEIR_ASSIGN(const std::optional<ReadyOp> found, Find(collection));
  if (found) return std::vector<Node*>{found->node};
  WEIR_ASSIGN(Node * made, make());
  graph_.collections().Add(collection, made);
  return std::vector<Node*>{made};
}

Result<std::optional<Output>> ModelParts::Summary() const {
  WEIR_ASSIGN(const std::optional<std::any> item, Item(graph_keys::kSummaryOp));
  if (item) {
    const auto* output = std::any_cast<Output>(&*item);
    return output == nullptr ? std::nullopt : std::optional(*output);
  }
  const std::optional<Output> merged = MergeAllSummaries(graph_);
  WEIR_TRY(graph_.TakeError());
  if (merged) graph_.collections().Add(graph_keys::kSummaryOp, *merged);
  return merged;
}

Result<std::shared_ptr<Saver>> ModelParts::FindOrMakeSaver(MakeSaver make) const {
  WEIR_ASSIGN(const std::optional<std::any> item, Item(graph_keys::kSavers));
  if (item) {
    const auto* found = std::any_cast<std::shared_ptr<Saver>>(&*item);
    if (found == nullptr) return InvalidArgument("the item of collection '{}' is not a saver", graph_keys::kSavers);
    return *found;
  }
  WEIR_ASSIGN(std::shared_ptr<Saver> made, make());
  if (made != nullptr) graph_.collections().Add(graph_keys::kSavers, made);
  return made;
}

std::vector<VariablePtr> ModelParts::AllVariables() const {
  std::vector<VariablePtr> all = GlobalVariables(graph_);
  for (VariablePtr& v : LocalVariables(graph_)) all.push_back(std::move(v));
  return all;
}

Result<Node*> ModelParts::LocalInit(Node* more) const {
  std::vector<Node*> nodes = {InitializeVariables(graph_, LocalVariables(graph_))};
  WEIR_ASSIGN(Node * tables, InitializeTables(graph_));
  nodes.push_back(tables);
  if (more != nullptr) nodes.push_back(more);
  Node* const all = Group(graph_, nodes);
  WEIR_TRY(graph_.TakeError());
  return all;
}

}  // namespace weir
