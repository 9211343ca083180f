import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFunctionData, keccak256, numberToHex, parseAbi, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../../ops/network/gateway-build.ts';
import { CONTRACTS } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY, sendData } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { tableRows } from '../../../unit/documents/markdown.ts';
import { OTHER, OURS, useContractChain, walletOf } from './contract-chain.ts';
import { DIFFERENCES } from './slim-beside-old.ts';
import { checkStories, storiesOf, useSlimChain } from './slim-chain.ts';
import { NO_CHARGE, prefixOf, SLIM, SLIM_CREATION, tokenIdOf } from './slim-gateway.ts';

/** The contract whose pass takes one storage slot. `slim-gateway.full.test.ts` tells many more stories. */

const STORIES = 50;

const stories = useSlimChain();

it(`answers, emits and reverts as the contract 0.8.0 in ${STORIES} stories, except in the listed differences`, async () => {
  const seen = await checkStories(stories.ask, storiesOf(STORIES));
  expect(seen.size).toBeGreaterThan(5);
});

it('differs only in points that the README of the package lists', () => {
  const rows = tableRows(readFileSync(join(CONTRACTS, 'README.md'), 'utf8')).map(([point]) => point);
  for (const row of Object.values(DIFFERENCES)) expect(rows).toContain(row);
});

const on = useContractChain(async (chain) => {
  await sendData(chain.node, DETERMINISTIC_DEPLOYER, SLIM_CREATION.data);
  await chain.send(slim, 'createNetwork', OURS, 'Ours', false, zeroAddress);
  await chain.send(slim, 'addGatekeeper', AUTHORITY, OURS);
});
const slim = { ...SLIM, address: SLIM_CREATION.address };
const refusal = (name: string, ...args: readonly unknown[]) => ({ revert: { name, args } });
const idsOf = (wallet: `0x${string}`, network = OURS) =>
  on.chain.read<bigint[]>(slim, 'getTokenIdsByOwnerAndNetwork', wallet, network, false);

describe('mintMany', () => {
  const wallets = Array.from({ length: 300 }, (_, index) => walletOf(1_000 + index));

  it('issues to 300 wallets in one call', async () => {
    await on.chain.send(slim, 'mintMany', wallets, OURS, 0n);
    for (const wallet of [wallets[0], wallets[150], wallets[299]] as [`0x${string}`, `0x${string}`, `0x${string}`])
      expect(await idsOf(wallet)).toEqual([tokenIdOf(wallet, OURS)]);
  });

  it('skips wallets that have a token and repetitions, and emits one event for each new token', async () => {
    const fresh = walletOf(2_000);
    const { logs } = await on.chain.send(slim, 'mintMany', [wallets[0], fresh, fresh], OURS, 0n);
    expect(logs.map(({ topics }) => topics[3] ?? topics[1])).toContain(
      numberToHex(tokenIdOf(fresh, OURS), { size: 32 }),
    );
    // Transfer and SlotChanged.
    expect(logs).toHaveLength(2);
  });

  it('changes nothing if its gas ends in the middle', async () => {
    const many = Array.from({ length: 50 }, (_, index) => walletOf(3_000 + index));
    const data = encodeFunctionData({ abi: SLIM.abi, functionName: 'mintMany', args: [many, OURS, 0n] });
    const { node } = on.chain;
    const hash = await node.sendTransaction({ account: AUTHORITY, chain: null, to: slim.address, data, gas: 700_000n });
    expect((await node.waitForTransactionReceipt({ hash })).status).toBe('reverted');
    expect(await idsOf(many[0] as `0x${string}`)).toEqual([]);
  });

  it('refuses the zero address', async () => {
    await expect(on.chain.send(slim, 'mintMany', [walletOf(1), zeroAddress], OURS, 0n)).rejects.toMatchObject(
      refusal('Error', 'ERC3525: balance query for the zero address'),
    );
  });
});

