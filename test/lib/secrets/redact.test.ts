// Texts without their secrets: values of secrets are left out, and ordinary code stays as it is.
import { describe, expect, it } from "vitest";
import { bytesWithoutSecrets } from "../../../lib/lab/logbook/file_keeper.ts";
import { jsonWithoutSecrets } from "../../../lib/secrets/json.ts";
import { isWithSecrets } from "../../../lib/secrets/kept_text.ts";
import { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { type Language, withoutSecrets } from "../../../lib/secrets/redact.ts";

const sourceWithoutSecrets = (source: string) => withoutSecrets(source, "cell");
const configurationWithoutSecrets = (text: string) => withoutSecrets(text, "configuration");

describe("of a cell's text is left out", () => {
  it.each([
    ['const apiKey = "abcd-efgh";', 'const apiKey = "(left out)";'],
    ["login({ password: 'hunter22hunter' })", "login({ password: '(left out)' })"],
    ['headers["authorization"] = "dGVzdDp0ZXN0"', 'headers["authorization"] = "(left out)"'],
    ['fetch("https://host/x?token=abcdef&n=1")', 'fetch("https://host/x?token=(left out)&n=1")'],
    ['fetch("https://ann:pw@host/x")', 'fetch("https://(left out)@host/x")'],
    ['const model = load("hf_abcdefghijklmnop");', 'const model = load("(left out)");'],
    ["+  secretKey: `top-secret-9`,", "+  secretKey: `(left out)`,"],
    ['const apiKey: string = "abcd-efgh";', 'const apiKey: string = "(left out)";'],
    [
      'class A { private token?: string | null = "abcd-efgh" }',
      'class A { private token?: string | null = "(left out)" }',
    ],
    [
      'function login(password: string = "hunter22") {}',
      'function login(password: string = "(left out)") {}',
    ],
    ['{ "X-Api-Key": "abcd-efgh" }', '{ "X-Api-Key": "(left out)" }'],
    ['headers.set("X-Api-Key", "abcd-efgh")', 'headers.set("X-Api-Key", "(left out)")'],
    ['const token = process.env.TOKEN ?? "abcd-efgh";', 'const token = process.env.TOKEN ?? "(left out)";'],
    [
      "const key = process.env['API_KEY'] || 'abcd-efgh'",
      "const key = process.env['API_KEY'] || '(left out)'",
    ],
    ["options.secret ??= `abcd-efgh`", "options.secret ??= `(left out)`"],
    ["%%sh\nDB_PASSWORD=zebra-crossing psql -h db", "%%sh\nDB_PASSWORD=(left out) psql -h db"],
  ])("%s", (source, kept) => expect(sourceWithoutSecrets(source)).toBe(kept));

  it.each([
    ["sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"],
    ["AIza", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"],
    ["glpat-", "abcdefghij0123456789"],
    ["npm_", "abcdefghijklmnopqrstuvwxyz0123456789"],
    ["pypi-", "AgEIcHlwaS5vcmcCJDAwMDAw"],
    ["xoxs-", "123456789012-abcdefghij"],
    ["ASIA", "IOSFODNN7EXAMPLE"],
    ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r"],
  ])("a token by its own form: %s%s", (prefix, rest) =>
    // In two parts: programs that look for tokens in repositories find none here.
    expect(sourceWithoutSecrets(`send(["x", "${prefix}${rest}"]);`)).toBe('send(["x", "(left out)"]);'),
  );

  it.each([
    ["export DEPLOY_TOKEN=zebra-crossing && ./run", "export DEPLOY_TOKEN=(left out) && ./run"],
    ["export MODEL=resnet-eighteen", "export MODEL=resnet-eighteen"],
    ['"%%sh\\nexport DEPLOY_TOKEN=zebra-crossing"', '"%%sh\\nexport DEPLOY_TOKEN=(left out)"'],
  ])("what a shell exports: %s", (source, kept) => expect(sourceWithoutSecrets(source)).toBe(kept));

  it.each([
    ["password: zebra-crossing\nhost: example.org", "password: (left out)\nhost: example.org"],
    ["  - api_key = zebra-crossing # of Ann", "  - api_key = (left out) # of Ann"],
    ["maxTokens: 1000000000", "maxTokens: 1000000000"],
  ])("what a configuration file holds without quotes: %j", (text, kept) =>
    expect(configurationWithoutSecrets(text)).toBe(kept),
  );

  it("every text under a secret's name", () => {
    const given = { credentials: { user: "ann", ports: [{ key: "zebra" }, 22] }, tokens: { seen: "many" } };
    expect(jsonWithoutSecrets(given)).toBe(
      '{"credentials":{"user":"(left out)","ports":[{"key":"(left out)"},22]},"tokens":{"seen":"many"}}',
    );
    expect(jsonWithoutSecrets({ credentials: { count: 2n ** 70n, share: Infinity } })).toBe(
      '{"credentials":{"count":"1180591620717411303424","share":"Infinity"}}',
    );
  });

  it("a private key, whatever its file is called", () => {
    const key = (text: string) =>
      `-----BEGIN OPENSSH PRIVATE KEY-----${text}-----END OPENSSH PRIVATE KEY-----\n`;
    expect(sourceWithoutSecrets(key("\nb3BlbnNzaC1r\nZXktdjEA\n"))).toBe(key("(left out)"));
  });

  it("what stands in bytes of several encodings, as a patch has them", () => {
    const bytes = (secret: string) => Buffer.from(`+Stra\xdfe\n+const apiKey = "${secret}";\n`, "latin1");
    expect(bytesWithoutSecrets(bytes("abcd-efgh"), "a.diff", "patch", new LeftOutParts())).toEqual({
      bytes: bytes("(left out)"),
      leftOut: true,
    });
  });

  it.each([
    [
      "patch",
      "diff --git a/a.yml b/a.yml\n+++ b/a.yml\n+password: zebra-crossing\n",
      "+password: (left out)\n",
    ],
    ["shell", "./run --password zebra-crossing", "./run --password (left out)"],
  ] as const)("once: %s, %j", (language, text, kept) => {
    const clean = withoutSecrets(text, language);
    expect(clean.endsWith(kept)).toBe(true);
    expect(withoutSecrets(clean, language)).toBe(clean);
  });

  it("the value of a secret variable, wherever it stands", () => {
    process.env["DEPLOY_TOKEN"] = "zebra-crossing";
    expect(sourceWithoutSecrets('send("zebra-crossing")')).toBe('send("(left out)")');
    delete process.env["DEPLOY_TOKEN"];
  });
});

describe("of a cell's text stays", () => {
  it.each([
    "const token = tokens[i];",
    'const token = "the";',
    'const endToken = "<|endoftext|>";',
    "let secret = await prompt();",
    'const tokenizer = "byte-pairs";',
    "password = readPassword(file);",
    "// a token: the smallest unit that the model reads",
    "const API_KEY=readSecret(file), OTHER=1; let TOKEN=tokens.next();",
    "const tokenCount = 50257, tokens = text.split(' ');",
  ])("%s", (source) => expect(sourceWithoutSecrets(source)).toBe(source));
});

const LANGUAGES: readonly Language[] = [
  "cell",
  "typescript",
  "patch",
  "code",
  "shell",
  "configuration",
  "text",
];

describe("texts that somebody made to take long", () => {
  const longer = (make: (length: number) => string) => make(250_000);
  it.each([
    ["hex digits", longer((n) => "0123456789abcdef".repeat(n / 16))],
    ["base64", longer((n) => "QUJDREVGR0hJSktMTU5PUA+/".repeat(n / 24))],
    ["spaces", `token${longer((n) => " ".repeat(n))}`],
    ["lines", `token:${longer((n) => "\n".repeat(n))}`],
    ["addresses", longer((n) => "https://a:".repeat(n / 10))],
    ["names before a quote", longer((n) => 'token="'.repeat(n / 7))],
    ["escaped quotes", longer((n) => String.raw`token=\"`.repeat(n / 8))],
    ["elements", longer((n) => "<token>".repeat(n / 7))],
    ["options", longer((n) => "curl -u ".repeat(n / 8))],
    ["brackets", longer((n) => "token[".repeat(n / 6))],
    ["sums", `const token = ${longer((n) => '"ab" + '.repeat(n / 7))}""`],
    ["schemes", longer((n) => "bearer ".repeat(n / 7))],
    ["sections", longer((n) => "secrets:\n  a: b\n".repeat(n / 16))],
    ["names without a value", longer((n) => "token ".repeat(n / 6))],
    ["assignments to nothing", longer((n) => "a=".repeat(n / 2))],
    ["types without an end", longer((n) => `token: ${"x ".repeat(n / 2)}`)],
    ["quotes", longer((n) => 'token"'.repeat(n / 6))],
    ["questions", longer((n) => "key ?? ".repeat(n / 7))],
    ["slashes", longer((n) => "//".repeat(n / 2))],
    ["keys that do not end", longer((n) => "-----BEGIN PRIVATE KEY-----".repeat(n / 27))],
    ["dots", longer((n) => "eyJaaaaaaaa.".repeat(n / 12))],
  ])("%s: what is read more than once would take hours", (_, text) => {
    for (const language of LANGUAGES) expect(withoutSecrets(text, language).length).toBeGreaterThan(0);
    expect(jsonWithoutSecrets(text).length).toBeGreaterThan(0);
  });

  it("a kept text with thousands of secrets is compared", () => {
    const kept = 'a("(left out)");'.repeat(5_000);
    expect(isWithSecrets('a("zebra");'.repeat(5_000), kept)).toBe(true);
    expect(isWithSecrets(`${'a("zebra");'.repeat(4_999)}a(eval("zebra"));`, kept)).toBe(false);
    expect(isWithSecrets("a".repeat(50_000), "(left out)a".repeat(5_000) + "b")).toBe(false);
  });
});
