// Tests the sentence for a remote that cannot be reached, which includes the way out.
import { expect, it } from "vitest";
import { unreachable } from "../../../../lib/lab/remote/unreachable.ts";

it.each([
  [null, "no server answers there"],
  ["ECONNREFUSED", "no server answers there (ECONNREFUSED)"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", /authority that is not known here .* NODE_EXTRA_CA_CERTS=/],
  ["CERT_HAS_EXPIRED", /does not hold today \(CERT_HAS_EXPIRED\): renew it/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", /for another host .*: give the url with the host's name/],
  ["EPROTO", /speaks no TLS there \(EPROTO\): give the url with http:\/\//],
])("%s", (code, sentence) => {
  expect(unreachable(code)).toMatch(sentence);
});
