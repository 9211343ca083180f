import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import type { Route } from '../../../src/http/route.ts';
import { isSandbox, newSandbox } from '../../../src/network/sandbox.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { defaultContract } from '../../default-contract.ts';
import { aPass, aPassKey, type State } from './a-pass.ts';
import { Api, QUEUE_THAT_FAILS, register, WITHOUT_LIMITS } from './api.ts';
import { expectEntries, versionOf } from './expect-entries.ts';
import { bodyOf } from './fuzzed-body.ts';
import { aboutPass, type Fuzzed, fuzzedRequests } from './fuzzed-requests.ts';
import { ALL_SCOPES, aToken, newClientId, newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker, writesIn } from './recorded-bindings.ts';
import { nameOf } from './route-calls.ts';

/**
 * Random requests to every route. No reply is a 5xx; every refusal is a problem document and writes nothing. Each change has exactly one
 * entry in an audit trail.
 */

const { runs, seed } = inject('stories');
// A partner with a pass on a network has chosen its contract there.
const contracts = { sepolia: defaultContract({ network: 'sepolia' }) };
const PARTNERS = {
  real: { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork(), contracts },
  sandboxed: { clientId: newClientId(), gatekeeperNetwork: newSandbox(), contracts },
};
let partner = PARTNERS.real;
for (const each of Object.values(PARTNERS)) await register(each);
let token = '';
const operators = await aToken({
  client_id: 'ops',
  aud: inject('localnet').operator.audience,
  scope: 'admin metrics:read',
});

/** All requests use this network, because some of the operator's routes call every signer of every network. */
const { sepolia } = JSON.parse(inject('environment').RPC_ENDPOINTS ?? '{}');
const RPC_ENDPOINTS = JSON.stringify({ sepolia });
const { send, uses } = recordedWorker({ ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS, RPC_ENDPOINTS });

beforeAll(async () => {
  token = await aToken({ client_id: partner.clientId, scope: ALL_SCOPES });
  // Fetch the keys here, not during the requests.
  expect((await new Api(token, send).search({})).status).toBe(200);
  expect((await new Api(operators, send).call('GET', '/admin/stuck')).status).toBe(200);
  // The first issuance on a network chooses its contract, also one that is refused.
  expect((await new Api(token, send).issue('ethereum/sepolia', aPassKey(partner).wallet)).status).toBe(202);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterAll(() => void vi.restoreAllMocks());

/** One unchanged pass for each state. */
const passes = new Map<string, PassKey>();

async function passIn(state: Fuzzed['state']): Promise<PassKey> {
  const { gatekeeperNetwork } = partner;
  const signer = isSandbox(gatekeeperNetwork) && { signer: `ethereum/sepolia/${gatekeeperNetwork}` };
  const made = () => aPass({ gatekeeperNetwork, state: state as State, ...signer });
  const key = passes.get(state) ?? (state === 'none' ? aPassKey({ gatekeeperNetwork }) : await made());
  passes.set(state, key);
  return key;
}

async function call(route: Route, { state, method, path, headers, body }: Fuzzed) {
  const key = await passIn(state);
  const given = new Headers({ authorization: `Bearer ${route.scope === 'admin' ? operators : token}` });
  const sent =
    body && method !== 'GET' && method !== 'HEAD' && method !== 'get'
      ? await bodyOf({ ...body, text: aboutPass(body.text, key) })
      : undefined;
  if (sent) given.set('content-type', 'application/json');
  if (sent?.encoding) given.set('content-encoding', sent.encoding);
  for (const [name, value] of headers) given.set(name, value);
  const version = await versionOf(key);
  forget(uses);
  const answer = await new Api(undefined, send).call(method, aboutPass(path, key), {
    headers: given,
    ...(sent && { body: sent.body }),
  });
  if (writesIn(uses).length > 0) passes.delete(state);
  await expectEntries({ key, version, requestId: answer.headers.get('x-request-id'), uses });
  return answer;
}

/**
 * Sends random requests to each route, and expects these statuses overall. The test runtime gets slower with each
 * object that
 * it starts, so the routes are spread over several files.
 */
export function fuzzRoutes(
  routes: readonly Route[],
  statuses: readonly number[],
  kind: keyof typeof PARTNERS = 'real',
): void {
  partner = PARTNERS[kind];
  const seen = new Set<number>();

  it.each(routes.map((route) => ({ name: nameOf(route), route })))(
    'never returns a 5xx, and writes nothing for a refused request: $name',
    { timeout: 3_600_000 },
    async ({ route }) => {
      await fc.assert(
        fc.asyncProperty(fuzzedRequests(route), async (request) => {
          const { status, text } = await call(route, request);
          seen.add(status);
          expect(status, text).toBeLessThan(500);
          if (status >= 300) expect(writesIn(uses)).toEqual([]);
        }),
        // A body can be invalid in more ways than the other parts.
        { numRuns: Math.ceil(runs / 10) * ('body' in route ? 4 : 1), seed },
      );
    },
  );

  it('reaches every expected status with at least one fuzzed request', () => {
    expect([...seen].toSorted()).toEqual(statuses);
  });
}
