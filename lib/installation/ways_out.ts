// The commands that install each part, by who installed mpslab: one table for all messages that name such a command.
import { INSTALLER, type Installer } from "./package.ts";

interface WaysOut {
  /** Brings the npm packages that mpslab runs on. */
  readonly packages: string;
  /** Brings the addon. */
  readonly addon: string;
  /** Makes the addon and libtorch fit each other. */
  readonly fittingTorch: string;
  readonly libtorch: string;
  /** Brings JupyterLab, nbclient and nbconvert. */
  readonly jupyter: string;
  /** Removes what `mpslab uninstall` leaves to the installer. */
  readonly remove: string;
}

const BY_INSTALLER: Readonly<Record<Installer, WaysOut>> = {
  clone: {
    packages: "npm run build",
    addon: "npm run build",
    fittingTorch: "npm run build",
    libtorch: "npm run build",
    jupyter: "npm run build",
    remove: "npm run clean removes what set-up made in this folder",
  },
  npm: {
    packages: "npm install mpslab",
    addon: "npx mpslab setup",
    fittingTorch: "npx mpslab setup --compile, or unset MPSLAB_TORCH",
    libtorch: "npx mpslab setup",
    jupyter: "npx mpslab setup",
    remove: "npm uninstall mpslab removes the package",
  },
  // --no-deps: PyTorch is not downloaded again.
  pip: {
    packages: "pip install --force-reinstall --no-deps mpslab",
    addon: "pip install --force-reinstall --no-deps mpslab",
    fittingTorch: "pip install mpslab",
    libtorch: "pip install mpslab",
    jupyter: "pip install jupyterlab nbclient nbconvert",
    remove: "pip uninstall mpslab removes the package",
  },
};

export const WAY_OUT: WaysOut = BY_INSTALLER[INSTALLER];
