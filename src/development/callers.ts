/** Headers of proxies and tunnels. Behind one of them, a stranger has the address of this machine. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip|true-client-ip|cf-ray|cdn-loop)$/;
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const LOOPBACK_ADDRESS = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** Whether the request names this machine, and not a preview at Cloudflare (`wrangler dev --remote`) or the name of a page. */
export const isAtLoopback = ({ url }: Pick<Request, 'url'>) => LOOPBACK_HOST.test(new URL(url).hostname);

/** How browsers begin their name. A caller without a name may be one that a page told to hide it. */
const BROWSER = /^(mozilla\/.*)?$/i;

/**
 * Whether a page whose name somebody resolved to this machine (DNS rebinding) may have sent the request to read the answer.
 * The host does not say so: the proxy of `wrangler dev` takes it from a header of the caller, `MF-Original-URL`, and removes the header.
 * But a browser sends `Sec-Fetch-Site` only to a trustworthy address, as the local one is, and no page can set it. A page cannot hide its
 * origin with any method but GET and HEAD.
 */
export function mayBeRebound({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return headers.get('sec-fetch-site') === null && BROWSER.test(headers.get('user-agent') ?? '');
}

/**
 * Returns why the issuer does not answer this caller; undefined if it is a program on this machine.
 * - A page whose name somebody resolved to this machine (DNS rebinding) sends its own name as the host.
 * - A page of another origin sends that origin with each POST. The page gets no header of CORS either.
 * - `--ip 0.0.0.0` lets other machines call. A program there could invent the address, but has no client secret.
 */
export function findStranger({ url, headers }: Request): string | undefined {
  const { origin } = new URL(url);
  if (!isAtLoopback({ url })) return 'the issuer answers only at localhost';
  if (!LOOPBACK_ADDRESS.test(headers.get('cf-connecting-ip') ?? '')) return 'the issuer answers only this machine';
  if ([...headers.keys()].some((name) => FORWARDED.test(name))) return 'the issuer answers no proxy';
  if ((headers.get('origin') ?? origin) !== origin) return 'the issuer answers no page of another origin';
  if (!['same-origin', 'none', null].includes(headers.get('sec-fetch-site')))
    return 'the issuer answers no page of another origin';
  return undefined;
}
