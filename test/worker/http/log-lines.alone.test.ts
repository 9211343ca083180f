import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import type { Answer } from './answer.ts';
import { Api, partner, tokenOf, workerWith } from './api.ts';
import { aPartner, aToken, trustingWorker } from './issuer.ts';
import { operator } from './operator.ts';
import { untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** The log lines of passes and requests, and texts that these lines must never contain. */

const { RPC_ENDPOINTS } = inject('environment');

type Line = Readonly<Record<string, unknown>>;

const printed: string[] = [];
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
  vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words.join(' ')));
}
const lines = (event: string): Line[] => printed.map((line) => JSON.parse(line)).filter((line) => line.event === event);
/** Returns the log line of a request from its reply. */
const lineOf = ({ headers }: Answer) =>
  lines('request.answered').find((line) => line.request_id === headers.get('x-request-id'));

const token = await tokenOf('acme');
await partner('acme');
const acme = new Api(token);
const client = inject('localnet').partners.find(({ name }) => name === 'acme')?.clientId;

const WALLET = '/pass/:chain/:chainNetwork/:wallet';
const REQUEST = { event: 'request.answered', request_id: expect.any(String), duration_ms: expect.any(Number) };

describe.each([
  ['ethereum', 'sepolia', aWallet()],
  ['solana', 'devnet', base58.encode(crypto.getRandomValues(new Uint8Array(32)))],
] as const)('the log of a pass on %s', (chain, network, wallet) => {
  const on = `${chain}/${network}`;
  const answers: Answer[] = [];
  let pass: string;
  const signer = (env as Env).SIGNERS.getByName(`${on}/${inject('localnet').gatekeeper[chain]}`);

  beforeAll(async () => {
    // A final step keeps no bytes, so the test keeps them.
    await runInDurableObject(signer, (_, { storage }) =>
      storage.sql.exec(`CREATE TABLE kept (signed TEXT);
        CREATE TRIGGER keep AFTER UPDATE OF signed ON step WHEN NEW.signed IS NOT NULL AND NEW.wallet = '${wallet}'
        BEGIN INSERT INTO kept VALUES (NEW.signed); END;`),
    );
    const becomes = (state: string) => acme.watch(on, wallet, ({ onChainState }) => onChainState === state);
    const issued = await acme.issue(on, wallet);
    pass = issued.record.id;
    await becomes('ACTIVE');
    await untilFinal();
    answers.push(issued, await acme.update(on, wallet, { state: 'FROZEN' }));
    await becomes('FROZEN');
    answers.push(await acme.revoke(on, wallet));
    await becomes('REVOKED');
    answers.push(await acme.sync(on, wallet), await acme.fetch(on, wallet), await acme.issue(on, wallet));
  });

  it('logs one line for each request', () => {
    expect(answers.map(lineOf)).toEqual([
      { ...REQUEST, method: 'POST', route: '/pass/:chain/:chainNetwork', client, status: 202, pass },
      { ...REQUEST, method: 'PATCH', route: WALLET, client, status: 200, pass },
      { ...REQUEST, method: 'DELETE', route: WALLET, client, status: 200, pass },
      { ...REQUEST, method: 'POST', route: `${WALLET}/sync`, client, status: 200, pass },
      { ...REQUEST, method: 'GET', route: WALLET, client, status: 200, pass },
      { ...REQUEST, method: 'POST', route: '/pass/:chain/:chainNetwork', client, status: 409, code: 'pass_revoked' },
    ]);
  });

  it('logs one line for the end of each step', () => {
    const ends = lines('pass.step_confirmed').filter((line) => line.pass === pass);
    const transaction = expect.stringMatching(/^[\w]+$/);
    const end = { pass, network, transaction, since_pinned_ms: expect.any(Number) };
    expect(ends).toMatchObject([1, 2, 3].map((number) => ({ ...end, step: `${pass}:${number}` })));
  });

  it('logs no token, key, endpoint or signed bytes', async () => {
    const signed = await runInDurableObject(signer, (_, { storage }) => {
      const kept = storage.sql.exec<{ signed: string }>('SELECT signed FROM kept').toArray();
      storage.sql.exec('DROP TRIGGER keep; DROP TABLE kept;');
      return kept;
    });
    const bytes = signed.flatMap((row) => JSON.parse(row.signed).map((each: { bytes: string }) => each.bytes));
    expect(bytes.length).toBeGreaterThanOrEqual(3);
    const keys = [...GATEKEEPER_KEYS.map((key) => key.slice(2)), ...SOLANA_GATEKEEPER_KEYS];
    const endpoints = Object.values(JSON.parse(RPC_ENDPOINTS ?? '{}') as Record<string, string[]>).flat();
    const text = printed.join('\n');
    for (const secret of [token, token.split('.')[2], ...keys, ...endpoints, ...bytes]) {
      expect(secret?.length).toBeGreaterThan(10);
      expect(text).not.toContain(secret);
    }
  });
});

