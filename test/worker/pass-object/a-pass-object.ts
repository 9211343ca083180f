import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { PassRecord } from '../../../src/pass/record.ts';
import type { Answer } from '../../../src/pass/step.ts';
import type { PassObject } from '../../../src/pass-object/pass-object.ts';
import { freshWallet } from '../chain/ethereum/node.ts';
import { issueWithSigner } from '../issue-with-signer.ts';

export type Stub = DurableObjectStub<PassObject>;

const { PASSES, AUDITS } = env as Env;

/** Returns the object of a pass that nobody has requested. */
export function aPassObject() {
  const key: PassKey = {
    gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf' as GatekeeperNetwork,
    chain: 'ethereum',
    network: 'sepolia',
    wallet: freshWallet(),
  };
  const object: Stub = PASSES.getByName(passName(key));
  const alarm = () => runInDurableObject(object, (_, { storage }) => storage.getAlarm());
  return { key, object, alarm, request: () => issueWithSigner(key) };
}

/** Returns the object of a pass that block 100 showed on chain. */
export async function anActivePassObject() {
  const made = aPassObject();
  await made.request();
  await recorded(made.object, SENT, CONFIRMED);
  return made;
}

export const recordIn = ({ record }: { record: string }): PassRecord => JSON.parse(record);

/** Pins a step, records these statuses, and appends the entries of a settled pass, like the consumer. */
export async function recorded(object: Stub, ...statuses: Answer['status'][]) {
  const taken = await object.pinStep();
  const answers = statuses.map((status, index) => ({ step: taken?.step?.id ?? '', revision: index + 1, status }));
  let last: Awaited<ReturnType<typeof object.recordAnswers>>;
  for (const answer of answers) last = await object.recordAnswers([answer]);
  if (last?.entriesToAppend) {
    const { entries, last: entriesInTrail } = last.entriesToAppend;
    await AUDITS.getByName(last.publication.key.gatekeeperNetwork).append(entries);
    await object.markPublished({ entriesInTrail });
  }
  return last;
}

export const SENT = { type: 'sent', transaction: '0xaa' } as const;
export const CONFIRMED = { type: 'confirmed', transaction: '0xaa', onChain: { state: 'ACTIVE', asOf: 100 } } as const;
