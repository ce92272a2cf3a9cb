# weir_raw_ops(<target>): adds the functions of weir::raw_ops to the target, one per op. tools/write_op_functions writes
# <build>/raw_ops_gen/weir/graph/build/<group>_ops.{h,cc} (#include "weir/graph/build/math_ops.h") from the signatures in
# src/graph/build/<group>_ops.txt. `make generate` updates those from the op registry; a build cannot, since the ops
# themselves use these functions. The target weir_raw_ops_files writes the files and compiles nothing.
set(WEIR_RAW_OPS_GEN ${CMAKE_BINARY_DIR}/raw_ops_gen)
function(weir_raw_ops target)
  file(GLOB signatures CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/graph/build/*_ops.txt)
  set(script ${PROJECT_SOURCE_DIR}/tools/write_op_functions)
  foreach(file IN LISTS signatures)
    cmake_path(GET file STEM group)
    set(base ${WEIR_RAW_OPS_GEN}/weir/graph/build/${group})
    add_custom_command(
      OUTPUT ${base}.h ${base}.cc
      COMMAND ${Python_EXECUTABLE} ${script} ${file} ${base}
      DEPENDS ${file} ${script}
      COMMENT "Generating graph/build/${group}.{h,cc}"
      VERBATIM)
    list(APPEND outputs ${base}.h ${base}.cc)
  endforeach()
  target_sources(${target} PRIVATE ${outputs})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${WEIR_RAW_OPS_GEN}/weir>
                             $<BUILD_INTERFACE:${WEIR_RAW_OPS_GEN}>)
  add_custom_target(weir_raw_ops_files DEPENDS ${outputs})
endfunction()
