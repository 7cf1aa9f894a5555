// Declares the names of macOS's headers that ATen/mps/MPSProfiler.h uses, so that Linux compiles metal.mm.
// Never linked.
#pragma once
#include <cstdint>
#include <ctime>

using os_log_t = struct os_log_s*;

/// macOS's <time.h> has it.
uint64_t clock_gettime_nsec_np(clockid_t clock);
