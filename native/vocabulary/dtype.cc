// Holds the tables of dtype, layout and memory format names, and parses device names.
#include "vocabulary/dtype.h"

#include <charconv>
#include <utility>

namespace mpslab {
namespace {

template <typename T>
using Named = std::pair<std::string_view, T>;

constexpr Named<at::ScalarType> kDtypes[] = {
    {"float32", at::kFloat},
    {"float64", at::kDouble},
    {"float16", at::kHalf},
    {"bfloat16", at::kBFloat16},
    {"int64", at::kLong},
    {"int32", at::kInt},
    {"int16", at::kShort},
    {"int8", at::kChar},
    {"uint8", at::kByte},
    {"bool", at::kBool},
    {"complex64", at::kComplexFloat},
    {"complex128", at::kComplexDouble},
    {"complex32", at::kComplexHalf},
    {"uint16", at::kUInt16},
    {"uint32", at::kUInt32},
    {"uint64", at::kUInt64},
    {"float8_e5m2", at::kFloat8_e5m2},
    {"float8_e4m3fn", at::kFloat8_e4m3fn},
    {"float8_e5m2fnuz", at::kFloat8_e5m2fnuz},
    {"float8_e4m3fnuz", at::kFloat8_e4m3fnuz},
    {"float8_e8m0fnu", at::kFloat8_e8m0fnu},
    {"qint8", at::kQInt8},
    {"quint8", at::kQUInt8},
    {"qint32", at::kQInt32},
    {"quint4x2", at::kQUInt4x2},
    {"quint2x4", at::kQUInt2x4},
    // PyTorch's other names.
    {"float", at::kFloat},
    {"double", at::kDouble},
    {"half", at::kHalf},
    {"long", at::kLong},
    {"int", at::kInt},
    {"short", at::kShort},
    {"cfloat", at::kComplexFloat},
    {"cdouble", at::kComplexDouble},
};

constexpr Named<at::Layout> kLayouts[] = {
    {"strided", at::kStrided},      {"sparse_coo", at::kSparse},    {"sparse_csr", at::kSparseCsr},
    {"sparse_csc", at::kSparseCsc}, {"sparse_bsr", at::kSparseBsr}, {"sparse_bsc", at::kSparseBsc},
    {"jagged", at::kJagged},        {"_mkldnn", at::kMkldnn},
};

constexpr Named<at::MemoryFormat> kMemoryFormats[] = {
    {"contiguous_format", at::MemoryFormat::Contiguous},
    {"preserve_format", at::MemoryFormat::Preserve},
    {"channels_last", at::MemoryFormat::ChannelsLast},
    {"channels_last_3d", at::MemoryFormat::ChannelsLast3d},
};

constexpr Named<at::DeviceType> kDevices[] = {
    {"cpu", at::kCPU},
    {"mps", at::kMPS},
    {"cuda", at::kCUDA},
    {"meta", at::kMeta},
};

template <typename T, size_t size>
std::optional<T> find(const Named<T> (&table)[size], std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view dtypeName(at::ScalarType dtype) {
  for (const auto& [name, value] : kDtypes) {
    if (value == dtype) return name;
  }
  return c10::toString(dtype);
}

std::string_view layoutName(at::Layout layout) {
  for (const auto& [name, value] : kLayouts) {
    if (value == layout) return name;
  }
  return "unknown";
}

std::optional<at::ScalarType> dtypeOf(std::string_view name) { return find(kDtypes, name); }
std::optional<at::Layout> layoutOf(std::string_view name) { return find(kLayouts, name); }
std::optional<at::MemoryFormat> memoryFormatOf(std::string_view name) { return find(kMemoryFormats, name); }

std::optional<at::Device> deviceOf(std::string_view name) {
  const size_t colon = name.find(':');
  const auto type = find(kDevices, name.substr(0, colon));
  if (!type) return std::nullopt;
  if (colon == std::string_view::npos) return at::Device(*type);
  const std::string_view digits = name.substr(colon + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), index);
  if (error != std::errc() || end != digits.end() || index < 0 || index > 127) return std::nullopt;
  return at::Device(*type, static_cast<at::DeviceIndex>(index));
}

}  // namespace mpslab
