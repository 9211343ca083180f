import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { concat, encodeAbiParameters } from 'viem/utils';
import { type Creation, creationOf, DETERMINISTIC_DEPLOYER } from './gateway-build.ts';

/** Our contracts that others' contracts ask, as `packages/contracts/artifacts/` has them. */

const ARTIFACTS = join(import.meta.dirname, '../../packages/contracts/artifacts');

export interface AdapterBuild {
  /** Creation code. */
  readonly bytecode: Hex;
  /** The code on chain, which is the same for all settings. */
  readonly deployedBytecode: Hex;
}

export const readAdapterBuild = (contract: string): AdapterBuild =>
  JSON.parse(readFileSync(join(ARTIFACTS, `${contract}.json`), 'utf8'));

/** The parameters of a constructor: the type and the value of each. */
export type ConstructorValues = readonly (readonly [type: 'address' | 'uint256' | 'string', value: unknown])[];

/**
 * Returns the address of a contract, and the call that creates it. The values of its constructor change the address.
 * @param factory Takes a salt and init code, as the deterministic deployer does.
 */
export function adapterCreationOf(
  { bytecode }: AdapterBuild,
  values: ConstructorValues,
  factory: Address = DETERMINISTIC_DEPLOYER,
): Creation {
  const encoded = encodeAbiParameters(
    values.map(([type]) => ({ type })),
    values.map(([, value]) => value),
  );
  return creationOf(concat([bytecode, encoded]), factory);
}
