// Tests what elements in JSX show: HTML by a built-in factory, or by the one of the folder's tsconfig.
import { afterEach, describe, expect, it } from "vitest";
import { TYPESCRIPT_DEFAULTS } from "../../../../kernel/cell/names.ts";
import { Notebook, traceback } from "../../session/notebook.ts";

let notebook: Notebook;
const open = (files: Record<string, string> = {}): Notebook => (notebook = new Notebook(files));
afterEach(() => notebook.close());

/** The bundle of the value that a cell ends with. */
async function result(text: string, more = {}): Promise<unknown> {
  const { cell, end } = notebook.start(text, more);
  await end;
  const shown = notebook.messages.find((message) => message.type === "result" && message.cell === cell);
  return shown?.type === "result" ? shown.data : undefined;
}

const html = (text: string) => ({ "text/html": text, "text/plain": text });

describe("an element is shown as HTML", () => {
  it.each([
    ["<b>a &lt; {'b < \"c\" & d'}</b>", "<b>a &lt; b &lt; &quot;c&quot; &amp; d</b>"],
    ["<ul>{[1, 2].map((n) => <li>{n}</li>)}</ul>", "<ul><li>1</li><li>2</li></ul>"],
    ["<p>{null}{undefined}{true}{false}{0}{''}{1n}</p>", "<p>01</p>"],
    ["<p class='a' /> ", '<p class="a"></p>'],
    ["<p className='a' hidden title={null} />", '<p class="a" hidden=""></p>'],
    ["<p style={{ fontSize: 12, color: 'red' }} />", '<p style="font-size:12px;color:red"></p>'],
    ["<>a<br/>b<hr/></>", "a<br/>b<hr/>"],
    [
      "const Row = ({ name, children }) => <i title={name}>{children}</i>; <Row name='x'>a{1}</Row>",
      '<i title="x">a1</i>',
    ],
    ["const Later = async () => <b>later</b>; <p><Later/></p>", "<p><b>later</b></p>"],
    ["<b dangerouslySetInnerHTML={{ __html: '<i>x</i>' }} />", "<b><i>x</i></b>"],
    [
      "<svg viewBox='0 0 1 1'><path strokeWidth={2} d='M0 0'/></svg>",
      '<svg viewBox="0 0 1 1"><path stroke-width="2" d="M0 0"></path></svg>',
    ],
  ])("%s", async (cell, shown) => {
    open();
    expect(await result(cell)).toEqual(html(shown));
  });

  it("by display and its handle, at its place among the prints; console.log prints its text", async () => {
    open();
    const cell =
      "console.log(<b>1</b>); const shown = display(<i>2</i>); console.log(3); shown.update(<i>4</i>);";
    const { displays, stdout, order } = await notebook.run(cell);
    expect(displays.map(({ data }) => data)).toEqual([html("<i>2</i>"), html("<i>4</i>")]);
    expect(stdout).toBe("<b>1</b>\n3\n");
    expect(order).toEqual(["stdout", "display", "stdout", "display"]);
  });

  it("by a component of a local file", async () => {
    open({ "chart.tsx": "export const Chart = ({ n }: { n: number }) => <b>{n}</b>;" });
    expect(await result('import { Chart } from "./chart.tsx"; <Chart n={1} />')).toEqual(html("<b>1</b>"));
  });
});

it("a value that an element cannot hold is an error, with its line", async () => {
  open();
  const run = await notebook.run("const when = new Date(0);\n<b>\n  {when}\n</b>");
  expect(traceback(run)).toContain(
    "TypeError: <b>: an element holds text, numbers and elements, not Date; write its text.",
  );
  expect(traceback(run)).toContain("at Cell [1]:2:1");
  const tensor = await notebook.run('import { torch } from "mpslab"; <b>{torch.ones([])}</b>');
  expect(tensor.done.error?.evalue).toMatch(/not Tensor; write x\.item\(\) for the number of a tensor/);
});

