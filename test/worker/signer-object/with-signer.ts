import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { openChain } from '../../../src/chain/open-chain.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import type { EnabledNetwork } from '../../../src/config/signers.ts';
import type { SignerName } from '../../../src/network/signer-name.ts';
import { signerMemory } from '../../../src/signer-object/open-signer.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { sepolia } from '../chain/ethereum/node.ts';

interface Changes {
  /** The network it signs for. */
  readonly on?: EnabledNetwork;
  /** What its chain does otherwise. */
  readonly chain?: Partial<ChainPort>;
  readonly unmined?: number;
  readonly isCompromised?: boolean;
  /** Answers for D1 which clients are suspended. */
  readonly suspended?: () => Promise<readonly string[]>;
  readonly ceilings?: { readonly dailyCeiling: number; readonly dailyLaneCeiling: number };
}

/** Runs its part in the storage of an object of its own, with the real chain or one that is changed a little. */
export function withSigner<T>(
  name: string,
  part: (signer: Signer, storage: DurableObjectStorage) => Promise<T>,
  {
    on = sepolia(),
    chain,
    unmined = on.network.unmined,
    isCompromised,
    suspended = async () => [],
    ceilings,
  }: Changes = {},
): Promise<T> {
  const network = { ...on.network, unmined, ...ceilings };
  return runInDurableObject(env.SIGNERS.getByName(name), (_, { storage }) =>
    part(
      {
        name: name as SignerName,
        storage,
        network,
        chain: { ...openChain(on, configOf(env)), ...chain },
        isCompromised,
        ...signerMemory(storage, name as SignerName, network, suspended),
      },
      storage,
    ),
  );
}
