// Overload resolution, and the wording of its failures.
#include "call/resolve.h"

#include <algorithm>
#include <functional>
#include <set>

#include "addon/errors.h"
#include "call/convert.h"

namespace mpslab {
namespace {

/// Why an overload does not fit, and how far along it stopped fitting.
struct Mismatch {
  enum class Reason { None, WrongKind, WrongOuts, Missing, TooMany, UnknownOption, GivenTwice };
  Reason reason = Reason::None;
  size_t parameter = 0;
  const Value* value = nullptr;
  std::string_view key;
};

int indexOf(const Overload& overload, std::string_view key) {
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    if (overload.parameters[i].named(key)) return static_cast<int>(i);
  }
  return -1;
}

bool isRequiresGrad(std::string_view key) { return key == "requiresGrad" || key == "requires_grad"; }

constexpr std::string_view kOut = "out";

/// Binds a list `out: [...]` to the schema's `out` arguments, of which there is one for each result: `max`
/// and `max_values`.
Mismatch bindOuts(Environment& environment, const Overload& overload, const Value& list, Binding& binding) {
  using Reason = Mismatch::Reason;
  const Mismatch wrong{Reason::WrongOuts, overload.firstOut, &list, kOut};
  if (list.kind != Value::Kind::Array || lengthOf(environment, list) != overload.outs) return wrong;
  binding.outs.resize(overload.outs);
  for (size_t k = 0; k < overload.outs; ++k) {
    const size_t i = overload.firstOut + k;
    if (binding.values[i] != nullptr) return {Reason::GivenTwice, i, &list, kOut};
    binding.outs[k] = elementAt(environment, list, static_cast<uint32_t>(k));
    if (!fits(environment, binding.outs[k], overload.parameters[i])) return wrong;
    binding.values[i] = &binding.outs[k];
  }
  return {};
}

bool isLeftOut(const Value& value, const Parameter& parameter) {
  return value.absent() || (parameter.emptyIfNull && value.kind == Value::Kind::Null);
}

Mismatch bind(Environment& environment, const Overload& overload, const Arguments& arguments,
              Binding& binding) {
  using Reason = Mismatch::Reason;
  const auto& parameters = overload.parameters;
  const size_t given = arguments.positional.size();
  if (given > overload.positional) return {Reason::TooMany, overload.positional, nullptr, {}};
  binding.values.assign(parameters.size(), nullptr);
  binding.requiresGrad = nullptr;
  for (size_t i = 0; i < given; ++i) {
    const Value& value = arguments.positional[i];
    if (isLeftOut(value, parameters[i]) && !parameters[i].required()) continue;
    if (!fits(environment, value, parameters[i])) return {Reason::WrongKind, i, &value, {}};
    binding.values[i] = &value;
  }
  for (const auto& [key, value] : arguments.named) {
    if (key == kOut && value.absent()) continue;
    const int index = indexOf(overload, key);
    if (index < 0 && overload.outs > 0 && key == kOut) {
      const Mismatch mismatch = bindOuts(environment, overload, value, binding);
      if (mismatch.reason != Reason::None) return mismatch;
      continue;
    }
    if (index < 0) {
      if (!overload.factory || !isRequiresGrad(key)) return {Reason::UnknownOption, given, &value, key};
      if (value.kind != Value::Kind::Boolean) return {Reason::WrongKind, parameters.size(), &value, key};
      binding.requiresGrad = &value;
      continue;
    }
    const auto i = static_cast<size_t>(index);
    if (binding.values[i] != nullptr) return {Reason::GivenTwice, i, &value, key};
    if (isLeftOut(value, parameters[i])) continue;
    if (!fits(environment, value, parameters[i])) return {Reason::WrongKind, i, &value, key};
    binding.values[i] = &value;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (binding.values[i] == nullptr && parameters[i].required()) return {Reason::Missing, i, nullptr, {}};
  }
  return {};
}

/// Number of single-character edits between two names, for "did you mean".
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

/// `[values, indices]`: the outputs, by the names of the results that they become.
std::string outsOf(const Overload& overload) {
  std::string text;
  for (size_t k = 0; k < overload.outs; ++k) {
    text += (k == 0 ? "" : ", ") + (overload.resultNames.size() == overload.outs
                                        ? overload.resultNames[k]
                                        : overload.parameters[overload.firstOut + k].camelName);
  }
  return "[" + text + "]";
}

class Explanation {
 public:
  Explanation(Environment& environment, const Operator& op, const Arguments& arguments)
      : environment_(environment), op_(op), arguments_(arguments) {}

  [[noreturn]] void fail() {
    collect();
    const auto& [overload, mismatch] = closest();
    throwTypeError(environment_, op_.name + "(): " + sentence(*overload, mismatch) + " " + signatures());
  }

