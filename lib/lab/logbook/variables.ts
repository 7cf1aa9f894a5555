// Chooses the environment variables that a logbook keeps: those that change what a program computes, and none that
// holds a secret.
import { isSecretName } from "../../secrets/names.ts";

/**
 * Prefixes and names of variables that change the behaviour of libtorch, its threads or Node. Ids of processes and the
 * like are left out.
 */
const TELLING_VARIABLE =
  /^(OMP_|KMP_|MKL_|GOMP_|OPENBLAS_|VECLIB_|PYTORCH_|TORCH_|MPSLAB_(?!(KERNEL_PID|DEVICE_PROCESS|REPLAY)$)|CUDA_|CUBLAS_|NCCL_|NODE_OPTIONS$|PYTHONPATH$|UV_THREADPOOL_SIZE$)/;

export function tellingVariables(environment: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const telling = Object.entries(environment).filter(
    ([name]) => TELLING_VARIABLE.test(name) && !isSecretName(name),
  );
  return Object.fromEntries(telling as [string, string][]);
}
