// Declares the names of macOS's header that ATen/mps/MPSProfiler.h uses, so that Linux compiles metal.mm.
// Never linked.
#pragma once
#include <cstdint>

using os_signpost_id_t = uint64_t;
using os_signpost_type_t = uint8_t;
