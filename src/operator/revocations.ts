import type { AuditEntry } from '../audit/entry.ts';
import type { Config } from '../config/config.ts';
import { contractForNew } from '../http/pass/pass-requests.ts';
import { type Refusal, refuseField } from '../http/protocol/problem.ts';
import { isRefusal, reply } from '../http/protocol/reply.ts';
import { acts, adminRoute } from '../http/route.ts';
import type { Milliseconds } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import { handOver } from '../message/hand-over.ts';
import { findNetwork } from '../network/networks.ts';
import type { Backend } from '../operations/backend.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import type { PassObject } from '../pass-object/pass-object.ts';
import type { Accepted } from '../pass-object/results.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Owner } from '../store/partners.ts';
import { passKeyOf } from './passes.ts';
import { type FullNames, RevocationBody } from './requests.ts';
import { withSecondPerson } from './second-person.ts';

/** Maximum number of passes that a request revokes. Each needs a call of its object. */
const SLICE_PASSES = 200;

const revoke = adminRoute({
  ...acts('revokePasses', '/admin/revocations', 'operator.revoke'),
  bulk: true,
  body: RevocationBody,
  async handle({ body, actor, config, requestId, ...backend }) {
    const selection = await selectionOf(body, config, backend);
    if (isRefusal(selection)) return selection;
    const { dryRun: isDryRun = false, reason, wallets, after } = body;
    const newWallet = wallets && ((key: PassKey) => newWalletOf(key, config, backend));
    const request = { client: actor.client, by: { actor, requestId, reason } };
    const run = async (before: Milliseconds) => {
      const { keys, next } = await selection.page(before, after);
      const counts = await revokePasses(keys, { request, isDryRun, newWallet }, backend);
      const body = JSON.stringify({ dryRun: isDryRun, ...counts, next: next ?? null });
      return { done: 0, hasMore: next !== undefined, reply: { ...reply(200, body), audit: { counts: { ...counts } } } };
    };
    if (isDryRun) return (await run(Date.now())).reply;
    const count = async (before: Milliseconds) => {
      if (selection.count !== undefined) return selection.count(before, after);
      const { keys } = await selection.page(before, after);
      const { revoked, failed } = await revokePasses(keys, { request, isDryRun: true, newWallet }, backend);
      return revoked + failed;
    };
    const asked = { body, config, requestId, auditTrail: backend.auditTrail };
    return withSecondPerson(asked, { kind: 'revocations', slice: SLICE_PASSES, count, run });
  },
});

/** The selected passes of those that existed at a time. */
interface Selection {
  /** Returns the passes of a slice, and the place after it; undefined at the end. */
  page(
    before: Milliseconds,
    after: string | undefined,
  ): Promise<{ keys: readonly PassKey[]; next?: string | undefined }>;
  /** Returns how many passes are left after the place. Undefined: the objects of a page say so. */
  readonly count?: (before: Milliseconds, after: string | undefined) => Promise<number>;
}

async function selectionOf(body: RevocationBody, config: Config, backend: Backend): Promise<Selection | Refusal> {
  const { client, from = 0, to = 0, gatekeeperNetwork, passes, wallets } = body;
  const { store } = backend;
  if (client !== undefined) {
    const partner = await store.findPartner('client', client, Date.now());
    if (partner === undefined) return refuseField('/client', 'must be a registered client');
    return issuedBy(client, partner.gatekeeperNetwork, [from * 1000, to * 1000 + 999], backend);
  }
  if (gatekeeperNetwork !== undefined) {
    const owner = await store.findOwner(gatekeeperNetwork);
    if (owner === undefined) return refuseField('/gatekeeperNetwork', 'must be the gatekeeper network of a partner');
    return allOf(owner, backend);
  }
  return listed(passes ?? wallets ?? [], passes === undefined ? '/wallets' : '/passes', config);
}

function listed(names: readonly FullNames[], pointer: string, config: Config): Selection | Refusal {
  const keys: PassKey[] = [];
  for (const [index, each] of names.entries()) {
    const key = passKeyOf(each, `${pointer}/${index}`, config);
    if (isRefusal(key)) return key;
    keys.push(key);
  }
  return { page: async () => ({ keys }) };
}

/** Selects all passes of a gatekeeper network, the newest first, so that passes that are issued meanwhile are no part of it. */
function allOf(owner: Owner, { store }: Backend): Selection {
  const { gatekeeperNetwork } = owner;
  // The place in a request may be before the first pass of the selection.
  const placeOf = (before: Milliseconds, after = 'g') => [after, firstIdAfter(before)].toSorted()[0] as string;
  return {
    async page(before, place) {
      const after = placeOf(before, place);
      const search = { gatekeeperNetwork, limit: SLICE_PASSES, skip: 0, after };
      const { found } = await store.searchPasses(owner, search, READ_PRIMARY);
      const rows = found.passes.map(({ record }) => JSON.parse(record) as IssuedPass & { readonly id: string });
      const keys = rows.map((names) => keyOf(gatekeeperNetwork, names));
      return { keys, next: rows.length === SLICE_PASSES ? rows.at(-1)?.id : undefined };
    },
    count: (before, place) => store.countUnrevoked(owner, gatekeeperNetwork, placeOf(before, place)),
  };
}

/** The names of a pass in a record, and in an entry of the audit trail. */
interface IssuedPass {
  readonly chain: { readonly type: string; readonly network: string };
  readonly walletAddress: string;
}

