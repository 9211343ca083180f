/**
 * A host name with a dot, of which the last label is not a number. An IP address never matches, because `URL` normalizes every
 * spelling (`0x7f.1`, `2130706433`) to `127.0.0.1` or `[::1]`.
 */
const DOTTED_NAME = /\.[a-z][a-z\d-]*\.?$/;

/** Names that nobody can own (RFC 2606, RFC 6761). The templates use them. */
const RESERVED_NAME = /(^|\.)(example|example\.(com|net|org)|invalid|localhost|test)\.?$/;

/** Names that resolve differently in each local network, or not in DNS (RFC 6762, 7686, 8375, 9476, and by custom). */
const LOCAL_NAME = /\.(alt|arpa|corp|home|internal|intranet|lan|local|localdomain|onion|private|svc)\.?$/;

/** Whether a parsed URL's host is a public name: neither an address nor a reserved or local name. A final dot is allowed. */
export function isPublicName(hostname: string): boolean {
  return DOTTED_NAME.test(hostname) && !isReservedName(hostname) && !LOCAL_NAME.test(hostname);
}

/** Whether nobody can own the name, for example `api.example.com`. */
export function isReservedName(hostname: string): boolean {
  return RESERVED_NAME.test(hostname);
}
