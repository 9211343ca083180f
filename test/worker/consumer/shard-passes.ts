import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { Submission } from '../../../src/pass/step.ts';
import { findPass } from '../../../src/store/search.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { newGatekeeperNetwork } from '../http/issuer.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { placeNetwork, SECOND, second } from '../setup/second-database.ts';

/** Passes of two shards, and their databases. */

export const databases: Readonly<Record<string, D1Database>> = { DB: (env as Env).DB, [SECOND]: second };

export interface ShardPass {
  readonly key: PassKey;
  readonly shard: string;
}

export async function aPassIn(shard: string): Promise<ShardPass> {
  const { key } = aStep({ gatekeeperNetwork: newGatekeeperNetwork() });
  await placeNetwork(key.gatekeeperNetwork, shard);
  await issueWithSigner(key, 'signer');
  return { key, shard };
}

/** A signer that finds the token of every step on chain. `acknowledge` records its calls. */
export function aSigner() {
  const acknowledge = vi.fn();
  const submit = async (inquiries: readonly Submission[]) =>
    inquiries.flatMap(({ step }) =>
      step === undefined ? [] : { step: step.id, revision: 1, status: { type: 'found', onChain: { state: 'ACTIVE' } } },
    );
  return { acknowledge, SIGNERS: { getByName: () => ({ submit, acknowledge }) } };
}

/** The state in the row of the pass; undefined if the database has no such row. */
export async function stateIn(db: D1Database, { key }: ShardPass): Promise<string | undefined> {
  const found = await findPass(db, key);
  return found && JSON.parse(found.record).state;
}
