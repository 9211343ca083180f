import { findReader, isEnabledFor } from '../../config/signers.ts';
import { withCharacter } from '../../lib/characters.ts';
import type { UnixSeconds } from '../../lib/units.ts';
import { logFault } from '../../log/log.ts';
import { reachObject } from '../../message/call-object.ts';
import { adoptFromChain } from '../../message/hand-over.ts';
import { canonicalWalletOfAnyChain } from '../../network/wallet.ts';
import {
  awaitSettlement,
  explainWaiting,
  type PassView,
  publishAndAwait,
  readPassFromObject,
} from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassKey } from '../../pass/pass.ts';
import { READ_PRIMARY } from '../../store/bookmarked-reads.ts';
import type { Partner } from '../../store/partners.ts';
import type { Publication } from '../../store/passes.ts';
import {
  askObjectToIssue,
  changePass,
  changeTargetOf,
  contractForNew,
  givesAccess,
  issuanceTargetOf,
  isWaiting,
  networkOf,
  passTargetOf,
  refuseQuota,
  refuseWaitingWork,
  refuseWallet,
  showPass,
  updateTargetOf,
  WALLET_IN_BODY,
} from '../pass/pass-requests.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from '../protocol/problem.ts';
import { BOOKMARK, isRefusal, preferenceApplied, type Reply, reply } from '../protocol/reply.ts';
import { type Context, route } from '../route.ts';
import {
  type Filter,
  IssueBody,
  NetworkPath,
  NO_PLACE,
  orderOf,
  RevokeQuery,
  SearchBody,
  UpdateBody,
  WalletPath,
} from '../schemas/requests.ts';

/** A search that skips more passes is a large read. */
const FREE_SKIP = 100;

/** The number of values that a place has in each order. */
const PLACE_LENGTH = { id: 1, expiry: 2, wallet: 4 };

const IN_FILTER = { chain: '/filter/chain/type', network: '/filter/chain/network' };

const searchPasses = route({
  operationId: 'searchPasses',
  method: 'POST',
  path: '/pass',
  scope: 'search',
  body: SearchBody,
  // A count, and a filter that no index has, read many rows too.
  readsMany: ({ body: { skip = 0, count = false, filter } }) =>
    skip > FREE_SKIP || count || (orderOf(filter) !== 'id' && Object.keys(filter).length > 1),
  async handle({ body: { filter, limit, skip = 0, after, order, count }, partner, bookmark, backend, config }) {
    const { state, walletAddress, walletPrefix, chain, reference, subject } = filter;
    const on = chain && networkOf(chain.type, chain.network, config, IN_FILTER);
    if (on !== undefined && isRefusal(on)) return on;
    const wallet = walletAddress === undefined ? undefined : canonicalWalletOfAnyChain(walletAddress);
    if (walletAddress !== undefined && wallet === undefined) {
      const rule = 'must be an Ethereum address with a valid EIP-55 checksum, or base58 of 32 bytes';
      return refuseWallet('/filter/walletAddress', withCharacter(rule, walletAddress, /[0-9A-Za-z]/));
    }
    const sortedBy = orderOf(filter);
    if (after !== undefined && after.split('.').length !== PLACE_LENGTH[sortedBy])
      return refuseField('/after', NO_PLACE);
    const { gatekeeperNetwork } = partner;
    const now = await backend.timeOf(gatekeeperNetwork);
    const search = {
      ...{ gatekeeperNetwork, state, on, wallet, walletPrefix, reference, subject, limit, skip },
      ...endIn(filter, now),
      after: sortedBy === 'id' ? after?.toLowerCase() : after,
      isOldestFirst: order === 'oldest',
      counts: count,
    };
    const { found, bookmark: seen } = await backend.store.searchPasses(partner, search, bookmark);
    const records = found.passes.map((pass) => showPass(pass, now).body);
    const { next, count: counted } = found;
    const page = JSON.stringify({ next, count: counted?.count, countIsMinimum: counted?.isMinimum || undefined });
    return reply(200, `{"records":[${records.join(',')}]${page === '{}' ? '}' : `,${page.slice(1)}`}`, undefined, seen);
  },
});

/** Returns the conditions for the end of a pass. */
function endIn({ validity, expiresBefore: before }: Filter, now: UnixSeconds) {
  if (validity === 'expired') return { until: { from: 0, before: now } };
  return (validity ?? before) ? { until: { from: now, before }, isUndisputed: true } : {};
}

