// Declares the name of macOS's header that ATen/mps/MPSProfiler.h uses. Never linked or shipped.
#pragma once
#include <time.h>

typedef struct os_log_s* os_log_t;
