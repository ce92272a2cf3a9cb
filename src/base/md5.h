// The MD5 digest (RFC 1321), for names and seeds that must match those of other programs. Never for security.
#ifndef WEIR_BASE_MD5_H_
#define WEIR_BASE_MD5_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace weir {

std::array<uint8_t, 16> Md5(std::string_view text);

}  // namespace weir

#endif  // WEIR_BASE_MD5_H_
