// Runs a CPU kernel on the device's memory. It is queued if the shapes of its results are known beforehand;
// otherwise it runs at once, after all queued work.
#include "simulated_metal/kernels/kernel.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include "addon/call_site.h"
#include "memory/result_places.h"
#include "simulated_metal/kernels/factories.h"
#include "simulated_metal/kernels/faults.h"
#include "simulated_metal/kernels/generator.h"
#include "simulated_metal/kernels/half_products.h"
#include "simulated_metal/kernels/host_view.h"
#include "simulated_metal/kernels/shapes.h"
#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

using Kind = ArgumentPlan::Kind;

std::map<std::string, int64_t> drainsByOperator;

/// Operators are launched by one thread at a time, as PyTorch's MPS operators have to be.
std::recursive_mutex& turn() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

bool isOnHost(const at::Tensor& tensor) { return tensor.defined() && tensor.is_cpu() && tensor.dim() != 0; }

/// Whether an argument is a CPU tensor with elements, such as an index that was made there. The host may
/// change it while the operator waits in the queue.
bool usesHostTensors(const OperatorPlan& plan, Arguments arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Kind kind = plan.arguments[i].kind;
    if (kind == Kind::Tensor && arguments[i].isTensor() && isOnHost(arguments[i].toTensor())) return true;
    if ((kind == Kind::TensorList || kind == Kind::OptionalTensorList) && arguments[i].isList()) {
      for (const c10::IValue& element : arguments[i].toListRef()) {
        if (element.isTensor() && isOnHost(element.toTensor())) return true;
      }
    }
  }
  return false;
}

/// Whether a list of indices holds a mask. Only the mask's elements say how many elements it selects.
bool indexesByMask(const OperatorPlan& plan, Arguments arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (plan.arguments[i].kind != Kind::OptionalTensorList || !arguments[i].isList()) continue;
    for (const c10::IValue& element : arguments[i].toListRef()) {
      if (!element.isTensor() || !element.toTensor().defined()) continue;
      const at::ScalarType type = element.toTensor().scalar_type();
      if (type == at::kBool || type == at::kByte) return true;
    }
  }
  return false;
}

/// Converts an argument for a CPU kernel that may run later. An mps tensor becomes a CPU view of the same
/// memory. A 0-dimensional CPU tensor is cloned, because the caller may change it before the queued kernel
/// runs. A wrapped number (libtorch's tensor for a plain number) is not cloned: nothing else refers to it.
at::Tensor hostArgument(const at::Tensor& tensor, bool out) {
  if (!tensor.defined()) return tensor;
  if (tensor.is_mps()) return out ? resizableHostView(tensor) : hostView(tensor);
  return tensor.dim() == 0 && !tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor.clone() : tensor;
}

c10::IValue hostArgument(const c10::IValue& value, const ArgumentPlan& plan, bool resizable) {
  switch (plan.kind) {
    case Kind::Tensor:
      return value.isTensor() ? c10::IValue(hostArgument(value.toTensor(), resizable && plan.out)) : value;
    case Kind::TensorList: {
      if (!value.isTensorList()) return value;
      c10::List<at::Tensor> list;
      for (const c10::IValue& element : value.toListRef())
        list.push_back(hostArgument(element.toTensor(), resizable && plan.out));
      return list;
    }
    case Kind::OptionalTensorList: {
      if (!value.isList()) return value;
      c10::List<std::optional<at::Tensor>> list;
      for (const c10::IValue& element : value.toListRef()) {
        list.push_back(element.isTensor() && element.toTensor().defined()
                           ? std::optional(hostArgument(element.toTensor(), false))
                           : std::nullopt);
      }
      return list;
    }
    case Kind::Device:
      return value.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : value;
    case Kind::Generator:
      return c10::IValue(hostGenerator(value));
    default:
      return value;
  }
}

torch::jit::Stack hostArguments(const OperatorPlan& plan, Arguments arguments, bool resizable) {
  torch::jit::Stack host;
  host.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    host.push_back(hostArgument(arguments[i], plan.arguments[i], resizable));
  return host;
}

