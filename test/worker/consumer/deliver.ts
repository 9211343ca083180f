import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { signerNameOf } from '../../../src/config/signers.ts';
import { claimPasses, processPasses } from '../../../src/consumer/consume.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { PassRecord } from '../../../src/pass/record.ts';
import { findPass } from '../../../src/store/search.ts';
import { openStore } from '../../../src/store/store.ts';
import { defaultContract } from '../../default-contract.ts';
import { aStep, sepolia } from '../chain/ethereum/node.ts';

/** The consumer with the real objects, database and node. Tests make the messages that the queue might deliver. */

export const bindings = env as Env;

export const objectOf = (key: PassKey) => bindings.PASSES.getByName(passName(key));
export const signer = () => bindings.SIGNERS.getByName(signerNameOf(sepolia()));

/** Requests a pass whose message is lost. */
export async function aRequestedPass(gatekeeperNetwork?: string): Promise<PassKey> {
  const { key } = aStep(gatekeeperNetwork === undefined ? {} : { gatekeeperNetwork });
  await objectOf(key).issue({ key, contract: defaultContract(key), client: 'acme', waits: false });
  return key;
}

/** Returns the consumer's backend with other bindings. */
export function backendWith(changes: Readonly<Record<string, unknown>>) {
  const changed = { ...bindings, ...changes };
  return openBackend(changed, openStore(changed));
}

export const processPass = (pass: PassKey) => ({ kind: 'process-pass', pass });

/** Delivers a batch to the consumer. */
export const deliver = (...bodies: unknown[]) => deliverWith({}, ...bodies);

/** The same, to a consumer with other bindings. */
export async function deliverWith(changes: Readonly<Record<string, unknown>>, ...bodies: unknown[]) {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch('gatepass-passes', messages);
  const context = createExecutionContext();
  const backend = backendWith(changes);
  await processPasses(await claimPasses(batch.messages, backend), backend);
  return getQueueResult(batch, context);
}

/** Returns the record in the read model. */
export async function recordOf(key: PassKey): Promise<PassRecord | undefined> {
  const found = await findPass(bindings.DB, key);
  return found && JSON.parse(found.record);
}
