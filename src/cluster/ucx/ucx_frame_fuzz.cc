// Feeds arbitrary active messages to a UcxInbox: it must return an error, or messages with as many bytes as their
// headers announce.
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "cluster/ucx/ucx_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weir::UcxInbox inbox;
  const char* bytes = reinterpret_cast<const char*>(data);
  // Each message is the size of its header (one byte), the size of its data (one byte), the header and the data.
  while (size >= 2) {
    const size_t header = std::min<size_t>(size - 2, static_cast<uint8_t>(bytes[0]));
    const size_t body = std::min<size_t>(size - 2 - header, static_cast<uint8_t>(bytes[1]));
    const std::string_view head(bytes + 2, header);
    weir::Result<weir::UcxInbox::Fragment> fragment = inbox.Begin(head, body);
    if (!fragment.ok()) return 0;
    // Without memory the bytes are discarded, as in UcxWorker.
    if (fragment->memory != nullptr) std::memcpy(fragment->memory->data(), bytes + 2 + header, body);
    const auto message = inbox.End(*std::move(fragment));
    if (!message.ok()) return 0;
    if (message->has_value() && (*message)->payload.ok())
      WEIR_CHECK((*message)->payload->Flatten().size() == (*message)->head.size, size);
    bytes += 2 + header + body;
    size -= 2 + header + body;
  }
  return 0;
}
