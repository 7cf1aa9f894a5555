// The report of `mpslab doctor --report` goes into a public issue: no secret and no name of the user may be in it.
import { expect, it } from "vitest";
import { withoutNames } from "../../../kernel/cli/bug_report.ts";
import { withoutSecrets } from "../../../lib/secrets/redact.ts";

const who = { home: "/home/ada", user: "ada", host: "engine.example.org" };

it.each([
  ["https://ada:pass1234@example.org/simple", "https://(left out)@example.org/simple"],
  ["Authorization: Bearer abcdef123456", "Authorization: Bearer (left out)"],
  ["//registry/:_authToken=abcdef", "//registry/:_authToken=(left out)"],
  ["http://localhost:8888/lab?token=34b892b9ce&x=1", "http://localhost:8888/lab?token=(left out)&x=1"],
  ['{"password": "hunter2"}', '{"password": "(left out)"}'],
  ["npm_abcdefghijklmnop0123", "(left out)"],
  ["/home/ada/models on engine.example.org", "~/models on <host>"],
  ["drwxr-xr-x ada", "drwxr-xr-x <user>"],
])("%s becomes %s", (text, redacted) => {
  expect(withoutNames(withoutSecrets(text, "shell"), who)).toBe(redacted);
});

it.each(["mps: 4.5 GiB", "adagrad, Canada"])("%s stays", (text) => {
  expect(withoutNames(withoutSecrets(text, "shell"), who)).toBe(text);
});

it("root, who is everybody in a container, is no name", () => {
  expect(withoutNames("/root/x root", { home: "/", user: "root", host: "a" })).toBe("/root/x root");
});
