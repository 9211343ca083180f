import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { type Address, address, getTransactionDecoder } from '@solana/kit';
import { Keypair, PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterAll, describe, expect, it } from 'vitest';
import { tokenAddresses } from '../../../src/chain/solana/gateway.ts';
import { createVirtualMachine } from '../../../tools/localnet/solana/runtime/litesvm.ts';
import type { Account } from '../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../tools/localnet/solana/runtime/system-program.ts';
import { programReturning, programReturningAccountCount, writeProgram } from '../../sbf-program.ts';
import { textOf } from './markdown.ts';
import { GUIDE, guideBlock } from './pass-guide.ts';
import { keysIn } from './rust-conditions.ts';
import { checkedBy, extraAccountsOf, listOf, placesOf, walletBytesOf } from './rust-hook.ts';

/**
 * The accounts that the guide's transfer hook requests and checks, as the real program of Token-2022 understands them. The program of the
 * hook itself is a stand-in that accepts every transfer.
 */

const RUST = guideBlock('rust', 'hook\\.rs');
const CONSTANTS = keysIn(guideBlock('rust', 'pass\\.rs'));
const EXTRA = extraAccountsOf(RUST);

const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const keyOf = (seed: number) => Keypair.fromSeed(new Uint8Array(32).fill(seed));
const addressOf = (seed: number) => address(keyOf(seed).publicKey.toBase58());
const [sender, receiver, delegate] = [keyOf(1), keyOf(2), keyOf(3)];
const [SENDER, RECEIVER, SOURCE, DESTINATION, MINT, HOOK] = [1, 2, 4, 5, 6, 7].map(addressOf) as [
  ...[Address, Address, Address, Address, Address, Address],
];
const NETWORK = address(CONSTANTS.GATEKEEPER_NETWORK ?? '');
const GATEWAY = address(CONSTANTS.GATEWAY_PROGRAM ?? '');
const LIST = address(
  PublicKey.findProgramAddressSync(
    [Buffer.from('extra-account-metas'), base58.decode(MINT)],
    new PublicKey(HOOK),
  )[0].toBase58(),
);
/** The address of a wallet's first gateway token, as the service derives it. */
const passOf = (wallet: Address, index = 0) => tokenAddresses(GATEWAY, wallet, NETWORK, [index])[0]?.address as Address;

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bytes = (...parts: readonly (Uint8Array | number[] | Address)[]) =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === 'string' ? base58.decode(part) : part)]));
const zeros = (count: number): number[] => new Array(count).fill(0);
/** A mint without decimals and an authority, with the extension of the hook. */
const mint = bytes(zeros(36), [100, ...zeros(7)], [0, 1], zeros(36), zeros(83), [1], [14, 0, 64, 0], zeros(32), HOOK);
/** A token account with 50 tokens, of which a delegate may send 5. */
const tokenAccount = (owner: Address) =>
  bytes(
    ...[MINT, owner, [50, ...zeros(7)], [1, 0, 0, 0], bytes(delegate.publicKey.toBytes()), [1], zeros(12)],
    ...[[5, ...zeros(7)], zeros(36), [2], [15, 0, 1, 0, 0]],
  );

const account = (owner: Address, data: Uint8Array): Account => ({
  lamports: 10n ** 9n,
  data,
  owner,
  executable: false,
});
const ACCOUNTS = new Map<Address, Account>([
  [SENDER, account(SYSTEM_PROGRAM, new Uint8Array())],
  [MINT, account(TOKEN_2022, mint)],
  [SOURCE, account(TOKEN_2022, tokenAccount(SENDER))],
  [DESTINATION, account(TOKEN_2022, tokenAccount(RECEIVER))],
  [LIST, account(HOOK, listOf(EXTRA, CONSTANTS))],
]);

/** Returns a machine whose hook is this program. */
function machineWith(program: Buffer) {
  const file = join(folder, 'hook.so');
  writeProgram(program, file);
  return createVirtualMachine({ address: HOOK, file });
}
const accepting = machineWith(programReturning(0));
/** The hook fails, with the number of its accounts as the error. */
const counting = machineWith(programReturningAccountCount());