/// Below autograd, which has seen the call already with the device's tensors.
void callHost(const OperatorPlan& plan, torch::jit::Stack& stack) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard noGrad;
  if (isFaulty(plan.handle)) [[unlikely]]
    return callWrongly(plan.handle, stack);
  if (multipliesHalves(plan, stack)) return multiplyInFloat32(plan, stack);
  plan.handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
}

/// One operator in the queue. It holds views for the host, none of which owns the device's memory.
class OperatorWork final : public Work {
 public:
  OperatorWork(const OperatorPlan& plan, torch::jit::Stack arguments, c10::SmallVector<at::Tensor, 2> targets,
               std::shared_ptr<const CallSite> site)
      : plan_(plan), stack_(std::move(arguments)), targets_(std::move(targets)), site_(std::move(site)) {}

  void run() override {
    c10::SmallVector<Place, 2> places;
    for (const at::Tensor& target : targets_) {
      if (target.defined() && target.storage().nbytes() != 0)
        places.push_back({target.storage().mutable_data(), target.storage().nbytes()});
    }
    {
      const PlaceResults placing(places.data(), places.size());
      callHost(plan_, stack_);
    }
    const at::AutoDispatchBelowADInplaceOrView below;
    finish(places);
  }

  std::string name() const override { return plan_.handle.operator_name().name; }
  std::shared_ptr<const CallSite> site() const override { return site_; }

 private:
  static bool isThere(const at::Tensor& result, const at::Tensor& target) {
    return result.storage().data() == target.storage().data() && result.strides() == target.strides() &&
           result.storage_offset() == target.storage_offset();
  }

  /// Copies results to where they belong. A result may lie in another result's place, so it is first copied
  /// out of there.
  void finish(c10::ArrayRef<Place> places) {
    c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 2> elsewhere;
    size_t next = 0;
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      if (plan_.results[i].argument >= 0) continue;
      const at::Tensor& target = targets_[next++];
      const at::Tensor& result = stack_[i].toTensor();
      if (!target.defined() || !result.defined()) continue;
      TORCH_CHECK(result.sizes() == target.sizes() && result.scalar_type() == target.scalar_type(), name(),
                  " gave a result of shape ", result.sizes(), ", but ", target.sizes(),
                  " was expected from an earlier call with such arguments");
      if (!isThere(result, target)) elsewhere.emplace_back(result, target);
    }
    for (auto& [result, target] : elsewhere) {
      for (const Place& place : places) {
        if (result.storage().data() == place.data) result = result.clone();
      }
    }
    for (auto& [result, target] : elsewhere) target.copy_(result);
  }

  const OperatorPlan& plan_;
  torch::jit::Stack stack_;
  c10::SmallVector<at::Tensor, 2> targets_;
  std::shared_ptr<const CallSite> site_;
};

void putResults(torch::jit::Stack& stack, size_t arguments, c10::SmallVector<c10::IValue, 2>& results) {
  torch::jit::drop(stack, arguments);
  for (c10::IValue& result : results) stack.push_back(std::move(result));
}

}  // namespace

void HostKernel::operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const std::lock_guard lock(turn());
  const at::AutoDispatchBelowADInplaceOrView below;
  if (plan_.views) return view(*stack);
  const Arguments arguments = torch::jit::last(*stack, plan_.arguments.size());
  if (!plan_.shapesFollow || plan_.drawsFromDefault || usesHostTensors(plan_, arguments) ||
      indexesByMask(plan_, arguments))
    return runNow(*stack, {});
  const std::string_view signature = Signatures::write(plan_, arguments);
  const Shapes* shapes = shapesFor(arguments, signature);
  if (shapes != nullptr) return launch(*stack, *shapes);
  runNow(*stack, signature);
}

const Shapes* HostKernel::shapesFor(Arguments arguments, std::string_view signature) {
  const Shapes* known = signatures_.find(signature);
  if (known != nullptr) return known;
  if (plan_.hasMeta) return signatures_.keep(signature, shapesByMeta(plan_, arguments));
  const std::string kept(signature);
  // Without a queue no trial is needed: the call runs at once and gives the shapes.
  auto tried = queue().queueing() ? shapesByTrial(plan_, arguments) : std::nullopt;
  return tried ? signatures_.keep(kept, *std::move(tried)) : nullptr;
}

