import { type Hex, zeroAddress } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils';

/** The part of GatewayToken's interface that only the operator's commands use (identity.com, gateway-eth 0.8.0). */
const ABI = parseAbi([
  'function getIssuingGatekeeper(uint256 tokenId) view returns (address)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
  // From ERC-721 Enumerable. SlimGateway lacks it.
  'function totalSupply() view returns (uint256)',
  'function tokenByIndex(uint256 index) view returns (uint256)',
]);

export const issuerData = (tokenId: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'getIssuingGatekeeper', args: [tokenId] });
export const readIssuer = (data: Hex): string =>
  decodeFunctionResult({ abi: ABI, functionName: 'getIssuingGatekeeper', data });

/** A call that every build answers with a word, whatever it has. */
export const existenceData: Hex = encodeFunctionData({
  abi: ABI,
  functionName: 'isGatekeeper',
  args: [zeroAddress, 0n],
});

export const supplyData: Hex = encodeFunctionData({ abi: ABI, functionName: 'totalSupply' });
export const readSupply = (data: Hex): number =>
  Number(decodeFunctionResult({ abi: ABI, functionName: 'totalSupply', data }));

export const indexData = (index: number): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'tokenByIndex', args: [BigInt(index)] });
export const readIndexed = (data: Hex): bigint =>
  decodeFunctionResult({ abi: ABI, functionName: 'tokenByIndex', data });

/** The event of ERC-3525 by which a token enters or leaves a slot. Slot 0 means none. */
export const SLOT_CHANGED = toEventSelector('SlotChanged(uint256,uint256,uint256)');
