import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventTopics, numberToHex, pad, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { formatTable } from '../../../terminal/print.ts';
import { startLocalnet } from '../../../tools/localnet/localnet.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { startWorker, type Worker } from '../../../tools/localnet/worker.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { issueAtFullRate, issueOrdinarily, medianOf } from './traffic.ts';

/**
 * A hostile client requests passes at full rate for an hour, until the operator suspends it. An ordinary client of another
 * gatekeeper network runs at the same time. The test compresses the first hour into one minute, and the rest of the day into
 * another one. The limits are those of a deployment.
 */

const NETWORK = 'sepolia';
const BASELINE_MS = 15_000;
const HOUR_MS = 60_000;
/** After this time all transactions that were signed before the suspension are mined. The signer signs no others. */
const SUSPENDED_MS = 10_000;
const REST_OF_DAY_MS = 60_000;
/** The signer may have few unmined transactions, as on a public network, so that the hostile client fills its lane. */
const NETWORKS = { [NETWORK]: { confirmations: 1, final: { depth: 2 }, unmined: 4, blockMs: 1000 } };

const ABI = parseAbi(['event SlotChanged(uint256 indexed tokenId, uint256 indexed oldSlot, uint256 indexed newSlot)']);

interface Measured {
  /** The number of tokens in the hostile client's gatekeeper network. */
  readonly tokens: number;
  /** The gatekeeper's balance in wei. */
  readonly balance: bigint;
  /** The number of steps that the signer has not signed yet. */
  readonly waiting: number;
  readonly spending?: unknown;
}

describe.runIf(LONG)('a hostile client', () => {
  let state: StateFolder;
  let localnet: Awaited<ReturnType<typeof startLocalnet>>;
  let worker: Worker;
  let port: number;
  const figures: [what: string, figure: string][] = [];

  const start = () =>
    startWorker({
      localnet: localnet.facts,
      state: state.folder,
      port,
      variables: { NETWORKS: JSON.stringify(NETWORKS) },
    });

  beforeAll(async () => {
    state = openPreparedState(inject('preparedState'));
    [localnet, port] = await Promise.all([startLocalnet(), findFreePort()]);
    worker = await start();
  });
  afterAll(async () => {
    process.stdout.write(`\n${formatTable(['a hostile client', ''], figures)}\n`);
    await worker.stop();
    await localnet.stop();
    await stopChildren();
    state.close();
  });

  const node = <T>(method: string, ...params: unknown[]) =>
    callNode<T>(localnet.facts.rpc[NETWORK] ?? '', method, params);
  const partner = (name: string) => new LocalnetPartner({ ...localnet.facts, baseUrl: worker.baseUrl }, name);

  async function measure({ gatekeeperNetwork }: LocalnetPartner): Promise<Measured> {
    const { gatewayToken, gatekeeper, tokenUrl, operator } = localnet.facts;
    const [event = null] = encodeEventTopics({ abi: ABI, eventName: 'SlotChanged' });
    const topics = [event, null, null, pad(numberToHex(slotOf(gatekeeperNetwork) as bigint))];
    const filter = { address: gatewayToken[NETWORK], fromBlock: '0x0', toBlock: 'latest', topics };
    const headers = { authorization: `Bearer ${await fetchToken(tokenUrl, operator)}` };
    const [logs, balance, response] = await Promise.all([
      node<unknown[]>('eth_getLogs', filter),
      node<string>('eth_getBalance', gatekeeper.ethereum, 'latest'),
      fetch(`${worker.baseUrl}/admin/signers`, { headers }),
    ]);
    const { signers } = (await response.json()) as { signers: (Measured & { network: string })[] };
    const { waiting = 0, spending } = signers.find(({ network }) => network === NETWORK) ?? {};
    return { tokens: logs.length, balance: BigInt(balance), waiting, spending };
  }

  /** Suspends a client. */
  async function suspend(clientId: string): Promise<void> {
    const file = join(state.folder, 'localnet.json');
    writeFileSync(file, JSON.stringify({ ...localnet.facts, baseUrl: worker.baseUrl, state: state.folder }));
    const command = ['node', 'ops/partner.ts', 'suspend', clientId, '--local', '--localnet', file];
    const { code, stderr } = await runProgram(command, { HOME: state.folder });
    expect(code, stderr).toBe(0);
  }

  /** Lets both clients request passes for this time. */
  async function runTraffic(hostile: LocalnetPartner, ordinary: LocalnetPartner, ms: number) {
    const replies = new Map<string, number>();
    const ending = AbortSignal.timeout(ms);
    const [times] = await Promise.all([
      issueOrdinarily(ordinary, NETWORK, ending),
      issueAtFullRate(hostile, NETWORK, ending, replies),
    ]);
    return { median: medianOf(times), replies };
  }

  it('gets no more tokens after its suspension, and never delays the passes of other partners', {
    timeout: 400_000,
  }, async () => {
    const [hostile, ordinary] = [partner('acme'), partner('globex')];
    const alone = medianOf(await issueOrdinarily(ordinary, NETWORK, AbortSignal.timeout(BASELINE_MS)));
    const before = await measure(hostile);
    const hour = await runTraffic(hostile, ordinary, HOUR_MS);
    const attacked = await measure(hostile);
    await suspend('acme');
    await sleep(SUSPENDED_MS);
    const suspended = await measure(hostile);
    const rest = await runTraffic(hostile, ordinary, REST_OF_DAY_MS);
    const after = await measure(hostile);

    const textOf = (replies: ReadonlyMap<string, number>) =>
      [...replies].map(([reply, count]) => `${reply}: ${count}`).join(', ');
    const spent = (from: Measured, to: Measured) =>
      `${to.tokens - from.tokens} tokens, ${(from.balance - to.balance) / 10n ** 9n} gwei of both clients`;
    figures.push(
      ['replies to the hostile client before its suspension', textOf(hour.replies)],
      ['replies to the hostile client after its suspension', textOf(rest.replies)],
      ['spent before its suspension', spent(before, attacked)],
      ['spent while its suspension takes effect', spent(attacked, suspended)],
      ['spent after the suspension took effect', spent(suspended, after)],
      ['waiting steps before the suspension, and at the end', `${attacked.waiting}, ${after.waiting}`],
      ['spending that the signer reports', JSON.stringify(attacked.spending ?? 'nothing')],
      ['median time until ACTIVE of the ordinary client, alone', `${Math.round(alone)} ms`],
      [
        'median time beside the hostile client',
        `${Math.round(hour.median)} ms, ${Math.round(rest.median)} ms after its suspension`,
      ],
    );
    expect(attacked.waiting).toBeGreaterThan(0);
    expect([...rest.replies.keys()].filter((reply) => !/^(403|429)/.test(reply))).toEqual([]);
    expect(after.tokens, 'tokens after the suspension took effect').toBe(suspended.tokens);
    expect(hour.median).toBeLessThan(3 * alone + 2_000);
    expect(rest.median).toBeLessThan(3 * alone + 2_000);
  });
});
