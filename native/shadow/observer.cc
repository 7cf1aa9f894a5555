// The arguments are copied before the call, because the call may write them or memory that they share.
#include "shadow/observer.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "addon/call_site.h"
#include "capture/operators.h"
#include "memory/device_statistics.h"
#include "shadow/operator_rules.h"
#include "shadow/repeated_writes.h"
#include "vocabulary/first_line.h"

namespace mpslab::shadow {
namespace {

thread_local Observer* observer = nullptr;

/// Makes the observer's own operators run below autograd and autocast, and hides them from observers.
struct OwnWork {
  at::AutoDispatchBelowADInplaceOrView below;
  at::NoGradGuard noGrad;
  c10::impl::ExcludeDispatchKeyGuard withoutAutocast{c10::autocast_dispatch_keyset};
  at::DisableRecordFunctionGuard unseen;
};

/// Whether the results are views of arguments, so that nothing is computed.
bool isView(const c10::OperatorHandle& op) {
  const auto& returns = op.schema().returns();
  return std::any_of(returns.begin(), returns.end(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

bool uses(at::DeviceType device, Values arguments) {
  bool found = false;
  for (const c10::IValue& argument : arguments) {
    if (argument.isDevice() && argument.toDevice().type() == device) return true;
    forEachTensor(argument,
                  [&](const at::Tensor& tensor) { found = found || tensor.device().type() == device; });
    if (found) return true;
  }
  return false;
}

void synchronize(at::Device device) { at::accelerator::synchronizeDevice(deviceIndexOf(device)); }

/// The first line of an error's text, without its period.
std::string reasonOf(const std::exception& error) {
  const auto* known = dynamic_cast<const c10::Error*>(&error);
  std::string text = firstLine(known != nullptr ? known->what_without_backtrace() : error.what());
  while (text.ends_with('.')) text.pop_back();
  return text;
}

double msSince(Sampling::Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Sampling::Clock::now() - began).count();
}

}  // namespace

struct Observer::Call : at::ObserverContext {
  Call(c10::OperatorHandle op, CallKind& kind) : op(std::move(op)), kind(kind) {}
  c10::OperatorHandle op;
  CallKind& kind;
  std::vector<c10::IValue> given;
  /// Null if the call is not compared.
  std::shared_ptr<const HostArguments> arguments;
  double copyingMs = 0;
};

namespace {

/// The context of a backward's node: the name of the node around it.
struct Node : at::ObserverContext {
  explicit Node(std::string outer) : outer(std::move(outer)) {}
  std::string outer;
};

}  // namespace

Observer::Observer(Environment& environment, Options options)
    : environment_(environment), options_(std::move(options)), sampling_(options_.share, options_.seed) {
  environment.shadow = std::make_unique<ShadowNotes>();
  observer = this;
  callback_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(&Observer::begin, &Observer::end)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

Observer::~Observer() {
  at::removeCallback(callback_);
  observer = nullptr;
  environment_.shadow.reset();
}

std::unique_ptr<at::ObserverContext> Observer::begin(const at::RecordFunction& function) {
  if (observer == nullptr || observer->insideCall_ || observer->finding_) return nullptr;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION)
    return std::make_unique<Node>(std::exchange(observer->node_, function.name()));
  auto call = observer->beginCall(function);
  observer->insideCall_ = call != nullptr;
  return call;
}

void Observer::end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (observer == nullptr || context == nullptr) return;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    observer->node_ = static_cast<Node*>(context)->outer;
    return;
  }
  observer->endCall(function, *static_cast<Call*>(context));
  observer->insideCall_ = false;
}

std::unique_ptr<at::ObserverContext> Observer::beginCall(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name || !name->name.starts_with("aten::")) return nullptr;
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  const auto inputs = function.inputs();
  if (!op || isView(*op) || !uses(options_.device.type(), inputs)) return nullptr;
  if (capture::isTakenApart(*op, inputs, options_.device)) return nullptr;
  CallKind& kind = sampling_.kindOf(*op, inputs);
  auto call = std::make_unique<Call>(*op, kind);
  std::string leftOut = undetermined(*op, inputs);
  if (leftOut.empty()) leftOut = HostArguments::refusal(inputs);
  if (!leftOut.empty())
    kind.leftOut = std::move(leftOut);
  else if (sampling_.chooses(kind))
    copyArguments(*call, inputs);
  return call;
}

void Observer::copyArguments(Call& call, Values inputs) {
  try {
    const OwnWork own;
    // The wait for earlier work is not counted: that time is the loop's own.
    synchronize(options_.device);
    const auto began = Sampling::Clock::now();
    call.arguments = std::make_shared<HostArguments>(inputs, argumentRounding(call.op, options_.device));
    call.given.assign(inputs.begin(), inputs.end());
    call.copyingMs = msSince(began);
  } catch (...) {
    environment_.shadow->failure = std::current_exception();
  }
}

void Observer::endCall(const at::RecordFunction& function, Call& call) {
  // Without arguments the call is not compared. With too few outputs the operator threw.
  if (!call.arguments || function.outputs().size() < call.op.schema().returns().size()) return;
  try {
    const OwnWork own;
    synchronize(options_.device);
    const auto began = Sampling::Clock::now();
    std::string leftOut = compareCall(function, call);
    sampling_.spent(call.kind, call.copyingMs + msSince(began), leftOut.empty());
    if (!leftOut.empty()) call.kind.leftOut = std::move(leftOut);
  } catch (...) {
    environment_.shadow->failure = std::current_exception();
  }
}

std::string Observer::compareCall(const at::RecordFunction& function, Call& call) {
  std::string leftOut = HostArguments::refusal(valuesOf(function.outputs()));
  if (!leftOut.empty()) return leftOut;
  std::vector<Product> host;
  try {
    if (writesRepeatedly(call.op, *call.arguments))
      return "several values are written to one element, and each device may keep another";
    host = callOnHost(call.op, *call.arguments);
  } catch (const std::exception& error) {
    return "the CPU cannot do it: " + reasonOf(error);
  }
  const std::vector<Product> device = productsOf(call.op, valuesOf(call.given), valuesOf(function.outputs()));
  auto difference =
      compare(call.op, valuesOf(call.given), *call.arguments, device, host, toleranceOf(call.op));
  if (difference) {
    environment_.shadow->found = true;
    finding_ = Finding{call.op, call.given, call.arguments, *std::move(difference), callSite(), node_};
  }
  return {};
}

double Observer::toleranceOf(const c10::OperatorHandle& op) const {
  const auto found = options_.tolerances.find(op.operator_name().name.substr(6));
  return found == options_.tolerances.end() ? options_.tolerance : found->second;
}

}  // namespace mpslab::shadow
