// A Chromium of this machine: nothing is downloaded for a test.
import { existsSync } from "node:fs";

const KNOWN_BROWSERS = [
  process.env["MPSLAB_BROWSER"],
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Undefined where there is none. */
export const browserPath = KNOWN_BROWSERS.find((file) => file !== undefined && existsSync(file));
