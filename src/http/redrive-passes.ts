import type { Config } from '../config/config.ts';
import { type Cursor, formatCursor } from '../lib/cursor.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { findNetwork } from '../network/networks.ts';
import { canonicalWallet } from '../network/wallet.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import { findUnsettled } from '../store/unsettled.ts';
import { refuseWallet } from './pass/pass-target.ts';
import { type Refusal, refuse } from './protocol/problem.ts';
import type { Redrive } from './schemas/admin-requests.ts';

/** What came of asking for another try. */
export interface RedriveResult {
  readonly redriven: number;
  /** There are others, which come with the next request … */
  readonly more: boolean;
  /** … that goes on behind this one. */
  readonly next?: string | undefined;
}

/** Passes of one request. */
const MAX_PASSES = 500;

/** Nothing of it is doubled: steps are pinned, and their signers take each in once. */
export async function redrivePass(
  { gatekeeperNetwork, chain, network, walletAddress }: NonNullable<Redrive['pass']>,
  { networks }: Config,
  env: Env,
): Promise<RedriveResult | Refusal> {
  const row = findNetwork(networks, chain, network);
  if (row === undefined) {
    return refuse('unknown_network', { errors: [{ pointer: '/pass/network', detail: 'must be one of its chain' }] });
  }
  const wallet = canonicalWallet(row.chain, walletAddress);
  if (wallet === undefined) return refuseWallet('/pass/walletAddress', 'must be an address of its chain');
  const asked = await redriveOne({ gatekeeperNetwork, chain: row.chain, network, wallet }, env);
  if (asked === undefined) return refuse('pass_not_found');
  await retryRedriven([asked], env);
  return { redriven: 1, more: false };
}

/** All that are unsettled for longer than so many seconds. */
export async function redriveStuck(
  { olderThan, after }: { olderThan: number; after?: Cursor | undefined },
  env: Env,
): Promise<RedriveResult> {
  const before = Math.floor(Date.now() / 1000) - olderThan;
  const stuck = await findUnsettled(env.DB, { before, limit: MAX_PASSES, after });
  const asked = (await Promise.all(stuck.map(({ key }) => redriveReachable(key, env)))).filter(
    (pass) => pass !== undefined,
  );
  await retryRedriven(asked, env);
  const last = stuck.length === MAX_PASSES ? stuck.at(-1) : undefined;
  const next = last && formatCursor({ at: last.since, id: last.id });
  return { redriven: asked.length, more: next !== undefined, next };
}

interface Asked {
  readonly key: PassKey;
  readonly signer: string;
  readonly step?: { readonly id: string } | undefined;
}

async function redriveOne(key: PassKey, env: Env): Promise<Asked | undefined> {
  const pass = await env.PASSES.getByName(passName(key)).redrive();
  return pass && { key, ...pass };
}

/** Undefined also when it cannot be reached: the others go on. */
async function redriveReachable(key: PassKey, env: Env): Promise<Asked | undefined> {
  try {
    return await redriveOne(key, env);
  } catch (fault) {
    logFault('pass-unreachable', fault);
    return undefined;
  }
}

async function retryRedriven(passes: readonly Asked[], env: Env): Promise<void> {
  const bySigner = Map.groupBy(passes, ({ signer }) => signer);
  await Promise.all([...bySigner].map(([signer, group]) => retryOnSigner(signer, group, env)));
  // Their alarms ring in a moment anyway.
  await sendProcessPasses(
    env.LOOKS,
    passes.map(({ key }) => ({ pass: key })),
  ).catch((fault) => logFault('redrive', fault, { passes: passes.length }));
}

/** What a signer does not hear now, it finds out when it tries again by itself. */
async function retryOnSigner(signer: string, passes: readonly Asked[], env: Env): Promise<void> {
  const steps = passes.flatMap(({ key, step }) =>
    step === undefined ? [] : { id: step.id, gatekeeperNetwork: key.gatekeeperNetwork },
  );
  try {
    if (steps.length > 0) await env.SIGNERS.getByName(signer).retryNow(steps);
  } catch (fault) {
    logFault('signer-unreachable', fault, { signer });
  }
}
