import { type EncodeErrorResultParameters, encodeErrorResult, parseAbi } from 'viem/utils';
import { expect, it } from 'vitest';
import { resultOfError as ethereumResultOf } from '../../../src/chain/ethereum/gateway.ts';
import { passCostOf, passesFor } from '../../../src/chain/pass-cost.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import { resultOfError as solanaResultOf } from '../../../src/chain/solana/gateway.ts';

const SLIM = parseAbi([
  'error SlimGateway__TokenExists(uint256 tokenId)',
  'error SlimGateway__ExpirationTooLarge(uint256 timestamp)',
  'error SlimGateway__NotSupported(bytes4 selector)',
]);

/** Codes decide: the same texts under other codes change nothing. */

/** Returns the answer of a contract that reverts with this text, as `Error(string)` encodes it. */
function revertedWith(text: string) {
  const hex = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const word = (value: number) => value.toString(16).padStart(64, '0');
  return {
    error: { code: 3, message: text, data: `0x08c379a0${word(32)}${word(hex.length / 2)}${hex.padEnd(64, '0')}` },
  };
}

it('a contract error that mentions funds says nothing about the funds of the gatekeeper', () => {
  const disabled = ethereumResultOf(revertedWith('Refunds are disabled'));
  expect(disabled).toMatchObject({ code: 'unknown-contract-error', detail: '0x08c379a0 Refunds are disabled' });
  expect(passesFor(100n, passCostOf([disabled], 'ethereum'))).toBeNull();
  expect(passesFor(100n, passCostOf([notNow('unknown-step-error', 'no funds')], 'solana'))).toBeNull();
});

it.each([
  // The next preparation finds the token of others, and refuses nothing.
  ['SlimGateway__TokenExists', [2n ** 255n], notNow('token-changed')],
  // The service sends no such call, so the contract or the node is wrong, and not the request.
  ['SlimGateway__ExpirationTooLarge', [2n ** 64n], { type: 'not-now', code: 'unknown-contract-error' }],
  ['SlimGateway__NotSupported', ['0x6352211e'], { type: 'not-now', code: 'unknown-contract-error' }],
] as const)('the error %s of SlimGateway with %s is no other refusal', (errorName, args, result) => {
  const data = encodeErrorResult({ abi: SLIM, errorName, args } as EncodeErrorResultParameters<typeof SLIM>);
  expect(ethereumResultOf({ error: { code: 3, message: 'execution reverted', data } })).toMatchObject(result);
});

it('a gatekeeper that cannot pay for one issuance has no passes left', () => {
  expect(passesFor(100n, passCostOf([notNow('no-funds')], 'ethereum'))).toBe(0);
  expect(passesFor(100n, passCostOf([solanaResultOf('InsufficientFundsForFee', [])], 'solana'))).toBe(0);
});
