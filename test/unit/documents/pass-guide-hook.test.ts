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
import { GUIDE, guideBlock, guideKey } from './pass-guide.ts';

/**
 * The accounts that the guide's transfer hook requests and checks, as the real program of Token-2022 understands them. The program of the
 * hook itself is a stand-in that accepts every transfer. Nothing here compiles the text: the test has the same list of accounts, and
 * compares the lines of the text.
 */

const RUST = guideBlock('rust', 'hook\\.rs');
/** The number of accounts that `execute` requires. */
const PLACES = 9;

/** The lines of `extra_accounts`. */
const EXTRA_ACCOUNTS = `    let pass_of = |token_account: u8| {
        let seeds = [
            Seed::AccountData { account_index: token_account, data_index: 32, length: 32 },
            Seed::Literal { bytes: b"gateway".to_vec() },
            Seed::Literal { bytes: vec![0; 8] },
            Seed::AccountKey { index: 6 },
        ];
        ExtraAccountMeta::new_external_pda_with_seeds(5, &seeds, false, false)
    };
    Ok([
        ExtraAccountMeta::new_with_pubkey(&GATEWAY_PROGRAM, false, false)?,
        ExtraAccountMeta::new_with_pubkey(&GATEKEEPER_NETWORK, false, false)?,
        pass_of(0)?,
        pass_of(2)?,
    ])
`;
const SEEDS = { literal: 1, accountKey: 3, accountData: 4 } as const;
/** The same seeds in the format of the interface. */
const seedsOf = (tokenAccount: number) => [
  ...[SEEDS.accountData, tokenAccount, 32, 32],
  ...[SEEDS.literal, 7, ...new TextEncoder().encode('gateway')],
  ...[SEEDS.literal, 8, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[SEEDS.accountKey, 6],
];

const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const keyOf = (seed: number) => Keypair.fromSeed(new Uint8Array(32).fill(seed));
const addressOf = (seed: number) => address(keyOf(seed).publicKey.toBase58());
const [sender, delegate] = [keyOf(1), keyOf(3)];
const [SENDER, RECEIVER, SOURCE, DESTINATION, MINT, HOOK] = [1, 2, 4, 5, 6, 7].map(addressOf) as [
  ...[Address, Address, Address, Address, Address, Address],
];
const NETWORK = address(guideKey('GATEKEEPER_NETWORK'));
const GATEWAY = address(guideKey('GATEWAY_PROGRAM'));
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

/** The discriminator of the hook's instruction Execute. */
const EXECUTE = [105, 37, 101, 197, 75, 251, 102, 26];
/** An address of the program at place 5: the lowest number that means so. */
const ADDRESS_OF_PROGRAM = 128 + 5;
/** The list of extra accounts, in the format of the interface: entries of 35 bytes behind their count. */
function extraAccountList(): Uint8Array {
  const entries = [
    [0, ...base58.decode(GATEWAY)],
    [0, ...base58.decode(NETWORK)],
    [ADDRESS_OF_PROGRAM, ...seedsOf(0)],
    [ADDRESS_OF_PROGRAM, ...seedsOf(2)],
  ].map((entry) => [...entry, ...zeros(35 - entry.length)]);
  const number = (value: number) => [...new Uint8Array(Uint32Array.of(value).buffer)];
  const content = [...number(entries.length), ...entries.flat()];
  return Uint8Array.from([...EXECUTE, ...number(content.length), ...content]);
}

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
  [LIST, account(HOOK, extraAccountList())],
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
  const bank = { account: (each: Address) => ACCOUNTS.get(each), clock, lamportsPerByte: 6_960n };
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
    expect(countOf([...all, LIST])).toEqual({ InstructionError: [0, { Custom: PLACES }] });
    expect(countOf(all)).toEqual({ InstructionError: [0, { Custom: 4 }] });
    expect(RUST).toMatch(/, \.\.\] = accounts\s+else \{\s+return Err\(ProgramError::NotEnoughAccountKeys\);/);
  });

  it('is the text of the guide: it requests these accounts, and checks each token account with the pass of its wallet', () => {
    const [, extra] = /^fn extra_accounts\(\)[^{]*\{\n([\s\S]*?)^\}/m.exec(RUST) ?? [];
    expect(extra).toBe(EXTRA_ACCOUNTS);
    const [, places = ''] = /let \[(source[^\]]+), \.\.\] = accounts/.exec(RUST) ?? [];
    expect(places).toBe('source, _mint, destination, _authority, _list, _gateway, _network, sent_by, received_by');
    expect(places.split(', ')).toHaveLength(PLACES);
    expect(RUST).toMatch(
      /for \(token_account, pass\) in \[\(source, sent_by\), \(destination, received_by\)\] \{\n\s+if !is_valid_pass\(pass, &wallet_of\(token_account\)\?, now\) \{\n\s+return Err\(NO_PASS\);/,
    );
    expect(RUST).toMatch(/fn wallet_of[\s\S]*?data\.get\(32\.\.64\)/);
    expect(base58.encode(tokenAccount(RECEIVER).slice(32, 64))).toBe(RECEIVER);
    expect(RUST).toContain('use crate::pass::{is_valid_pass, GATEKEEPER_NETWORK, GATEWAY_PROGRAM};');
  });
});
