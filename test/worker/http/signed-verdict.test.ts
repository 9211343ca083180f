import { env } from 'cloudflare:workers';
import { type Address, type Hex, recoverTypedDataAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { verifyTypedData } from 'viem/utils';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { storeCoverage } from '../../../src/store/validity.ts';
import { KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { setFaults } from '../chain/signing/kms.ts';
import { walletOf } from '../store/rows.ts';
import { aCheck, ask, type Facts, NOW, OWN_DOMAIN, ours, pathOf } from './a-check.ts';
import { WITHOUT_LIMITS } from './api.ts';
import { newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** The signature that a public check adds for a contract on any chain. */

const { DB } = env as Env;
const KEY = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = privateKeyToAddress(KEY);
const CONTRACT: Address = '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4';
const BASE = 8_453;
const NETWORK = 'sepolia';
const SIGNED = `signed=1&chainId=${BASE}&verifyingContract=${CONTRACT}`;
const SIGNING = { VERDICT_KEY: KEY, VERDICT_KEYS: JSON.stringify({ [ADDRESS]: [NOW - 1_000] }) };
const active = { onChain: 'ACTIVE', state: 'ACTIVE', until: null } as const;

interface Signed {
  readonly valid: boolean;
  readonly verdict?: {
    readonly domain: { readonly chainId: number; readonly verifyingContract: Address };
    readonly types: Record<string, readonly { readonly name: string; readonly type: string }[]>;
    readonly primaryType: 'PassVerdict';
    readonly message: { readonly wallet: Address; readonly issuedAt: number; readonly notAfter: number };
    readonly signature: Hex;
  };
  readonly notSigned?: { readonly code: string; readonly detail: string };
}

const { BULK_LIMIT: UNLIMITED } = WITHOUT_LIMITS;
/** The limit of signatures counts real requests of the same address, and has a test of its own. */
const worker = (more: object = {}) => recordedWorker({ BULK_LIMIT: UNLIMITED, ...more });
const workerWithKey = (more: object = {}) => worker({ ...SIGNING, ...more });
const answerOf = async (path: string, send = workerWithKey().send, query = SIGNED) => {
  const answer = await ask(`${path}?${query}`, send);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as Signed;
};
const cover = (secondsAgo: number, network = NETWORK) =>
  storeCoverage({ DB }, network, (NOW - secondsAgo) as UnixSeconds);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(NOW * 1000 + 400);
  await cover(0);
});
afterEach(async () => {
  vi.useRealTimers();
  await setFaults();
});

describe('a signed check', () => {
  it('of a valid pass has a message of EIP-712 that the key has signed for that contract', async () => {
    const path = await aCheck(active);
    const unsigned = JSON.parse((await ask(path, workerWithKey().send)).text);
    const { verdict, ...verification } = await answerOf(path);
    expect(verification).toEqual(unsigned);
    expect(verdict).toMatchObject({
      domain: { name: 'Gatepass verdict', version: '1', chainId: BASE, verifyingContract: CONTRACT },
      primaryType: 'PassVerdict',
      message: {
        passChainId: 11_155_111,
        gateway: defaultContract({ network: NETWORK }),
        gatekeeperNetwork: String(slotOf(ours)),
        wallet: path.slice(path.lastIndexOf('/') + 1),
        issuedAt: NOW,
        notAfter: NOW + 600,
      },
    });
    const signed = verdict as NonNullable<Signed['verdict']>;
    expect(await verifyTypedData({ ...signed, address: ADDRESS } as never)).toBe(true);
    // The address of the key is recovered from no other contract, chain or wallet.
    const { domain, message } = signed;
    const others = [
      { ...signed, domain: { ...domain, chainId: 1 } },
      { ...signed, domain: { ...domain, verifyingContract: ADDRESS } },
      { ...signed, message: { ...message, wallet: ADDRESS } },
      { ...signed, message: { ...message, notAfter: message.notAfter + 1 } },
    ];
    for (const other of others) expect(await recoverTypedDataAddress(other as never)).not.toBe(ADDRESS);
    // OpenZeppelin refuses the upper half of s, and a v other than 27 and 28.
    expect(BigInt(`0x${signed.signature.slice(66, 130)}`)).toBeLessThan(2n ** 255n);
    expect(['1b', '1c']).toContain(signed.signature.slice(130));
  });

  it('takes an address in any case, and the greatest chain id that a number can hold', async () => {
    const query = `signed=1&chainId=${Number.MAX_SAFE_INTEGER}&verifyingContract=${CONTRACT.toLowerCase()}`;
    const { verdict } = await answerOf(await aCheck(active), undefined, query);
    expect(verdict?.domain).toMatchObject({ chainId: Number.MAX_SAFE_INTEGER, verifyingContract: CONTRACT });
    expect(await verifyTypedData({ ...verdict, address: ADDRESS } as never)).toBe(true);
  });

  it.each([
    { until: 30, covered: 0, notAfter: 30 },
    { until: 600, covered: 0, notAfter: 600 },
    { until: 601, covered: 0, notAfter: 600 },
    { until: 0, covered: 0, notAfter: 0 },
    { until: null, covered: 12, notAfter: 588 },
    { until: null, covered: 600, notAfter: 0 },
    { until: 5, covered: 590, notAfter: 5 },
    // The clock of the watcher is ahead.
    { until: null, covered: -20, notAfter: 600 },
  ])('ends with the pass, and ten minutes after the service has last followed the chain: %o', async (each) => {
    const { until, covered, notAfter } = each;
    await cover(covered);
    const path = await aCheck({ ...active, until, ...(until !== null && { wanted: until }) });
    const { verdict } = await answerOf(path);
    expect(verdict?.message).toMatchObject({ issuedAt: NOW, notAfter: NOW + notAfter });
  });

  it.each<[Facts, string]>([
    [{ ...active, state: 'FROZEN' }, 'not_in_force'],
    [{ ...active, state: 'REVOKED' }, 'not_in_force'],
    [{ ...active, until: -1, wanted: -1 }, 'expired'],
    [{ ...active, until: -1, wanted: 600 }, 'expired'],
    [{ ...active, isPending: true }, 'pending'],
    [{ onChain: 'FROZEN', state: 'ACTIVE', until: null }, 'frozen'],
    [{ onChain: 'FROZEN', state: 'FROZEN', until: -1 }, 'frozen'],
    [{ onChain: 'REVOKED', state: 'REVOKED', until: null }, 'revoked'],
    [{ onChain: 'NONE', state: 'REQUESTED', until: null }, 'not_on_chain'],
    [{ onChain: 'NONE', state: 'REJECTED', until: null }, 'not_on_chain'],
  ])('of a pass that is not valid has its usual answer and no signature: %o is %s', async (facts, code) => {
    const path = await aCheck(facts);
    const { send } = workerWithKey();
    const unsigned = JSON.parse((await ask(path, send)).text);
    expect(await answerOf(path, send)).toEqual({ ...unsigned, notSigned: { code, detail: expect.any(String) } });
  });

  it('of a wallet without a pass has no signature', async () => {
    expect(await answerOf(pathOf(ours, walletOf(999_996)))).toMatchObject({
      valid: false,
      notSigned: { code: 'not_on_chain' },
    });
  });

  it.each([601, 100_000])(
    'of a valid pass has no signature %i seconds after the service has last followed the chain',
    async (seconds) => {
      await cover(seconds);
      const { valid, verdict, notSigned } = await answerOf(await aCheck(active));
      expect([valid, verdict, notSigned?.code]).toEqual([true, undefined, 'not_covered']);
    },
  );

  it('has none where no watcher has ever been', async () => {
    const path = await aCheck({ ...active, network: 'xdcApothem' });
    expect((await answerOf(path)).notSigned?.code).toBe('not_covered');
  });

  it('is refused like the check itself if it is older than the caller accepts', async () => {
    await cover(30);
    const path = await aCheck(active);
    expectProblem(await ask(`${path}?${SIGNED}&maxAge=29`, workerWithKey().send), 'not_fresh_enough');
    expect((await answerOf(path, undefined, `${SIGNED}&maxAge=30`)).verdict).toBeDefined();
  });
});

describe('bad input', () => {
  const contract = `verifyingContract=${CONTRACT}`;
  const withId = (id: string) => [`signed=1&chainId=${id}&${contract}`, '/chainId'] as const;
  const withContract = (text: string) =>
    [`signed=1&chainId=1&verifyingContract=${text}`, '/verifyingContract'] as const;
  const withSigned = (text: string) => [`signed=${text}&chainId=1&${contract}`, '/signed'] as const;
  const CASES: readonly (readonly [query: string, pointer: string])[] = [
    ...['0', '-1', '', '1.5', '0x1', '1e3', '01', '+1', 'base', '9007199254740992', '9'.repeat(30), '%D9%A1'].map(
      withId,
    ),
    [`signed=1&${contract}`, '/chainId'],
    ['signed=1&chainId=1', '/verifyingContract'],
    ...['', '0x', CONTRACT.slice(2), `${CONTRACT}0`, `0x${'0'.repeat(40)}`, SOLANA_WALLET].map(withContract),
    withContract(wrongChecksum(CONTRACT)),
    ...['', '0', 'true', '11'].map(withSigned),
    [`signed=1&${SIGNED}`, '/signed'],
    [`${SIGNED}&chainId=1`, '/chainId'],
    [`${SIGNED}&${contract}`, '/verifyingContract'],
    [`${SIGNED}&maxAge=0`, '/maxAge'],
  ];
  it.each(CASES)('is refused with the name of its field, and reads nothing: %s', async (query, pointer) => {
    const path = await aCheck(active);
    const { send, uses } = workerWithKey();
    await ask(pathOf(ours, walletOf(1)), send);
    forget(uses);
    const answer = await ask(`${path}?${query}`, send, { origin: 'https://dapp.example' });
    expectProblem(answer, 'invalid_request', { pointers: [pointer] });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect([uses.statements, uses.calls, uses.messages]).toEqual([[], [], []]);
  });

  it('is refused for a pass on Solana, and for a sandbox', async () => {
    const { send, uses } = workerWithKey();
    const onSolana = await ask(`${pathOf(ours, SOLANA_WALLET, 'solana/devnet')}?${SIGNED}`, send);
    expectProblem(onSolana, 'invalid_request', { pointers: ['/signed'] });
    const sandbox = `sandbox${newGatekeeperNetwork().slice(7)}`;
    forget(uses);
    const ofSandbox = await ask(`${pathOf(sandbox, walletOf(1))}?${SIGNED}`, send);
    expectProblem(ofSandbox, 'invalid_request', { pointers: ['/gatekeeperNetwork'] });
    expectProblem(await ask(pathOf(sandbox, walletOf(1)), send), 'not_found');
    expect(uses.statements).toEqual([]);
  });

  it('of a signature is ignored in an unsigned check, as before', async () => {
    const path = await aCheck(active);
    for (const query of ['chainId=0', 'chainId=1&chainId=2', 'verifyingContract=nobody'])
      expect((await ask(`${path}?${query}`, workerWithKey().send)).status).toBe(200);
  });

  it('does not tell a gatekeeper network without public checks from an unknown path', async () => {
    const path = pathOf(newGatekeeperNetwork(), walletOf(1));
    for (const query of [SIGNED, 'signed=2']) expectProblem(await ask(`${path}?${query}`), 'not_found');
  });
});

describe('the key', () => {
  it.each([
    ['none', {}],
    ['one that the history does not have', { VERDICT_KEY: KEY }],
    ['one that has ended', { VERDICT_KEY: KEY, VERDICT_KEYS: `{"${ADDRESS}": [1, 2]}` }],
    ['a history without it', { VERDICT_KEYS: `{"${ADDRESS}": [1]}` }],
  ])('signs nothing if there is %s, and everything else works', async (_, settings) => {
    const path = await aCheck(active);
    const { send } = worker(settings);
    expectProblem(await ask(`${path}?${SIGNED}`, send), 'verdicts_not_enabled');
    expect((await ask(path, send)).status).toBe(200);
  });

  it('and those before it are public, with the time of each', async () => {
    const old = privateKeyToAddress(`0x${'3e'.repeat(31)}01`);
    const { send, uses } = worker({
      VERDICT_KEY: KEY,
      VERDICT_KEYS: JSON.stringify({ [old.toLowerCase()]: [1_700_000_000, 1_750_000_000], [ADDRESS]: [1_750_000_000] }),
    });
    const answer = await ask('/verdict-keys', send, { origin: 'https://dapp.example' });
    expect(JSON.parse(answer.text)).toEqual({
      keys: [
        { address: old, from: 1_700_000_000, until: 1_750_000_000 },
        { address: ADDRESS, from: 1_750_000_000 },
      ],
    });
    expect(answer.text).not.toContain(KEY.slice(2));
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect([uses.statements, uses.calls]).toEqual([[], []]);
    expect(JSON.parse((await ask('/verdict-keys', worker().send)).text)).toEqual({ keys: [] });
  });

  it.each(['aws', 'gcp'] as const)('may be in a KMS (%s), whose outage refuses only the signature', async (vendor) => {
    const reference = KMS_REFERENCES.ethereum[vendor];
    const address = reference.slice(reference.indexOf('#') + 1) as Address;
    const { send } = worker({
      VERDICT_KEY: reference,
      VERDICT_KEYS: `{"${address}": [1]}`,
      KMS_CREDENTIALS: JSON.stringify(inject('kms').credentials),
      // The gatekeepers of these tests may be the keys of the KMS.
      ETHEREUM_GATEKEEPER_KEY: `0x${'7d'.repeat(31)}05`,
    });
    const errors = vi.spyOn(console, 'error').mockReturnValue();
    const path = await aCheck(active);
    await setFaults({ kind: 'throttle', operation: 'sign' });
    expectProblem(await ask(`${path}?${SIGNED}`, send), 'temporarily_unavailable');
    expect(errors.mock.calls.flat().join()).toContain('verify.not_signed');
    expect((await ask(path, send)).status).toBe(200);
    await setFaults();
    const { verdict } = await answerOf(path, send);
    expect(await verifyTypedData({ ...verdict, address } as never)).toBe(true);
    errors.mockRestore();
  });

  it('appears in no line of the log, and neither does a signature', async () => {
    const lines: string[] = [];
    const spies = (['log', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line)),
    );
    const { verdict } = await answerOf(await aCheck(active));
    for (const spy of spies) spy.mockRestore();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain(KEY.slice(2));
    expect(lines.join('\n')).not.toContain(verdict?.signature.slice(2, 40));
  });
});

