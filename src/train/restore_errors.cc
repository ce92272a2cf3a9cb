#include "train/restore_errors.h"

#include <algorithm>
#include <set>

#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"

namespace weir {
namespace {

// "index", "meta", or "data-00000-of-00001" with any digits.
bool IsCheckpointSuffix(std::string_view suffix) {
  constexpr std::string_view kShard = "data-00000-of-00000";
  if (suffix == "index" || suffix == "meta") return true;
  return std::equal(suffix.begin(), suffix.end(), kShard.begin(), kShard.end(),
                    [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; });
}

// Collects the nodes that `node` depends on through control edges.
void CollectTargets(const Node* node, std::set<const Node*>* found) {
  std::vector<const Node*> todo = {node};
  while (!todo.empty()) {
    const Node* const next = todo.back();
    todo.pop_back();
    if (!found->insert(next).second) continue;
    todo.insert(todo.end(), next->control_inputs().begin(), next->control_inputs().end());
  }
}

// The restored tensor behind a value, through Identity nodes.
Output RestoredValue(Output value) {
  while (IsAlias(value.node->op().traits)) value = value.node->input(0);
  return value;
}

}  // namespace

std::string AdviceOnPath(Env& env, const std::string& path) {
  if (const Result<FileInfo> info = env.Stat(path); info.ok() && info->is_directory) {
    const Result<std::optional<tensorflow::CheckpointState>> state = GetCheckpointState(env, path);
    if (!state.ok() || !state->has_value())
      return "it is a directory, which has no checkpoint that its file 'checkpoint' names";
    return fmt::format("it is a directory; pass tf.train.latest_checkpoint('{}'), which is '{}'", path,
                       (*state)->model_checkpoint_path());
  }
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot == 0 || !IsCheckpointSuffix(std::string_view(path).substr(dot + 1))) return "";
  const std::string prefix = path.substr(0, dot);
  if (!env.Exists(io::BundleIndexName(prefix))) return "";
  return fmt::format("it is one of the files of a checkpoint; pass their common prefix: '{}'", prefix);
}

std::vector<std::string> ShapeMismatches(Graph& graph, Env& env, const tensorflow::SaverDef& def,
                                         const std::string& path) {
  std::vector<std::string> found;
  const Node* const restore = graph.FindNode(def.restore_op_name());
  const Result<std::unique_ptr<io::CheckpointReader>> reader = io::OpenCheckpoint(env, path);
  if (restore == nullptr || !reader.ok()) return found;
  std::set<const Node*> targets;
  CollectTargets(restore, &targets);
  for (const Node* node : graph.Nodes()) {
    if (!targets.contains(node) || node->op().traits.value_use != ValueUse::kReplaces) continue;
    const Output value = RestoredValue(node->input(1));
    if (value.node->type() != "RestoreV2") continue;
    const Tensor names = graph.ConstantValue(value.node->input(1));
    const Tensor slices = graph.ConstantValue(value.node->input(2));
    if (!names.valid() || names.num_elements() <= value.index || !slices.valid() ||
        slices.num_elements() <= value.index || !slices.flat<std::string>()[value.index].empty())
      continue;
    const std::string& name = names.flat<std::string>()[value.index];
    const Result<io::SavedTensor> saved = (*reader)->Find(name);
    const Node* const variable = node->input(0).node;
    const Result<PartialShape> shape = variable->Attr<PartialShape>("shape");
    if (!saved.ok() || !shape.ok() || shape->CompatibleWith(PartialShape(saved->shape))) continue;
    found.push_back(fmt::format("variable '{}' has shape {}, but '{}' in {} has shape {}", variable->name(), *shape,
                                name, path, saved->shape));
  }
  return found;
}

}  // namespace weir
