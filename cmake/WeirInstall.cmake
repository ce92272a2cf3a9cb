# Layout of `make install` below its prefix:
#   bin/weir                  the program
#   lib/weir/*.a              the libraries, for find_package(Weir) and the target Weir::api
#   lib/weir/python/weir      the Python package, found there by bin/weir
#   include/weir              the public headers, those of include/weir and the generated ones of the raw ops
#   include/weir-messages     TensorFlow's messages as protobuf classes: <proto/graph.pb.h>. No public header needs them.
#   lib/cmake/Weir            WeirConfig.cmake
# A wheel (pyproject.toml) contains only the Python package: it sets WEIR_WHEEL, which skips everything else.
option(WEIR_WHEEL "Install the Python package alone, laid out for a wheel" OFF)
set(WEIR_INSTALL_LIB lib/weir)
set(WEIR_INSTALL_CMAKE lib/cmake/Weir)
if(WEIR_WHEEL)
  set(WEIR_INSTALL_PYTHON .)
else()
  set(WEIR_INSTALL_PYTHON lib/weir/python)
endif()

# weir_install_library(<target>): installs a library as Weir::<name without weir_>.
function(weir_install_library target)
  if(WEIR_WHEEL)
    return()
  endif()
  string(REGEX REPLACE "^weir_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT WeirTargets ARCHIVE DESTINATION ${WEIR_INSTALL_LIB})
endfunction()

if(NOT WEIR_WHEEL)
  include(CMakePackageConfigHelpers)
  install(DIRECTORY include/weir ${CMAKE_BINARY_DIR}/raw_ops_gen/weir DESTINATION include FILES_MATCHING PATTERN *.h)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/proto_gen/ DESTINATION include/weir-messages FILES_MATCHING PATTERN *.h)
  install(EXPORT WeirTargets NAMESPACE Weir:: DESTINATION ${WEIR_INSTALL_CMAKE})
  configure_file(cmake/WeirConfig.cmake ${CMAKE_BINARY_DIR}/WeirConfig.cmake COPYONLY)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/WeirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/WeirConfig.cmake ${CMAKE_BINARY_DIR}/WeirConfigVersion.cmake cmake/WeirPackages.cmake
          DESTINATION ${WEIR_INSTALL_CMAKE})
endif()
