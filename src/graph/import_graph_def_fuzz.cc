// Fuzzes import with arbitrary bytes as a GraphDef. Import must give an error or a graph that exports and imports
// again; functions must give an error or a body; nothing may crash. Half of the mutations change bytes, the other half
// swap parts of nodes.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "base/check.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "graph/mutate_node_fuzz.h"
#include "ops/register.h"

namespace {

const weir::OpRegistry& Registry() {
  static const weir::OpRegistry* registry = [] {
    google::protobuf::SetLogHandler(nullptr);  // otherwise protobuf logs a line per malformed message
    auto* made = new weir::OpRegistry;
    weir::ops::RegisterAllOps(*made);
    return made;
  }();
  return *registry;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::minstd_rand random(seed);
  tensorflow::GraphDef def;
  if (random() % 2 == 0 || !def.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, max_size);
  const int functions = def.library().function_size();
  const unsigned where = static_cast<unsigned>(random() % static_cast<unsigned>(functions + 2));
  weir::fuzz::MutateNode(where < static_cast<unsigned>(functions)
                             ? def.mutable_library()->mutable_function(static_cast<int>(where))->mutable_node_def()
                             : def.mutable_node(),
                         random);
  const std::string bytes = def.SerializeAsString();
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxBytes = 1 << 14;
  tensorflow::GraphDef def;
  if (size > kMaxBytes || !def.ParseFromArray(data, static_cast<int>(size))) return 0;
  weir::Graph graph(Registry());
  weir::Result<weir::ImportResult> imported = weir::ImportGraphDef(graph, def, {.prefix = "p"});
  for (const std::string& name : graph.functions().Names()) {
    (void)weir::InstantiateFunction(graph.functions(), Registry(), name, {}).ok();
  }
  if (!imported.ok()) return 0;
  weir::Result<tensorflow::GraphDef> exported = weir::ExportGraphDef(graph);
  WEIR_CHECK(exported.ok(), exported.status().ToString());
  weir::Graph again(Registry());
  weir::Result<weir::ImportResult> reimported = weir::ImportGraphDef(again, *exported);
  WEIR_CHECK(reimported.ok(), reimported.status().ToString());
  WEIR_CHECK(again.num_nodes() == graph.num_nodes(), again.num_nodes(), graph.num_nodes());
  return 0;
}
