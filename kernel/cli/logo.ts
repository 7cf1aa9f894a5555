// The kernel's logo, which JupyterLab's launcher and the list of kernels show: TypeScript's letters in a tile, and below them a
// curve of losses.

/** The name that Jupyter looks for in the folder of a kernelspec. */
export const LOGO_FILE = "logo-svg.svg";

/** Letters are paths, since a page may not have the font. The tile has its own ground, for both themes. */
export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<title>TypeScript (mpslab)</title>
<rect x="2" y="2" width="60" height="60" rx="10" fill="#2b6cb0"/>
<path d="M12 14h22M23 14v24" fill="none" stroke="#fff" stroke-width="6"/>
<path d="M53 18c-3-3-7-4-10-3-5 1-5 7 0 9 5 2 10 3 9 9-1 5-9 6-14 1" fill="none" stroke="#fff" stroke-width="5.5"/>
<path d="M10 44c8 0 8 9 16 9s12 1 28 1" fill="none" stroke="#ffd166" stroke-width="4" stroke-linecap="round"/>
</svg>
`;
