// Opens and asks stores. Every call goes over the network, so each runs on a thread of its own, and Stop ends
// the wait for it.
#include "distributed/store.h"

#include <c10/util/Logging.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "addon/guard.h"
#include "distributed/arguments.h"
#include "distributed/completion.h"
#include "distributed/listening_socket.h"
#include "distributed/numbered.h"

namespace mpslab {
namespace {

using Store = c10::intrusive_ptr<c10d::Store>;
using Bytes = std::vector<uint8_t>;

Numbered<Store>& stores() {
  static auto* all = std::make_unique<Numbered<Store>>().release();
  return *all;
}

Bytes bytesArgument(Napi::Value value) {
  const auto given = value.As<Napi::Uint8Array>();
  return {given.Data(), given.Data() + given.ByteLength()};
}

Napi::Value toBytes(Napi::Env env, const Bytes& bytes) {
  Napi::Uint8Array array = Napi::Uint8Array::New(env, bytes.size());
  std::copy(bytes.begin(), bytes.end(), array.Data());
  return array;
}

/// Added to a call's own timeout. c10d looks up the names of addresses for its log, which takes 10 s if no
/// name service answers.
constexpr std::chrono::milliseconds kNameLookup = std::chrono::seconds(15);

/// Asks a store on another thread, and returns its answer. c10d waits without end for a server that is
/// stopped, or that is none: `timeout` ends that too.
template <typename Answer, typename Question>
Answer ask(Environment& environment, Store store, std::chrono::milliseconds timeout, Question question) {
  auto answer = std::make_shared<Answer>();
  runOnThread([=] { *answer = question(*store); })->wait(environment, timeout + kNameLookup);
  return *answer;
}

template <typename Answer, typename Question>
Answer ask(Environment& environment, const Store& store, Question question) {
  return ask<Answer>(environment, store, store->getTimeout(), question);
}

/// Turns off c10d's log, which prints a C++ stack for each connection that ends, in addition to the error
/// that it throws.
void quietenLogs() {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
}

/// `openStore(host, port, isServer, timeoutMs)` returns `{ store, port }`.
///
/// The server is c10d's threaded one, not the one over libuv: libtorch exports its copy of libuv's functions,
/// but the linker would resolve them to Node's. The server listens only on the given address.
Napi::Value openStore(Environment& environment, const Napi::CallbackInfo& info) {
  quietenLogs();
  const std::string host = info[0].ToString();
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(info[1].ToNumber().Uint32Value());
  options.isServer = info[2].ToBoolean();
  options.timeout = millisecondsArgument(info[3]);
  options.waitWorkers = false;
  options.useLibUV = false;
  if (options.isServer) {
    if (const auto socket = socketOf(host, options.port)) {
      options.masterListenFd = socket->descriptor;
      options.port = socket->port;
    }
  }
  auto opened = std::make_shared<c10::intrusive_ptr<c10d::TCPStore>>();
  runOnThread([=] {
    *opened = c10::make_intrusive<c10d::TCPStore>(host, options);
  })->wait(environment, options.timeout + kNameLookup);
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("port", static_cast<double>((*opened)->getPort()));
  result.Set("store", static_cast<double>(stores().add(Store(*opened))));
  return result;
}

/// Forgets a store. The connection, and the server if this process has it, is closed once no group uses it.
Napi::Value closeStore(Environment&, const Napi::CallbackInfo& info) {
  stores().take(info[0].ToNumber().Uint32Value());
  return info.Env().Undefined();
}

Napi::Value storeSet(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string key = info[1].ToString();
  const Bytes value = bytesArgument(info[2]);
  ask<bool>(environment, storeOf(environment, info[0]), [=](c10d::Store& store) {
    store.set(key, value);
    return true;
  });
  return info.Env().Undefined();
}

/// `storeGet(store, key, timeoutMs)` waits for the key.
Napi::Value storeGet(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string key = info[1].ToString();
  const auto timeout = millisecondsArgument(info[2]);
  const auto bytes = ask<Bytes>(environment, storeOf(environment, info[0]), timeout, [=](c10d::Store& store) {
    store.wait({key}, timeout);
    return store.get(key);
  });
  return toBytes(info.Env(), bytes);
}

Napi::Value storeCompareSet(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string key = info[1].ToString();
  const Bytes expected = bytesArgument(info[2]);
  const Bytes desired = bytesArgument(info[3]);
  const auto bytes = ask<Bytes>(environment, storeOf(environment, info[0]),
                                [=](c10d::Store& store) { return store.compareSet(key, expected, desired); });
  return toBytes(info.Env(), bytes);
}

Napi::Value storeAdd(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string key = info[1].ToString();
  const int64_t amount = info[2].ToNumber().Int64Value();
  const auto sum = ask<int64_t>(environment, storeOf(environment, info[0]),
                                [=](c10d::Store& store) { return store.add(key, amount); });
  return Napi::Number::New(info.Env(), static_cast<double>(sum));
}

Napi::Value storeCheck(Environment& environment, const Napi::CallbackInfo& info) {
  const auto keys = textsArgument(info[1]);
  const bool all = ask<bool>(environment, storeOf(environment, info[0]),
                             [=](c10d::Store& store) { return store.check(keys); });
  return Napi::Boolean::New(info.Env(), all);
}

Napi::Value storeWait(Environment& environment, const Napi::CallbackInfo& info) {
  const auto keys = textsArgument(info[1]);
  const auto timeout = millisecondsArgument(info[2]);
  ask<bool>(environment, storeOf(environment, info[0]), timeout, [=](c10d::Store& store) {
    store.wait(keys, timeout);
    return true;
  });
  return info.Env().Undefined();
}

Napi::Value storeDelete(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string key = info[1].ToString();
  const bool existed = ask<bool>(environment, storeOf(environment, info[0]),
                                 [=](c10d::Store& store) { return store.deleteKey(key); });
  return Napi::Boolean::New(info.Env(), existed);
}

Napi::Value storeNumKeys(Environment& environment, const Napi::CallbackInfo& info) {
  const auto count = ask<int64_t>(environment, storeOf(environment, info[0]),
                                  [](c10d::Store& store) { return store.getNumKeys(); });
  return Napi::Number::New(info.Env(), static_cast<double>(count));
}

}  // namespace

Store storeOf(Environment& environment, Napi::Value number) {
  const auto store = stores().find(number.ToNumber().Uint32Value());
  if (!store) throw Napi::Error::New(environment.env, "This store was closed.");
  return *store;
}

void defineStores(Environment& environment, Napi::Object distributed) {
  define<openStore>(environment, distributed, "openStore");
  define<closeStore>(environment, distributed, "closeStore");
  define<storeSet>(environment, distributed, "storeSet");
  define<storeGet>(environment, distributed, "storeGet");
  define<storeCompareSet>(environment, distributed, "storeCompareSet");
  define<storeAdd>(environment, distributed, "storeAdd");
  define<storeCheck>(environment, distributed, "storeCheck");
  define<storeWait>(environment, distributed, "storeWait");
  define<storeDelete>(environment, distributed, "storeDelete");
  define<storeNumKeys>(environment, distributed, "storeNumKeys");
}

}  // namespace mpslab
