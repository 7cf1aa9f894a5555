// Makes simulated Metal the device on which tests make their tensors: what was written for the CPU then runs there, and
// must give the same. Its generator, seeded alike, draws the CPU's numbers.
import { torch } from "../../lib/index.ts";

torch.setDefaultDevice("mps");
