import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { ethereum } from '../../src/chain/ethereum/adapter.ts';
import type { ChainPort } from '../../src/chain/port.ts';
import { slotOf } from '../../src/network/slot.ts';
import type { Signer } from '../../src/signer-object/signer.ts';
import { sepolia } from '../chain/ethereum/node.ts';

/** Runs its part in the storage of an object of its own, with the real chain or one that is changed a little. */
export function withSigner<T>(
  name: string,
  part: (signer: Signer, storage: DurableObjectStorage) => Promise<T>,
  { chain, ...network }: { chain?: Partial<ChainPort>; unmined?: number } = {},
): Promise<T> {
  const enabled = { ...sepolia(), network: { ...sepolia().network, ...network } };
  return runInDurableObject(env.SIGNERS.getByName(name), (_, { storage }) =>
    part(
      { name, storage, network: enabled.network, chain: { ...ethereum(enabled, slotOf), ...chain }, turn: {} },
      storage,
    ),
  );
}
