#include "train/restore_errors.h"

#include <regex>
#include <set>

#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"

namespace weir {
namespace {

constexpr char kRestore[] = "RestoreV2";

// The nodes that `node` waits for, through groups.
void CollectTargets(const Node* node, std::set<const Node*>* found) {
  if (!found->insert(node).second) return;
  for (const Node* before : node->control_inputs()) CollectTargets(before, found);
}

// The restored tensor that a value is, maybe through nodes that do not change its shape.
Output RestoredValue(Output value) {
  while (value.node->type() == "Identity" && value.node->num_inputs() > 0) value = value.node->input(0);
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
  static const std::regex file_of_checkpoint(R"((.+)\.(index|meta|data-\d{5}-of-\d{5}))");
  std::smatch parts;
  if (std::regex_match(path, parts, file_of_checkpoint) && env.Exists(io::BundleIndexName(parts[1])))
    return fmt::format("it is one of the files of a checkpoint; pass what their names begin with: '{}'",
                       parts[1].str());
  return "";
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
    if (!targets.contains(node) || (node->type() != "Assign" && node->type() != "AssignVariableOp")) continue;
    const Output value = RestoredValue(node->input(1));
    if (value.node->type() != kRestore) continue;
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
