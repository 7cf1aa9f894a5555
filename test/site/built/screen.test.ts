// The built site as a person sees it, on a phone and on a desk, in the light and in the dark theme.
import { createServer, type Server } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../../../docs/site/pages/catalogue.ts";
import { browserPath } from "../../browser/browser_path.ts";
import { keepScreenshot } from "../../browser/jupyter_lab.ts";
import { HANG_MS } from "../../helpers/hang.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const site = path.join(root, "output", "docs");
const { guides: groups, lessons, notebooks, contributing } = readCatalogue(root);
const guides = groups.flatMap(({ pages }) => pages);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Sends the site's files as any host would. */
function serve(): Promise<Server> {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://site");
    const file = path.join(site, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const isThere = existsSync(file);
    response.writeHead(isThere ? 200 : 404, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
    response.end(isThere ? readFileSync(file) : "");
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const ADDRESSES = [
  "/index",
  "/lessons/index",
  "/reference/index",
  "/reference/nn",
  "/api/index",
  "/api/classes/nn.Linear",
  "/api/functions/lab.check",
  "/source/lib/torch/nn/linear.ts",
  ...[...guides, ...lessons, ...notebooks, ...contributing].map(({ address }) => address),
];

/** The widest element that the page does not scroll by itself. */
const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");

/** Before that, keys and clicks go nowhere. */
const LISTENS = `"__vue_app__" in document.querySelector("#app")`;

/** The colours of the first paragraph and of what it stands on. */
const COLORS = `[
  getComputedStyle(document.querySelector("p")).color,
  [document.body, document.documentElement]
    .map((element) => getComputedStyle(element).backgroundColor)
    .find((color) => color !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)",
]`;

describe.skipIf(browserPath === undefined)(
  "in a browser (needs a Chromium; MPSLAB_BROWSER names one)",
  () => {
    let server: Server;
    let browser: Browser;
    let host: string;
    beforeAll(async () => {
      server = await serve();
      host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      browser = await chromium.launch({
        executablePath: browserPath!,
        args: ["--no-sandbox", "--disable-gpu"],
      });
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
    });

    const open = async (width: number, colorScheme: "light" | "dark") => {
      const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
      const page = await context.newPage();
      page.setDefaultTimeout(HANG_MS);
      return page;
    };

    describe("on a phone", () => {
      let page: Page;
      beforeAll(async () => {
        page = await open(390, "light");
      });

      it.each(ADDRESSES)("%s does not scroll sideways", async (address) => {
        await page.goto(`${host}${address}.html`);
        expect(await widthOf(page)).toBe(390);
      });
    });

    it.each(["light", "dark"] as const)(
      "the %s theme gives text and charts a colour that can be read",
      async (theme) => {
        const page = await open(1280, theme);
        for (const address of [
          "/index",
          "/lessons/04-honest-timing",
          "/guides/lab",
          "/api/classes/nn.Linear",
        ]) {
          await page.goto(`${host}${address}.html`);
          const [text, paper] = await page.evaluate<[string, string]>(COLORS);
          expect(contrast(text, paper), `${address}: ${text} on ${paper}`).toBeGreaterThan(4.5);
          expect(brightness(paper) > 0.5, `${address}: ${paper}`).toBe(theme === "light");
          await keepScreenshot(page, `site${address.replaceAll("/", "-")}-${theme}.png`);
        }
      },
    );

    it("one search finds guides, lessons and names of the API", async () => {
      const page = await open(1280, "light");
      await page.goto(`${host}/index.html`);
      await page.waitForFunction(LISTENS);
      const find = async (words: string, address: string) => {
        await page.keyboard.press("Control+k");
        await page.fill("#localsearch-input", words);
        await page.locator(`.VPLocalSearchBox .result[href*="${address}"]`).first().waitFor();
        await page.keyboard.press("Escape");
      };
      await find("stale cells", "/guides/cells.html#stale-cells");
      await find("honest timing", "/lessons/04-honest-timing.html");
      await find("crossEntropy", "/reference/functional.html");
    });

    it("the choice of a theme holds for the pages of the API", async () => {
      const page = await open(1280, "light");
      await page.goto(`${host}/guides/lab.html`);
      await page.waitForFunction(LISTENS);
      await page.locator(".VPSwitchAppearance").first().click();
      await page.goto(`${host}/api/index.html`);
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    });
  },
);

/** `rgb(60, 60, 67)` -> relative luminance, as WCAG defines it. */
function brightness(color: string): number {
  const [r = 0, g = 0, b = 0] = [...color.matchAll(/[\d.]+/g)]
    .map(([part]) => Number(part) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [brightness(a), brightness(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}
