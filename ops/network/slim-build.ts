import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { OWNERLESS_CONTRACT } from '../../src/network/networks.ts';
import { type BuildName, type Creation, creationOf, DETERMINISTIC_DEPLOYER } from './gateway-build.ts';

/** SlimGateway, our own contract, as `packages/contracts/artifacts/` has it. It has no settings, so each chain has the same address. */

const ARTIFACT = join(import.meta.dirname, '../../packages/contracts/artifacts/SlimGateway.json');

export const SLIM_ORIGIN = 'SlimGateway of @gatepass/contracts (MIT): tested, not audited';

export interface SlimBuild {
  /** Creation code. */
  readonly bytecode: Hex;
  /** The code on chain. */
  readonly deployedBytecode: Hex;
}

export const readSlimBuild = (): SlimBuild => JSON.parse(readFileSync(ARTIFACT, 'utf8'));

/**
 * Returns the address of the contract, and the call that creates it.
 * @param factory Takes a salt and init code, as the deterministic deployer does.
 */
export const slimCreationOf = ({ bytecode }: SlimBuild, factory: Address = DETERMINISTIC_DEPLOYER): Creation =>
  creationOf(bytecode, factory);

/** Returns the address that the contract has on each network. */
export const slimContract = (): Address => slimCreationOf(readSlimBuild()).address;

/** Returns the address on each network of the build that nobody commands. */
export const contractOfBuild = (build: BuildName): Address => (build === 'slim' ? slimContract() : OWNERLESS_CONTRACT);
