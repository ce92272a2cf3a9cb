// Reads arbitrary bytes as a record file, plain and compressed. Also writes the bytes as records and reads them back
// unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/env_fake.h"
#include "io/record_file.h"

namespace {

using weir::io::Compression;

void ReadAll(weir::Env& env, const std::string& path, Compression compression) {
  const auto reader = weir::io::RecordReader::Open(env, path, compression);
  if (!reader.ok()) return;
  // Limited, because a small compressed file can contain millions of records.
  for (int records = 0; records < 1000; ++records) {
    const auto next = (*reader)->Next();
    if (!next.ok() || !next->has_value()) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::FakeEnv env;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)env.WriteFile("/r", bytes);
  for (const Compression compression : {Compression::kNone, Compression::kZlib, Compression::kGzip})
    ReadAll(env, "/r", compression);
  const size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  for (const Compression compression : {Compression::kNone, Compression::kGzip}) {
    auto writer = weir::io::RecordWriter::Open(env, "/w", compression);
    if (!writer.ok()) std::abort();
    if (!(*writer)->Write(bytes.substr(0, cut)).ok() || !(*writer)->Write(bytes.substr(cut)).ok()) std::abort();
    if (!(*writer)->Close().ok()) std::abort();
    const auto reader = weir::io::RecordReader::Open(env, "/w", compression);
    if (!reader.ok()) std::abort();
    for (const std::string& wanted : {bytes.substr(0, cut), bytes.substr(cut)}) {
      const auto next = (*reader)->Next();
      if (!next.ok() || !next->has_value() || **next != wanted) std::abort();
    }
  }
  return 0;
}
