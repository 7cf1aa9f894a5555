// Counts the copies between kinds of devices that a backward makes: the gradient of `x.to(device)` goes back
// to the first device. JavaScript sees the copies of a forward itself. The copies are seen through an
// observer of libtorch's `RecordFunction`, which exists only while somebody counts.
#include <ATen/record_function.h>

#include <string>
#include <vector>

#include "addon/guard.h"
#include "autograd/exports.h"

namespace mpslab {
namespace {

struct BackwardCopy {
  std::string from;
  std::string to;
  size_t bytes;
};

struct Watch {
  at::CallbackHandle callback = 0;
  /// The number of nested watchers: a traced step may trace a step itself.
  int watchers = 0;
  /// The running calls, the innermost last. True for a node of a backward, and for an operator with which
  /// such a node copies. A copy below any other operator is that operator's own, such as a fallback's.
  std::vector<bool> copying;
  std::vector<BackwardCopy> copies;
};

thread_local std::unique_ptr<Watch> watch;

/// The context of an operator that began while somebody watched.
struct Begun : at::ObserverContext {};

void note(const at::RecordFunction& function) {
  const auto inputs = function.inputs();
  if (inputs.size() < 2 || !inputs[0].isTensor() || !inputs[1].isTensor()) return;
  const at::Tensor& to = inputs[0].toTensor();
  const at::Tensor& from = inputs[1].toTensor();
  if (!to.defined() || !from.defined() || to.device().type() == from.device().type()) return;
  watch->copies.push_back({at::DeviceTypeName(from.device().type(), true),
                           at::DeviceTypeName(to.device().type(), true), from.nbytes()});
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  if (!watch) return nullptr;
  const std::string_view name = function.name();
  const bool node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  const bool below = !watch->copying.empty() && watch->copying.back();
  if (below && name == "aten::copy_") note(function);
  watch->copying.push_back(node || (below && (name == "aten::to" || name == "aten::_to_copy")));
  return std::make_unique<Begun>();
}

void end(const at::RecordFunction&, at::ObserverContext* begun) {
  if (watch && begun != nullptr && !watch->copying.empty()) watch->copying.pop_back();
}

/// Returns how many copies were seen before this watcher came.
Napi::Value watchBackwardCopies(Environment&, const Napi::CallbackInfo& info) {
  if (!watch) {
    watch = std::make_unique<Watch>();
    watch->callback = at::addThreadLocalCallback(
        at::RecordFunctionCallback(begin, end)
            .needsInputs(true)
            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }
  ++watch->watchers;
  return Napi::Number::New(info.Env(), static_cast<double>(watch->copies.size()));
}

/// The copies after the first `told`. They stay, because other observers may read them too.
Napi::Value backwardCopiesAfter(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array list = Napi::Array::New(env);
  if (!watch) return list;
  for (size_t told = info[0].ToNumber().Uint32Value(); told < watch->copies.size(); ++told) {
    const BackwardCopy& seen = watch->copies[told];
    Napi::Object copy = Napi::Object::New(env);
    copy.Set("from", seen.from);
    copy.Set("to", seen.to);
    copy.Set("bytes", static_cast<double>(seen.bytes));
    list.Set(list.Length(), copy);
  }
  return list;
}

Napi::Value stopWatchingCopies(Environment&, const Napi::CallbackInfo& info) {
  if (watch && --watch->watchers == 0) {
    at::removeCallback(watch->callback);
    watch.reset();
  }
  return info.Env().Undefined();
}

}  // namespace

void defineBackwardCopies(Environment& environment, Napi::Object exports) {
  define<watchBackwardCopies>(environment, exports, "watchBackwardCopies");
  define<backwardCopiesAfter>(environment, exports, "backwardCopiesAfter");
  define<stopWatchingCopies>(environment, exports, "stopWatchingCopies");
}

}  // namespace mpslab
