// Reads arbitrary bytes as the two files of a V2 checkpoint, as a V1 table and as a record file. The first two bytes
// are the length of the index.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/env_fake.h"
#include "io/checkpoint_reader.h"
#include "io/record_file.h"
#include "io/table.h"

namespace {

void ReadAll(weir::Env& env, const std::string& prefix) {
  const auto reader = weir::io::OpenCheckpoint(env, prefix);
  if (!reader.ok()) return;
  for (const auto& [name, tensor] : (*reader)->tensors()) {
    // An entry may claim any number of elements. Skip huge tensors: they would only be slow.
    if (tensor.shape.num_elements() > (1 << 20)) continue;
    (*reader)->Read(name).status().IgnoreError();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  weir::FakeEnv env;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t cut = std::min<size_t>(bytes.size(), data[0] + 256u * data[1]);
  (void)env.WriteFile("/v2.index", bytes.substr(0, cut));
  (void)env.WriteFile("/v2.data-00000-of-00001", bytes.substr(cut));
  (void)env.WriteFile("/v1", bytes);
  ReadAll(env, "/v2");
  ReadAll(env, "/v1");
  // The same bytes as entries of a well-formed table, to get past the checksums.
  if (auto file = env.OpenWrite("/v3.index"); file.ok()) {
    weir::io::TableWriter table(**file);
    (void)table.Add("", bytes.substr(0, cut));
    (void)table.Add("a", bytes.substr(cut));
    (void)table.Finish();
  }
  (void)env.WriteFile("/v3.data-00000-of-00001", bytes);
  ReadAll(env, "/v3");
  if (auto table = env.ReadFile("/v3.index"); table.ok()) (void)env.WriteFile("/v4", *table);
  ReadAll(env, "/v4");
  if (const auto records = weir::io::RecordReader::Open(env, "/v1"); records.ok()) {
    for (auto next = (*records)->Next(); next.ok() && next->has_value();) next = (*records)->Next();
  }
  return 0;
}
