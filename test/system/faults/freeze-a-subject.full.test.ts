import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type AdminCall, openAdminApi } from '../../../ops/admin-api.ts';
import { type Network, urgentRoomOf } from '../../../src/network/network.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { Refused } from '../../../tools/localnet/partner/partner-client.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { blocksOfFreezes } from '../../freeze-blocks.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { mapInParallel } from './map-in-parallel.ts';
import { type RestartableWorker, startRestartableWorker } from './restartable-worker.ts';
import { SIX_NETWORKS, SIX_VARIABLES, type SixNetworks, startSixNetworks } from './six-networks.ts';

/**
 * One freeze of a person with 300 passes on six networks, beside 3,000 waiting issuances, while the service is killed three times. The test
 * makes the blocks: one follows when a signer has sent what it may, so that their number does not depend on the machine.
 */

const PASSES_EACH = 50;
/** Half of them are single requests, and go before the others. */
const WAITING_EACH = 500;
const ITEMS = 100;
const SUBJECT = 'a/person-of-300-passes';
const PATH = `/subjects/${encodeURIComponent(SUBJECT)}`;
const TOTAL = PASSES_EACH * SIX_NETWORKS.length;
/** It only ends a test that hangs. */
const WITHIN_MS = 300_000;

interface SubjectOfPartner {
  readonly state: string;
  readonly passes: Readonly<Record<string, number>>;
  readonly requests: readonly {
    readonly requestId: string;
    readonly total: number;
    readonly done: number;
    readonly refused: object;
    readonly finishedAt?: string;
  }[];
}

/** As `GET /admin/signers` shows it. */
interface SignerStatus {
  readonly network: string;
  readonly waiting: number;
  readonly waitingByRank: readonly number[];
  readonly inFlight: Readonly<Record<'unsent' | 'sent' | 'confirmed', number>>;
}

let state: StateFolder;
let chains: SixNetworks;
let worker: RestartableWorker;
let acme: LocalnetPartner;
let admin: AdminCall;

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  chains = await startSixNetworks();
  const { facts } = chains;
  worker = await startRestartableWorker({
    localnet: facts,
    state: state.folder,
    rpc: facts.rpc,
    config: inject('builtWorker'),
    variables: SIX_VARIABLES,
  });
  const { baseUrl } = worker;
  acme = new LocalnetPartner({ ...facts, baseUrl }, 'acme');
  admin = openAdminApi(baseUrl, { tokenUrl: facts.tokenUrl, ...facts.operator });
});
afterAll(async () => {
  await worker?.stop();
  await chains?.stop();
  state?.close();
});

const readSubject = () => repeated(() => acme.call<SubjectOfPartner>('GET', `${PATH}?limit=1`));
const until = <T>(read: () => Promise<T>, isRight: (value: T) => boolean) => pollUntil(read, isRight, WITHIN_MS);
const walletsOn = (network: Network, count: number) =>
  Array.from({ length: count }, () => freshWallet(network.network));

/** Returns the status of the signer of each network. On a busy machine, a signer may not answer in time. */
async function signers(): Promise<Map<string, SignerStatus>> {
  const read = () => admin<{ signers: SignerStatus[] }>('GET', '/admin/signers');
  const { signers } = await until(read, (all) => all.signers.every(({ inFlight }) => inFlight !== undefined));
  return new Map(signers.map((each) => [each.network, each]));
}
const signerOf = async ({ network }: Network) => (await signers()).get(network) as SignerStatus;
const unminedOf = ({ inFlight: { unsent, sent } }: SignerStatus) => unsent + sent;
/** Whether a signer that is full has the freezes: those that it may send at once are under way, and the others wait. */
function hasFreezes({ inFlight, waitingByRank: [urgent] }: SignerStatus, network: Network): boolean {
  const atOnce = Math.min(PASSES_EACH, urgentRoomOf(network));
  return inFlight.sent === network.unmined + atOnce && inFlight.unsent === 0 && urgent === PASSES_EACH - atOnce;
}

const REPEATED = ['rate_limited', 'temporarily_unavailable'];
/** Repeats a request beyond a limit per ten seconds, and one to a service that has just started. */
async function repeated<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (fault) {
      if (!(fault instanceof Refused && REPEATED.includes((fault.problem as { code?: string }).code ?? '')))
        throw fault;
      await new Promise((end) => setTimeout(end, 2_000));
    }
  }
}

async function issueMany({ chain: type, network }: Network, wallets: readonly string[], more: object = {}) {
  for (let at = 0; at < wallets.length; at += ITEMS) {
    const items = wallets
      .slice(at, at + ITEMS)
      .map((walletAddress) => ({ chain: { type, network }, walletAddress, ...more }));
    const { results } = await repeated(() =>
      acme.call<{ results: { status: number }[] }>('POST', '/passes', { items }),
    );
    expect(results.filter(({ status }) => status !== 202)).toEqual([]);
  }
}

