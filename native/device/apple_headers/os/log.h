// What of macOS's headers ATen/mps/MPSProfiler.h names, so that Linux compiles metal.mm. Never linked.
#pragma once
#include <cstdint>
#include <ctime>

using os_log_t = struct os_log_s*;

/// macOS's <time.h> has it.
uint64_t clock_gettime_nsec_np(clockid_t clock);
