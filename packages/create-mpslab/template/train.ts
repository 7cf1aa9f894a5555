// Fits a line to points. first.ipynb does the same, cell by cell.
import { nn, optim, torch } from "mpslab";

torch.manualSeed(0);
const x = torch.linspace(-1, 1, 64).reshape([64, 1]);
const y = x.mul(3).add(1);

const model = new nn.Linear(1, 1);
const optimizer = new optim.SGD(model.parameters(), { lr: 0.5 });
for (let epoch = 0; epoch < 50; epoch++) {
  optimizer.zeroGrad();
  nn.functional.mseLoss(model(x), y).backward();
  optimizer.step();
}

console.log(`y = ${model.weight.item().toFixed(2)} x + ${model.bias!.item().toFixed(2)}`);
