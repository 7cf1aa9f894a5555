// Tests the types of elements in JSX, and completion and hover inside of them.
import { afterEach, describe, expect, test } from "vitest";
import { NotebookSession } from "./notebook_session.ts";

let notebook: NotebookSession;
const open = (files: Record<string, string> = {}): NotebookSession => (notebook = new NotebookSession(files));
afterEach(() => notebook.close());

describe("an element", () => {
  test.each([
    "<ul class='a' style={{ color: 'red' }} data-x={1}>{[1, 2].map((n) => <li key={n}>{n}</li>)}</ul>",
    "<p className='a' onclick='alert(1)'>{null}{false}{undefined}{1n}{['a', <br/>]}</p>",
    "<><svg viewBox='0 0 1 1'><path d='M0 0' strokeWidth={2} /></svg><my-chart data='x' /></>",
    "<b dangerouslySetInnerHTML={{ __html: '<i>x</i>' }} />",
    "const Later = async () => <b/>; <Later />",
    "function Row({ name, children }: { name: string; children?: unknown }) { return <b>{name}</b> } <Row name='a'>x</Row>",
  ])("%s", async (cell) => {
    open();
    expect(await notebook.problems(cell)).toEqual([]);
  });

  test.each([
    ["<dvi>hi</dvi>", "1:1 TS2339: HTML has no element <dvi>. A component begins with a capital letter."],
    ["<a href={3}>x</a>", "1:4 TS2322: Type 'number' is not assignable to type 'string'."],
    [
      "const Row = (p: { n: number }) => <b>{p.n}</b>; <Row n='1' />",
      "1:54 TS2322: Type 'string' is not assignable to type 'number'.",
    ],
    ["<b>{new Date()}</b>", "1:4 TS2322: An element holds text, numbers and elements, not Date."],
    [
      "import { torch } from 'mpslab'; <b>{torch.ones([])}</b>",
      '1:36 TS2322: An element holds text, numbers and elements, not Tensor<[], "float32">; x.item() reads the number of a tensor.',
    ],
    ["<b>{missing}</b>", "1:5 TS2304: Cannot find name 'missing'."],
  ])("%s is refused", async (cell, problem) => {
    open();
    expect(await notebook.problems(cell)).toEqual([problem]);
  });

  test("has a type for later cells, and so have components", async () => {
    open();
    expect(
      await notebook.run("const row = <b>hi</b>; const Row = (p: { n: number }) => <b>{p.n}</b>;"),
    ).toEqual([]);
    expect(await notebook.typeOf("row")).toBe("Element");
    expect(
      await notebook.run("class Note {} function Kept() { return <i>{String(new Note())}</i>; }"),
    ).toEqual([]);
    expect(await notebook.run("<Row n={1}/>; <Kept/>;")).toEqual([]);
    expect(await notebook.problems("<Row />")).toEqual([
      "1:2 TS2322: Property 'n' is missing in type '{}' but required in type '{ n: number; }'.",
    ]);
  });

  test("and a cast follow each other", async () => {
    open();
    expect(await notebook.run("<b>hi</b>")).toEqual([]);
    expect(await notebook.run("const n = <number>(1 as unknown); const f = <T>(x: T) => x;")).toEqual([]);
    expect(await notebook.run("<b>{f(n)}</b>")).toEqual([]);
    expect(await notebook.typeOf("n")).toBe("number");
  });
});

test("completion and hover work inside of JSX", async () => {
  open();
  await notebook.run("const losses = [0.5]; const Row = (p: { count: number }) => <b>{p.count}</b>;");
  expect(await notebook.completions("<ul>{losses.ma|}</ul>")).toEqual(["map"]);
  expect(await notebook.completions("<ul>{loss|}</ul>")).toContain("losses");
  expect(await notebook.completions("<Row cou|")).toEqual(["count"]);
  expect(await notebook.hover("<ul>{los|ses}</ul>")).toBe("const losses: number[]");
});

describe("a folder's tsconfig", () => {
  const react = {
    "node_modules/react/package.json": '{ "name": "react", "types": "index.d.ts" }',
    "node_modules/react/index.d.ts":
      "export as namespace React; export function createElement(...all: unknown[]): string; export const Fragment: string; export namespace JSX { interface Element { own: 1 } interface IntrinsicElements { b: { own?: 1 } } }",
    "node_modules/react/jsx-runtime.d.ts":
      "import * as React from './'; export namespace JSX { interface Element extends React.JSX.Element {} interface IntrinsicElements extends React.JSX.IntrinsicElements {} }",
  };

  test("chooses the types of elements by its jsxImportSource", async () => {
    open({ ...react, "tsconfig.json": '{ "compilerOptions": { "strict": true, "jsx": "react-jsx" } }' });
    expect(await notebook.run("const e = <b own={1}/>; e.own;")).toEqual([]);
    expect(await notebook.problems("<i/>")).toEqual([
      "1:1 TS2339: HTML has no element <i>. A component begins with a capital letter.",
    ]);
    expect((await notebook.service.typeScriptOptions()).jsx).toEqual({
      runtime: "automatic",
      importSource: "react",
    });
  });

  test("or by its factory, which an earlier cell imports", async () => {
    open({ ...react, "tsconfig.json": '{ "compilerOptions": { "strict": true, "jsx": "react" } }' });
    expect(await notebook.run('import * as React from "react";')).toEqual([]);
    expect(await notebook.run("const e = <b own={1}/>; e.own;")).toEqual([]);
    expect((await notebook.service.typeScriptOptions()).jsx).toEqual({
      runtime: "classic",
      pragma: "React.createElement",
      pragmaFrag: "React.Fragment",
    });
  });

  test.each(['import * as React from "react";', 'const React = require("react");'])(
    "without one, a cell that imports React under that name chooses React's: %s",
    async (cell) => {
      open(react);
      expect(await notebook.run("const html = <b>{1}</b>;")).toEqual([]);
      await notebook.service.typeScriptOptions('import { useState } from "react"; // import React');
      expect(notebook.service.takeNote()).toBeNull();
      const { jsx } = await notebook.service.typeScriptOptions(cell);
      expect(jsx).toMatchObject({ runtime: "classic", pragma: "React.createElement" });
      expect(notebook.service.takeNote()).toBe(
        "This notebook imports React: its JSX makes React's elements from here on.",
      );
      expect(await notebook.run(cell)).toEqual([]);
      expect(await notebook.run("const e = <b own={1}/>; e.own;")).toEqual([]);
    },
  );
});