 private:
  using Reason = Mismatch::Reason;
  struct Attempt {
    const Overload* overload;
    Mismatch mismatch;
  };

  void collect() {
    const bool wantsOut = std::any_of(arguments_.named.begin(), arguments_.named.end(),
                                      [](const auto& option) { return option.first == kOut; });
    Binding binding;
    for (const Overload& overload : op_.overloads) {
      const bool hasOut =
          std::any_of(overload.parameters.begin(), overload.parameters.end(), std::mem_fn(&Parameter::isOut));
      if (hasOut && !wantsOut && op_.overloads.size() > 1) continue;
      attempts_.push_back({&overload, bind(environment_, overload, arguments_, binding)});
    }
    if (attempts_.empty()) {
      const Overload& overload = op_.overloads.front();
      attempts_.push_back({&overload, bind(environment_, overload, arguments_, binding)});
    }
  }

  /// The overload that the call probably meant: it went furthest before it stopped fitting.
  const Attempt& closest() const {
    const auto progress = [](const Attempt& attempt) {
      // Orders failures at the same parameter by how much they explain: an argument given twice most, then a
      // wrong kind, then a missing argument, then too many arguments.
      const auto weight = [&] {
        switch (attempt.mismatch.reason) {
          case Reason::GivenTwice:
            return 3;
          case Reason::WrongKind:
            return 2;
          case Reason::TooMany:
            return 0;
          default:
            return 1;
        }
      }();
      return static_cast<int>(attempt.mismatch.parameter) * 4 + weight;
    };
    return *std::max_element(attempts_.begin(), attempts_.end(),
                             [&](const Attempt& a, const Attempt& b) { return progress(a) < progress(b); });
  }

  std::string sentence(const Overload& overload, const Mismatch& mismatch) const {
    const auto argument = [&] {
      return "argument '" + overload.parameters[mismatch.parameter].camelName + "'";
    };
    switch (mismatch.reason) {
      case Reason::WrongKind:
        if (mismatch.parameter == overload.parameters.size()) {
          return "option 'requiresGrad' must be a boolean, but got " +
                 describe(environment_, *mismatch.value) + ".";
        }
        return argument() + " must be " + wanted(overload, mismatch) + ", but got " +
               describe(environment_, *mismatch.value) + ".";
      case Reason::WrongOuts:
        return "option 'out' must be " + std::to_string(overload.outs) + " tensors in a list, " +
               outsOf(overload) + ", but got " + describe(environment_, *mismatch.value) + ".";
      case Reason::Missing:
        // A tensor that another thread sent arrives as a plain object without its memory, so it was taken for
        // options.
        if (arguments_.emptyOptions != nullptr &&
            overload.parameters[mismatch.parameter].type == Type::Tensor) {
          return argument() + " must be " + wanted(overload, mismatch) + ", but got " +
                 describe(environment_, look(environment_, arguments_.emptyOptions)) + ".";
        }
        return argument() + " is missing: it must be " + wanted(overload, mismatch) + ".";
      case Reason::TooMany:
        return "takes at most " + std::to_string(mismatch.parameter) + " positional argument" +
               (mismatch.parameter == 1 ? "" : "s") + ", but got " +
               std::to_string(arguments_.positional.size()) + ".";
      case Reason::GivenTwice:
        return argument() + " was given twice, by place and by name.";
      case Reason::UnknownOption:
        if (isKnown(mismatch.key)) {
          return "option '" + std::string(mismatch.key) + "' does not go together with the other arguments.";
        }
        return "unknown option '" + std::string(mismatch.key) + "'" + nearest(mismatch.key);
      case Reason::None:
        break;
    }
    return "the arguments do not fit.";
  }

