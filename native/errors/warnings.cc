// Prints libtorch's warnings as `Warning: ...`, without the time and the C++ source line, and with the names
// that cells use.
#include "errors/warnings.h"

#include <c10/util/Exception.h>

#include <cstdio>
#include <regex>
#include <string>
#include <string_view>

namespace mpslab {
namespace {

struct RewordedWarning {
  std::string_view says;
  const char* text;
};

constexpr RewordedWarning kWarnings[] = {
    {"The .grad attribute of a Tensor that is not a leaf",
     "grad of a tensor that is no leaf is read: backward() adds up gradients in leaves alone. Call "
     "retainGrad() "
     "on this one before backward(), or read grad of the leaf that it was computed from."},
    {"A window was not provided",
     "stft without a window cuts the signal sharply, which leaks between frequencies: give { window: "
     "torch.hannWindow(nFft) }, or torch.ones([nFft]) where that is wanted."},
    {"tensor support is in beta state",
     "compressed sparse tensors (CSR, CSC, BSR, BSC) are in beta in libtorch: some operators do not take "
     "them."},
};

/// `torch.hann_window` -> `torch.hannWindow`, `.retain_grad()` -> `.retainGrad()`; names of operators, as
/// `aten::linalg_svd`, stay.
std::string withOurNames(const std::string& text) {
  static const std::regex member(R"((?:\btorch)?\.[a-z]\w*_\w+)");
  std::string result;
  size_t done = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), member), end; found != end; ++found) {
    const auto at = static_cast<size_t>(found->position());
    result.append(text, done, at - done);
    const std::string name = found->str();
    for (size_t i = 0; i < name.size(); ++i) {
      const bool joins = name[i] == '_' && i > 0 && name[i - 1] != '.' && i + 1 < name.size();
      result += joins ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[++i]))) : name[i];
    }
    done = at + name.size();
  }
  return result.append(text, done);
}

/// libtorch's words of an operator that vmap runs in a loop; empty for any other text.
std::string loopOfVmap(const std::string& text) {
  static const std::regex rule(R"(not yet implemented the batching rule for aten::(\w+))");
  std::smatch found;
  if (!std::regex_search(text, found, rule)) return {};
  return "torch.func.vmap runs " + found[1].str() +
         " once for each example, because libtorch has no rule for it on a batch: right, and slower.";
}

class WarningsOnStderr final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    std::string text = warning.msg();
    const size_t tail = text.find("\nException raised from ");
    if (tail != std::string::npos) text.resize(tail);
    if (const std::string loop = loopOfVmap(text); !loop.empty()) text = loop;
    for (const RewordedWarning& reworded : kWarnings) {
      if (text.find(reworded.says) == std::string::npos) continue;
      std::fprintf(stderr, "Warning: %s\n", reworded.text);
      return;
    }
    std::fprintf(stderr, "Warning: %s\n", withOurNames(text).c_str());
  }
};

}  // namespace

void installWarnings() {
  static WarningsOnStderr handler;
  c10::WarningUtils::set_warning_handler(&handler);
}

}  // namespace mpslab
