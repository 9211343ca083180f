import { Failure } from '../scripts/failure.ts';

/** A path is put behind it, and it is printed: nothing may come after that path, and nothing of it may be a password. */
export function parseServiceUrl(url: string): string {
  const parsed = URL.parse(url);
  const { username, password } = parsed ?? {};
  if (!parsed || !/^https?:[^?#]*$/.test(parsed.href) || username || password)
    throw new Failure('--url must be like https://api.acme.com, without user, password, query and fragment', 2);
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}
