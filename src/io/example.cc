#include "io/example.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace weir::io {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are copied as they lie in the file");

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroupStart = 3, kGroupEnd = 4, kFixed32 = 5 };
constexpr size_t kMaxGroups = 100;  // maximum nesting, as in protobuf
constexpr uint32_t Tag(uint32_t field, Wire wire) { return field << 3 | wire; }

// Iterates over the fields of one message. Every method returns false if the bytes are truncated or invalid.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool done() const { return at_ == end_; }

  bool Varint(uint64_t* value) {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      *value = static_cast<uint8_t>(*at_++);
      return true;
    }
    uint64_t result = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return false;
      const auto byte = static_cast<uint8_t>(*at_++);
      if (shift < 64) result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
  }
  bool NextTag(uint32_t* tag) {
    uint64_t value = 0;
    if (!Varint(&value) || value > UINT32_MAX || value >> 3 == 0) return false;
    *tag = static_cast<uint32_t>(value);
    return true;
  }
  bool Bytes(std::string_view* bytes) {
    uint64_t size = 0;
    return Varint(&size) && Take(size, bytes);
  }
  bool Take(uint64_t size, std::string_view* bytes) {
    if (size > static_cast<uint64_t>(end_ - at_)) return false;
    *bytes = std::string_view(at_, size);
    at_ += size;
    return true;
  }
  bool Skip(uint32_t tag) {
    std::string_view bytes;
    uint64_t number = 0;
    switch (tag & 7) {
      case kVarint:
        return Varint(&number);
      case kFixed64:
        return Take(8, &bytes);
      case kBytes:
        return Bytes(&bytes);
      case kFixed32:
        return Take(4, &bytes);
      case kGroupStart:
        return SkipGroup(tag >> 3);
      default:
        return false;
    }
  }

 private:
  // Skips the rest of a group, including nested groups.
  bool SkipGroup(uint32_t field) {
    std::vector<uint32_t> open = {field};
    while (!open.empty()) {
      uint32_t tag = 0;
      if (!NextTag(&tag)) return false;
      if ((tag & 7) == kGroupStart) {
        if (open.size() == kMaxGroups) return false;
        open.push_back(tag >> 3);
      } else if ((tag & 7) == kGroupEnd) {
        if (open.back() != tag >> 3) return false;
        open.pop_back();
      } else if (!Skip(tag)) {
        return false;
      }
    }
    return true;
  }

  const char* at_;
  const char* end_;
};

// Visits each occurrence of a length-delimited field and skips all other fields.
template <class Visit>
bool VisitField(std::string_view message, uint32_t field, Visit visit) {
  Fields fields(message);
  while (!fields.done()) {
    uint32_t tag = 0;
    if (!fields.NextTag(&tag)) return false;
    if (tag != Tag(field, kBytes)) {
      if (!fields.Skip(tag)) return false;
      continue;
    }
    std::string_view bytes;
    if (!fields.Bytes(&bytes) || !visit(bytes)) return false;
  }
  return true;
}

// Visits the entries of a map that is field 1 of a message that is field `field` of `message`.
bool VisitMap(std::string_view message, uint32_t field, VisitEntry visit) {
  return VisitField(message, field, [&](std::string_view map) {
    return VisitField(map, 1, [&](std::string_view entry) {
      std::string_view key = "";
      std::string_view value = "";
      Fields fields(entry);
      while (!fields.done()) {
        uint32_t tag = 0;
        if (!fields.NextTag(&tag)) return false;
        const bool ok = tag == Tag(1, kBytes)   ? fields.Bytes(&key)
                        : tag == Tag(2, kBytes) ? fields.Bytes(&value)
                                                : fields.Skip(tag);
        if (!ok) return false;
      }
      visit(key, value);
      return true;
    });
  });
}

}  // namespace

bool VisitFeatures(std::string_view example, VisitEntry visit) { return VisitMap(example, 1, visit); }
bool VisitFeatureLists(std::string_view sequence_example, VisitEntry visit) {
  return VisitMap(sequence_example, 2, visit);
}
bool VisitFeatureList(std::string_view feature_list, FunctionRef<void(std::string_view feature)> visit) {
  return VisitField(feature_list, 1, [&](std::string_view feature) {
    visit(feature);
    return true;
  });
}

bool ParseFeature(std::string_view feature, FeatureView* view) {
  *view = FeatureView{};
  Fields fields(feature);
  while (!fields.done()) {
    uint32_t tag = 0;
    if (!fields.NextTag(&tag)) return false;
    const DType dtype = tag == Tag(1, kBytes)   ? kString
                        : tag == Tag(2, kBytes) ? kFloat
                        : tag == Tag(3, kBytes) ? kInt64
                                                : kInvalidType;
    if (dtype == kInvalidType) {
      if (!fields.Skip(tag)) return false;
      continue;
    }
    view->dtype = dtype;
    return fields.Bytes(&view->list);  // the first list determines the type
  }
  return true;
}

int64_t ReadValues(std::string_view list, float* to, int64_t room) {
  Fields fields(list);
  int64_t count = 0;
  const auto add = [&](std::string_view bytes) {
    const auto values = static_cast<int64_t>(bytes.size() / sizeof(float));
    const int64_t fit = std::clamp<int64_t>(room - count, 0, values);
    if (fit > 0) std::memcpy(to + count, bytes.data(), static_cast<size_t>(fit) * sizeof(float));
    count += values;
  };
  while (!fields.done()) {
    uint32_t tag = 0;
    std::string_view bytes;
    if (!fields.NextTag(&tag)) return -1;
    if (tag == Tag(1, kBytes)) {
      if (!fields.Bytes(&bytes) || bytes.size() % sizeof(float) != 0) return -1;
      add(bytes);
    } else if (tag == Tag(1, kFixed32)) {
      if (!fields.Take(sizeof(float), &bytes)) return -1;
      add(bytes);
    } else if (!fields.Skip(tag)) {
      return -1;
    }
  }
  return count;
}

int64_t ReadValues(std::string_view list, int64_t* to, int64_t room) {
  Fields fields(list);
  int64_t count = 0;
  const auto add = [&](Fields& from) {
    uint64_t value = 0;
    if (!from.Varint(&value)) return false;
    if (count < room) to[count] = static_cast<int64_t>(value);
    ++count;
    return true;
  };
  while (!fields.done()) {
    uint32_t tag = 0;
    if (!fields.NextTag(&tag)) return -1;
    if (tag == Tag(1, kBytes)) {
      std::string_view bytes;
      if (!fields.Bytes(&bytes)) return -1;
      for (Fields packed(bytes); !packed.done();)
        if (!add(packed)) return -1;
    } else if (tag == Tag(1, kVarint)) {
      if (!add(fields)) return -1;
    } else if (!fields.Skip(tag)) {
      return -1;
    }
  }
  return count;
}

int64_t ReadValues(std::string_view list, std::string* to, int64_t room) {
  int64_t count = 0;
  const bool ok = VisitField(list, 1, [&](std::string_view bytes) {
    if (count < room) to[count].assign(bytes);
    ++count;
    return true;
  });
  return ok ? count : -1;
}

int64_t CountValues(const FeatureView& view) {
  switch (view.dtype) {
    case kFloat:
      return ReadValues(view.list, static_cast<float*>(nullptr), 0);
    case kInt64:
      return ReadValues(view.list, static_cast<int64_t*>(nullptr), 0);
    case kString:
      return ReadValues(view.list, static_cast<std::string*>(nullptr), 0);
    default:
      return 0;
  }
}

}  // namespace weir::io
