// Tests how a pasted address is read, what a sweep on remotes accepts, and that no error quotes a possible token.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";
import { readRemote } from "../../../../lib/lab/remote/address.ts";
import { without } from "../../../../lib/lab/remote/redact.ts";

const TOKEN = "a1b2c3d4e5f6a7b8";

describe("an address", () => {
  it.each([
    [`http://studio:8888/?token=${TOKEN}`, "http://studio:8888/"],
    [`http://studio:8888/lab?token=${TOKEN}`, "http://studio:8888/"],
    [`http://studio:8888/lab/tree/a%20b.ipynb?token=${TOKEN}`, "http://studio:8888/"],
    [`https://hub.example/user/ann/tree?token=${TOKEN}`, "https://hub.example/user/ann/"],
    [`https://hub.example/user/lab/?token=${TOKEN}`, "https://hub.example/user/"],
    [`http://[::1]:8888/?token=${TOKEN}#page`, "http://[::1]:8888/"],
  ])("%s is the server at %s", (url, baseUrl) => {
    const { server, url: shown, name } = readRemote("lab.remote", { url });
    expect(server).toMatchObject({ baseUrl, token: TOKEN });
    expect(shown).toBe(baseUrl);
    expect(name).toBe(new URL(baseUrl).host);
  });

  it("may have the token beside it, which counts", () => {
    const { server } = readRemote("lab.remote", { url: "http://studio/?token=other-token-1", token: TOKEN });
    expect(server.token).toBe(TOKEN);
  });

  it("shows itself without the token, however it is looked at", () => {
    const remotes = lab.remotes([
      { url: `http://studio:8888/?token=${TOKEN}`, name: "studio" },
      { url: "http://laptop:8888/", token: TOKEN },
    ]);
    expect(inspect(remotes)).toBe(
      "Remotes(studio at http://studio:8888/, laptop:8888 at http://laptop:8888/)",
    );
    const seen = [
      inspect(remotes, { showHidden: true, customInspect: false, depth: 9 }),
      JSON.stringify(remotes),
      Object.keys(remotes).join(),
    ].join();
    expect(seen).not.toContain(TOKEN);
  });

  it("keeps its token out of the logbook from then on", () => {
    lab.remote({ url: "http://studio/", token: "kept-out-of-the-logbook-1" });
    const run = lab.logbook.draft({ dataset: "s3://x?sig=kept-out-of-the-logbook-1" });
    expect(run.fields.dataset).toBe("s3://x?sig=(left out)");
  });
});

it("texts that come back lose every token, as it is and as an address writes it", () => {
  const came = { note: `at ${TOKEN}`, list: [{ [TOKEN]: 1 }], encoded: "?token=a%2Fb%2Fc-12345" };
  expect(without(came, [TOKEN, "a/b/c-12345"])).toEqual({
    note: "at (left out)",
    list: [{ "(left out)": 1 }],
    encoded: "?token=(left out)",
  });
  expect(without({ point: { batch: 1 } }, ["short"])).toEqual({ point: { batch: 1 } });
});

describe("misuse", () => {
  const url = `http://studio/?token=${TOKEN}`;
  it.each<[string, () => unknown, string, string]>([
    ["nothing", () => lab.remote(undefined as never), "TypeError", "lab.remote takes a server"],
    ["a text", () => lab.remote(url as never), "TypeError", "lab.remote takes a server"],
    ["no address", () => lab.remote({} as never), "TypeError", "url must be a Jupyter server's address"],
    ["no http", () => lab.remote({ url: `ftp://x/${TOKEN}` }), "TypeError", "url must be a Jupyter server's"],
    ["half an address", () => lab.remote({ url: `studio/${TOKEN}` }), "TypeError", "url must be a Jupyter"],
    [
      "a password",
      () => lab.remote({ url: `http://ann:${TOKEN}@studio/` }),
      "TypeError",
      "a user or a password",
    ],
    ["a token of blanks", () => lab.remote({ url, token: `${TOKEN} b` }), "TypeError", "without blanks"],
    [
      "a token that is none",
      () => lab.remote({ url, token: 5 as never }),
      "TypeError",
      "token must be a text",
    ],
    ["the token as name", () => lab.remote({ url, name: TOKEN }), "TypeError", "must not hold the token"],
    ["a name with a slash", () => lab.remote({ url, name: "a/b" }), "TypeError", 'got "a/b"'],
    [
      "a folder that is none",
      () => lab.remote({ url, folder: 3 as never }),
      "TypeError",
      "folder must be a path",
    ],
    ["no patience", () => lab.remote({ url, patienceSeconds: 0 }), "RangeError", "patienceSeconds must be"],
    [
      "a misspelt option",
      () => lab.remote({ url, tokens: "x" } as never),
      "TypeError",
      'unknown option "tokens"',
    ],
    ["no list", () => lab.remotes({ url } as never), "TypeError", "lab.remotes takes a list"],
    ["an address as list", () => lab.remotes(url as never), "TypeError", "lab.remotes takes a list"],
    ["addresses in a list", () => lab.remotes([url as never]), "TypeError", "takes a server"],
    ["an empty list", () => lab.remotes([]), "TypeError", "lab.remotes takes a list"],
    [
      "one bad server",
      () => lab.remotes([{ url }, { url: "x" }]),
      "TypeError",
      "lab.remotes: [1]: url must be",
    ],
    ["two of a name", () => lab.remotes([{ url }, { url }]), "RangeError", "two servers are called studio"],
  ])("of a server: %s", (_name, call, kind, words) => {
    const error = thrownBy(call);
    expect(error.name).toBe(kind);
    expect(error.message).toContain(words);
    expect(`${error.message}${error.stack}`).not.toContain(TOKEN);
  });

  const setup = "const setup = () => () => {};";
  it.each<[string, unknown, string, string]>([
    ["nothing", undefined, "TypeError", "remote.sweep takes options"],
    [
      "a function",
      { setup: () => () => {} },
      "TypeError",
      "setup is a function, which cannot travel: give the source",
    ],
    ["no setup", {}, "TypeError", "setup must be the source of a cell"],
    ["an empty setup", { setup: " " }, "TypeError", "setup must be the source of a cell"],
    ["a model", { setup, model: {} }, "TypeError", 'unknown option "model"'],
    ["a batch of none", { setup, batch: [0] }, "RangeError", "remote.sweep: batch[0] must be an integer"],
    ["an empty explanation", { setup, explain: "" }, "TypeError", "explain must be a sentence"],
    ["a negative tolerance", { setup, tolerance: -1 }, "RangeError", "tolerance must be"],
    ["against nothing", { setup, against: {} }, "TypeError", "against must be a result of lab.sweep"],
    [
      "a data path that is none",
      { setup, dataPath: 5 },
      "TypeError",
      "dataPath must be a path on the remote",
    ],
    ["a record that is none", { setup, record: [] }, "TypeError", "record must be fields of the logbook"],
  ])("of a sweep: %s", async (_name, options, kind, words) => {
    const remote = lab.remote({ url: "http://127.0.0.1:9/", token: TOKEN });
    const error = (await remote.sweep(options as never).then(
      () => null,
      (thrown: unknown) => thrown,
    )) as Error;
    expect(error.name).toBe(kind);
    expect(error.message).toContain(words);
  });
});

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error("nothing was thrown");
}
