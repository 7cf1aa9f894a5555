// Builds the architectures for images: a residual network, a diffusion model, a GAN. They are small, but use what is
// typical of their kind: batch and group normalization, transposed convolutions, upsampling, two optimizers in one
// step.
import * as F from "../../../torch/nn/functional/index.ts";
import * as nn from "../../../torch/nn/index.ts";
import * as optim from "../../../torch/optim/index.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { torch } from "../../../torch/torch.ts";
import { trained } from "./dense.ts";
import type { Architecture } from "./subject.ts";

/** He et al., arXiv:1512.03385: two convolutions, and a shortcut past them. */
class ResidualBlock extends nn.Module {
  readonly conv1: nn.Conv2d;
  readonly norm1: nn.BatchNorm2d;
  readonly conv2: nn.Conv2d;
  readonly norm2: nn.BatchNorm2d;
  readonly shortcut: nn.Conv2d;

  constructor(from: number, to: number) {
    super();
    this.conv1 = new nn.Conv2d(from, to, 3, { stride: 2, padding: 1, bias: false });
    this.norm1 = new nn.BatchNorm2d(to);
    this.conv2 = new nn.Conv2d(to, to, 3, { padding: 1, bias: false });
    this.norm2 = new nn.BatchNorm2d(to);
    this.shortcut = new nn.Conv2d(from, to, 1, { stride: 2, bias: false });
  }

  override forward(x: Tensor): Tensor {
    const y = this.norm2(this.conv2(this.norm1(this.conv1(x)).relu()));
    return y.add(this.shortcut(x)).relu();
  }
}

export const resnet: Architecture = {
  name: "ResNet",
  source: "three residual blocks of 32 x 32 pictures, SGD with momentum (arXiv:1512.03385)",
  build(device) {
    const model = new nn.Sequential(
      new ResidualBlock(3, 16),
      new ResidualBlock(16, 32),
      new ResidualBlock(32, 64),
      new nn.AdaptiveAvgPool2d(1),
      new nn.Flatten(),
      new nn.Linear(64, 10),
    ).to(device);
    const x = torch.randn([16, 3, 32, 32]).to(device);
    const target = torch.randint(0, 10, [16]).to(device);
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.05, momentum: 0.9, weightDecay: 1e-4 });
    return trained(model, optimizer, () => F.crossEntropy(model(x), target));
  },
};

const DIFFUSION_STEPS = 100;

/** Predicts the noise in a picture: down, middle, up with the picture concatenated, the time added as channels. */
class Denoiser extends nn.Module {
  readonly time = new nn.Sequential(new nn.Linear(32, 32), new nn.SiLU(), new nn.Linear(32, 32));
  readonly into = new nn.Conv2d(1, 32, 3, { padding: 1 });
  readonly down = new nn.Conv2d(32, 32, 3, { stride: 2, padding: 1 });
  readonly norm = new nn.GroupNorm(8, 32);
  readonly middle = new nn.Conv2d(32, 32, 3, { padding: 1 });
  readonly up = new nn.Upsample({ scaleFactor: 2 });
  readonly out = new nn.Conv2d(64, 1, 3, { padding: 1 });

  override forward(x: Tensor, time: Tensor): Tensor {
    const wide = F.silu(this.into(x));
    const low = this.norm(this.down(wide)).add(this.time(time).unsqueeze(-1).unsqueeze(-1));
    const middle = F.silu(this.middle(F.silu(low)));
    return this.out(torch.cat([this.up(middle), wide], 1));
  }
}

/** Sines and cosines of the step, like a transformer's positional encoding. */
function timeEmbedding(steps: Tensor): Tensor {
  const frequencies = torch
    .arange(16, { device: steps.device })
    .mul(-Math.log(10_000) / 16)
    .exp();
  const angles = steps.unsqueeze(1).mul(frequencies);
  return torch.cat([angles.sin(), angles.cos()], 1);
}

export const diffusion: Architecture = {
  name: "diffusion model",
  source: "noise of 100 steps told by a small U-Net, AdamW (Ho et al., arXiv:2006.11239)",
  build(device) {
    const model = new Denoiser().to(device);
    const pictures = torch.rand([16, 1, 16, 16]).mul(2).sub(1).to(device);
    const betas = torch.linspace(1e-4, 0.02, DIFFUSION_STEPS);
    const kept = betas.neg().add(1).cumprod(0).to(device);
    const optimizer = new optim.AdamW(model.parameters());
    return trained(model, optimizer, () => {
      const steps = torch.randint(0, DIFFUSION_STEPS, [16], { device });
      const noise = torch.randnLike(pictures);
      const share = kept.indexSelect(0, steps).view([16, 1, 1, 1]);
      const noisy = pictures.mul(share.sqrt()).add(noise.mul(share.neg().add(1).sqrt()));
      return F.mseLoss(model(noisy, timeEmbedding(steps)), noise);
    });
  },
};

const LATENT = 32;

/** Radford et al., arXiv:1511.06434. */
export const gan: Architecture = {
  name: "GAN",
  source: "transposed convolutions against convolutions of 16 x 16 pictures, two Adams (arXiv:1511.06434)",
  build(device) {
    const generator = new nn.Sequential(
      new nn.ConvTranspose2d(LATENT, 32, 4, { bias: false }),
      new nn.BatchNorm2d(32),
      new nn.ReLU(),
      new nn.ConvTranspose2d(32, 16, 4, { stride: 2, padding: 1, bias: false }),
      new nn.BatchNorm2d(16),
      new nn.ReLU(),
      new nn.ConvTranspose2d(16, 1, 4, { stride: 2, padding: 1 }),
      new nn.Tanh(),
    ).to(device);
    const discriminator = new nn.Sequential(
      new nn.Conv2d(1, 16, 4, { stride: 2, padding: 1 }),
      new nn.LeakyReLU(0.2),
      new nn.Conv2d(16, 32, 4, { stride: 2, padding: 1, bias: false }),
      new nn.BatchNorm2d(32),
      new nn.LeakyReLU(0.2),
      new nn.Flatten(),
      new nn.Linear(512, 1),
    ).to(device);
    const options = { lr: 2e-4, betas: [0.5, 0.999] as [number, number] };
    const generates = new optim.Adam(generator.parameters(), options);
    const tells = new optim.Adam(discriminator.parameters(), options);
    const pictures = torch.rand([16, 1, 16, 16]).mul(2).sub(1).to(device);
    const [real, fake] = [torch.ones([16, 1]).to(device), torch.zeros([16, 1]).to(device)];
    return {
      models: [generator, discriminator],
      step() {
        const made = generator(torch.randn([16, LATENT, 1, 1], { device }));
        tells.zeroGrad();
        const told = F.binaryCrossEntropyWithLogits(discriminator(pictures), real).add(
          F.binaryCrossEntropyWithLogits(discriminator(made.detach()), fake),
        );
        told.backward();
        tells.step();
        generates.zeroGrad();
        const fooled = F.binaryCrossEntropyWithLogits(discriminator(made), real);
        fooled.backward();
        generates.step();
        return told.detach().add(fooled.detach());
      },
    };
  },
};
