// Sources in a logbook: literals of secrets are left out, and ordinary code stays as it is.
import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../../../lib/lab/logbook/file_keeper.ts";
import {
  configurationWithoutSecrets,
  jsonWithoutSecrets,
  sourceWithoutSecrets,
} from "../../../../lib/lab/logbook/secrets.ts";

describe("of a cell's text is left out", () => {
  it.each([
    ['const apiKey = "abcd-efgh";', 'const apiKey = "(left out)";'],
    ["login({ password: 'hunter22hunter' })", "login({ password: '(left out)' })"],
    ['headers["authorization"] = "dGVzdDp0ZXN0"', 'headers["authorization"] = "(left out)"'],
    ['fetch("https://host/x?token=abcdef&n=1")', 'fetch("https://host/x?token=(left out)&n=1")'],
    ['fetch("https://ann:pw@host/x")', 'fetch("https://(left out)@host/x")'],
    ['const model = load("hf_abcdefghijklmnop");', 'const model = load("(left out)");'],
    ["+  secretKey: `top-secret-9`,", "+  secretKey: `(left out)`,"],
  ])("%s", (source, kept) => expect(sourceWithoutSecrets(source)).toBe(kept));

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
    expect(withoutSecrets(bytes("abcd-efgh"))).toEqual({ bytes: bytes("(left out)"), leftOut: true });
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
    "const tokenCount = 50257, tokens = text.split(' ');",
  ])("%s", (source) => expect(sourceWithoutSecrets(source)).toBe(source));
});
