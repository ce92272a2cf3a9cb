// Releases memory that a process needs only while it starts.
#ifndef WEIR_BASE_STARTUP_PAGES_H_
#define WEIR_BASE_STARTUP_PAGES_H_

namespace weir {

// Unmaps the clean, file-backed pages of the program and its libraries from resident memory. Op registration and
// language bindings run code in all parts of a library once, and the kernel maps 64 KB around each page fault. A page
// that is used again is mapped back from the page cache, which takes about a microsecond per 64 KB.
// A segment with modified pages (e.g. breakpoints of a debugger) is left alone. No-op if the kernel does not tell which
// pages are modified. Thread-safe; other threads may run meanwhile.
void ReleaseStartupPages();

}  // namespace weir

#endif  // WEIR_BASE_STARTUP_PAGES_H_
