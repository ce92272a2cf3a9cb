#include "base/out_of_memory.h"

#include <cxxabi.h>

#include <exception>
#include <stdexcept>

#include "base/log.h"
#include "base/status.h"

namespace weir {

void ThrowOutOfMemory(Status status) { throw OutOfMemory(std::move(status)); }

namespace {

Status ConvertCurrentException(std::string_view where) {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {  // pthread_exit or pthread_cancel: must be rethrown
    throw;
  } catch (const OutOfMemory& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory: an allocation failed in {}", where);
  } catch (const std::length_error& error) {
    return ResourceExhausted("out of memory: {} asked for more elements than a container can hold ({})", where,
                             error.what());
  } catch (const std::exception& error) {
    return Internal("{} threw an exception: {}", where, error.what());
  } catch (...) {
    return Internal("{} threw an exception", where);
  }
}

}  // namespace

Status StatusFromCurrentException(std::string_view where) {
  try {
    return ConvertCurrentException(where);
  } catch (const std::bad_alloc&) {  // not enough memory for the message
    return Status(StatusCode::kResourceExhausted, "");
  }
}

void LogCurrentException(std::string_view where) {
  try {
    LogError("{} failed with an exception: {}", where, std::string(StatusFromCurrentException(where).message()));
  } catch (const std::bad_alloc&) {  // not enough memory for the log line
  }
}

}  // namespace weir
