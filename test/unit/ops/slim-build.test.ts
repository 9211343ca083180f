import { keccak256 } from 'viem';
import { expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../ops/network/gateway-build.ts';
import { contractOfBuild, readSlimBuild, slimContract, slimCreationOf } from '../../../ops/network/slim-build.ts';
import { CONTRACT_BUILDS } from '../../../src/chain/ethereum/contract-control.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { textOf } from '../documents/markdown.ts';

const FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const build = readSlimBuild();

it('the Worker knows the hash of the compiled code', () => {
  expect(CONTRACT_BUILDS.slimGateway.codeHash).toBe(keccak256(build.deployedBytecode));
});

it('the documents name the address that follows from the compiled code', () => {
  for (const file of ['docs/operators/gatekeeper-networks.md', 'docs/partners/whom-you-trust.md'])
    expect(textOf(file)).toContain(slimContract());
});

it('only another factory changes the address', () => {
  expect(slimCreationOf(build, DETERMINISTIC_DEPLOYER).address).toBe(slimContract());
  expect(slimCreationOf(build, FACTORY).address).not.toBe(slimContract());
});

it('each build has its address', () => {
  expect([contractOfBuild('protocol'), contractOfBuild('slim')]).toEqual([OWNERLESS_CONTRACT, slimContract()]);
});
