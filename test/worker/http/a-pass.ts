import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { inject } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { aWallet } from './wallets.ts';

/** Makes passes without transactions. */

const { DB, PASSES } = env as unknown as Env;
const { gatekeeper } = inject('localnet');
export const NETWORK = { ethereum: 'sepolia', solana: 'devnet' } as const;
export const STATES = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'] as const;

export type State = (typeof STATES)[number];

/** Where a pass can be read: only in its pass object, or also in the read model. */
export type Place = 'object' | 'D1';

interface PassOverrides {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly chain?: Chain;
  readonly network?: string;
  readonly state?: State;
  /** Unix seconds. */
  readonly expiry?: number;
  /** Whether another gatekeeper issued the token. */
  readonly foreign?: boolean;
  /** Why a REJECTED pass was rejected. */
  readonly reason?: string;
  /** Default: the configured signer. */
  readonly signer?: string;
  readonly place?: Place;
}

/** Overrides for a pass whose later changes are never sent, because no configuration has its signer. */
export const UNSENT = { signer: 'nobody', place: 'object' } as const;

/** Makes a pass for a new wallet without a transaction: its pass object receives the outcome of the issuance. */
export async function aPass(overrides: PassOverrides): Promise<PassKey> {
  const { chain = 'ethereum', place = 'D1' } = overrides;
  const key = { ...aPassKey(overrides), network: overrides.network ?? NETWORK[chain] };
  const pass = PASSES.getByName(passName(key));
  await issueWithSigner(key, overrides.signer ?? `${chain}/${key.network}/${gatekeeper[chain]}`);
  const taken = await pass.pinStep();
  await pass.recordAnswers([{ step: taken?.step?.id as string, revision: 1, status: statusOf(overrides) }]);
  const publication = await pass.readPublication();
  if (publication !== undefined && place === 'D1') await publishPasses(DB, [publication]);
  return key;
}

function statusOf({ state = 'ACTIVE', expiry, foreign, reason = 'the chain said no' }: PassOverrides): StepStatus {
  if (state === 'REQUESTED') return { type: 'waiting' };
  if (state === 'REJECTED') return { type: 'failed', reason };
  return { type: 'found', onChain: { state, ...(expiry !== undefined && { expiry }), ...(foreign && { foreign }) } };
}

/** Returns the key of a pass that does not exist. */
export function aPassKey({ gatekeeperNetwork, chain = 'ethereum' }: PassOverrides): PassKey {
  const wallet = chain === 'ethereum' ? aWallet() : base58.encode(crypto.getRandomValues(new Uint8Array(32)));
  return { gatekeeperNetwork, chain, network: NETWORK[chain], wallet: wallet as Wallet };
}
