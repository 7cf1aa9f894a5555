// Throws JavaScript errors, and converts libtorch's exceptions to them. This is the one place that chooses an
// error's class.
#pragma once
#include <string>
#include <string_view>

#include "addon/environment.h"

namespace mpslab {

[[noreturn]] void throwTypeError(Environment& environment, const std::string& message);
[[noreturn]] void throwRangeError(Environment& environment, const std::string& message);
[[noreturn]] void throwError(Environment& environment, ErrorClass errorClass, const std::string& message);

/// Inside a catch block: turns the exception into a JavaScript error of the right class. `where` is the
/// operator or function (`add`), `arguments` what it was given (`self float32 [3], other float32 [4]`), both
/// may be empty. A JavaScript error that was thrown through C++ (by a hook) passes unchanged.
[[noreturn]] void rethrowAsJavaScript(Environment& environment, std::string_view where,
                                      std::string_view arguments);

/// Whether an exception says that a device (not the host allocator) ran out of memory.
bool isDeviceOutOfMemory(const std::exception& error);

}  // namespace mpslab
