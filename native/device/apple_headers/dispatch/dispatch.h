// Declares the names of macOS's header that ATen/mps/MPSStream.h uses, so that Linux compiles metal.mm. Never
// linked.
#pragma once

using dispatch_queue_t = struct dispatch_queue_s*;
using dispatch_block_t = void (*)();
