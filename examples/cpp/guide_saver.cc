// Saves variables to a checkpoint, and restores them in another session.
#include <weir/weir.h>

#include <cstdio>
#include <filesystem>

using namespace weir;

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "weir_guide_saver";
  std::filesystem::create_directories(folder);
  Engine engine;
  Graph& g = engine.graph();
  const Var v(g, 1.0f, {.name = "v"});
  const Op change = v->Assign(7.0f);
  const Op initialize = engine.InitializeVariables();
  const std::shared_ptr<Saver> saver = ValueOrThrow(Saver::Make(g, {.max_to_keep = 2}));

  const ClientSession first(engine);
  first.Run(initialize);
  first.Run(change);
  const auto saved =
      ValueOrThrow(saver->Save(g, RunIn(first.session()), folder / "model", {.global_step = 3}));  // "model-3"

  const ClientSession second(engine);
  ThrowIfError(saver->Restore(g, RunIn(second.session()), *saved));
  const float restored = second.Run(v).scalar<float>();
  std::printf("%s: v = %g\n", saved->c_str(), restored);
  std::filesystem::remove_all(folder);
  return restored == 7.0f ? 0 : 1;
}
