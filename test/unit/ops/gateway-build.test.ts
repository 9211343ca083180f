import { expect, it } from 'vitest';
import {
  DETERMINISTIC_DEPLOYER,
  demandHash,
  gatewayDeploymentOf,
  readGatewayBuild,
} from '../../../ops/network/gateway-build.ts';
import { NETWORKS, OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';

const build = readGatewayBuild();
const ADMIN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const FACTORY = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';

it('the default contract of every Ethereum-type network is the ownerless deployment of the public build', () => {
  expect(gatewayDeploymentOf(build).contract.address).toBe(OWNERLESS_CONTRACT);
  const contracts = NETWORKS.flatMap((row) => (row.chain === 'ethereum' ? row.gateway : []));
  expect(contracts.length).toBe(26);
  expect(new Set(contracts)).toEqual(new Set([OWNERLESS_CONTRACT]));
});

it('an admin changes the address of the contract alone, and a factory both addresses', () => {
  const ownerless = gatewayDeploymentOf(build);
  const owned = gatewayDeploymentOf(build, { admin: ADMIN });
  expect(owned.implementation).toEqual(ownerless.implementation);
  expect(owned.contract.address).not.toBe(ownerless.contract.address);
  const elsewhere = gatewayDeploymentOf(build, { factory: FACTORY });
  expect(elsewhere.implementation.address).not.toBe(ownerless.implementation.address);
  expect(elsewhere.contract.address).not.toBe(ownerless.contract.address);
  expect(gatewayDeploymentOf(build, { factory: DETERMINISTIC_DEPLOYER })).toEqual(ownerless);
});

it('a package with other code is refused', () => {
  const code = build.proxy.bytecode;
  expect(() => demandHash(`${code}00`, '0x12', 'the proxy')).toThrow(/^the proxy is installed with other code/);
});
