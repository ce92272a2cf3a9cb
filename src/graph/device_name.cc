// Parses device names part by part. A later part overrides an earlier one of the same kind, but two different device
// types are an error.
#include "graph/device_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace weir {
namespace {

bool IsIdentifier(absl::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) return false;
  for (char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

Status Malformed(std::string_view text, absl::string_view part, std::string_view why) {
  return InvalidArgument("malformed device name '{}': '{}' {}", text, std::string_view(part.data(), part.size()), why);
}

// "CPU", "GPU" and "TPU" are case-insensitive; other types are taken verbatim.
std::string CanonicalType(absl::string_view type) {
  for (const char* known : {"CPU", "GPU", "TPU"}) {
    if (absl::EqualsIgnoreCase(type, known)) return known;
  }
  return std::string(type);
}

// Sets one part of a name. "*" matches anything and leaves the part unset.
class PartReader {
 public:
  PartReader(std::string_view text, DeviceName* name) : text_(text), name_(*name) {}

  Status Read(absl::string_view part) {
    std::vector<absl::string_view> words = absl::StrSplit(part, ':');
    absl::string_view key = words[0];
    if (words.size() == 2 && key == "job") return Job(part, words[1]);
    if (words.size() == 2 && key == "replica") return Number(part, words[1], &name_.replica);
    if (words.size() == 2 && key == "task") return Number(part, words[1], &name_.task);
    if (words.size() <= 3 && words.size() >= 2 && key == "device") {
      return Device(part, words[1], words.size() == 3 ? words[2] : "*");
    }
    // "/cpu:0" and "CPU:0" are short for "/device:CPU:0".
    std::string type = CanonicalType(key);
    if (words.size() <= 2 && (type == "CPU" || type == "GPU" || type == "TPU")) {
      return Device(part, type, words.size() == 2 ? words[1] : "*");
    }
    return Malformed(text_, part, "is none of job:, replica:, task:, device:, cpu: and gpu:");
  }

 private:
  Status Job(absl::string_view part, absl::string_view value) {
    if (value != "*" && !IsIdentifier(value)) {
      return Malformed(text_, part, "must name a job with letters, digits and underscores, a letter first");
    }
    name_.job.reset();
    if (value != "*") name_.job = std::string(value);
    return OkStatus();
  }

  Status Number(absl::string_view part, absl::string_view value, std::optional<int>* out) {
    out->reset();
    if (value == "*") return OkStatus();
    int number = 0;
    bool digits = !value.empty() && absl::ascii_isdigit(static_cast<unsigned char>(value[0]));
    if (!digits || !absl::SimpleAtoi(value, &number)) {
      return Malformed(text_, part, "must end in a number that is not negative");
    }
    *out = number;
    return OkStatus();
  }

  Status Device(absl::string_view part, absl::string_view type, absl::string_view index) {
    if (saw_device_) return Malformed(text_, part, "specifies the device twice");
    saw_device_ = true;
    if (type != "*" && !IsIdentifier(type)) {
      return Malformed(text_, part, "must name a kind of device with letters, digits and underscores, a letter first");
    }
    if (type != "*") name_.type = CanonicalType(type);
    return Number(part, index, &name_.index);
  }

  std::string_view text_;
  DeviceName& name_;
  bool saw_device_ = false;
};

template <class T>
bool PartMatches(const std::optional<T>& wanted, const std::optional<T>& actual) {
  return !wanted.has_value() || wanted == actual;
}

}  // namespace

Result<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  PartReader reader(text, &name);
  for (absl::string_view part : absl::StrSplit(absl::string_view(text.data(), text.size()), '/', absl::SkipEmpty())) {
    WEIR_TRY(reader.Read(part));
  }
  return name;
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += fmt::format("/replica:{}", *replica);
  if (task) text += fmt::format("/task:{}", *task);
  if (type || index) text += fmt::format("/device:{}:{}", type.value_or("*"), index ? std::to_string(*index) : "*");
  return text;
}

DeviceName DeviceName::MergedWith(const DeviceName& inner) const {
  DeviceName merged = *this;
  if (inner.job) merged.job = inner.job;
  if (inner.replica) merged.replica = inner.replica;
  if (inner.task) merged.task = inner.task;
  if (inner.type) merged.type = inner.type;
  if (inner.index) merged.index = inner.index;
  return merged;
}

bool DeviceName::Matches(const DeviceName& full) const {
  return PartMatches(job, full.job) && PartMatches(replica, full.replica) && PartMatches(task, full.task) &&
         PartMatches(type, full.type) && PartMatches(index, full.index);
}

}  // namespace weir