describe('the log of a refused request', () => {
  it.each([
    ['without a token', () => new Api().fetch('ethereum/sepolia', aWallet()), { status: 401, code: 'token_missing' }],
    [
      'for a wallet without a pass',
      () => acme.fetch('ethereum/sepolia', aWallet()),
      { client, status: 404, code: 'pass_not_found' },
    ],
    [
      'because of a fault',
      () => acme.through(workerWith({ PASSES: { getByName: () => 'rubbish' } })).revoke('ethereum/sepolia', aWallet()),
      { method: 'DELETE', client, status: 500, code: 'internal_error' },
    ],
  ])('logs a request that is refused %s', async (_, asked, expected) => {
    const answer = await asked();
    expect(lineOf(answer)).toEqual({ ...REQUEST, method: 'GET', route: WALLET, ...expected });
  });

  it.each([
    ['client_unknown', 403, { clientId: 'nobody-we-know' }],
    ['insufficient_scope', 403, { clientId: 'scopeless', scope: '' }],
    ['partner_suspended', 403, { clientId: 'suspended', status: 'suspended' as const }],
  ])('logs the client of a request that is refused with %s', async (code, status, { clientId, ...row }) => {
    const unknown = code === 'client_unknown';
    const api = unknown
      ? new Api(await aToken({ client_id: clientId }), trustingWorker)
      : await aPartner({ clientId, ...row });
    const line = lineOf(await api.fetch('ethereum/sepolia', aWallet()));
    expect(line).toEqual({ ...REQUEST, method: 'GET', route: WALLET, client: clientId, status, code });
  });

  it('logs refusals and operator calls while LOG_SUCCESSES is off', async () => {
    const quiet = workerWith({ LOG_SUCCESSES: '0' });
    const granted = await acme.through(quiet).search({});
    const refused = await acme.through(quiet).fetch('ethereum/sepolia', aWallet());
    const operated = await (await operator()).through(quiet).call('GET', '/admin/dead-letters');
    expect([granted.status, refused.status, operated.status]).toEqual([200, 404, 200]);
    expect([granted, refused, operated].map((answer) => lineOf(answer)?.status)).toEqual([undefined, 404, 200]);
  });

  it('logs every request that may change something while LOG_SUCCESSES is off', async () => {
    const quiet = acme.through(workerWith({ LOG_SUCCESSES: '0' }));
    const [on, wallet] = ['ethereum/sepolia', aWallet()] as const;
    const issued = await quiet.issue(on, wallet);
    const item = { chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: aWallet() };
    const writes = [
      issued,
      await quiet.post('/passes', { items: [item] }),
      await quiet.update(on, wallet, { state: 'FROZEN' }),
      await quiet.sync(on, wallet),
      await quiet.revoke(on, wallet),
    ];
    const reads = [await quiet.fetch(on, wallet), await quiet.search({}), await quiet.call('GET', '/usage')];
    const statuses = writes.map(({ status }) => status);
    expect(statuses).toEqual([202, 200, 200, 200, 200]);
    const client = inject('localnet').partners.find(({ name }) => name === 'acme')?.clientId;
    const line = { ...REQUEST, client, method: expect.any(String), route: expect.any(String) };
    const passes = [issued.record.id, undefined, ...Array(3).fill(issued.record.id)];
    expect(writes.map(lineOf)).toEqual(
      passes.map((pass, index) => ({ ...line, status: statuses[index], ...(pass && { pass }) })),
    );
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(reads.map(lineOf)).toEqual([undefined, undefined, undefined]);
  });

  it('logs a request that matches no route', async () => {
    const answer = await acme.call('GET', '/nowhere');
    expect(lineOf(answer)).toEqual({ ...REQUEST, method: 'GET', status: 404, code: 'not_found' });
  });
});
