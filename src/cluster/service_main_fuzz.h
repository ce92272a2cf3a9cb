// The fuzz target for a service, given its name, its methods and the task to call. Include it once per program.
#pragma once

#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "cluster/service_fuzz.h"
#include "ops/register.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace weir::fuzz {

// Lives as long as the program. The memory limit is low, because graphs may request large tensors, which would take
// long. It is not a system limit, which would also affect the sanitizer's own allocations.
struct FuzzProcess final {
  FuzzProcess() : pool("fuzz", 2), blocking_pool("fuzz_blocking") {
    google::protobuf::SetLogHandler(nullptr);               // would log every malformed message
    setenv("WEIR_LOG", "error", /*overwrite=*/0);           // the master would log every session
    setenv("WEIR_MEMORY_LIMIT_MB", "16", /*overwrite=*/0);  // read at the first allocation
    ops::RegisterAllOps(registry);
  }
  OpRegistry registry;
  ThreadPool pool;
  ElasticPool blocking_pool;
};

inline FuzzProcess& TheProcess() {
  static auto* process = new FuzzProcess;
  return *process;
}

inline void RunInput(const char* address, const char* service, const std::vector<std::string>& methods,
                     const uint8_t* data, size_t size) {
  constexpr int kPatienceMs = 5;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view writes_files : {"WriteFile", "Save", "MergeV2Checkpoints"}) {
    if (text.find(writes_files) != std::string_view::npos) return;
  }
  FuzzProcess& process = TheProcess();
  Limits::Settings low;
  for (const Limit limit : {Limit::kSessionsOfPeer, Limit::kSessions, Limit::kStepsOfPeer, Limit::kSteps})
    low[static_cast<size_t>(limit)] = 2;
  low[static_cast<size_t>(Limit::kNodes)] = 40;
  low[static_cast<size_t>(Limit::kUnreadOfPeer)] = 1;
  MemoryCluster cluster(process.registry, process.pool, process.blocking_pool, nullptr, Limits(low));
  RunScript(cluster, address, service, methods, ParseScript(text), kPatienceMs);
}

inline size_t MutateInput(const std::vector<std::string>& methods, uint8_t* data, size_t size, size_t max_size,
                          unsigned seed) {
  const std::string text =
      MutateScript({reinterpret_cast<const char*>(data), size}, methods, seed, [](std::string* bytes) {
        constexpr size_t kMore = 64;
        const size_t before = bytes->size();
        bytes->resize(before + kMore);
        bytes->resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes->data()), before, bytes->size()));
      });
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace weir::fuzz
