// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAsString(OpRegistry& registry);
void RegisterBase64(OpRegistry& registry);
void RegisterDecodeCsv(OpRegistry& registry);
void RegisterDecodeRaw(OpRegistry& registry);
void RegisterFiles(OpRegistry& registry);
void RegisterFingerprint(OpRegistry& registry);
void RegisterHashBucket(OpRegistry& registry);
void RegisterLetterCase(OpRegistry& registry);
void RegisterNGrams(OpRegistry& registry);
void RegisterReduceJoin(OpRegistry& registry);
void RegisterRegex(OpRegistry& registry);
void RegisterSdcaFprint(OpRegistry& registry);
void RegisterStringJoin(OpRegistry& registry);
void RegisterStringSplit(OpRegistry& registry);
void RegisterStringToNumber(OpRegistry& registry);
void RegisterSubstr(OpRegistry& registry);
void RegisterUnicodeScript(OpRegistry& registry);

void RegisterStringOps(OpRegistry& registry) {
  RegisterAsString(registry);
  RegisterBase64(registry);
  RegisterDecodeCsv(registry);
  RegisterDecodeRaw(registry);
  RegisterFiles(registry);
  RegisterFingerprint(registry);
  RegisterHashBucket(registry);
  RegisterLetterCase(registry);
  RegisterNGrams(registry);
  RegisterReduceJoin(registry);
  RegisterRegex(registry);
  RegisterSdcaFprint(registry);
  RegisterStringJoin(registry);
  RegisterStringSplit(registry);
  RegisterStringToNumber(registry);
  RegisterSubstr(registry);
  RegisterUnicodeScript(registry);
}

}  // namespace weir::ops
