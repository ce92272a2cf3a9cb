# How Weir is compiled: flags, ccache, precompiled headers, and one function per kind of target.
# Sources are globbed: adding a file needs no change here.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

# __FILE__ names files as the repository does: messages and compiler caches do not depend on where the checkout is.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_compile_options(-Wall -Wextra -Werror=return-type -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12: it reports the unused inline storage of a moved absl::InlinedVector (every Shape has one)
  # as uninitialized. The clang builds keep these warnings on.
  add_compile_options(-Wno-maybe-uninitialized -Wno-uninitialized)
  # Let the compiler's heap grow to 1 GB before it collects garbage: a tenth less time for large files.
  add_compile_options(--param=ggc-min-expand=200 --param=ggc-min-heapsize=1048576)
endif()
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  if(WEIR_SANITIZE MATCHES "undefined")
    # Pointer checks cost a seventh of the compile time and find nothing that the address sanitizer misses.
    add_compile_options(-fno-sanitize=null,object-size,vptr)
  endif()
endif()
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(WEIR_FEW_TYPES)
  add_compile_definitions(WEIR_FEW_TYPES)
endif()
# Sanitizer builds run 200 seeds of the simulated cluster; the release build runs all of them.
set(WEIR_TEST_ENVIRONMENT "")
if(WEIR_SANITIZE)
  set(WEIR_TEST_ENVIRONMENT
      "UBSAN_OPTIONS=print_stacktrace=1;LSAN_OPTIONS=suppressions='${PROJECT_SOURCE_DIR}/tools/lsan.supp';TSAN_OPTIONS=second_deadlock_stack=1 die_after_fork=0 suppressions='${PROJECT_SOURCE_DIR}/tools/tsan.supp';WEIR_SIM_SEEDS=200")
endif()

# ccache, configured to accept precompiled headers and to share entries between checkouts at different paths.
find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  cmake_path(GET PROJECT_SOURCE_DIR PARENT_PATH parent)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/tools/cached_compiler ${parent} ${WEIR_CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(WEIR_PCH_FLAGS -fpch-preprocess)
else()
  set(WEIR_PCH_FLAGS "SHELL:-Xclang -fno-pch-timestamp")
endif()

# weir_unity_build(<target> [file...]): unity build with batches of 16 files, except the named files. It parses shared
# headers once and halves the time of a full build. An edit also recompiles the rest of its batch, so the dev preset
# turns it off. Not used for hot-path code, whose generated code should not depend on which files share its batch.
option(WEIR_UNITY "Compile files of a target several at a time: for whole builds" ON)
set(WEIR_UNITY_FILES 16)
function(weir_unity_build target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WEIR_UNITY} UNITY_BUILD_BATCH_SIZE ${WEIR_UNITY_FILES})
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# weir_cold_code(<target> [file...]): for code outside the hot path of a step (graph building, supervision, tests).
# Unity build except for the named files, compiled with -O1, which takes a third less time, and with -O0 for sanitizers,
# which saves another third.
function(weir_cold_code target)
  weir_unity_build(${target} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)
endfunction()

# weir_precompile(<target> [header...]): precompiles the headers that nearly every file of a big folder includes. Name
# headers as in #include. Files still include what they use (`make lint` compiles without precompiled headers).
# REQUIRES: the headers use include guards. A precompiled header from the cache is older than its files, and
# `#pragma once` then treats them as different files. Does nothing for a target with few translation units, where it
# would cost more than it saves.
function(weir_precompile target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(united ${target} UNITY_BUILD)
  list(LENGTH sources count)
  if(united)
    set(alone 0)
    foreach(source IN LISTS sources)
      get_source_file_property(skips ${source} SKIP_UNITY_BUILD_INCLUSION)
      if(skips)
        math(EXPR alone "${alone} + 1")
      endif()
    endforeach()
    math(EXPR count "${alone} + (${count} - ${alone}) / ${WEIR_UNITY_FILES}")
  endif()
  if(count LESS 4)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${WEIR_PCH_FLAGS})
  list(TRANSFORM ARGN REPLACE "^([a-z].*)$" "${PROJECT_SOURCE_DIR}/src/\\1")
  target_precompile_headers(${target} PRIVATE <functional> <memory> <optional> <string> <unordered_map> <variant>
      <vector> <absl/status/status.h> <absl/status/statusor.h> <fmt/format.h> ${ARGN})
endfunction()

# weir_library(<folder> [PUBLIC targets...] [PRIVATE targets...]): src/<folder>/**.cc as the library weir_<folder>.
# "graph/graph.h" is the header in src/ or, if there is none, the public one in include/weir/.
# A folder without sources becomes an interface library, so that its dependents still configure.
function(weir_library folder)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  set(target weir_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_PUBLIC} ${ARG_PRIVATE})
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/weir>
      $<INSTALL_INTERFACE:include>)
  weir_install_library(${target})
endfunction()

# weir_gtest(<target> SOURCES files... LINK targets... [LABELS labels...]): one GoogleTest program and one ctest entry,
# which runs in the repository root. A main.cc among the sources replaces GoogleTest's own main.
function(weir_gtest target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  set(main GTest::gtest_main)
  if("${ARG_SOURCES}" MATCHES "/main\\.cc(;|$)")
    set(main GTest::gtest)
  endif()
  target_link_libraries(${target} PRIVATE ${ARG_LINK} GTest::gmock ${main})
  weir_cold_code(${target})
  weir_precompile(${target} <gtest/gtest.h>)
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  set_tests_properties(${target} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600
                                            ENVIRONMENT "${WEIR_TEST_ENVIRONMENT}")
endfunction()

# weir_unit_tests(<folder> [LINK targets...] [WITHOUT names...]): src/<folder>/**_test.cc, except the files named after
# WITHOUT, as one program weir_<folder>_test.
function(weir_unit_tests folder)
  cmake_parse_arguments(ARG "" "" "LINK;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*_test.cc)
  foreach(name IN LISTS ARG_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/${name}\\.cc$")
  endforeach()
  if(WEIR_TESTS AND sources)
    weir_gtest(weir_${folder}_test SOURCES ${sources} LINK weir_${folder} ${ARG_LINK})
  endif()
endfunction()

# weir_fuzz_targets(<folder> [SECONDS n] [LINK targets...]): each src/<folder>/**/x_fuzz.cc as a libFuzzer program. The
# tests run it for n seconds (default 5), with seeds from tests/fuzz/x/ if that exists. It prints only failures.
function(weir_fuzz_targets folder)
  cmake_parse_arguments(ARG "" "SECONDS" "LINK" ${ARGN})
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 5)
  endif()
  if(NOT WEIR_FUZZ)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*_fuzz.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE weir_${folder} ${ARG_LINK})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    string(REGEX REPLACE "_fuzz$" "" subject ${name})
    set(grown ${CMAKE_BINARY_DIR}/corpus/${subject})
    file(MAKE_DIRECTORY ${grown})
    set(seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/${subject})
    if(NOT IS_DIRECTORY ${seeds})
      set(seeds)
    endif()
    add_test(NAME ${name} COMMAND ${name} -max_total_time=${ARG_SECONDS} -timeout=30 -rss_limit_mb=2048 -verbosity=0
             -print_funcs=0 ${grown} ${seeds})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300 ENVIRONMENT "${WEIR_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
