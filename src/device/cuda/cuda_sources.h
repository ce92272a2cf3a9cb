// The device sources: src/device/cuda/*.cu as text, embedded by the build (cmake/WeirCuda.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace weir {

// The text of src/device/cuda/<name>.cu. REQUIRES: the file exists.
std::string_view CudaSource(std::string_view name);
std::vector<std::string_view> CudaSourceNames();

}  // namespace weir
