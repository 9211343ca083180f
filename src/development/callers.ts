/** Headers of proxies and tunnels. Behind one of them, a stranger has the address of this machine. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip|true-client-ip|cf-ray|cdn-loop)$/;
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const LOOPBACK_ADDRESS = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** Whether the request names this machine, and not a preview at Cloudflare (`wrangler dev --remote`) or the name of a page. */
export const isAtLoopback = ({ url }: Pick<Request, 'url'>) => LOOPBACK_HOST.test(new URL(url).hostname);

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
