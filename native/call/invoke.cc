// Runs the operator boxed or directly, and converts its results to JavaScript.
#include "call/invoke.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/util/Exception.h>

#include "addon/errors.h"
#include "call/convert.h"
#include "call/operator_waits.h"
#include "call/placement.h"
#include "random/generator_lock.h"
#include "simulated_metal/simulated_metal.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

void pushArguments(Environment& environment, const Operator& op, const Overload& overload,
                   const Binding& binding, Stack& stack) {
  stack->clear();
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Parameter& parameter = overload.parameters[i];
    const Value* value = binding.values[i];
    if (value != nullptr) {
      stack->push_back(toIValue(environment, *value, parameter, op.name));
    } else if (parameter.defaultValue) {
      stack->push_back(*parameter.defaultValue);
    } else {
      stack->emplace_back();
    }
  }
}

napi_value takeResult(Environment& environment, const Overload& overload, const Binding& binding,
                      c10::IValue&& value, size_t index, napi_value shell) {
  const Result& result = overload.results[index];
  if (result.written >= 0) {
    const Value* given = binding.values[static_cast<size_t>(result.written)];
    if (given != nullptr) return given->js;
  }
  if (binding.requiresGrad != nullptr && binding.requiresGrad->boolean && value.isTensor()) {
    value.toTensor().requires_grad_(true);
  }
  return toJavaScript(environment, std::move(value), result, shell);
}

void invokeNow(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
               Stack& stack) {
  if (overload.direct) {
    stack->clear();
    stack->emplace_back(overload.direct->call({environment, op.name, overload, binding}));
  } else {
    pushArguments(environment, op, overload, binding, stack);
    if (overload.refuse != nullptr) [[unlikely]]
      overload.refuse(*stack);
    overload.handle.callBoxed(*stack);
  }
}

/// Leaves the results on the stack.
void invoke(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
            Stack& stack) {
  if (!overload.draws) [[likely]]
    return invokeNow(environment, op, overload, binding, stack);
  const GeneratorLock lockGenerator(environment.threadGenerator.get());
  invokeNow(environment, op, overload, binding, stack);
}

/// Returns the class of an overload's results. It is made when the overload first returns some.
napi_value resultsClass(Environment& environment, const Overload& overload) {
  const napi_env env = environment.env;
  napi_ref& known = environment.resultsClasses[&overload];
  napi_value made = nullptr;
  if (known != nullptr) {
    napi_get_reference_value(env, known, &made);
    return made;
  }
  const Napi::Env api(env);
  Napi::Array names = Napi::Array::New(api, overload.resultNames.size());
  for (size_t i = 0; i < overload.resultNames.size(); ++i)
    names.Set(static_cast<uint32_t>(i), overload.resultNames[i]);
  const std::string name = overload.handle.operator_name().name.substr(std::string_view("aten::").size());
  const napi_value arguments[] = {Napi::String::New(api, name), names};
  napi_value undefined, maker;
  napi_get_undefined(env, &undefined);
  napi_get_reference_value(env, environment.resultsClassMaker, &maker);
  if (napi_call_function(env, undefined, maker, std::size(arguments), arguments, &made) != napi_ok)
    throw Napi::Error::New(env);
  napi_create_reference(env, made, 1, &known);
  return made;
}

/// The tensors that an operator writes. For operators whose writes libtorch does not count, it raises the
/// tensors' versions, by which backward finds out that a saved tensor was changed. It does so before the
/// call, so that what the operator itself saves counts as already written. It also keeps the shapes of
/// tensors whose memory cannot be resized or is replaced: libtorch sets the new shape before it finds out
/// that the memory is too small, which leaves a tensor that reaches beyond its memory.
class WrittenTensors {
 public:
  WrittenTensors(Environment& environment, const Overload& overload, const Binding& binding) {
    for (size_t i = 0; i < overload.parameters.size(); ++i) {
      const Parameter& parameter = overload.parameters[i];
      const Value* value = parameter.written ? binding.values[i] : nullptr;
      if (value == nullptr) continue;
      const bool isRaised =
          parameter.unversioned && (parameter.writtenWith < 0 ||
                                    binding.values[static_cast<size_t>(parameter.writtenWith)] != nullptr);
      const auto note = [&](const Handle* handle, bool replacesStorage) {
        if (handle == nullptr || handle->state != Handle::State::Live) return;
        if (isRaised) raiseVersion(handle->tensor);
        keep(handle->tensor, replacesStorage);
      };
      if (value->kind == Value::Kind::Tensor) {
        note(value->handle, overload.replacesStorage);
      } else if (value->kind == Value::Kind::Array) {
        const uint32_t length = lengthOf(environment, *value);
        for (uint32_t at = 0; at < length; ++at) note(elementAt(environment, *value, at).handle, false);
      }
    }
  }

