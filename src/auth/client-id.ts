/** RFC 6749 appendix A.1: printable. It goes into log lines and names the rate limit, so it is not of any length. */
export const CLIENT_ID = /^[ -~]{1,256}$/;
