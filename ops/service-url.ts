import { Failure } from '../scripts/failure.ts';

/**
 * Returns the URL without a slash at its end. Throws Failure for a query or a fragment, because callers append a path, and for
 * a user or a password, because callers print the URL.
 */
export function parseServiceUrl(url: string): string {
  const parsed = URL.parse(url);
  const { username, password } = parsed ?? {};
  if (!parsed || !/^https?:[^?#]*$/.test(parsed.href) || username || password)
    throw new Failure('--url must be like https://api.acme.com, without user, password, query or fragment', 2);
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}
