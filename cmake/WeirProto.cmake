# Compiles proto/*.proto into the C++ library weir_proto (#include "proto/graph.pb.h") and, with WEIR_PYTHON, into the
# descriptor set that weir.proto creates its classes from (target weir_proto_python). The *_service.proto files need the
# gRPC plugin and are not compiled here. The C++ messages use the lite runtime: no reflection and no text format, but
# they add nothing to the descriptor pool that Python's protobuf module shares with all libraries in the process.
file(GLOB WEIR_PROTOS RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/proto/*.proto)
list(FILTER WEIR_PROTOS EXCLUDE REGEX "_service\\.proto$")
list(TRANSFORM WEIR_PROTOS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE proto_paths)

set(WEIR_PROTO_GEN ${CMAKE_BINARY_DIR}/proto_gen)
file(MAKE_DIRECTORY ${WEIR_PROTO_GEN})
list(TRANSFORM WEIR_PROTOS REPLACE "^(.*)\\.proto$" "${WEIR_PROTO_GEN}/\\1.pb.cc" OUTPUT_VARIABLE proto_sources)
list(TRANSFORM WEIR_PROTOS REPLACE "^(.*)\\.proto$" "${WEIR_PROTO_GEN}/\\1.pb.h" OUTPUT_VARIABLE proto_headers)
add_custom_command(
  OUTPUT ${proto_sources} ${proto_headers}
  COMMAND protobuf::protoc -I${PROJECT_SOURCE_DIR} --cpp_out=lite:${WEIR_PROTO_GEN} ${WEIR_PROTOS}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  DEPENDS ${proto_paths}
  COMMENT "Generating C++ messages from proto/"
  VERBATIM)

# google.protobuf.Any is only part of the full runtime: generate it again for the lite one.
set(any ${WEIR_PROTO_GEN}/google/protobuf/any.pb)
add_custom_command(
  OUTPUT ${any}.cc ${any}.h
  COMMAND protobuf::protoc -I${Protobuf_INCLUDE_DIRS} --cpp_out=lite:${WEIR_PROTO_GEN} google/protobuf/any.proto
  COMMENT "Generating google.protobuf.Any for the lite runtime"
  VERBATIM)
set_source_files_properties(${WEIR_PROTO_GEN}/proto/meta_graph.pb.cc PROPERTIES COMPILE_DEFINITIONS WEIR_LITE_ANY)

add_library(weir_proto STATIC ${proto_sources} ${proto_headers} ${any}.cc ${any}.h)
target_include_directories(weir_proto SYSTEM PUBLIC $<BUILD_INTERFACE:${WEIR_PROTO_GEN}>
                           $<INSTALL_INTERFACE:include/weir-messages>)
target_link_libraries(weir_proto PUBLIC protobuf::libprotobuf-lite)
weir_unity_build(weir_proto)
# Compile generated code quickly: less optimized, and without sanitizers.
target_compile_options(weir_proto PRIVATE -w -O1 -g0)
if(WEIR_SANITIZE)
  target_compile_options(weir_proto PRIVATE -fno-sanitize=all)
endif()
weir_install_library(weir_proto)

if(WEIR_PYTHON)
  set(WEIR_PROTO_DESCRIPTORS ${CMAKE_BINARY_DIR}/python/weir/proto/descriptors.pb)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/weir/proto)
  add_custom_command(
    OUTPUT ${WEIR_PROTO_DESCRIPTORS}
    COMMAND protobuf::protoc -I${PROJECT_SOURCE_DIR} --include_imports --descriptor_set_out=${WEIR_PROTO_DESCRIPTORS}
            ${WEIR_PROTOS}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${proto_paths}
    COMMENT "Generating the descriptors of weir.proto"
    VERBATIM)
  add_custom_target(weir_proto_python ALL DEPENDS ${WEIR_PROTO_DESCRIPTORS})
  install(FILES ${WEIR_PROTO_DESCRIPTORS} DESTINATION ${WEIR_INSTALL_PYTHON}/weir/proto)
endif()
