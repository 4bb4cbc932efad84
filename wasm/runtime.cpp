// What zig's library for this target leaves out.

// The tag that C++ exceptions are thrown by in WebAssembly, which the linker expects to be somewhere.
__asm__(
    ".globl __cpp_exception\n"
    ".tagtype __cpp_exception i32\n"
    "__cpp_exception:\n");

// The one thread never ends, so that nothing is to be destroyed with it.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the compiler calls it by this name
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
