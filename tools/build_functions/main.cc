// weir_build_functions DIR: generates the graph-building functions, DIR/<group>_ops.{h,cc}, from the op registry: one
// file pair per folder of src/ops, ops sorted by name. The output depends only on the schemas; up-to-date files are not
// rewritten. `make generate` runs it on src/graph/build, and a test checks that the files are current.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "build_functions/writer.h"
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
    {"data", weir::ops::RegisterDataOps},
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
    std::cerr << "Usage: weir_build_functions DIR\n";
    return 2;
  }
  bool ok = true;
  size_t in_groups = 0;
  for (const Group& group : kGroups) {
    weir::OpRegistry registry;
    group.add(registry);
    in_groups += registry.Names().size();
    const auto is_internal = [](const std::string& name) { return name.starts_with("_"); };
    const std::vector<std::string> names = registry.Names();
    if (std::all_of(names.begin(), names.end(), is_internal)) continue;  // only internal ops
    const weir::BuildFunctionFiles files = weir::WriteBuildFunctions(group.name, registry);
    const std::filesystem::path base = std::filesystem::path(argv[1]) / (std::string(group.name) + "_ops");
    ok = WriteIfChanged(base.string() + ".h", files.header) && ok;
    ok = WriteIfChanged(base.string() + ".cc", files.source) && ok;
  }
  weir::OpRegistry all;
  weir::ops::RegisterAllOps(all);
  if (all.Names().size() != in_groups) {
    std::cerr << "a folder of src/ops is missing in kGroups\n";
    ok = false;
  }
  return ok ? 0 : 1;
}
