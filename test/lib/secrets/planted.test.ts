// A hundred secrets as people write them are left out, and what looks like one stays.
import { describe, expect, it } from "vitest";
import { redact, redactForReview } from "../../../lib/secrets/redact.ts";
import { HARMLESS, PLANTED } from "../../fixtures/secrets/planted.ts";

it("they are a hundred and more, and each is another one", () => {
  expect(new Set(PLANTED.map(({ secret }) => secret)).size).toBe(PLANTED.length);
  expect(PLANTED.length).toBeGreaterThan(100);
});

describe("is left out", () => {
  it.each(PLANTED)("$kind: $text", ({ language, text, secret }) => {
    const { text: clean, found } = redact(text, language);
    expect(clean).not.toContain(secret);
    expect(found.length).toBeGreaterThan(0);
    // The reader of a review does not see it either: none of these has signs that a shell would run.
    expect(redactForReview(text, language).text).not.toContain(secret);
  });
});

describe("stays", () => {
  it.each(HARMLESS)("%s: %s", (language, text) => expect(redact(text, language).text).toBe(text));
});
