import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createGatepass,
  GatepassProblem,
  GatepassTokenError,
  GatepassUnreachable,
} from '../../../../packages/client/src/gatepass.ts';
import type { CallNotice } from '../../../../packages/client/src/notices.ts';
import { CLOSE, type ProxiedRequest, TRUNCATE } from '../../fault-proxy.ts';
import { aPassKey } from './a-pass-key.ts';
import { rejectionOf, useProxiedGatepass } from './proxied-gatepass.ts';

/** How the client handles tokens, retries, refusals and aborts. */

const { proxies, origins, client, credentials } = useProxiedGatepass();

/** Notes the pauses that a client decides on. The measured ones are longer on a busy machine. */
function notePauses() {
  const pauses: number[] = [];
  const on = (notice: CallNotice) => void (notice.type === 'retry' && pauses.push(notice.pauseMs));
  return { pauses, on };
}

const pausesBetween = (requests: readonly ProxiedRequest[]) =>
  requests.slice(1).map(({ receivedMs }, index) => receivedMs - (requests[index]?.receivedMs ?? 0));

describe('access tokens', () => {
  it('the client fetches one token for twenty simultaneous calls and for the calls after them', async () => {
    const gatepass = client();
    await Promise.all(Array.from({ length: 20 }, () => gatepass.get(aPassKey())));
    await gatepass.search();
    expect(proxies.oauth.requests).toHaveLength(1);
    expect(proxies.service.requests).toHaveLength(21);
  });

  it('the client renews a token during the last quarter of its lifetime', async () => {
    const gatepass = client();
    proxies.oauth.alterBody = (body) => JSON.stringify({ ...JSON.parse(body), expires_in: 200 });
    const sinceStart = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => sinceStart() + aheadMs);
    onTestFinished(() => clock.mockRestore());
    for (const [second, fetched] of [
      [0, 1],
      [100, 1],
      [160, 2],
    ] as const) {
      aheadMs = second * 1_000;
      await gatepass.search();
      expect(proxies.oauth.requests).toHaveLength(fetched);
    }
  });

  it('the client fetches a new token once when the service refuses the old one', async () => {
    const refusal = { status: 401 };
    proxies.service.nextOutcomes = [refusal];
    const gatepass = client();
    expect(await gatepass.get(aPassKey())).toBeUndefined();
    expect([proxies.oauth.requests.length, proxies.service.requests.length]).toEqual([2, 2]);
    proxies.service.nextOutcomes = [refusal, refusal];
    expect(await rejectionOf(gatepass.get(aPassKey()))).toMatchObject({ status: 401 });
    expect([proxies.oauth.requests.length, proxies.service.requests.length]).toEqual([3, 4]);
  });

  it('the client sends its credentials in the header or in the form, as configured', async () => {
    await client().search();
    await client({ credentials: credentials({ as: 'post', audience: 'https://api.gatepass.example' }) }).search();
    expect(proxies.oauth.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${btoa('acme:acme-secret')}`,
      undefined,
    ]);
  });

  it('the client calls a token function for each call, and again when the service refuses the token', async () => {
    const given: (string | undefined)[] = [];
    const token = async (refused?: string) => {
      given.push(refused);
      return refused === undefined ? 'old' : 'older';
    };
    const gatepass = createGatepass({ baseUrl: origins.service, token });
    expect(await rejectionOf(gatepass.search())).toMatchObject({ status: 401, code: 'token_invalid' });
    expect(given).toEqual([undefined, 'old']);
    proxies.service.reset();
    await rejectionOf(createGatepass({ baseUrl: origins.service, token: async () => 'the same' }).search());
    expect(proxies.service.requests).toHaveLength(1);
  });

  it('a failed token request throws an error without the secret, and the next call requests a token again', async () => {
    const gatepass = client({ credentials: credentials({ clientSecret: 'not-the-secret' }) });
    const fault = await rejectionOf(gatepass.search());
    expect(fault).toBeInstanceOf(GatepassTokenError);
    expect(String(fault)).toMatch(/no token from 127\.0\.0\.1:\d+ for acme: 401 invalid_client/);
    await rejectionOf(gatepass.search());
    expect(proxies.oauth.requests).toHaveLength(2);
    proxies.oauth.nextOutcomes = [
      { status: 400, body: '{"error":"invalid_request","error_description":"not-the-secret"}' },
    ];
    expect(String(await rejectionOf(gatepass.search()))).toMatch(/ 400 invalid_request, \[hidden\]$/);
    proxies.oauth.nextOutcomes = [{ status: 307, headers: { location: `${origins.service}/elsewhere` } }];
    expect(String(await rejectionOf(gatepass.search()))).toMatch(/ 307 $/);
    proxies.oauth.nextOutcomes = [{ status: 200, body: '{"access_token":"two\\nlines","expires_in":600}' }];
    expect(String(await rejectionOf(gatepass.search()))).toMatch(/the token .* is none$/);
    const empty = client({ credentials: credentials({ clientSecret: '' }) });
    expect(String(await rejectionOf(empty.search()))).toMatch(/ for acme: 40\d invalid_\w+/);
    expect(proxies.service.requests).toEqual([]);
  });

  it('the client retries the token request while the token endpoint is briefly unavailable', async () => {
    proxies.oauth.nextOutcomes = [CLOSE, { status: 503, headers: { 'retry-after': '0' } }];
    expect(await client().get(aPassKey())).toBeUndefined();
    proxies.oauth.nextOutcomes = [CLOSE, CLOSE, CLOSE];
    const fault = await rejectionOf(client().search());
    expect(fault).toBeInstanceOf(GatepassTokenError);
    expect(fault).toMatchObject({ cause: expect.any(GatepassUnreachable) });
  });
});

it.each(['', 'api.example.com', 'ftp://api.example.com'])('the client refuses the URL "%s" at once', (url) => {
  const token = async () => 'any';
  expect(() => createGatepass({ baseUrl: url, token })).toThrow(/^baseUrl must be a URL/);
  const there = { clientId: 'acme', clientSecret: 'acme-secret', tokenUrl: url };
  expect(() => createGatepass({ baseUrl: 'https://api.example.com', credentials: there })).toThrow(/^tokenUrl must be/);
});

describe('retries', () => {
  it.each`
    fault                     | pauseMinMs | outcome
    ${'429 with seconds'}     | ${1e3}     | ${{ status: 429, headers: { 'retry-after': '1' } }}
    ${'503 with seconds'}     | ${1e3}     | ${{ status: 503, headers: { 'retry-after': '1' } }}
    ${'503 with a past date'} | ${0}       | ${{ status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }}
    ${'429 without a header'} | ${120}     | ${{ status: 429 }}
    ${'408'}                  | ${120}     | ${{ status: 408 }}
    ${'500'}                  | ${120}     | ${{ status: 500 }}
    ${'no answer'}            | ${120}     | ${CLOSE}
    ${'half an answer'}       | ${120}     | ${TRUNCATE}
  `('the client retries at least $pauseMinMs ms after $fault', async ({ outcome, pauseMinMs }) => {
    const { pauses, on } = notePauses();
    const gatepass = client({ on });
    await gatepass.search();
    proxies.service.reset();
    proxies.service.nextOutcomes = [outcome];
    const pass = aPassKey();
    expect(await gatepass.issue(pass)).toMatchObject(pass);
    const [pause, ...rest] = pausesBetween(proxies.service.requests);
    expect(rest).toEqual([]);
    expect(pause).toBeGreaterThanOrEqual(pauseMinMs);
    expect(pauses).toEqual([expect.toSatisfy((ms: number) => ms < pauseMinMs + 500)]);
  });

  it('the client does not retry before the date in Retry-After', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString();
    proxies.service.nextOutcomes = [{ status: 503, headers: { 'retry-after': date } }];
    await client().search();
    const { receivedMs: last = 0 } = proxies.service.requests.at(-1) ?? {};
    expect(performance.timeOrigin + last).toBeGreaterThanOrEqual(Date.parse(date));
  });

  it('the client waits longer before each retry, and stops after the configured number of retries', async () => {
    proxies.service.nextOutcomes = Array.from({ length: 4 }, () => ({ status: 500 }));
    const { pauses, on } = notePauses();
    expect(await rejectionOf(client({ on, retries: { times: 3 } }).search())).toMatchObject({ status: 500 });
    expect(proxies.service.requests).toHaveLength(4);
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThan(pauses[0] ?? 0);
  });

  it('the client does not retry after its time limit, and throws the last answer as an error', async () => {
    const gone = { status: 429, headers: { 'retry-after': '3600', 'content-type': 'application/problem+json' } };
    proxies.service.nextOutcomes = [{ ...gone, body: '{"code":"quota_reached","detail":"no more","requestId":"1"}' }];
    const fault = await rejectionOf(client().issue(aPassKey()));
    expect(fault).toBeInstanceOf(GatepassProblem);
    expect(fault).toMatchObject({ code: 'quota_reached', retryAfterMs: 3_600_000 });
    expect(proxies.service.requests).toHaveLength(1);
    proxies.service.nextOutcomes = Array.from({ length: 9 }, () => CLOSE);
    expect(await rejectionOf(client({ retries: { withinMs: 700 } }).search())).toBeInstanceOf(GatepassUnreachable);
    expect(proxies.service.requests.length).toBeLessThan(5);
  });
});

/** Error bodies of other servers, with some of a problem's fields. */
const FOREIGN = [
  { errors: {} },
  { code: 'Throttling', requestId: 'r', errors: { a: 1 } },
  { code: 'Throttling', detail: 'Slow down.', requestId: 'r', errors: { a: 1 } },
  { code: 'Throttling', detail: 'Slow down.', requestId: 'r', errors: [null] },
  { code: 17, detail: 'Slow down.', requestId: 'r' },
];

describe('refusals', () => {
  it('a refusal becomes an error with all fields of the problem, and the client does not retry it', async () => {
    const fault = await rejectionOf(client().issue({ ...aPassKey(), walletAddress: '0x1' }));
    expect(fault).toBeInstanceOf(GatepassProblem);
    expect(fault).toMatchObject({
      status: 400,
      code: 'invalid_wallet',
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      errors: [{ pointer: '/walletAddress', detail: expect.any(String) }],
      message: expect.stringContaining('/walletAddress'),
    });
    expect(proxies.service.requests).toHaveLength(1);
  });

  it('a refusal by an intermediary and an answer that is not a pass become errors too', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<html>' };
    proxies.service.nextOutcomes = [{ status: 403, ...page }];
    expect(await rejectionOf(client().search())).toMatchObject({ status: 403, code: 'unexpected_answer' });
    proxies.service.nextOutcomes = [{ status: 200, ...page }];
    expect(await rejectionOf(client().search())).toMatchObject({ status: 200, code: 'unexpected_answer' });
    for (const body of FOREIGN) {
      proxies.service.nextOutcomes = [{ status: 403, body: JSON.stringify(body) }];
      expect(await rejectionOf(client().search())).toMatchObject({
        status: 403,
        code: 'unexpected_answer',
        errors: [],
      });
    }
    proxies.service.nextOutcomes = [{ status: 200, body: '{"records": [' }];
    expect(await rejectionOf(client().search())).toMatchObject({ status: 200, code: 'unexpected_answer' });
  });
});

describe('aborts', () => {
  it.each`
    moment                                    | outcome
    ${'while the client waits for a retry'}   | ${{ status: 503, headers: { 'retry-after': '30' } }}
    ${'while the service waits for the pass'} | ${undefined}
  `('an abort $moment ends the call at once with the reason of the abort', async ({ outcome }) => {
    const gatepass = client(outcome ? {} : { retries: { times: 0 } });
    await gatepass.search();
    proxies.service.reset();
    if (outcome) proxies.service.nextOutcomes = [outcome];
    // On a busy machine, the pass could be settled before the abort.
    proxies.service.holdsAnswerTo = () => true;
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = rejectionOf(gatepass.issueAndWait(aPassKey(), { signal: controller.signal }));
    await expect.poll(() => proxies.service.requests.length).toBe(1);
    // A call that does not end at once would try again, or wait for the answer until the end of the test.
    setTimeout(() => controller.abort(reason), 50);
    expect(await waiting).toBe(reason);
    expect(proxies.service.requests).toHaveLength(1);
  });

  it('a call with an aborted signal sends nothing', async () => {
    const reason = new Error('never mind');
    const gatepass = client();
    expect(await rejectionOf(gatepass.search({}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    // The first requests are those of the next call.
    await gatepass.get(aPassKey());
    expect([...proxies.oauth.requests, ...proxies.service.requests].map(({ method }) => method)).toEqual([
      'POST',
      'GET',
    ]);
  });
});
