// What of macOS's header ATen/mps/MPSStream.h names, so that Linux compiles metal.mm. Never linked.
#pragma once

using dispatch_queue_t = struct dispatch_queue_s*;
using dispatch_block_t = void (*)();
