// Waits for operations, blocking or by a promise that is settled from the thread on which the operation ends.
#include "distributed/operation.h"

#include <chrono>
#include <thread>

#include "addon/guard.h"
#include "distributed/unwrapped.h"

namespace mpslab {
namespace {

/// How often a thread asks the GPU whether it is done.
constexpr std::chrono::milliseconds kLook{1};

Operation& operationOf(Environment& environment, Napi::Value value) {
  if (!value.IsExternal()) throwTypeError(environment, "Expected an operation.");
  return *value.As<Napi::External<Operation>>().Data();
}

Napi::Value operationIsDone(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), operationOf(environment, info[0]).isDone());
}

Napi::Value waitForOperation(Environment& environment, const Napi::CallbackInfo& info) {
  operationOf(environment, info[0]).wait(environment);
  return info.Env().Undefined();
}

/// The rank from which a message came.
Napi::Value sourceRank(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), operationOf(environment, info[0]).source());
}

struct Promised {
  Environment& environment;
  std::shared_ptr<Completion> completion;
  napi_deferred promise = nullptr;
  napi_threadsafe_function caller = nullptr;
};

Napi::Value errorOf(Environment& environment, const std::exception_ptr& failure) {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      rethrowAsJavaScript(environment, {}, {});
    }
  } catch (const Napi::Error& error) {
    return error.Value();
  }
}

void settlePromised(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Promised> promised(static_cast<Promised*>(data));
  // The environment is ending, so there is no promise left to settle.
  if (env == nullptr) return;
  if (const auto failure = promised->completion->failure()) {
    napi_reject_deferred(env, promised->promise, errorOf(promised->environment, failure));
    return;
  }
  napi_value undefined;
  napi_get_undefined(env, &undefined);
  napi_resolve_deferred(env, promised->promise, undefined);
}

/// Passes the end of an operation to JavaScript's thread.
struct PromisedEnd : CompletionListener {
  explicit PromisedEnd(Promised* promised) : promised(promised) {}

  void done() override {
    const napi_threadsafe_function caller = promised->caller;
    if (napi_call_threadsafe_function(caller, promised, napi_tsfn_nonblocking) != napi_ok) delete promised;
    napi_release_threadsafe_function(caller, napi_tsfn_release);
  }

  Promised* promised;
};

/// Returns a promise that resolves when the operation ends, and is rejected if it failed.
Napi::Value operationEnd(Environment& environment, const Napi::CallbackInfo& info) {
  const napi_env env = environment.env;
  auto promised =
      std::make_unique<Promised>(Promised{environment, operationOf(environment, info[0]).completion()});
  napi_value name;
  napi_value promise;
  napi_create_string_utf8(env, "mpslab.operationEnd", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr,
                                      settlePromised, &promised->caller) != napi_ok)
    throw Napi::Error::New(env);
  napi_create_promise(env, &promised->promise, &promise);
  Promised* held = promised.release();
  // A copy, because the listener may free `held`.
  const std::shared_ptr<Completion> completion = held->completion;
  completion->whenDone(std::make_unique<PromisedEnd>(held));
  return {env, promise};
}

}  // namespace

bool Operation::isDone() const { return queued_ ? queued_->isCompleted() : completion_->isDone(); }

void Operation::wait(Environment& environment) const {
  if (!queued_) return completion_->wait(environment);
  if (const auto failure = queued_->exception()) std::rethrow_exception(failure);
  queued_->wait();
}

std::shared_ptr<Completion> Operation::completion() const {
  return queued_ ? completionOf(queued_) : completion_;
}

void waitForWork(Environment& environment, const c10::IValue& value) {
  const auto work = unwrapped<c10d::Work>(value);
  if (work->isCompleted()) {
    work->wait();
    return;
  }
  // Waits on another thread, so that Stop ends the wait.
  runOnThread([work] { work->wait(); })->wait(environment);
}

std::shared_ptr<Completion> completionOf(c10::intrusive_ptr<c10d::Work> queued) {
  return runOnThread([queued = std::move(queued)] {
    while (!queued->isCompleted()) std::this_thread::sleep_for(kLook);
    if (const auto failure = queued->exception()) std::rethrow_exception(failure);
  });
}

Napi::Value wrapOperation(Environment& environment, Operation operation) {
  auto held = std::make_unique<Operation>(std::move(operation));
  const auto free = [](node_api_basic_env, void* data, void*) { delete static_cast<Operation*>(data); };
  napi_value object;
  if (napi_create_external(environment.env, held.get(), free, nullptr, &object) != napi_ok)
    throw Napi::Error::New(environment.env);
  (void)held.release();
  return {environment.env, object};
}

void defineOperations(Environment& environment, Napi::Object distributed) {
  define<operationIsDone>(environment, distributed, "operationIsDone");
  define<waitForOperation>(environment, distributed, "waitForOperation");
  define<sourceRank>(environment, distributed, "sourceRank");
  define<operationEnd>(environment, distributed, "operationEnd");
}

}  // namespace mpslab
