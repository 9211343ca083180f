import type { Config } from '../../config/config.ts';
import { DAY_SECONDS } from '../../lib/units.ts';
import type { Network } from '../../network/network.ts';
import { unusedWallet } from '../../network/wallet.ts';
import { publishAndAwait } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { Requester } from '../../pass/audit-entries.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { WantedChange } from '../../pass/requests.ts';
import { EVENTS_DELETED } from '../../pass/vocabulary.ts';
import type { Script } from '../../sandbox-object/agenda.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuseField, refuseForbidden } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import type { TriggerType } from '../schemas/managing.ts';
import {
  askObjectToIssue,
  contractForNew,
  refuseEnded,
  refuseFullShard,
  refuseQuota,
  refuseWaitingWork,
} from './pass-requests.ts';

/** The events that a sandbox causes on demand. The module loads at the first such request. */

/** The request that triggers an event. */
interface Triggering {
  readonly partner: Partner;
  readonly network: Network;
  readonly config: Config;
  readonly by: Requester;
}

/** The way of a new pass to an event: the script of the simulated chain, and the requests of its partner. */
interface Plan {
  readonly script?: Script;
  /** Seconds until the pass expires. */
  readonly lifetime?: number;
  /** Seconds until the first change, which also waits until the pass has settled. */
  readonly pause?: number;
  readonly changes?: readonly WantedChange[];
}

const SHORTLY_SECONDS = 3;
/** By then, a simulated network has usually settled the issuance. */
const SETTLED_SECONDS = 2;
const A_YEAR_SECONDS = 365 * DAY_SECONDS;

/** Returns the plan of an event of a pass; undefined: the event is a notice. */
function planOf(type: TriggerType, now: number, { expiryNoticeDays }: Config): Plan | undefined {
  const laterExpiry = { expiry: now + A_YEAR_SECONDS };
  switch (type) {
    case 'pass.issued':
      return {};
    case 'pass.rejected':
      return { script: { refuses: 'issue' } };
    case 'pass.reorged':
      return { script: { reorg: 'again' } };
    case 'pass.frozen':
      return { changes: [{ state: 'FROZEN' }] };
    case 'pass.unfrozen':
      return { changes: [{ state: 'FROZEN' }, { state: 'ACTIVE' }] };
    case 'pass.revoked':
      return { changes: [{ state: 'REVOKED' }] };
    case 'pass.change_failed':
      return { script: { refuses: 'change' }, changes: [{ state: 'FROZEN' }] };
    case 'pass.expiry_changed':
      return { changes: [laterExpiry] };
    case 'pass.reference_changed':
      return { changes: [{ reference: 'triggered' }] };
    case 'pass.subject_changed':
      return { changes: [{ subject: 'triggered' }] };
    case 'pass.renewed':
      return { lifetime: SHORTLY_SECONDS, pause: SHORTLY_SECONDS + 1, changes: [laterExpiry] };
    case 'pass.expired':
      return { lifetime: SHORTLY_SECONDS };
    case 'pass.expiring':
      return { lifetime: expiryNoticeDays * DAY_SECONDS + SHORTLY_SECONDS };
    case 'feed.restored':
    case EVENTS_DELETED:
      return undefined;
  }
}

/**
 * Causes an event: a new pass gets to it by real requests, and its sandbox does the rest. Returns the pass, whose event follows within
 * seconds; undefined for a notice, which no pass has.
 */
export async function triggerEvent(
  type: TriggerType,
  { partner, network, config, by }: Triggering,
  backend: Backend,
): Promise<{ readonly chain: object; readonly walletAddress: string } | Refusal | undefined> {
  const { gatekeeperNetwork } = partner;
  const now = await backend.timeOf(gatekeeperNetwork);
  if (type === 'pass.expiring' && config.expiryNoticeDays === 0) return NO_NOTICES;
  if (partner.networks !== undefined && !partner.networks.includes(network.network))
    return refuseForbidden('network_not_allowed');
  const plan = planOf(type, now, config);
  if (plan === undefined) return triggerNotice(type, partner, by, backend);
  const ended = refuseEnded(network, now);
  if (ended !== undefined) return ended;
  if (await backend.waitingWork.isFull(partner, network, config, backend)) return refuseWaitingWork();
  const wallet = unusedWallet(network.chain);
  const key: PassKey = { gatekeeperNetwork, chain: network.chain, network: network.network, wallet };
  const { script = {}, lifetime, pause: afterSeconds = SETTLED_SECONDS, changes = [] } = plan;
  const [hasRoom, contract] = await Promise.all([
    backend.store.hasRoom(partner),
    contractForNew(partner, network, config, backend),
  ]);
  const expiry = lifetime === undefined ? undefined : now + lifetime;
  const issuance = {
    expiry,
    reference: undefined,
    subject: undefined,
    isBulk: false,
    waits: false,
    hasRoom,
    contract,
    by,
  };
  // No rule for subjects concerns it, because it has none.
  const accepted = await askObjectToIssue(key, { ...partner, rules: {} }, issuance, backend);
  if (isRefusal(accepted)) return accepted;
  const { clientId: client, dailyChanges: daily } = partner;
  const quota = daily === undefined ? undefined : { clientId: client, daily };
  const requests = {
    changes: changes.map((change) => ({ ...change, client, by })),
    quota,
    afterSeconds,
  };
  // Before the queue learns of the pass. A refused request leaves no script.
  await backend
    .sandboxObject(gatekeeperNetwork)
    .assign({ chain: network.chain, network: network.network }, wallet, script, requests);
  await publishAndAwait(accepted, 0, backend);
  return { chain: { type: network.chain, network: network.network }, walletAddress: wallet };
}

const NO_NOTICES = refuseField('/type', 'this deployment does not announce that a pass expires');

/** Writes a notice into the feed, or has each webhook deliver one. It costs no transaction, so it needs room. */
async function triggerNotice(
  type: TriggerType,
  partner: Partner,
  { requestId }: Requester,
  { store, webhookObject, countRoom }: Backend,
): Promise<Refusal | undefined> {
  const { gatekeeperNetwork } = partner;
  if (!(await store.hasRoom(partner))) return refuseFullShard();
  const refusal = await countRoom(gatekeeperNetwork, `notice ${requestId}`);
  if (refusal !== undefined) return refuseQuota(refusal);
  if (type !== EVENTS_DELETED) {
    await store.addRestoredNotice(gatekeeperNetwork);
    return;
  }
  const webhooks = await store.webhooksOf(gatekeeperNetwork);
  await Promise.all(webhooks.map((id) => webhookObject(gatekeeperNetwork, id).noteDeleted()));
}
