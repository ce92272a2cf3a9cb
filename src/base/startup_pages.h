// Memory of a process that is large only while it starts.
#ifndef WEIR_BASE_STARTUP_PAGES_H_
#define WEIR_BASE_STARTUP_PAGES_H_

namespace weir {

// Takes the pages of all loaded programs and libraries that are nothing but a copy of their files out of the resident
// memory. Registering ops and binding functions run once through code that lies all over a library, and the kernel maps
// 64 KB around every place; what is needed again comes back out of the page cache, a microsecond for as much.
// Pages that differ from their file, as under a debugger with breakpoints, keep their whole segment in memory.
// Any thread may run meanwhile. Where the kernel does not tell which pages differ, nothing happens.
void ReleaseStartupPages();

}  // namespace weir

#endif  // WEIR_BASE_STARTUP_PAGES_H_
