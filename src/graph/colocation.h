// How the attribute _class of a node names another one that it shall be placed with: "loc:@other".
#pragma once

#include <string_view>

namespace weir {

inline constexpr std::string_view kColocationPrefix = "loc:@";

}  // namespace weir
