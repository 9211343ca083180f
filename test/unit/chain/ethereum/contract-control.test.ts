import { createRequire } from 'node:module';
import type { Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { buildOf, CONTRACT_BUILDS, codeStanding } from '../../../../src/chain/ethereum/contract-control.ts';
import { hashCode } from '../../../../src/chain/ethereum/read-control.ts';

const load = (path: string) => createRequire(import.meta.url)(path) as { readonly deployedBytecode: Hex };
const PROXY = load('@openzeppelin/contracts/build/contracts/ERC1967Proxy.json').deployedBytecode;
const TOKEN = load(
  '@identity.com/gateway-eth-ts/dist/contracts/abi/GatewayToken.sol/GatewayToken.json',
).deployedBytecode;
const SLIM = load('../../../../packages/contracts/artifacts/SlimGateway.json').deployedBytecode;
const A = '0x1111111111111111111111111111111111111111';
const B = '0x2222222222222222222222222222222222222222';

/** The place of the implementation's own address, which is zero in the package. */
const OWN_ADDRESS = /7f0{24}0{40}/g;
const deployedAt = (address: Hex) => TOKEN.replaceAll(OWN_ADDRESS, `7f${'0'.repeat(24)}${address.slice(2)}`) as Hex;

describe('hashCode', () => {
  it('hashes the packages to the constant of the public build', () => {
    expect(hashCode(PROXY, { address: A, code: TOKEN })).toBe(CONTRACT_BUILDS.gatewayToken.codeHash);
  });

  it('ignores where the implementation is deployed', () => {
    expect(deployedAt(B)).not.toBe(TOKEN);
    expect(hashCode(PROXY, { address: B, code: deployedAt(B) })).toBe(CONTRACT_BUILDS.gatewayToken.codeHash);
  });

  it('differs if the code contains the address of another contract in that place', () => {
    expect(hashCode(PROXY, { address: A, code: deployedAt(B) })).not.toBe(CONTRACT_BUILDS.gatewayToken.codeHash);
  });

  it.each([
    ['the proxy', hashCode(`${PROXY}00`, { address: A, code: TOKEN })],
    ['the implementation', hashCode(PROXY, { address: A, code: `${TOKEN}00` })],
    ['a contract without an implementation', hashCode(TOKEN, null)],
  ])('differs for other code of %s', (_, hash) => {
    expect(hash).not.toBe(CONTRACT_BUILDS.gatewayToken.codeHash);
  });
});

describe('buildOf', () => {
  it('knows each build by the code that its package contains, and whether that derives the ids of tokens', () => {
    const hashes = { gatewayToken: hashCode(PROXY, { address: A, code: TOKEN }), slimGateway: hashCode(SLIM, null) };
    expect(Object.keys(hashes)).toEqual(Object.keys(CONTRACT_BUILDS));
    expect(Object.values(hashes).map((hash) => buildOf(hash)?.derivesTokenIds)).toEqual([false, true]);
    expect(Object.values(hashes).map(buildOf)).toEqual(Object.values(CONTRACT_BUILDS));
  });

  it.each([null, undefined, hashCode(`${SLIM}00`, null), hashCode(SLIM, { address: A, code: TOKEN })])(
    'knows no build with the code %s',
    (hash) => {
      expect(buildOf(hash)).toBeUndefined();
    },
  );
});

describe('codeStanding', () => {
  const OTHER: Hex = `0x${'ab'.repeat(32)}`;
  it.each([
    [CONTRACT_BUILDS.gatewayToken.codeHash, undefined, 'public-build'],
    [CONTRACT_BUILDS.gatewayToken.codeHash, OTHER, 'public-build'],
    [hashCode(SLIM, null), undefined, 'public-build'],
    [OTHER, OTHER, 'accepted'],
    [OTHER, undefined, 'unknown'],
    [OTHER, CONTRACT_BUILDS.gatewayToken.codeHash, 'unknown'],
    [null, OTHER, 'none'],
  ] as const)('of %s with the accepted hash %s is %s', (hash, codeHash, standing) => {
    expect(codeStanding({ codeHash }, hash)).toBe(standing);
  });
});