  /// Restores the versions, shapes and memory that the tensors had before the call.
  void restore() const {
    for (auto [counter, version] : raised_) counter.set_version(version);
    for (const Kept& kept : kept_) {
      if (!kept.tensor.storage().is_alias_of(kept.storage))
        kept.tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(kept.storage);
      kept.tensor.unsafeGetTensorImpl()->set_sizes_and_strides(kept.sizes, kept.strides, kept.offset);
    }
  }

 private:
  struct Kept {
    at::Tensor tensor;
    c10::Storage storage;
    c10::DimVector sizes;
    c10::DimVector strides;
    int64_t offset;
  };

  /// Tensors made in inference mode have no version counter.
  void raiseVersion(const at::Tensor& tensor) {
    at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    if (!impl->version_counter().enabled()) return;
    raised_.emplace_back(impl->version_counter(), impl->version_counter().current_version());
    impl->bump_version();
  }

  void keep(const at::Tensor& tensor, bool always) {
    if (tensor.layout() != at::kStrided || !tensor.has_storage()) return;
    if (tensor.storage().resizable() && !always) return;
    kept_.push_back({tensor, tensor.storage(), c10::DimVector(tensor.sizes()),
                     c10::DimVector(tensor.strides()), tensor.storage_offset()});
  }

  c10::SmallVector<Kept, 1> kept_;
  std::vector<std::pair<c10::VariableVersion, int64_t>> raised_;
};

}  // namespace

void run(Environment& environment, const Operator& op, const Overload& overload, const Binding& binding,
         Stack& stack) {
  checkDevices(environment, op, overload, binding);
  if (overload.waits != Waits::Never && environment.usesDevice()) [[unlikely]]
    waitBeforeOperator(environment, overload, binding);
  if (overload.writes) {
    const WrittenTensors written(environment, overload, binding);
    try {
      invoke(environment, op, overload, binding, stack);
    } catch (...) {
      written.restore();
      throw;
    }
    return;
  }
  try {
    invoke(environment, op, overload, binding, stack);
    return;
  } catch (const std::exception& error) {
    if (!isDeviceOutOfMemory(error) || metalIsSimulated()) throw;
  }
  environment.collectGarbage();
  at::accelerator::emptyCache();
  invoke(environment, op, overload, binding, stack);
}

napi_value takeResults(Environment& environment, const Overload& overload, const Binding& binding,
                       Stack& stack, napi_value shell) {
  if (stack->size() == 1) return takeResult(environment, overload, binding, std::move((*stack)[0]), 0, shell);
  napi_value results;
  if (stack->empty()) {
    napi_get_undefined(environment.env, &results);
    return results;
  }
  c10::SmallVector<napi_value, 4> taken;
  for (size_t i = 0; i < stack->size(); ++i)
    taken.push_back(takeResult(environment, overload, binding, std::move((*stack)[i]), i, nullptr));
  if (!overload.resultNames.empty() && environment.resultsClassMaker != nullptr) {
    // An array, too: its constructor takes the elements.
    napi_value named = resultsClass(environment, overload);
    if (napi_new_instance(environment.env, named, taken.size(), taken.data(), &results) != napi_ok)
      throw Napi::Error::New(environment.env);
    return results;
  }
  napi_create_array_with_length(environment.env, taken.size(), &results);
  for (size_t i = 0; i < taken.size(); ++i)
    napi_set_element(environment.env, results, static_cast<uint32_t>(i), taken[i]);
  return results;
}

}  // namespace mpslab