  /// Describes what the overloads that failed at this parameter accept there: `a Tensor or a number`.
  std::string wanted(const Overload& overload, const Mismatch& mismatch) const {
    const std::string& name = overload.parameters[mismatch.parameter].name;
    std::vector<std::string> kinds;
    for (const Attempt& attempt : attempts_) {
      if (attempt.mismatch.reason != mismatch.reason || attempt.mismatch.parameter != mismatch.parameter)
        continue;
      const Parameter& parameter = attempt.overload->parameters[mismatch.parameter];
      if (parameter.name != name) continue;
      const std::string kind = expectation(parameter);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    std::string text;
    for (size_t i = 0; i < kinds.size(); ++i)
      text += (i == 0 ? "" : i + 1 == kinds.size() ? " or " : ", ") + kinds[i];
    return text;
  }

  /// Another overload has the option: `sort(x, 0, { stable: true })`, where only `{ stable, dim }` exists.
  bool isKnown(std::string_view key) const {
    return std::any_of(op_.overloads.begin(), op_.overloads.end(),
                       [&](const Overload& overload) { return indexOf(overload, key) >= 0; });
  }

  std::string nearest(std::string_view key) const {
    std::string best;
    size_t distance = std::max<size_t>(2, key.size() / 3) + 1;
    const auto consider = [&](const std::string& name) {
      const size_t edits = editDistance(key, name);
      if (edits < distance) {
        distance = edits;
        best = name;
      }
    };
    for (const Attempt& attempt : attempts_) {
      for (const Parameter& parameter : attempt.overload->parameters) consider(parameter.camelName);
      if (attempt.overload->factory) consider("requiresGrad");
    }
    return best.empty() ? "." : "; did you mean '" + best + "'?";
  }

  std::string signatures() const {
    std::string text = "Use ";
    const size_t shown = std::min<size_t>(attempts_.size(), 3);
    for (size_t i = 0; i < shown; ++i) {
      text += (i == 0 ? "" : i + 1 == shown ? " or " : ", ") + signature(op_, *attempts_[i].overload);
    }
    return text + ".";
  }

  Environment& environment_;
  const Operator& op_;
  const Arguments& arguments_;
  std::vector<Attempt> attempts_;
};

}  // namespace

const Overload* tryResolve(Environment& environment, const Operator& op, const Arguments& arguments,
                           Binding& binding) {
  for (const Overload& overload : op.overloads) {
    if (bind(environment, overload, arguments, binding).reason == Mismatch::Reason::None) return &overload;
  }
  return nullptr;
}

const Overload& resolve(Environment& environment, const Operator& op, const Arguments& arguments,
                        Binding& binding) {
  if (const Overload* overload = tryResolve(environment, op, arguments, binding)) return *overload;
  Explanation(environment, op, arguments).fail();
}

std::string signature(const Operator& op, const Overload& overload) {
  std::string places;
  std::string options;
  for (const Parameter& parameter : overload.parameters) {
    if (overload.outs > 0 && parameter.isOut()) continue;
    std::string& text = parameter.keywordOnly ? options : places;
    text += (text.empty() ? "" : ", ") + parameter.camelName + (parameter.required() ? "" : "?");
  }
  if (overload.outs > 0) options += (options.empty() ? "out: " : ", out: ") + outsOf(overload);
  if (overload.factory) options += ", requiresGrad?";
  if (!options.empty()) places += (places.empty() ? "{ " : ", { ") + options + " }";
  return op.name + "(" + places + ")";
}

namespace {

constexpr uint32_t kShownElements = 8;
constexpr size_t kShownText = 80;

/// Describes a value as a message lists it: `float32 [2, 3]`, `[0, 1]`, `2`, `"mean"`. Empty for a value that
/// says nothing in a message.
std::string briefly(Environment& environment, const Value& value) {
  if (value.handle != nullptr)
    return value.handle->state == Handle::State::Live ? describe(value.handle->tensor) : std::string();
  switch (value.kind) {
    case Value::Kind::Number:
    case Value::Kind::BigInt:
    case Value::Kind::String: {
      napi_value text;
      if (napi_coerce_to_string(environment.env, toJavaScript(environment, value), &text) != napi_ok)
        return {};
      const std::string shown = toUtf8(environment.env, text);
      if (shown.size() > kShownText) return {};
      return value.kind == Value::Kind::String ? "\"" + shown + "\"" : shown;
    }
    case Value::Kind::Array: {
      const uint32_t count = lengthOf(environment, value);
      std::string list;
      for (uint32_t i = 0; i < std::min(count, kShownElements); ++i) {
        const Value element = elementAt(environment, value, i);
        // A nested array is not looked into, because an array may contain itself.
        const bool nested = element.kind == Value::Kind::Array;
        list += (i == 0 ? "" : ", ") + (nested ? "[...]" : briefly(environment, element));
      }
      return "[" + list + (count > kShownElements ? ", ..." : "") + "]";
    }
    default:
      return {};
  }
}

/// Whether the value is the parameter's default, which the library passed although it could have left it out.
bool isDefault(const Parameter& parameter, const Value& value) {
  if (value.kind != Value::Kind::Number || !parameter.defaultValue) return false;
  const c10::IValue& usual = *parameter.defaultValue;
  return (usual.isInt() && static_cast<double>(usual.toInt()) == value.number) ||
         (usual.isDouble() && usual.toDouble() == value.number);
}

}  // namespace

std::string describeArguments(Environment& environment, const Overload& overload, const Binding& binding) {
  std::string text;
  for (size_t i = 0; i < binding.values.size(); ++i) {
    if (binding.values[i] == nullptr || isDefault(overload.parameters[i], *binding.values[i])) continue;
    const std::string what = briefly(environment, *binding.values[i]);
    if (!what.empty()) text += (text.empty() ? "" : ", ") + overload.parameters[i].camelName + " " + what;
  }
  return text;
}

}  // namespace mpslab
