import type { Hex } from 'viem';
import { concat, encodeErrorResult, numberToHex, parseAbi, size, toFunctionSelector } from 'viem/utils';
import { GATEWAY_ABI } from '../../../../src/chain/ethereum/abi.ts';
import { callSepolia, sepolia } from './node.ts';

/** The real contract with another `mint`: a small program at the contract's address runs before it. */

/** Returns the data of a revert with a text, like `require` and the libraries of OpenZeppelin. */
export const errorText = (text: string): Hex =>
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [text] });

/** The revert of the newer build while its charge handler does not allow the contract to charge. */
export const MISSING_ROLE = `AccessControl: account 0xf65b6396df6b7e2d8a6270e3ab6c7bb08baef22e is missing role 0x${'1f'.repeat(32)}`;

/** Runs its part while every `mint` reverts with that data. All other calls reach the real contract. */
export const whileMintReverts = <T>(data: Hex, part: () => Promise<T>): Promise<T> =>
  withCode((implementation) => revertingMint(implementation, data), part);

/** Runs its part while every `mint` takes 26 gas more for each loop. */
export const whileMintLoops = <T>(loops: number, part: () => Promise<T>): Promise<T> =>
  withCode((implementation) => loopingMint(implementation, loops), part);

/** Where an ERC-1967 proxy stores the address of its implementation. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

async function withCode<T>(codeFor: (implementation: Hex) => Hex, part: () => Promise<T>): Promise<T> {
  const { gateway } = sepolia().network;
  const real = await callSepolia<Hex>('eth_getCode', gateway, 'latest');
  const stored = await callSepolia<Hex>('eth_getStorageAt', gateway, IMPLEMENTATION_SLOT, 'latest');
  await callSepolia('anvil_setCode', gateway, codeFor(`0x${stored.slice(-40)}`));
  try {
    return await part();
  } finally {
    await callSepolia('anvil_setCode', gateway, real);
  }
}

/** Returns PUSH2 of a length or a position. */
const push = (value: number) => concat(['0x61', numberToHex(value, { size: 2 })]);
const JUMPI = '0x57';
const JUMPDEST = '0x5b';

/** The first four bytes of the input are the selector of `mint`. */
const isMint = () => concat(['0x60003560e01c63', toFunctionSelector(GATEWAY_ABI[0]), '0x14']);

/** Passes the input to the implementation and returns its answer. `position`: the offset of this code. */
function delegate(implementation: Hex, position: number): Hex {
  const call = concat(['0x36600060003760006000366000', '0x73', implementation, '0x5af43d600060003e']);
  const failed = '0x3d6000fd';
  return concat([call, push(position + size(call) + 4 + size(failed)), JUMPI, failed, JUMPDEST, '0x3d6000f3']);
}

function revertingMint(implementation: Hex, data: Hex): Hex {
  const before = size(isMint()) + 4;
  const others = delegate(implementation, before);
  const dest = before + size(others);
  const revert = (at: number) =>
    concat([JUMPDEST, push(size(data)), push(at), '0x600039', push(size(data)), '0x6000fd']);
  return concat([isMint(), push(dest), JUMPI, others, revert(dest + size(revert(0))), data]);
}

function loopingMint(implementation: Hex, loops: number): Hex {
  const count = concat(['0x62', numberToHex(loops, { size: 3 })]);
  const start = size(isMint()) + 5 + size(count);
  const loop = concat([JUMPDEST, '0x600190', '0x0380', push(start), JUMPI, '0x50']);
  const end = start + size(loop);
  return concat([isMint(), '0x15', push(end), JUMPI, count, loop, JUMPDEST, delegate(implementation, end + 1)]);
}
