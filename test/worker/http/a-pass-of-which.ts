import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { type OnChain, type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { aWallet } from './wallets.ts';

const { PASSES } = env as Env;

const WALLET = { ethereum: aWallet, solana: () => base58.encode(crypto.getRandomValues(new Uint8Array(32))) };

/**
 * A pass of which its signer has said this, of its issuance. Unless told otherwise that signer is one that no
 * configuration has: whatever else is wanted of the pass, nothing is sent. Answers with its wallet.
 */
export async function aPassOfWhich(
  { chain = 'ethereum', network = 'sepolia', gatekeeperNetwork }: Partial<PassKey> & { gatekeeperNetwork: string },
  status: StepStatus,
  signer = 'nobody',
): Promise<string> {
  const key: PassKey = { gatekeeperNetwork, chain, network, wallet: WALLET[chain]() };
  const pass = PASSES.getByName(passName(key));
  await pass.request({ key, signer });
  const taken = await pass.pinStep();
  await pass.recordAnswers([{ step: taken?.step?.id as string, revision: 1, status }]);
  return key.wallet;
}

/** The wallet has such a token already. */
export const holding = (onChain: OnChain): StepStatus => ({ type: 'found', onChain });
