// Takes an object of c10d out of the value in which libtorch's dispatcher passes it.
#pragma once
#include <ATen/core/ivalue.h>

namespace mpslab {

/// Does the same as `toCustomClass`, which looks the class up by its C++ type. On macOS the types of two
/// libraries are compared by address, and each library has its own copy of a template's type. The caller
/// knows the class from the operator's schema.
template <typename Class>
c10::intrusive_ptr<Class> unwrapped(const c10::IValue& value) {
  return c10::static_intrusive_pointer_cast<Class>(value.toObjectRef().getSlot(0).toCapsule());
}

}  // namespace mpslab
