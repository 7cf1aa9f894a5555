// The CSS of the ready-made widgets, in JupyterLab's colours; the dark theme works too.

export const CONTROL_CSS = `
.mpslab-control { font: var(--jp-ui-font-size1, 13px) var(--jp-ui-font-family, sans-serif); color: var(--jp-ui-font-color1, #212121); }
label.mpslab-control { display: inline-flex; align-items: center; gap: 0.75em; }
.mpslab-control input[type="range"] { width: 16em; accent-color: var(--jp-brand-color1, #1976d2); }
.mpslab-control output { min-width: 5em; font-variant-numeric: tabular-nums; }
button.mpslab-control { padding: 0.4em 1.2em; border: 1px solid var(--jp-border-color1, #bdbdbd); border-radius: 3px;
  background: var(--jp-layout-color2, #eeeeee); cursor: pointer; }
button.mpslab-control:active { background: var(--jp-layout-color3, #bdbdbd); }
`;