describe('the cost of a signature', () => {
  it('is the row of the check each time, which comes from no cache and enters none', async () => {
    const path = await aCheck(active);
    const { send, uses } = workerWithKey(OWN_DOMAIN);
    const unsigned = await ask(path, send);
    const cached = async () =>
      (await (await caches.open('gatepass-verify')).match(OWN_DOMAIN.PUBLIC_ORIGIN + path))?.text();
    await eventually(async () => expect(await cached()).toBe(unsigned.text));
    forget(uses);
    const signed = await ask(`${path}?${SIGNED}`, send);
    expect(uses.statements.map(({ meta }) => meta.rows_read)).toEqual([2]);
    expect([uses.calls, uses.messages]).toEqual([[], []]);
    expect(signed.headers.get('cache-control')).toBe('no-store');
    // The pass is frozen: the cache answers for 15 seconds, and no signature follows it.
    await DB.prepare("UPDATE passes SET state = 'FROZEN' WHERE wallet = ?")
      .bind(path.slice(path.lastIndexOf('/') + 1))
      .run();
    expect(JSON.parse((await ask(path, send)).text).valid).toBe(true);
    expect(await answerOf(path, send)).toMatchObject({ valid: false, notSigned: { code: 'not_in_force' } });
    expect(await cached()).toBe(unsigned.text);
  });

  it('counts for each address, and an unsigned check does not', async () => {
    const asked: string[] = [];
    const BULK_LIMIT = {
      async limit({ key }: RateLimitOptions): Promise<RateLimitOutcome> {
        asked.push(key);
        return { success: asked.filter((each) => each === key).length <= 2 };
      },
    };
    const path = await aCheck(active);
    const { send, uses } = workerWithKey({ BULK_LIMIT });
    const from = (address: string, query = SIGNED) => ask(`${path}?${query}`, send, { 'cf-connecting-ip': address });
    const statuses = async (address: string, query?: string) => {
      const answers = [];
      for (let times = 0; times < 4; times += 1) answers.push((await from(address, query)).status);
      return answers;
    };
    expect(await statuses('192.0.2.1')).toEqual([200, 200, 429, 429]);
    expect(await statuses('192.0.2.1', 'maxAge=60')).toEqual([200, 200, 200, 200]);
    expect(await statuses('2001:db8::1')).toEqual([200, 200, 429, 429]);
    expect(asked).toContain('signature/192.0.2.1');
    forget(uses);
    const refused = await from('2001:db8::2');
    expectProblem(refused, 'rate_limited', { retryAfter: '10' });
    expect(uses.statements).toEqual([]);
    // A wrong field costs nothing.
    expect((await from('192.0.2.9', 'signed=1&chainId=0')).status).toBe(400);
    expect(asked).not.toContain('signature/192.0.2.9');
  });
});
