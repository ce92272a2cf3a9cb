// The ops of this folder, one line per file.
#include "ops/register.h"

namespace weir::ops {

void RegisterAdjustColors(OpRegistry& registry);
void RegisterColorSpaces(OpRegistry& registry);
void RegisterCropAndResize(OpRegistry& registry);
void RegisterDecodeImage(OpRegistry& registry);
void RegisterDrawBoxes(OpRegistry& registry);
void RegisterEncodeImage(OpRegistry& registry);
void RegisterExtractGlimpse(OpRegistry& registry);
void RegisterFractionalPool(OpRegistry& registry);
void RegisterNonMaxSuppression(OpRegistry& registry);
void RegisterResizeArea(OpRegistry& registry);
void RegisterResizeBicubic(OpRegistry& registry);
void RegisterResizeBilinear(OpRegistry& registry);
void RegisterResizeNearest(OpRegistry& registry);
void RegisterSampleBox(OpRegistry& registry);
void RegisterSoftSuppression(OpRegistry& registry);

void RegisterImageOps(OpRegistry& registry) {
  RegisterAdjustColors(registry);
  RegisterColorSpaces(registry);
  RegisterCropAndResize(registry);
  RegisterDecodeImage(registry);
  RegisterDrawBoxes(registry);
  RegisterEncodeImage(registry);
  RegisterExtractGlimpse(registry);
  RegisterFractionalPool(registry);
  RegisterNonMaxSuppression(registry);
  RegisterResizeArea(registry);
  RegisterResizeBicubic(registry);
  RegisterResizeBilinear(registry);
  RegisterResizeNearest(registry);
  RegisterSampleBox(registry);
  RegisterSoftSuppression(registry);
}

}  // namespace weir::ops
