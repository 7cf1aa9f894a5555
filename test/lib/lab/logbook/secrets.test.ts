// Sources in a logbook: literals of secrets are left out, and ordinary code stays as it is.
import { describe, expect, it } from "vitest";
import { sourceWithoutSecrets } from "../../../../lib/lab/logbook/secrets.ts";

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
