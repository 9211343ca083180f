import { waitUntil } from 'cloudflare:workers';
import type { InferOutput } from 'valibot';
import type { Config } from '../../config/config.ts';
import { isEnabledFor } from '../../config/signers.ts';
import { withCharacter } from '../../lib/characters.ts';
import { FreshValue } from '../../lib/fresh-value.ts';
import { DAY_SECONDS, MINUTE_MS, nowSeconds, SECOND_MS, type UnixSeconds } from '../../lib/units.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { contractOf, type Network, networkStatusOf } from '../../network/network.ts';
import { CHAINS, findNetwork, networkNamesOf } from '../../network/networks.ts';
import { sandboxCaseFor } from '../../network/sandbox.ts';
import { canonicalWallet, walletFault } from '../../network/wallet.ts';
import { type PassView, publishAndAwait } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { Requester } from '../../pass/audit-entries.ts';
import { openEventOf } from '../../pass/events.ts';
import type { PartnerReason } from '../../pass/partner-reasons.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { PassRecord } from '../../pass/record.ts';
import type { WantedChange } from '../../pass/requests.ts';
import { BULK_ISSUANCE, SINGLE_ISSUANCE, takesAccessAway } from '../../pass/step-kinds.ts';
import type { ReachedRule, RuleRefusal } from '../../pass/subject-changes.ts';
import { isValid } from '../../pass/verdict.ts';
import { CHANGES } from '../../pass/vocabulary.ts';
import { DAILY_ROOM_OF_PASSES, type QuotaRefusal } from '../../pass-object/daily-quota.ts';
import type { Accepted, IssueResult } from '../../pass-object/results.ts';
import type { Partner } from '../../store/partners.ts';
import type { FoundPass } from '../../store/search.ts';
import { type Refusal, refuse, refuseField, refuseForbidden, refuseUnavailable } from '../protocol/problem.ts';
import { etagOf, isRefusal } from '../protocol/reply.ts';
import type { IssueItem } from '../schemas/requests.ts';

const SHARD_FULL_DETAIL =
  'The service accepts no new passes of this partner at the moment. Try again later. You can still change existing passes.';
/** The operator must make room first. */
const SHARD_FULL_RETRY_SECONDS = 600;

/** The partner that asks, the configuration, and the time. */
interface Asking {
  readonly partner: Partner;
  readonly config: Config;
  /** The time of its gatekeeper network. */
  readonly now: UnixSeconds;
}

/** Returns the pass to change, or why the request is refused before any object is asked. */
export function changeTargetOf(
  names: PassNames,
  expiry: UnixSeconds | undefined,
  { partner, config, now }: Asking,
  pointers?: NamePointers,
): PassTarget | Refusal {
  const target = passTargetOf(names, partner, config, pointers);
  if (isRefusal(target)) return target;
  if (sandboxCaseFor(target.key) === 'rate-limited') return SANDBOX_RATE_LIMITED;
  return expiry === undefined || expiry > now ? target : EXPIRY_PASSED;
}

const SANDBOX_RATE_LIMITED = refuse('rate_limited', { headers: { 'retry-after': '10' } });

export const EXPIRY_PASSED = refuseField('/expiryTimestamp', 'must be a time in the future, in Unix seconds');

/** Returns the same for a change that may give access. */
export function updateTargetOf(
  names: PassNames,
  change: WantedChange,
  asking: Asking,
  pointers?: NamePointers,
): PassTarget | Refusal {
  const target = changeTargetOf(names, change.expiry, asking, pointers);
  if (isRefusal(target)) return target;
  // A new expiry needs the chain, also beside a freeze.
  if (!givesAccess(change) && change.expiry === undefined) return target;
  return refuseEnded(target.network, asking.now) ?? target;
}

/** Returns the same for the pass to issue. */
export function issuanceTargetOf(...request: Parameters<typeof changeTargetOf>): PassTarget | Refusal {
  const target = changeTargetOf(...request);
  const [, , { partner, now }] = request;
  const { networks } = partner;
  if (isRefusal(target)) return target;
  const ended = refuseEnded(target.network, now);
  if (ended !== undefined) return ended;
  if (sandboxCaseFor(target.key) === 'quota-exceeded') return refuseUntilTomorrow('quota_reached');
  if (networks === undefined || networks.includes(target.network.network)) return target;
  return refuseForbidden('network_not_allowed');
}