function keyOf(gatekeeperNetwork: string, { chain: { type: chain, network }, walletAddress }: IssuedPass): PassKey {
  return { gatekeeperNetwork, chain, network, wallet: walletAddress } as PassKey;
}

/** Returns a text that is greater than every UUIDv7 of that time or an earlier one. Its first 12 hex digits are the time. */
function firstIdAfter(time: Milliseconds): string {
  const hex = (time + 1).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Selects the passes that a client issued between two times, from the audit trail of its gatekeeper network. */
function issuedBy(
  client: string,
  gatekeeperNetwork: PassKey['gatekeeperNetwork'],
  [from, to]: readonly [Milliseconds, Milliseconds],
  { auditTrail }: Backend,
): Selection {
  const read = async (before: Milliseconds, after = '0', limit = SLICE_PASSES) => {
    const query = { client, action: 'pass.issue', from, to: Math.min(to, before), after: Number(after), limit };
    const { entries, next, more } = await auditTrail(gatekeeperNetwork).read(query);
    const targets = entries.map(({ text }) => (JSON.parse(text) as AuditEntry).target as IssuedPass);
    return { targets, next: more ? String(next) : undefined };
  };
  return {
    async page(before, after) {
      const { targets, next } = await read(before, after);
      const keys = targets.map((names) => keyOf(gatekeeperNetwork, names));
      return { keys, next };
    },
    async count(before, after) {
      let sum = 0;
      for (let place: string | undefined = after ?? '0'; place !== undefined; ) {
        const { targets, next } = await read(before, place, COUNT_PAGE);
        sum += targets.length;
        place = next;
      }
      return sum;
    },
  };
}

const COUNT_PAGE = 1_000;

/** Returns the data of a pass for a wallet without one. Throws if the database does not answer. */
async function newWalletOf(key: PassKey, config: Config, backend: Backend) {
  const owner = await backend.store.findOwner(key.gatekeeperNetwork);
  const network = findNetwork(config.networks, key.chain, key.network);
  if (owner === undefined || network === undefined)
    throw new Error(`the gatekeeper network ${key.gatekeeperNetwork} has no row`);
  return { key, contract: await contractForNew(owner, network, config, backend) };
}

type Request = Parameters<PassObject['revoke']>[0];
type NewWallet = NonNullable<Parameters<PassObject['revoke']>[1]>;

interface Revocation {
  readonly request: Request;
  /** Whether to count only. */
  readonly isDryRun: boolean;
  /**
   * Returns the data of a new pass for a wallet without one. Then the passes that are not revoked are left alone. Undefined: wallets
   * without a pass are left alone.
   */
  readonly newWallet?: ((key: PassKey) => Promise<NewWallet>) | undefined;
}

/** The answer of a pass object. `before`: the state before; `NONE`: the wallet had no pass. */
interface Answer {
  readonly before: PassState | 'NONE';
  readonly changed: boolean;
  readonly accepted?: Accepted;
}

/**
 * Revokes these passes, and publishes them. A pass that is revoked already stays as it is, so a slice may be repeated. A dry run counts only.
 * @returns The number of passes by result, and by network and state as they were before. `skipped`: without a pass in a list of passes, or
 *   with one in a list of wallets without a pass. `failed`: no key on the network accepts new passes, or the object does not answer.
 */
async function revokePasses(keys: readonly PassKey[], revocation: Revocation, backend: Backend) {
  const asked = keys.map((key) => callObject(() => ask(key, revocation, backend), 'pass', passName(key)));
  const answers = await Promise.all(asked);
  await handOver(
    answers.flatMap((answer) => answer?.accepted ?? []),
    backend,
  );
  const counts = new Map<string, { network: string; state: Answer['before']; count: number }>();
  for (const [index, { network }] of keys.entries()) {
    const state = answers[index]?.before;
    if (state === undefined) continue;
    const before = counts.get(`${network} ${state}`);
    counts.set(`${network} ${state}`, { network, state, count: (before?.count ?? 0) + 1 });
  }
  const answered = answers.filter((answer) => answer !== undefined);
  const number = (isCounted: (answer: Answer) => boolean) => answered.filter(isCounted).length;
  return {
    revoked: number(({ changed }) => changed),
    alreadyRevoked: number(({ before, changed }) => before === 'REVOKED' && !changed),
    skipped: number(({ before, changed }) => before !== 'REVOKED' && !changed),
    failed: keys.length - answered.length,
    passes: [...counts.values()],
  };
}

/** Returns the answer of a pass object; undefined if it cannot revoke. */
async function ask(
  key: PassKey,
  { request, isDryRun, newWallet }: Revocation,
  { passObject }: Backend,
): Promise<Answer | undefined> {
  const pass = passObject(key);
  const before = (await pass.readPublication())?.state ?? 'NONE';
  const isSelected = before === 'REVOKED' || (before === 'NONE') === (newWallet !== undefined);
  if (isDryRun || !isSelected) return { before, changed: isSelected && before !== 'REVOKED' };
  const result = await pass.revoke(request, before === 'NONE' ? await newWallet?.(key) : undefined);
  if (result?.type === 'kept') return { before: result.before, changed: false };
  return result?.type === 'accepted' ? { ...result, accepted: result } : undefined;
}

export const revocationRoutes = [revoke];