const issuePass = route({
  operationId: 'issuePass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork',
  scope: 'issue',
  params: NetworkPath,
  body: IssueBody,
  waits: true,
  async handle({ params, body, partner, actor, requestId, waitSeconds, config, backend, mayExplain }) {
    const names = { ...params, wallet: body.walletAddress };
    const { expiryTimestamp: expiry, reference, subject } = body;
    const now = await backend.timeOf(partner.gatekeeperNetwork);
    const target = issuanceTargetOf(names, expiry, { partner, config, now }, WALLET_IN_BODY);
    if (isRefusal(target)) return target;
    if (await backend.waitingWork.isFull(partner, target.network, config, backend)) return refuseWaitingWork();
    const [hasRoom, contract] = await Promise.all([
      backend.store.hasRoom(partner),
      contractForNew(partner, target.network, config, backend),
    ]);
    const by = { actor, requestId };
    const issuance = { expiry, reference, subject, isBulk: false, waits: waitSeconds > 0, hasRoom, contract, by };
    const result = await askObjectToIssue(target.key, partner, issuance, backend);
    if (isRefusal(result)) return result;
    return passReply(202, await publishAndAwait(result, waitSeconds, backend), {
      key: target.key,
      mayExplain,
      backend,
    });
  },
});

const getPass = route({
  operationId: 'getPass',
  method: 'GET',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'search',
  params: WalletPath,
  waits: true,
  async handle({ params, partner, bookmark, waitSeconds, config, backend, mayExplain }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { key } = target;
    const settled = waitSeconds > 0 ? await awaitSettlement(key, waitSeconds, backend) : undefined;
    const pass =
      settled ?? (await readFromReadModel(partner, key, bookmark, backend)) ?? (await readPassFromObject(key, backend));
    if (pass === undefined) return refuse('pass_not_found');
    return passReply(200, pass, { key, mayExplain, backend }, { isFetch: true });
  },
});

async function readFromReadModel(
  partner: Partner,
  key: PassKey,
  bookmark: string | null,
  { store }: Backend,
): Promise<PassView | undefined> {
  try {
    const { found, bookmark: seen } = await store.findPass(partner, key, bookmark);
    return found && { ...found, bookmark: seen };
  } catch (fault) {
    logFault('database.read_failed', fault);
    return undefined;
  }
}

const updatePass = route({
  operationId: 'updatePass',
  method: 'PATCH',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  params: WalletPath,
  body: UpdateBody,
  waits: true,
  async handle({ params, body, partner, actor, requestId, waitSeconds, config, backend, mayExplain }) {
    const { state, expiryTimestamp: expiry, reference, subject, reason } = body;
    const now = await backend.timeOf(partner.gatekeeperNetwork);
    const target = updateTargetOf(params, { state, expiry }, { partner, config, now });
    if (isRefusal(target)) return target;
    if (givesAccess({ state, expiry }) && (await backend.waitingWork.isFull(partner, target.network, config, backend)))
      return refuseWaitingWork();
    const changed = await changePass(
      { ...target, partner, by: { actor, requestId, reason } },
      { state, expiry, reference, subject },
      waitSeconds,
      backend,
    );
    if (isRefusal(changed)) return changed;
    // Clients of the hosted service read `status`.
    return passReply(200, changed, { key: target.key, mayExplain, backend }, { more: ',"status":"ok"' });
  },
});

const revokePass = route({
  operationId: 'revokePass',
  method: 'DELETE',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'update',
  params: WalletPath,
  query: RevokeQuery,
  waits: true,
  async handle({ params, query: { reason }, partner, actor, requestId, waitSeconds, config, backend, mayExplain }) {
    // The time only matters for an expiry.
    const target = changeTargetOf(params, undefined, { partner, config, now: 0 });
    if (isRefusal(target)) return target;
    const by = { actor, requestId, reason };
    const revoked = await changePass({ ...target, partner, by }, { state: 'REVOKED' }, waitSeconds, backend);
    return isRefusal(revoked) ? revoked : passReply(200, revoked, { key: target.key, mayExplain, backend });
  },
});

