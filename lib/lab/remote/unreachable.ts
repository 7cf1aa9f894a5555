// Explains in one sentence why a request failed, from the error code of the system or of TLS.

/** Codes for certificates of a private authority that neither the system nor Node trusts. */
const UNKNOWN_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** @param code null if the system gave none */
export function unreachable(code: string | null): string {
  if (code === null) return "no server answers there";
  if (UNKNOWN_AUTHORITY.has(code))
    return `its certificate is of an authority that is not known here (${code}): name a file with that authority's certificate, as %env NODE_EXTRA_CA_CERTS=/path/authority.pem`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `its certificate does not hold today (${code}): renew it over there, and look at both clocks`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `its certificate is for another host (${code}): give the url with the host's name that stands in it`;
  if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER")
    return `it speaks no TLS there (${code}): give the url with http://`;
  return `no server answers there (${code})`;
}
