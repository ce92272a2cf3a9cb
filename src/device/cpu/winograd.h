// Convolutions with Winograd's minimal filtering, for 3 x 3 and 5 x 5 filters with stride 1: a 6 x 6 tile takes 36
// multiplications per pair of channels instead of 144 or 100. Rounding errors are two to three times those of the
// direct sum, about 2e-6 of the largest result.
#ifndef WEIR_DEVICE_CPU_WINOGRAD_H_
#define WEIR_DEVICE_CPU_WINOGRAD_H_

#include <memory>

#include "device/cpu/convolution.h"

namespace weir {

// Whether Winograd's algorithm is supported for these sizes, faster than the direct computation, and accurate enough.
bool UseWinograd(ConvPass pass, const ConvSizes& sizes);

// REQUIRES: UseWinograd(pass, sizes).
std::shared_ptr<const Convolution> MakeWinogradConvolution(ConvPass pass, const ConvSizes& sizes, int threads);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_WINOGRAD_H_