/** A request for an issuance, apart from its pass and its partner. */
interface Issuance {
  readonly expiry: UnixSeconds | undefined;
  readonly reference: string | undefined;
  readonly subject: string | undefined;
  readonly isBulk: boolean;
  /** Whether the request waits until the pass is settled. */
  readonly waits: boolean;
  /** Whether the shard of the partner accepts new passes. */
  readonly hasRoom: boolean;
  readonly contract: string;
  readonly by: Requester;
}

/**
 * Returns the contract of a new pass of the partner. On Solana, it is the network's program. The first issuance on another network
 * chooses the default contract for good. Throws if the database does not answer then.
 */
export async function contractForNew(
  { gatekeeperNetwork, contracts }: Pick<Partner, 'gatekeeperNetwork' | 'contracts'>,
  network: Network,
  config: Config,
  { store }: Backend,
): Promise<string> {
  const known = contractOf(contracts, network);
  const { canIssue } = isEnabledFor(gatekeeperNetwork, config, network);
  // A request that the pass object refuses chooses no contract.
  if (network.chain === 'solana' || contracts[network.network] !== undefined || !canIssue) return known;
  return store.chooseContract(gatekeeperNetwork, network.network, known);
}

export async function askObjectToIssue(
  key: PassKey,
  { clientId, passLifetime: lifetime, dailyIssuances: daily, dailyChanges, rules }: Partner,
  { isBulk, subject, ...issuance }: Issuance,
  backend: Backend,
): Promise<Accepted | Refusal> {
  const hasBounds = daily !== undefined || dailyChanges !== undefined;
  const quota = hasBounds ? { clientId, daily, dailyChanges } : undefined;
  const rank = isBulk ? BULK_ISSUANCE : SINGLE_ISSUANCE;
  const request = { ...issuance, key, lifetime, client: clientId, rank };
  if (await hasUsedUpRoom(key.gatekeeperNetwork, backend)) return refuseUntilTomorrow('room_quota_reached');
  if (subject === undefined && rules.subjectRequired) return refuse('subject_required');
  const askSubject = (name: string) => backend.subjectObject(key.gatekeeperNetwork, name).issue(request, quota, rules);
  const asked = subject === undefined ? await backend.passObject(key).issue(request, quota) : await askSubject(subject);
  const result = isOfSubject(asked) ? await askSubject(asked.subject) : asked;
  return result.type === 'accepted' ? result : refuseResult(result);
}

interface ChangedPass {
  readonly key: PassKey;
  readonly partner: Partner;
  readonly by: Requester;
}

/**
 * Asks the pass object to change its pass. Does not check whether the partner may still issue on the network: a partner that may not must
 * still be able to freeze and revoke.
 */
export async function askObjectToChange(
  { key, partner: { clientId, dailyChanges: daily, rules }, by }: ChangedPass,
  request: WantedChange,
  waits: boolean,
  backend: Backend,
): Promise<Accepted | Refusal> {
  const quota = daily === undefined ? undefined : { clientId, daily };
  const asked = { ...request, client: clientId, by };
  const askSubject = (name: string) =>
    backend.subjectObject(key.gatekeeperNetwork, name).update(key, asked, waits, quota, rules);
  if (request.subject === null && rules.subjectRequired) return refuse('subject_required');
  const first = await backend.passObject(key).update(asked, waits, quota);
  const result = first !== undefined && isOfSubject(first) ? await askSubject(first.subject) : first;
  if (result === undefined) return refuse('pass_not_found');
  return result.type === 'accepted' ? result : refuseResult(result);
}

/** Changes an existing pass for its partner. Returns the pass once it is settled, or as it is after `waitSeconds`. */
export async function changePass(
  changed: ChangedPass,
  request: WantedChange,
  waitSeconds: number,
  backend: Backend,
): Promise<PassView | Refusal> {
  const result = await askObjectToChange(changed, request, waitSeconds > 0, backend);
  return isRefusal(result) ? result : publishAndAwait(result, waitSeconds, backend);
}

function refuseUntilTomorrow(code: 'quota_reached' | 'room_quota_reached'): Refusal {
  return refuse(code, { headers: { 'retry-after': String(DAY_SECONDS - (nowSeconds() % DAY_SECONDS)) } });
}

