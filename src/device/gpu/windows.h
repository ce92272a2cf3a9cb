// Pools and convolutions on a GPU, NHWC with filters HWIO. A convolution is a matrix product with the patches of the
// input.
#pragma once

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// struct Window of device/cuda/window.cu.
struct Window {
  int64_t batch = 0, height = 0, width = 0, channels = 0;  // of the input
  int64_t out_height = 0, out_width = 0;
  int64_t rows = 1, columns = 1;  // of the window
  int64_t row_step = 1, column_step = 1;
  int64_t row_dilation = 1, column_dilation = 1;  // of convolutions
  int64_t top = 0, left = 0;                      // padding
};

Status MaxPool(GpuStream& stream, DType type, const Window& window, const void* x, void* y);
Status MaxPoolGrad(GpuStream& stream, DType type, const Window& window, const void* x, const void* y, const void* dy,
                   void* dx);
Status AvgPool(GpuStream& stream, DType type, const Window& window, const void* x, void* y);
Status AvgPoolGrad(GpuStream& stream, DType type, const Window& window, const void* dy, void* dx);

// y [batch, out_height, out_width, filters]. `bias` may be null.
Status Convolve(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* x, const void* filter,
                const void* bias, bool relu, void* y);
Status ConvolveInputGrad(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* filter,
                         const void* dy, void* dx);
Status ConvolveFilterGrad(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* x,
                          const void* dy, void* d_filter);

std::vector<GpuProgram> WindowPrograms(DType type);

}  // namespace weir::gpu
