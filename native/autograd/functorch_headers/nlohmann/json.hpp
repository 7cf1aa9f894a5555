// Stands in for nlohmann/json, which ATen/functorch/Interpreter.h includes and PyTorch's wheels do not bring.
// That header can write its transforms as JSON; nothing here asks for it, so declarations are enough.
#pragma once
#include <string>

namespace nlohmann {

struct json {
  json() = default;
  template <typename Value>
  explicit json(const Value&);
  std::string dump() const;
  static json parse(const std::string&);
  template <typename Value>
  Value get() const;
};

}  // namespace nlohmann