void HostKernel::view(torch::jit::Stack& stack) {
  const size_t count = plan_.arguments.size();
  const Arguments arguments = torch::jit::last(stack, count);
  torch::jit::Stack host = hostArguments(plan_, arguments, false);
  callHost(plan_, host);
  c10::SmallVector<c10::IValue, 2> results;
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    const at::Tensor& base = arguments[static_cast<size_t>(plan_.results[i].argument)].toTensor();
    results.emplace_back(deviceView(base, host[i].toTensor()));
  }
  putResults(stack, count, results);
}

void HostKernel::launch(torch::jit::Stack& stack, const Shapes& shapes) {
  const size_t count = plan_.arguments.size();
  const Arguments arguments = torch::jit::last(stack, count);
  c10::SmallVector<c10::IValue, 2> results;
  c10::SmallVector<at::Tensor, 2> targets;
  size_t next = 0;
  for (const ResultPlan& result : plan_.results) {
    if (result.argument < 0) {
      const Shape& shape = shapes[next++];
      at::Tensor made = shape.defined ? emptyOnDevice(shape.sizes, shape.strides, shape.dtype) : at::Tensor();
      targets.push_back(made.defined() ? hostView(made) : at::Tensor());
      results.emplace_back(std::move(made));
      continue;
    }
    const auto argument = static_cast<size_t>(result.argument);
    const c10::IValue& given = arguments[argument];
    if (plan_.arguments[argument].out) {
      const Shape& shape = shapes[next++];
      if (given.toTensor().sizes() != shape.sizes) resizeOnDevice(given.toTensor(), shape.sizes);
    }
    results.push_back(given);
  }
  auto site = queue().queueing() && plan_.mayFail(arguments) ? CallSite::here() : nullptr;
  auto work = std::make_unique<OperatorWork>(plan_, hostArguments(plan_, arguments, false),
                                             std::move(targets), std::move(site));
  work->execution = watchOperation(plan_.handle.operator_name().name, arguments);
  queue().launch(std::move(work));
  putResults(stack, count, results);
}

void HostKernel::runNow(torch::jit::Stack& stack, std::string_view signature) {
  const std::string kept(signature);
  queue().synchronize();
  if (queue().queueing()) ++drainsByOperator[plan_.handle.operator_name().name];
  const size_t count = plan_.arguments.size();
  const Arguments arguments = torch::jit::last(stack, count);
  torch::jit::Stack host = hostArguments(plan_, arguments, true);
  const torch::jit::Stack given = host;
  runWatched(watchOperation(plan_.handle.operator_name().name, arguments, /*queued=*/false).get(), [&] {
    const DefaultGeneratorScope drawing(plan_.drawsFromDefault);
    callHost(plan_, host);
  });
  if (!kept.empty()) signatures_.keep(kept, shapesOf(plan_, host));
  c10::SmallVector<c10::IValue, 2> results;
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    if (plan_.results[i].argument >= 0) {
      const auto argument = static_cast<size_t>(plan_.results[i].argument);
      if (plan_.arguments[argument].out) {
        const at::Tensor& out = arguments[argument].toTensor();
        const at::Tensor& written = given[argument].toTensor();
        if (written.storage().data() != out.storage().data() || written.sizes() != out.sizes()) {
          resizeOnDevice(out, written.sizes());
          hostView(out).copy_(written);
        }
      }
      results.push_back(arguments[argument]);
    } else if (host[i].isTensor()) {
      const at::Tensor& made = host[i].toTensor();
      results.emplace_back(made.defined() ? copyToDevice(made) : made);
    } else if (host[i].isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& made : host[i].toTensorVector()) list.push_back(copyToDevice(made));
      results.emplace_back(std::move(list));
    } else {
      results.push_back(host[i]);
    }
  }
  putResults(stack, count, results);
}

std::map<std::string, int64_t> drains() {
  const std::lock_guard lock(turn());
  return drainsByOperator;
}

}  // namespace mpslab::metal