/** Whether only the object of the subject may ask for the change. */
const isOfSubject = <R extends { readonly type: string }>(result: R): result is R & { readonly subject: string } =>
  'reason' in result && result.reason === 'of_subject';

/** Refuses as an object has done. A pass that is another subject's now is refused as one that has another subject. */
function refuseResult({ reason, ...more }: ObjectRefusal): Refusal {
  if (reason === 'shard_full') return refuseFullShard();
  const code = reason === 'of_subject' ? 'subject_differs' : reason;
  return refuse(code, { headers: retryAfterOf(more), rule: more.rule });
}

type ObjectRefusal = (Exclude<IssueResult, Accepted> | RuleRefusal) & { readonly rule?: ReachedRule };

/** Refuses because a daily number is reached, or its count does not answer. */
export function refuseQuota(refusal: QuotaRefusal): Refusal {
  return refuse(refusal.reason, { headers: retryAfterOf(refusal) });
}

export function refuseFullShard(): Refusal {
  return refuseUnavailable(SHARD_FULL_RETRY_SECONDS, SHARD_FULL_DETAIL);
}

/** Returns the header `Retry-After` if the refusal has a time. */
function retryAfterOf(refusal: object): { readonly 'retry-after': string } | undefined {
  return 'retryAfter' in refusal ? { 'retry-after': String(refusal.retryAfter) } : undefined;
}

/** Whether a change may give access: it neither takes access away, nor is without a step. The limit of waiting work concerns only such changes. */
export const givesAccess = ({ state, expiry }: WantedChange): boolean =>
  !takesAccessAway({ state }) && (state ?? expiry) !== undefined;

/** Signing the waiting steps takes minutes, so an earlier retry cannot succeed. */
const WAITING_RETRY_SECONDS = 60;

export function refuseWaitingWork(): Refusal {
  return refuse('waiting_limit_reached', { headers: { 'retry-after': String(WAITING_RETRY_SECONDS) } });
}

/**
 * Refuses a request that gives access on a network which has ended at `now`, because no transaction can make it true; undefined: the network
 * continues. Requests that take access away are not for this check: they hold for public checks without the chain.
 */
export function refuseEnded(network: Network, now: UnixSeconds): Refusal | undefined {
  const status = networkStatusOf(network, now);
  if (status.type !== 'ended') return undefined;
  return refuse('network_ended', {
    detail: `${network.network} ended on ${status.endsOn}, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.`,
  });
}

/**
 * Returns the record of a pass as JSON, with its validity at `now` and the reason for which it waits, and the entity tag of all. Validity and
 * reason depend on the time, so they are never stored.
 */
export function showPass(pass: FoundPass, now: UnixSeconds, waitsFor?: PartnerReason): { body: string; etag: string } {
  const { state, record, validity } = pass;
  const { onChainState, until } = validity;
  const valid = isValid({ state, ...validity }, now);
  const validUntil = onChainState === 'ACTIVE' && until !== null ? `,"validUntil":${until}` : '';
  const reason = waitsFor === undefined ? '' : `,"waitsFor":${JSON.stringify(waitsFor)}`;
  const moment = `${valid ? '.valid' : ''}${waitsFor ? `.${waitsFor.code}${waitsFor.before ?? ''}` : ''}`;
  return { body: `${record.slice(0, -1)},"valid":${valid}${validUntil}${reason}}`, etag: etagOf(pass, moment) };
}

/** A younger change is on its way like any other. A caller who polls after a POST causes no further call. */
const WAITS_AFTER_SECONDS = 10;

/** Whether a change has begun some time ago, and no transaction of it is sent. Parses only records that may have such a change. */
export function isWaiting({ state, validity, record }: FoundPass, now: UnixSeconds): boolean {
  if (state === validity.onChainState && !record.includes('TOKEN_EXPIRY_CHANGED_INITIATED')) return false;
  const { events } = JSON.parse(record) as PassRecord;
  const open = CHANGES.flatMap((change) => openEventOf(events, change) ?? []);
  return open.some(
    ({ transaction, timestamp }) => transaction?.status !== 'sent' && now - timestamp >= WAITS_AFTER_SECONDS,
  );
}

