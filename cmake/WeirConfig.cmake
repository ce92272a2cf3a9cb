# find_package(Weir) defines the target Weir::weir: the public headers <weir/...> and everything they need.
include(${CMAKE_CURRENT_LIST_DIR}/WeirPackages.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/WeirTargets.cmake)
if(NOT TARGET Weir::weir)
  add_library(Weir::weir INTERFACE IMPORTED)
  set_target_properties(Weir::weir PROPERTIES INTERFACE_LINK_LIBRARIES Weir::api INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