describe("an address that would run as a script is refused", () => {
  it.each([
    ['<a href="javascript:alert(1)">x</a>', "<a>: href"],
    ['<a href={" \\u0001jAvA\\tscript:alert(1)"}>x</a>', "<a>: href"],
    ['<form action="javascript:alert(1)" />', "<form>: action"],
    ['<button formAction="javascript:alert(1)" />', "<button>: formAction"],
    ['<svg><a xlinkHref="javascript:alert(1)" /></svg>', "<a>: xlinkHref"],
    ['<iframe src="javascript:alert(1)" />', "<iframe>: src"],
  ])("%s", async (cell, place) => {
    open();
    const { done } = await notebook.run(cell);
    expect(done.error?.evalue).toContain(`${place} would run as a script, got `);
  });

  it("other addresses are not", async () => {
    open();
    expect(await result('<a href="https://a.example/?q=javascript:1">x</a>')).toEqual(
      html('<a href="https://a.example/?q=javascript:1">x</a>'),
    );
  });
});

it("an error inside of JSX is placed there", async () => {
  open();
  const run = await notebook.run(
    "const rows: any[] = [null];\n<ul>\n  {rows.map((row) => <li>{row.name}</li>)}\n</ul>",
  );
  expect(traceback(run)).toContain("at Cell [1]:3:31");
});

describe("the factory of the folder's tsconfig", () => {
  const typescript = {
    ...TYPESCRIPT_DEFAULTS,
    jsx: { runtime: "automatic", importSource: "react" } as const,
  };
  const files = {
    "node_modules/react/package.json":
      '{ "name": "react", "exports": { "./jsx-runtime": "./jsx-runtime.js" } }',
    "node_modules/react/jsx-runtime.js":
      'exports.jsx = exports.jsxs = (type, props) => ({ $$typeof: Symbol.for("react.transitional.element"), type, props });',
  };
  const renderer = {
    "node_modules/react-dom/package.json":
      '{ "name": "react-dom", "exports": { "./server": "./server.js" } }',
    "node_modules/react-dom/server.js":
      "exports.renderToStaticMarkup = ({ type, props }) => `<${type}>${props.children}</${type}>`;",
  };

  it("makes the elements, and the renderer beside it shows them", async () => {
    open({ ...files, ...renderer });
    expect(await result("<b>hi</b>", { typescript })).toEqual(html("<b>hi</b>"));
  });

  it("and its renderer share one module with the cell's imports, where a package has two forms", async () => {
    const dual = (name: string) => ({
      [`node_modules/${name}/package.json`]: `{ "name": "${name}", "exports": { "import": "./a.mjs", "require": "./a.cjs" } }`,
    });
    const vnode =
      "{ type, props: { children }, key: undefined, ref: null, __k: null, __v: 0, constructor: undefined }";
    const make = `(type, props, ...children) => (${vnode})`;
    const render = "({ type, props }) => `<${type}>${props.children.join('')}${options.n}</${type}>`";
    open({
      ...dual("preact"),
      "node_modules/preact/a.mjs": `export const options = { n: 0 }; export const h = ${make};`,
      "node_modules/preact/a.cjs": `exports.options = { n: 0 }; exports.h = ${make};`,
      ...dual("preact-render-to-string"),
      "node_modules/preact-render-to-string/a.mjs": `import { options } from "preact"; export const renderToStaticMarkup = ${render};`,
      "node_modules/preact-render-to-string/a.cjs": `const { options } = require("preact"); exports.renderToStaticMarkup = ${render};`,
    });
    const jsx = { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } as const;
    const cell = 'import { h, options } from "preact"; options.n = 3; <b>n = </b>';
    expect(await result(cell, { typescript: { ...TYPESCRIPT_DEFAULTS, jsx } })).toEqual(html("<b>n = 3</b>"));
  });

  it("an element whose renderer is not installed is shown as the object that it is", async () => {
    open(files);
    expect(await result("<b>hi</b>", { typescript })).toEqual({
      "text/plain": expect.stringContaining("props: { children: 'hi' }"),
    });
  });
});
