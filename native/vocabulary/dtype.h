// Converts dtypes, layouts, memory formats and devices to PyTorch's names, and back.
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <string_view>

namespace mpslab {

std::string_view dtypeName(at::ScalarType dtype);
std::string_view layoutName(at::Layout layout);
std::optional<at::ScalarType> dtypeOf(std::string_view name);
std::optional<at::Layout> layoutOf(std::string_view name);
std::optional<at::MemoryFormat> memoryFormatOf(std::string_view name);
/// `cpu`, `mps`, `cuda:1`; nothing for a text that names no device.
std::optional<at::Device> deviceOf(std::string_view name);

}  // namespace mpslab
