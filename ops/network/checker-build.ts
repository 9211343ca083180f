import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, type Hex, zeroAddress } from 'viem';
import { concat, encodeAbiParameters } from 'viem/utils';
import { type Creation, creationOf, DETERMINISTIC_DEPLOYER } from './gateway-build.ts';

/** The allowlist checker for permissioned pools of Uniswap, as `packages/contracts/artifacts/` has it. */

const ARTIFACT = join(import.meta.dirname, '../../packages/contracts/artifacts/UniswapAllowlistChecker.json');

export interface CheckerBuild {
  /** Creation code. */
  readonly bytecode: Hex;
  /** The code on chain, which is the same for all settings. */
  readonly deployedBytecode: Hex;
}

export const readCheckerBuild = (): CheckerBuild => JSON.parse(readFileSync(ARTIFACT, 'utf8'));

export interface CheckerSettings {
  readonly gateway: Address;
  /** The slot of the gatekeeper network. */
  readonly slot: bigint;
  /** Undefined: nobody. */
  readonly owner: Address | undefined;
}

/**
 * Returns the address of a checker, and the call that creates it. The settings change the address.
 * @param factory Takes a salt and init code, as the deterministic deployer does.
 */
export function checkerCreationOf(
  { bytecode }: CheckerBuild,
  { gateway, slot, owner = zeroAddress }: CheckerSettings,
  factory: Address = DETERMINISTIC_DEPLOYER,
): Creation {
  const settings = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'address' }],
    [gateway, slot, owner],
  );
  return creationOf(concat([bytecode, settings]), factory);
}
