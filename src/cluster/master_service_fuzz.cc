// Runs scripts of calls to the master service of a task. For any bytes, each call must be answered or cancellable, and
// nothing may crash, hang or leak.
#include "cluster/service_main_fuzz.h"

using weir::fuzz::MasterMethods;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return weir::fuzz::MutateInput(MasterMethods(), data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::fuzz::RunInput(weir::fuzz::kWorker, "MasterService", MasterMethods(), data, size);
  return 0;
}
