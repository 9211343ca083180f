import { type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import type { StoryChain } from './story-chain.ts';

/** Empties the store of the signer and starts another chain. */
export function anew({ storage, ...signer }: Signer, chain: StoryChain): Signer {
  storage.transactionSync(() => {
    storage.sql.exec('DELETE FROM step');
    storage.sql.exec('DELETE FROM wait');
    storage.sql.exec('DELETE FROM gap_filler');
    storage.kv.delete('nextNonce');
  });
  return { ...signer, storage, chain, ...signerMemory(storage, signer.name, signer.network, async () => []) };
}