const ANSWER_TIMEOUT_MS = 2 * SECOND_MS;
/** Number of gatekeeper networks that one isolate remembers. */
const REMEMBERED_MAX = 1_000;

/** Whether each gatekeeper network has used up its room. All requests of an isolate share it. */
const known = new Map<string, FreshValue<boolean>>();

/**
 * Whether at least 40,000 passes of the gatekeeper network have ended without a transaction today, as of the last minute: it gets no new one.
 * False if the count does not answer.
 */
async function hasUsedUpRoom(gatekeeperNetwork: string, { quotaObject }: Backend): Promise<boolean> {
  const value = known.get(gatekeeperNetwork) ?? new FreshValue<boolean>({ freshMs: MINUTE_MS }, waitUntil);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(gatekeeperNetwork, value);
  const read = async () => {
    const used = await withTimeout(ANSWER_TIMEOUT_MS, quotaObject(gatekeeperNetwork).usedToday(), undefined);
    return (used?.changes ?? 0) >= DAILY_ROOM_OF_PASSES;
  };
  // A count that is away must not be asked by each request.
  return value.get(() => read().catch(() => false));
}

/** The pass that a request names in its path and its body. Its gatekeeper network is always that of the caller. */
export interface PassTarget {
  readonly key: PassKey;
  readonly network: Network;
}

interface PassNames {
  readonly chain: string;
  readonly chainNetwork: string;
  readonly wallet: string;
}

/** Where a request has the names, for a refusal. */
export interface NamePointers {
  readonly chain: string;
  readonly network: string;
  readonly wallet: string;
}

const IN_PATH: NamePointers = { chain: '/chain', network: '/chainNetwork', wallet: '/wallet' };
/** The path has the network, and the body has the wallet. */
export const WALLET_IN_BODY: NamePointers = { ...IN_PATH, wallet: '/walletAddress' };
export const IN_ITEM: NamePointers = { chain: '/chain/type', network: '/chain/network', wallet: '/walletAddress' };

/** Returns the names in an item of a bulk request. */
export function namesInItem({
  chain,
  walletAddress,
}: Pick<InferOutput<typeof IssueItem>, 'chain' | 'walletAddress'>): PassNames {
  return { chain: chain.type, chainNetwork: chain.network, wallet: walletAddress };
}

export function passTargetOf(
  { chain, chainNetwork, wallet }: PassNames,
  { gatekeeperNetwork }: Pick<Partner, 'gatekeeperNetwork'>,
  config: Config,
  pointers = IN_PATH,
): PassTarget | Refusal {
  const network = networkOf(chain, chainNetwork, config, pointers);
  if (isRefusal(network)) return network;
  const canonical = canonicalWallet(network.chain, wallet);
  if (canonical === undefined) return refuseWallet(pointers.wallet, walletFault(network.chain, wallet));
  return { network, key: { gatekeeperNetwork, chain: network.chain, network: network.network, wallet: canonical } };
}

/** The characters of chains and networks. */
export const IN_NAMES = /[A-Za-z0-9-]/;

export function networkOf(
  chain: string,
  name: string,
  config: Config,
  pointers: Pick<NamePointers, 'chain' | 'network'>,
): Network | Refusal {
  return findNetwork(config.networks, chain, name) ?? refuseNetwork(chain, name, pointers);
}

export function refuseWallet(pointer: string, detail: string): Refusal {
  return refuse('invalid_wallet', { errors: [{ pointer, detail }] });
}

function refuseNetwork(named: string, network: string, pointers: Pick<NamePointers, 'chain' | 'network'>): Refusal {
  const chain = CHAINS.find((each) => each === named);
  if (chain === undefined) {
    return refuse('unknown_network', {
      detail: `The chain is unknown. Use one of these: ${CHAINS.join(', ')}.`,
      errors: [{ pointer: pointers.chain, detail: withCharacter('must be a chain of this service', named, IN_NAMES) }],
    });
  }
  const names = networkNamesOf(chain).join(', ');
  return refuse('unknown_network', {
    detail: `The network is unknown. Use one of ${chain}: ${names}.`,
    errors: [{ pointer: pointers.network, detail: withCharacter(`must be a network of ${chain}`, network, IN_NAMES) }],
  });
}