/** Sends one token with these further accounts. Returns the error, and whether the hook ran. */
function transfer(extra: readonly Address[], authority = sender, machine = accepting) {
  const key = (each: Address) => new PublicKey(each);
  const readonly = (each: Address) => ({ pubkey: key(each), isSigner: false, isWritable: false });
  const writable = (each: Address) => ({ pubkey: key(each), isSigner: false, isWritable: true });
  const signer = { pubkey: authority.publicKey, isSigner: true, isWritable: false };
  const instruction = new TransactionInstruction({
    programId: key(TOKEN_2022),
    keys: [writable(SOURCE), readonly(MINT), writable(DESTINATION), signer, ...extra.map(readonly)],
    data: Buffer.from([12, 1, ...zeros(7), 0]),
  });
  const parts = { payerKey: sender.publicKey, recentBlockhash: SYSTEM_PROGRAM, instructions: [instruction] };
  const transaction = new VersionedTransaction(new TransactionMessage(parts).compileToV0Message());
  transaction.sign(authority === sender ? [sender] : [sender, authority]);
  const clock = { slot: 1n, unixTimestamp: 1_900_000_000n };
  const bank = { account: (each: Address) => ACCOUNTS.get(each), clock };
  const { error, logs } = machine.run(getTransactionDecoder().decode(transaction.serialize()), bank, true);
  return { error, isHookCalled: logs.includes(`Program ${HOOK} invoke [2]`) };
}

const BASE = [GATEWAY, NETWORK];
const ACCEPTED = { error: undefined, isHookCalled: true };

describe('the transfer hook of the guide', () => {
  it('gets the passes of the two wallets from Token-2022, also if a delegate sends', () => {
    const extra = [...BASE, passOf(SENDER), passOf(RECEIVER), HOOK, LIST];
    expect(transfer(extra)).toEqual(ACCEPTED);
    expect(transfer(extra, delegate)).toEqual(ACCEPTED);
    expect(textOf(GUIDE)).toContain(`| ${extra.length} more accounts in each transfer |`);
  });

  it.each`
    extra                                                               | what
    ${[]}                                                               | ${'no further account'}
    ${[...BASE, HOOK, LIST]}                                            | ${'no pass'}
    ${[...BASE, passOf(SENDER), HOOK, LIST]}                            | ${'no pass of the receiver'}
    ${[...BASE, passOf(RECEIVER), HOOK, LIST]}                          | ${'no pass of the sender'}
    ${[...BASE, passOf(SENDER), passOf(RECEIVER, 1), HOOK, LIST]}       | ${'another pass of the receiver'}
    ${[GATEWAY, GATEWAY, passOf(SENDER), passOf(RECEIVER), HOOK, LIST]} | ${'no gatekeeper network'}
    ${[...BASE, passOf(SENDER), passOf(RECEIVER), LIST]}                | ${'no hook'}
  `('is not called, and no token moves, with $what', ({ extra }) => {
    const { error, isHookCalled } = transfer(extra);
    expect(error).toBeDefined();
    expect(isHookCalled).toBe(false);
  });

  it('gets as many accounts as it requires, and four if the transaction omits the list, which it refuses', () => {
    const all = [...BASE, passOf(SENDER), passOf(RECEIVER), HOOK];
    const countOf = (extra: readonly Address[]) => transfer(extra, sender, counting).error;
    expect(countOf([...all, LIST])).toEqual({ InstructionError: [0, { Custom: placesOf(RUST).length }] });
    expect(countOf(all)).toEqual({ InstructionError: [0, { Custom: 4 }] });
    expect(RUST).toMatch(/, \.\.\] = accounts\s+else \{\s+return Err\(ProgramError::NotEnoughAccountKeys\);/);
  });

  it('checks each token account with the pass that Token-2022 derives from it', () => {
    const checked = checkedBy(RUST);
    expect(checked.map((each) => each.tokenAccount)).toEqual([0, 2]);
    for (const { tokenAccount: place, pass } of checked)
      expect(EXTRA[pass - 5]).toMatchObject({ tokenAccount: place, program: 5 });
    const [from, to] = walletBytesOf(RUST);
    expect(base58.encode(tokenAccount(RECEIVER).slice(from, to))).toBe(RECEIVER);
    expect(receiver.publicKey.toBase58()).toBe(RECEIVER);
  });

  it('takes the account of the program and the gatekeeper network from the condition', () => {
    expect(EXTRA.slice(0, 2)).toEqual([{ constant: 'GATEWAY_PROGRAM' }, { constant: 'GATEKEEPER_NETWORK' }]);
    expect(RUST).toContain('use crate::pass::{is_valid_pass, GATEKEEPER_NETWORK, GATEWAY_PROGRAM};');
  });
});
