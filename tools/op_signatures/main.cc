// weir_op_signatures DIR: writes the signatures of the registered ops to DIR/<group>_ops.txt, one file per folder of
// src/ops, ops sorted by name. Up-to-date files are not rewritten. `make generate` runs it on src/graph/build, and a
// test checks that the files there are current.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "op_signatures/writer.h"
#include "ops/ragged/register.h"
#include "ops/register.h"

namespace {

struct Group {
  const char* name;
  void (*add)(weir::OpRegistry&);
};
constexpr Group kGroups[] = {
    {"math", weir::ops::RegisterMathOps},     {"array", weir::ops::RegisterArrayOps},
    {"nn", weir::ops::RegisterNnOps},         {"state", weir::ops::RegisterStateOps},
    {"flow", weir::ops::RegisterFlowOps},     {"queue", weir::ops::RegisterQueueOps},
    {"string", weir::ops::RegisterStringOps}, {"io", weir::ops::RegisterIoOps},
    {"comm", weir::ops::RegisterCommOps},     {"image", weir::ops::RegisterImageOps},
    {"data", weir::ops::RegisterDataOps},     {"signal", weir::ops::RegisterSignalOps},
    {"ragged", weir::ops::RegisterRaggedOps},
};

bool WriteIfChanged(const std::filesystem::path& path, const std::string& text) {
  std::stringstream old;
  if (std::ifstream in(path); in) old << in.rdbuf();
  if (old.str() == text) return true;
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) std::cerr << "cannot write " << path << "\n";
  return !out.fail();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: weir_op_signatures DIR\n";
    return 2;
  }
  bool ok = true;
  size_t in_groups = 0;
  for (const Group& group : kGroups) {
    weir::OpRegistry registry;
    group.add(registry);
    in_groups += registry.Names().size();
    const std::string signatures = weir::Signatures(registry);
    if (signatures.empty()) continue;  // only internal ops
    ok = WriteIfChanged(std::filesystem::path(argv[1]) / (std::string(group.name) + "_ops.txt"), signatures) && ok;
  }
  weir::OpRegistry all;
  weir::ops::RegisterAllOps(all);
  if (all.Names().size() != in_groups) {
    std::cerr << "a folder of src/ops is missing in kGroups\n";
    ok = false;
  }
  return ok ? 0 : 1;
}
