// The addon's object `distributed`: `lib/torch/distributed` and `DistributedDataParallel` call it.
#include "distributed/collectives.h"
#include "distributed/exports.h"
#include "distributed/nccl_waiting.h"
#include "distributed/operation.h"
#include "distributed/process_group.h"
#include "distributed/reducer.h"
#include "distributed/store.h"

namespace mpslab {

void defineDistributed(Environment& environment, Napi::Object exports) {
  Napi::Object distributed = Napi::Object::New(exports.Env());
  defineStores(environment, distributed);
  defineProcessGroups(environment, distributed);
  defineCollectives(environment, distributed);
  defineOperations(environment, distributed);
  defineNcclWaiting(environment, distributed);
  defineReducers(environment, distributed);
  exports.Set("distributed", distributed);
}

}  // namespace mpslab
