// Takes an object of c10d's out of the value that libtorch's dispatcher passes it in.
#pragma once
#include <ATen/core/ivalue.h>

namespace mpslab {

/// As `toCustomClass`, which looks the class up by its C++ type: on macOS types of two libraries are compared
/// by address, and that of a template is in each. The caller knows the class by the operator's schema.
template <typename Class>
c10::intrusive_ptr<Class> unwrapped(const c10::IValue& value) {
  return c10::static_intrusive_pointer_cast<Class>(value.toObjectRef().getSlot(0).toCapsule());
}

}  // namespace mpslab
