import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Fetch, GatepassTokenError } from '../../../../packages/client/src/gatepass.ts';
import { type Credentials, clientCredentials } from '../../../../packages/client/src/token.ts';
import { rejectionOf, useProxiedGatepass } from './proxied-gatepass.ts';

/** How the client fetches tokens, and how long a call waits for the token that another call fetches. */

const { proxies, origins, client, credentials } = useProxiedGatepass();

/** Returns a `fetch` that records the origins of its requests. */
function recordFetch() {
  const asked: string[] = [];
  const fetch: Fetch = (url, init) => {
    asked.push(new URL(url).origin);
    return globalThis.fetch(url, init);
  };
  return { asked, fetch };
}

describe('a custom fetch', () => {
  it('the client uses its custom fetch for the service only, and never gives it the secret', async () => {
    const { asked, fetch } = recordFetch();
    await client({ fetch }).search();
    expect(asked).toEqual([origins.service]);
    expect(proxies.oauth.requests).toHaveLength(1);
  });

  it('the client uses the custom fetch of the credentials for the token request, and does not send it as a parameter', async () => {
    const { asked, fetch } = recordFetch();
    await client({ credentials: credentials({ fetch }) }).search();
    expect(asked).toEqual([origins.oauth]);
    expect(proxies.oauth.requests[0]?.body).toBe('grant_type=client_credentials');
  });
});

describe('a token that another call fetches', () => {
  const THERE: Credentials = { tokenUrl: 'https://oauth.example.com/token', clientId: 'acme', clientSecret: 'any' };
  const grants = () => Response.json({ access_token: 'a-token', expires_in: 600 });
  const never = () => new Promise<Response>(() => {});

  /** Makes timeouts a hundred times as fast. Returns the requested durations in milliseconds. */
  function speedUpTimeouts(): number[] {
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

  it('a call waits for the token of another call as long as a token request may take, then requests its own', async () => {
    const waited = speedUpTimeouts();
    const answers = [never, grants];
    const token = clientCredentials(THERE, async () => (answers.shift() ?? grants)());
    const [first, second] = await Promise.all([rejectionOf(token()), token()]);
    expect(second).toBe('a-token');
    expect(Math.max(...waited)).toBe(16_000);
    expect(first).toBeInstanceOf(GatepassTokenError);
    expect(String(first)).toMatch(/no answer from the token endpoint oauth\.example\.com/);
    expect(await token()).toBe('a-token');
  });

  it('a call throws a token error when no token request gets an answer', async () => {
    speedUpTimeouts();
    const token = clientCredentials(THERE, never);
    const faults = await Promise.all([rejectionOf(token()), rejectionOf(token())]);
    for (const fault of faults) expect(fault).toBeInstanceOf(GatepassTokenError);
  });
});
