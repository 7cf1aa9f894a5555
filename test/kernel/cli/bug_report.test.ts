// The report of `mpslab doctor --report` goes into a public issue: no secret and no name of the user may be in it.
import { expect, it } from "vitest";
import { withoutSecrets } from "../../../kernel/cli/bug_report.ts";

const who = { home: "/home/ada", user: "ada", host: "engine.example.org" };

it.each([
  ["https://ada:pass1234@example.org/simple", "https://<secret>@example.org/simple"],
  ["Authorization: Bearer abcdef123456", "Authorization: Bearer <secret>"],
  ["//registry/:_authToken=abcdef", "//registry/:_authToken=<secret>"],
  ["http://localhost:8888/lab?token=34b892b9ce&x=1", "http://localhost:8888/lab?token=<secret>&x=1"],
  ['{"password": "hunter2"}', '{"password": "<secret>"}'],
  ["npm_abcdefghijklmnop0123", "<secret>"],
  ["/home/ada/models on engine.example.org", "~/models on <host>"],
  ["drwxr-xr-x ada", "drwxr-xr-x <user>"],
])("%s becomes %s", (text, redacted) => {
  expect(withoutSecrets(text, who)).toBe(redacted);
});

it.each(["mps: 4.5 GiB", "adagrad, Canada"])("%s stays", (text) => {
  expect(withoutSecrets(text, who)).toBe(text);
});

it("root, who is everybody in a container, is no name", () => {
  expect(withoutSecrets("/root/x root", { home: "/", user: "root", host: "a" })).toBe("/root/x root");
});
