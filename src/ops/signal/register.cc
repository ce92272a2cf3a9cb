// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterFft(OpRegistry& registry);
void RegisterSpectrogram(OpRegistry& registry);
void RegisterWav(OpRegistry& registry);

void RegisterSignalOps(OpRegistry& registry) {
  RegisterFft(registry);
  RegisterSpectrogram(registry);
  RegisterWav(registry);
}

}  // namespace weir::ops