/** Returns the wallets whose token on chain is not frozen. */
async function notFrozen({ network }: Network, wallets: readonly string[]): Promise<string[]> {
  const { rpc, gatewayToken } = chains.facts;
  const tokens = await mapInParallel(wallets, (wallet) =>
    readToken(rpc[network] as string, wallet, acme.gatekeeperNetwork, gatewayToken[network]),
  );
  return wallets.filter((_, index) => tokens[index]?.state !== 'FROZEN');
}

/** The blocks of a network so far. */
interface Made {
  readonly network: Network;
  readonly blocks: number;
  /** The wallets whose freeze is in none. */
  readonly left: readonly string[];
  /** Number of steps that wait when the signer has filled the room that the last block made. */
  readonly waiting: number;
}

/** Makes blocks until all freezes are in one, each when the signer has filled the room of the block before. */
async function makeBlocks({ network, ...made }: Made, most: number): Promise<Made> {
  let { blocks, left, waiting } = made;
  for (; blocks < most && left.length > 0; blocks += 1) {
    const full = await until(
      () => signerOf(network),
      (status) => status.inFlight.unsent === 0 && status.waiting <= Math.max(0, waiting),
    );
    await chains.makeBlock(network);
    waiting = full.waiting - network.unmined;
    left = await notFrozen(network, left);
  }
  return { network, blocks, left, waiting };
}

async function killOnce(): Promise<void> {
  await worker.kill();
  await worker.restart();
}

it('has every freeze on chain within the promised blocks, whatever waits and however often the service is killed', {
  timeout: 1_200_000,
}, async () => {
  const passes = new Map(SIX_NETWORKS.map((network) => [network, walletsOn(network, PASSES_EACH)]));
  for (const [network, wallets] of passes) await issueMany(network, wallets, { subject: SUBJECT });
  await until(readSubject, ({ passes: { ACTIVE = 0 } }) => ACTIVE === TOTAL);
  // A change of a token waits until its mint is final.
  await until(signers, (all) =>
    [...all.values()].every((each) => unminedOf(each) === 0 && each.inFlight.confirmed === 0),
  );

  for (const network of SIX_NETWORKS) await chains.setPace(network, false);
  for (const network of SIX_NETWORKS) {
    const wallets = walletsOn(network, WAITING_EACH);
    const [single, many] = [wallets.slice(0, WAITING_EACH / 2), wallets.slice(WAITING_EACH / 2)];
    await mapInParallel(single, (wallet) => repeated(() => acme.issue(network.network, wallet)));
    await issueMany(network, many);
  }
  await until(signers, (all) =>
    SIX_NETWORKS.every(({ network, unmined }) => {
      const status = all.get(network) as SignerStatus;
      return unminedOf(status) === unmined && status.waiting === WAITING_EACH - unmined;
    }),
  );

  const frozen = await acme.call<SubjectOfPartner>('PATCH', PATH, { state: 'FROZEN', reason: 'case 300' });
  expect(frozen).toMatchObject({ state: 'FROZEN', passes: TOTAL });
  // The first kill comes while the passes follow.
  await until(readSubject, ({ requests: [run] }) => (run?.done ?? 0) > 0);
  await killOnce();
  const { requests } = await until(readSubject, ({ requests: [run] }) => run?.finishedAt !== undefined);
  expect(requests).toMatchObject([{ total: TOTAL, done: TOTAL, refused: {} }]);
  // The second one comes while the signers get the freezes.
  await killOnce();
  await until(signers, (all) =>
    SIX_NETWORKS.every((network) => hasFreezes(all.get(network.network) as SignerStatus, network)),
  );

  const promised = (network: Network) => blocksOfFreezes(PASSES_EACH, network);
  const none = [...passes].map(([network, left]) => ({ network, blocks: 0, left, waiting: Number.POSITIVE_INFINITY }));
  const early = await Promise.all(none.map((each) => makeBlocks(each, Math.min(2, promised(each.network)))));
  // The third one comes while blocks include them.
  await killOnce();
  const made = await Promise.all(early.map((each) => makeBlocks(each, promised(each.network))));
  expect(made.map(({ network: { network }, left }) => [network, left])).toEqual(
    SIX_NETWORKS.map(({ network }) => [network, []]),
  );

  for (const network of SIX_NETWORKS) await chains.setPace(network, true);
  await until(readSubject, ({ passes: { FROZEN = 0 } }) => FROZEN === TOTAL);
  // One entry of the request, and one of each pass.
  const [{ requestId } = { requestId: '' }] = requests;
  const entriesOf = async () => {
    const actions: string[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await acme.call<{
        entries: { requestId?: string; action: string }[];
        next: number;
        more: boolean;
      }>('GET', `/audit?after=${after}&limit=1000`);
      actions.push(...page.entries.filter((entry) => entry.requestId === requestId).map(({ action }) => action));
      ({ next: after, more } = page);
    }
    return actions;
  };
  const isFreeze = (action: string) => action === 'pass.freeze';
  const actions = await until(entriesOf, (all) => all.filter(isFreeze).length >= TOTAL);
  expect(actions.filter(isFreeze)).toHaveLength(TOTAL);
  expect(actions.filter((action) => !isFreeze(action))).toEqual(['subject.change']);
});
