import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, encodeAbiParameters, keccak256, zeroAddress } from 'viem';
import { creationOf, DETERMINISTIC_DEPLOYER } from '../../../../ops/network/gateway-build.ts';
import { CONTRACTS, type CompiledContract } from '../../../../tools/contracts/compile.ts';

/** `SlimGateway` as the package publishes it. `test/unit/tools/contracts.test.ts` compares it with its source. */

export const SLIM: CompiledContract = JSON.parse(readFileSync(join(CONTRACTS, 'artifacts/SlimGateway.json'), 'utf8'));

/** The call that creates the contract, and the address that it has on every chain. */
export const SLIM_CREATION = creationOf(SLIM.bytecode, DETERMINISTIC_DEPLOYER);

/** Maximum number of bytes of its code. The limit of the EVM is 24,576. */
export const CODE_BYTES_MAX = 6 * 1024;

export const NO_CHARGE = {
  value: 0n,
  chargeType: 0,
  token: zeroAddress,
  tokenSender: zeroAddress,
  recipient: zeroAddress,
} as const;

/** Returns the first 12 bytes of the token ids of a network. */
export const prefixOf = (slot: bigint): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }], [slot]))) >> 160n;

/** Returns the id that the token of a wallet has. */
export const tokenIdOf = (owner: Address, slot: bigint): bigint => (prefixOf(slot) << 160n) | BigInt(owner);
