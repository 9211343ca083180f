import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventTopics, numberToHex, pad, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startLocalnet } from '../../../localnet/localnet.ts';
import { fetchToken } from '../../../localnet/partner/fetch-token.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { findFreePort } from '../../../localnet/state/ports.ts';
import type { StateFolder } from '../../../localnet/state/state-folder.ts';
import { startWorker, type Worker } from '../../../localnet/worker.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { formatTable } from '../../../scripts/table.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { issueAtFullRate, issueOrdinarily, medianOf } from './traffic.ts';

/**
 * A hostile client at full rate for an hour, until the operator suspends it, beside an ordinary client of another gatekeeper
 * network. Its first hour takes a minute here, and the rest of the day another one. The limits are those of a deployment.
 */

const NETWORK = 'sepolia';
const BASELINE_MS = 15_000;
const HOUR_MS = 60_000;
/** Transactions that are signed when the suspension begins are mined, and no others. */
const SUSPENDED_MS = 10_000;
const REST_OF_DAY_MS = 60_000;
/** Few transactions at a time, as on a public network, so that the hostile client fills its queue. */
const NETWORKS = { [NETWORK]: { confirmations: 1, final: { depth: 2 }, unmined: 4, blockMs: 1000 } };

const ABI = parseAbi(['event SlotChanged(uint256 indexed tokenId, uint256 indexed oldSlot, uint256 indexed newSlot)']);

interface Measured {
  /** Tokens of the hostile client's gatekeeper network. */
  readonly tokens: number;
  /** What the gatekeeper has, in wei. */
  readonly balance: bigint;
  /** Steps that the signer has not signed yet. */
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

  /** The Worker holds the local database, so it restarts for that. */
  async function suspend(clientId: string): Promise<void> {
    await worker.stop();
    const command = ['node', 'ops/partner.ts', 'suspend', clientId, '--local', '--state', state.folder];
    const { code, stderr } = await runProgram(command, { HOME: state.folder });
    expect(code, stderr).toBe(0);
    worker = await start();
  }

  /** Both clients request passes for that time. */
  async function runTraffic(hostile: LocalnetPartner, ordinary: LocalnetPartner, ms: number) {
    const replies = new Map<string, number>();
    const ending = AbortSignal.timeout(ms);
    const [times] = await Promise.all([
      issueOrdinarily(ordinary, NETWORK, ending),
      issueAtFullRate(hostile, NETWORK, ending, replies),
    ]);
    return { median: medianOf(times), replies };
  }

  it('spends nothing more once it is suspended, and does not delay the passes of others', {
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
      ['replies to it before its suspension', textOf(hour.replies)],
      ['replies to it after its suspension', textOf(rest.replies)],
      ['spent before its suspension', spent(before, attacked)],
      ['spent while its suspension takes effect', spent(attacked, suspended)],
      ['spent after that', spent(suspended, after)],
      ['steps that waited then, and at the end', `${attacked.waiting}, ${after.waiting}`],
      ['spending, as the signer tells it', JSON.stringify(attacked.spending ?? 'nothing')],
      ['median of the ordinary client until ACTIVE, alone', `${Math.round(alone)} ms`],
      ['median beside it', `${Math.round(hour.median)} ms, ${Math.round(rest.median)} ms after its suspension`],
    );
    expect(attacked.waiting).toBeGreaterThan(0);
    expect([...rest.replies.keys()].filter((reply) => !/^(403|429)/.test(reply))).toEqual([]);
    expect(after.tokens, 'tokens, once the suspension had taken effect').toBe(suspended.tokens);
    expect(hour.median).toBeLessThan(3 * alone + 2_000);
    expect(rest.median).toBeLessThan(3 * alone + 2_000);
  });
});