const syncPass = route({
  operationId: 'syncPass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork/:wallet/sync',
  scope: 'update',
  params: WalletPath,
  async handle({ params, partner, actor, requestId, config, backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { key, network } = target;
    const refusal = await backend.countSync(key.gatekeeperNetwork, `sync ${requestId}`);
    if (refusal !== undefined) return refuseQuota(refusal);
    const known = await backend.passObject(key).readOnChain();
    if (known === undefined) return refuse('pass_not_found');
    if (!isEnabledFor(key.gatekeeperNetwork, config, network).canRead)
      return rejectedPassOr(refuse('network_not_enabled'), key, backend);

    // A pass whose key has left the configuration is read by another signer.
    const signer = findReader(config, known.signer) ?? known.signer;
    const read = async () => (await backend.signerObject(signer).readPasses([known.question]))[0];
    const reading = await reachObject(read, 'signer', signer);
    if (reading?.type === 'read') {
      const observation = { final: reading.onChain };
      const shown = { ...known.question, observation, by: { actor, requestId } };
      const { answers, bookmark } = await adoptFromChain([shown], backend);
      const [answer = 'no-pass'] = answers;
      if (answer === 'unreachable') return refuseUnavailable();
      const pass = answer === 'no-pass' ? undefined : { ...answer.publication, bookmark };
      return syncReply(pass, await backend.timeOf(key.gatekeeperNetwork));
    }
    // While a step of this service is in flight for the wallet, that step reads the chain itself. The loss of a token counts
    // only once it is final.
    if (reading?.type === 'busy' || reading?.type === 'not-final')
      return syncReply(await readAsIs(key, backend), await backend.timeOf(key.gatekeeperNetwork));
    logFault('pass.sync_failed', reading?.why, { network: network.network });
    return rejectedPassOr(refuseUnavailable(), key, backend);
  },
});

/**
 * Returns the record if the pass is rejected: the chain holds nothing of it, and the contract may never let anybody read its
 * wallet. Returns the refusal otherwise.
 */
async function rejectedPassOr(refusal: Refusal, key: PassKey, backend: Backend): Promise<Reply | Refusal> {
  const asIs = await readAsIs(key, backend);
  return asIs?.state === 'REJECTED' ? syncReply(asIs, await backend.timeOf(key.gatekeeperNetwork)) : refusal;
}

function syncReply(synced: PassView | undefined, now: UnixSeconds): Reply | Refusal {
  if (synced === undefined) return refuse('pass_not_found');
  const { body } = showPass(synced, now);
  return reply(200, body, synced.id, synced.bookmark);
}

/** Reads the pass from its object, because the read model may be older. */
async function readAsIs(
  key: PassKey,
  { passObject }: Backend,
): Promise<(Publication & { bookmark: string }) | undefined> {
  const publication = await passObject(key).readPublication();
  return publication && { ...publication, bookmark: READ_PRIMARY };
}

interface Explaining extends Pick<Context<unknown, unknown, unknown>, 'backend' | 'mayExplain'> {
  readonly key: PassKey;
}

/**
 * Returns the reply with a pass, on a route that waits. `Vary`: the reply depends on `Prefer` (RFC 7240 §2). Only a fetch, and a request that
 * has waited, say why the pass waits.
 * @param more Further fields, as JSON after a comma.
 */
async function passReply(
  status: number,
  pass: PassView,
  { key, backend, mayExplain }: Explaining,
  { more = '', isFetch = false }: { readonly more?: string; readonly isFetch?: boolean } = {},
): Promise<Reply> {
  const { id, bookmark, waitedSeconds } = pass;
  const now = await backend.timeOf(key.gatekeeperNetwork);
  const isAsked = isFetch || waitedSeconds !== undefined;
  const explains = isAsked && isWaiting(pass, now) && (await mayExplain());
  const waitsFor = explains ? await explainWaiting(id, key, backend) : undefined;
  const { body, etag } = showPass(pass, now, waitsFor);
  const headers = {
    [BOOKMARK]: bookmark,
    vary: 'Prefer',
    ...(isFetch && { etag }),
    ...(waitedSeconds !== undefined && preferenceApplied(waitedSeconds)),
  };
  return { status, body: `${body.slice(0, -1)}${more}}`, pass: id, headers };
}

export const passRoutes = [searchPasses, issuePass, getPass, updatePass, revokePass, syncPass];