describe('the prefix of token ids', () => {
  it('differs between slots that differ in the last byte, so a token counts in its network only', async () => {
    const [first, second] = [OURS + 100n, OURS + 101n];
    for (const slot of [first, second]) await on.chain.send(slim, 'createNetwork', slot, 'N', false, zeroAddress);
    await on.chain.send(slim, 'addGatekeeper', AUTHORITY, first);
    await on.chain.send(slim, 'mint', walletOf(5), first, 0n, 0n, NO_CHARGE);
    expect(await idsOf(walletOf(5), first)).toHaveLength(1);
    expect(await idsOf(walletOf(5), second)).toEqual([]);
    await expect(on.chain.send(slim, 'mint', walletOf(5), second, 0n, 0n, NO_CHARGE)).rejects.toMatchObject({
      revert: { name: 'Common__Unauthorized' },
    });
  });

  it('that another network has is refused', async () => {
    // Nobody can find such slots, so the test writes the slot of another network into the storage of this one.
    const slot = OURS + 200n;
    await on.chain.send(slim, 'createNetwork', slot, 'N', false, zeroAddress);
    const index = keccak256(`${numberToHex(prefixOf(slot), { size: 32 })}${'1'.padStart(64, '0')}`);
    await on.chain.node.setStorageAt({ address: slim.address, index, value: numberToHex(OTHER, { size: 32 }) });
    await expect(on.chain.send(slim, 'createNetwork', slot, 'N', false, zeroAddress)).rejects.toMatchObject(
      refusal('SlimGateway__PrefixTaken', slot, OTHER),
    );
  });
});

describe('a void token', () => {
  it('blocks another one until any gatekeeper burns it, and revives with its gatekeeper', async () => {
    const slot = OURS + 300n;
    const [first, second] = [walletOf(61), walletOf(62)];
    const wallet = walletOf(63);
    await on.chain.send(slim, 'createNetwork', slot, 'N', false, zeroAddress);
    for (const each of [first, second]) await on.chain.send(slim, 'addGatekeeper', each, slot);
    await on.chain.send(slim, 'setNetworkFeatures', slot, 1n);
    await on.chain.sendAs(first, slim, 'mint', wallet, slot, 0n, 0n, NO_CHARGE);
    const isValid = async () =>
      (await on.chain.read<bigint[]>(slim, 'getTokenIdsByOwnerAndNetwork', wallet, slot, true)).length === 1;
    await on.chain.send(slim, 'removeGatekeeper', first, slot);
    expect(await isValid()).toBe(false);
    await on.chain.send(slim, 'addGatekeeper', first, slot);
    expect(await isValid()).toBe(true);
    await on.chain.send(slim, 'removeGatekeeper', first, slot);
    const id = tokenIdOf(wallet, slot);
    await expect(on.chain.sendAs(second, slim, 'mint', wallet, slot, 0n, 0n, NO_CHARGE)).rejects.toMatchObject(
      refusal('SlimGateway__TokenExists', id),
    );
    await on.chain.sendAs(second, slim, 'burn', id);
    await on.chain.sendAs(second, slim, 'mint', wallet, slot, 0n, 0n, NO_CHARGE);
    expect(await isValid()).toBe(true);
  });
});

describe('a burned token', () => {
  it('leaves nothing: its reads revert, its issuer is zero, and the next one has the same id', async () => {
    const wallet = walletOf(7);
    const id = tokenIdOf(wallet, OURS);
    await on.chain.send(slim, 'mint', wallet, OURS, 0n, 0n, NO_CHARGE);
    await on.chain.send(slim, 'revoke', id);
    await on.chain.send(slim, 'burn', id);
    expect(await on.chain.simulateAs(AUTHORITY, slim, 'ownerOf', id)).toEqual({
      name: 'Error',
      args: ['ERC3525: invalid token ID'],
    });
    expect(await on.chain.read(slim, 'getIssuingGatekeeper', id)).toBe(zeroAddress);
    await on.chain.send(slim, 'mint', wallet, OURS, 0n, 0n, NO_CHARGE);
    expect(await idsOf(wallet)).toEqual([id]);
  });
});

it('takes no coins, and has no function of tokens that change hands', async () => {
  const { node } = on.chain;
  await expect(node.call({ account: AUTHORITY, to: slim.address, value: 1n })).rejects.toThrow();
  const lacking = parseAbi(['function balanceOf(address owner) view returns (uint256)']);
  const asked = {
    ...slim,
    abi: [...SLIM.abi.filter((each) => !('name' in each) || each.name !== 'balanceOf'), ...lacking],
  };
  expect(await on.chain.simulateAs(AUTHORITY, asked, 'balanceOf', AUTHORITY)).toEqual({
    name: 'SlimGateway__NotSupported',
    args: ['0x70a08231'],
  });
  expect(await on.chain.read(slim, 'supportsInterface', '0x01ffc9a7')).toBe(true);
  for (const id of ['0x80ac58cd', '0xd5358140', '0xffffffff'])
    expect(await on.chain.read(slim, 'supportsInterface', id)).toBe(false);
});
