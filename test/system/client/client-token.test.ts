import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Fetch, GatepassTokenError } from '../../../client/src/gatepass.ts';
import { type Credentials, clientCredentials } from '../../../client/src/token.ts';
import { frontedGatepass, rejection } from './fronted-gatepass.ts';

/** Who is asked for a token, by which way, and how long one call waits for the token of another. */

const { fronts, origins, client, credentials } = frontedGatepass();

/** A `fetch`, and the origins that were asked with it. */
function noted() {
  const asked: string[] = [];
  const fetch: Fetch = (url, init) => {
    asked.push(new URL(url).origin);
    return globalThis.fetch(url, init);
  };
  return { asked, fetch };
}

describe('a fetch of one’s own', () => {
  it('asks the service alone: a binding leads nowhere else, and is not told the secret', async () => {
    const { asked, fetch } = noted();
    await client({ fetch }).search();
    expect(asked).toEqual([origins.service]);
    expect(fronts.oauth.seen).toHaveLength(1);
  });

  it('asks for the token where it stands with the credentials, and is not told to the server', async () => {
    const { asked, fetch } = noted();
    await client({ credentials: credentials({ fetch }) }).search();
    expect(asked).toEqual([origins.oauth]);
    expect(fronts.oauth.seen[0]?.body).toBe('grant_type=client_credentials');
  });
});

describe('a token that somebody else fetches', () => {
  const THERE: Credentials = { tokenUrl: 'https://oauth.example.com/token', clientId: 'acme', clientSecret: 'any' };
  const grants = () => Response.json({ access_token: 'a-token', expires_in: 600 });
  const never = () => new Promise<Response>(() => {});

  /** A hundred times as fast as it is; what was waited for, in milliseconds. */
  function quickly(): number[] {
    const waited: number[] = [];
    const timeout = AbortSignal.timeout;
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      waited.push(ms);
      return timeout(ms / 100);
    });
    return waited;
  }
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is waited for as long as fetching one may take, then fetched anew', async () => {
    const waited = quickly();
    const answers = [never, grants];
    const token = clientCredentials(THERE, async () => (answers.shift() ?? grants)());
    const [first, second] = await Promise.all([rejection(token()), token()]);
    expect(second).toBe('a-token');
    expect(Math.max(...waited)).toBe(16_000);
    expect(first).toBeInstanceOf(GatepassTokenError);
    expect(String(first)).toMatch(/no answer from the token endpoint oauth\.example\.com/);
    expect(await token()).toBe('a-token');
  });

  it('is an error of the token’s when none comes at all', async () => {
    quickly();
    const token = clientCredentials(THERE, never);
    const faults = await Promise.all([rejection(token()), rejection(token())]);
    for (const fault of faults) expect(fault).toBeInstanceOf(GatepassTokenError);
  });
});
