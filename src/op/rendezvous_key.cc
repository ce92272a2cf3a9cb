#include "op/rendezvous_key.h"

#include <charconv>
#include <vector>

#include "absl/strings/str_split.h"

namespace weir {
namespace {

template <class T>
bool ReadNumber(absl::string_view text, int base, T* value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value, base);
  return !text.empty() && error == std::errc() && stop == end;
}

}  // namespace

std::string RendezvousKey::ToString() const {
  return fmt::format("{};{:016x};{};{};{}:{}", from, incarnation, to, edge, frame, iteration);
}

Result<RendezvousKey> RendezvousKey::Parse(std::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(absl::string_view(text.data(), text.size()), ';');
  RendezvousKey key;
  if (parts.size() == 5 && !parts[0].empty() && !parts[2].empty()) {
    const std::vector<absl::string_view> position = absl::StrSplit(parts[4], ':');
    if (ReadNumber(parts[1], 16, &key.incarnation) && position.size() == 2 && ReadNumber(position[0], 10, &key.frame) &&
        ReadNumber(position[1], 10, &key.iteration)) {
      key.from = std::string(parts[0]);
      key.to = std::string(parts[2]);
      key.edge = std::string(parts[3]);
      return key;
    }
  }
  return InvalidArgument("'{}' is not a valid rendezvous key", text.substr(0, 200));
}

}  // namespace weir
