// Declares the names of macOS's header that ATen/mps/MPSProfiler.h uses. Never linked or shipped.
#pragma once
#include <stdint.h>

typedef uint64_t os_signpost_id_t;
typedef uint8_t os_signpost_type_t;
