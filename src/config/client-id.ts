/** RFC 6749 appendix A.1: printable. Its length is bounded, because it appears in log lines and in the key of the rate limit. */
export const CLIENT_ID = /^[ -~]{1,256}$/;

/** Maximum length of a `sub` (OpenID Connect Core §2) and of an organization, for the same reason. */
export const PERSON_CLAIM_MAX_CHARS = 255;
