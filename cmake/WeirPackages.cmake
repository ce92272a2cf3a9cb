# Third-party libraries, all from system packages. Defines imported targets for libraries without CMake files (re2,
# FarmHash, snappy, giflib) or whose CMake files require more than Weir uses (oneDNN: OpenCL). Installed with Weir, so
# that programs that call find_package(Weir) find the same libraries.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(hwy REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# weir_find_library(<name> <header> <library>): defines the imported target weir::<name>.
function(weir_find_library name header library)
  find_path(WEIR_${name}_INCLUDE ${header} REQUIRED)
  find_library(WEIR_${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(WEIR_${name}_INCLUDE WEIR_${name}_LIBRARY)
  add_library(weir::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(weir::${name} PROPERTIES IMPORTED_LOCATION ${WEIR_${name}_LIBRARY}
                                                 INTERFACE_INCLUDE_DIRECTORIES ${WEIR_${name}_INCLUDE})
endfunction()
weir_find_library(dnnl dnnl.hpp dnnl)
target_link_libraries(weir::dnnl INTERFACE gomp)  # its thread runtime; device/cpu/gemm.cc sets the number of threads
weir_find_library(re2 re2/re2.h re2)
weir_find_library(farmhash farmhash.h farmhash)
weir_find_library(icu unicode/ustring.h icuuc)
weir_find_library(snappy snappy.h snappy)
weir_find_library(gif gif_lib.h gif)
weir_find_library(grpc grpcpp/grpcpp.h grpc++)
target_link_libraries(weir::grpc INTERFACE grpc gpr)
