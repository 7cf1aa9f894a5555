// A link of the built site that leads nowhere is found, with its page.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brokenLinks } from "../../docs/site/pages/check_links.ts";

let folder: string;

function write(file: string, text: string): void {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mpslab-site-"));
  write("guides/lab.html", '<h2 id="see-memory">See memory</h2>');
  write("index.html", "<p>Start</p>");
  write("picture.png", "");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a link", () => {
  it.each([
    '<a href="/guides/lab.html#see-memory">',
    '<a href="lab">',
    '<a href="../index.html">',
    '<a href="/">',
    '<img src="/picture.png">',
    '<a href="#here"><p id="here">',
    '<a href="https://example.org/nowhere#at-all">',
    '<a href="mailto:me@example.org">',
  ])("that leads somewhere: %s", (html) => {
    write("guides/page.html", html);
    expect(brokenLinks(folder)).toEqual([]);
  });

  it.each([
    ['<a href="/guides/gone.html">', "guides/page.html: /guides/gone.html"],
    ['<a href="/guides/lab.html#gone">', "guides/page.html: /guides/lab.html#gone"],
    ['<a href="#gone">', "guides/page.html: #gone"],
    ['<img src="gone.png?a=1&amp;b=2">', "guides/page.html: gone.png?a=1&b=2"],
  ])("that leads nowhere: %s", (html, expected) => {
    write("guides/page.html", html);
    expect(brokenLinks(folder)).toEqual([expected]);
  });

  it("must begin with the site's place on its host", () => {
    write("guides/page.html", '<a href="/mpslab/guides/lab.html"><a href="/guides/lab.html">');
    expect(brokenLinks(folder, "/mpslab/")).toEqual(["guides/page.html: /guides/lab.html"]);
  });
});
