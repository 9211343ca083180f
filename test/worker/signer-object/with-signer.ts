import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { openChain } from '../../../src/chain/open-chain.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import type { EnabledNetwork } from '../../../src/config/signers.ts';
import type { SignerName } from '../../../src/network/network.ts';
import { describeReason, type Reason } from '../../../src/pass/wait-reasons.ts';
import { closedSigner, type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import { callSepolia, sepolia } from '../chain/ethereum/node.ts';
import { holdAlarms } from '../without-alarms.ts';

/** The parts of a signer of sepolia that only stores, in the storage of its object. */
export const closed = (storage: DurableObjectStorage) => closedSigner('ethereum/sepolia/any' as SignerName, storage);

/** Returns the reason as a sentence; undefined: there is none. */
export const sentenceOf = (reason: Reason | undefined) => reason && describeReason(reason);

interface Changes {
  /** The network of the signer. */
  readonly on?: EnabledNetwork;
  /** Overrides of its chain. */
  readonly chain?: Partial<ChainPort>;
  readonly unmined?: number;
  readonly isCompromised?: boolean;
  /** Returns the suspended clients in place of D1. */
  readonly suspended?: () => Promise<readonly string[]>;
  /** The clients that the configuration suspends. */
  readonly suspendedClients?: readonly string[];
  readonly ceilings?: { readonly dailyCeiling: number; readonly dailyLaneCeiling: number };
}

/** Returns the object of that name in this file. Files share a runtime, and two of them may choose the same name. */
export const objectOf = (name: string) => env.SIGNERS.getByName(`${expect.getState().testPath} ${name}`);

/**
 * Runs the function with a signer in the storage of the object of that name, with the real chain or overrides of it. It has the key for
 * itself: objects of earlier files send nothing meanwhile, and nothing that they sent is pending.
 */
export async function withSigner<T>(
  name: string,
  part: (signer: Signer, storage: DurableObjectStorage) => Promise<T>,
  {
    on = sepolia(),
    chain,
    unmined = on.network.unmined,
    isCompromised,
    suspended = async () => [],
    suspendedClients = [],
    ceilings,
  }: Changes = {},
): Promise<T> {
  const network = { ...on.network, unmined, ...ceilings };
  const releaseAlarms = holdAlarms();
  if (on.chain === 'ethereum') await callSepolia('anvil_dropAllTransactions');
  try {
    return await runInDurableObject(objectOf(name), (_, { storage }) =>
      part(
        {
          name: name as SignerName,
          storage,
          network,
          // Tests make the blocks, so the time between them says nothing.
          chain: { ...openChain(on, configOf(env)), readBlockMs: async () => on.network.blockMs, ...chain },
          isCompromised,
          ...signerMemory(storage, name as SignerName, network, suspended, () => suspendedClients),
        },
        storage,
      ),
    );
  } finally {
    releaseAlarms();
  }
}
