import { sign } from 'node:crypto';
import {
  type Address,
  address,
  type CompiledTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type SignatureBytes,
  type Transaction,
  type TransactionMessageBytes,
} from '@solana/kit';
import {
  type AccountMeta,
  ComputeBudgetProgram,
  type CreateAccountParams,
  Keypair,
  Message,
  type MessageV0,
  PublicKey,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { rentExemptMinimum } from '../../../../../../tools/localnet/solana/runtime/rent.ts';
import type { Account } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/system-program.ts';

/** A transaction of the system and compute budget programs, and the accounts before it. */
export interface Scene {
  readonly accounts: ReadonlyMap<Address, Account>;
  readonly transaction: Transaction;
  readonly verify: boolean;
  readonly lamportsPerByte: bigint;
}

const KEYS = [1, 2, 3, 4].map((seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed)));
const [PAYER] = KEYS as [Keypair];
/** An address that owns accounts and has no account itself. */
const STRANGER = Keypair.fromSeed(new Uint8Array(32).fill(9)).publicKey;
/** The first, a middle and the last step of SIMD-0437, in lamports per byte. The amounts below are around the limits of the first. */
const RENTS = [6_960n, 6_960n, 5_080n, 696n];
const LEAST = rentExemptMinimum(0, RENTS[0]);
/** The rent sysvar, which every bank has. Only its size matters here. */
const RENT: readonly [Address, Account] = [
  address(SYSVAR_RENT_PUBKEY.toBase58()),
  {
    lamports: 1_009_200n,
    data: new Uint8Array(17),
    owner: address('Sysvar1111111111111111111111111111111111111'),
    executable: false,
  },
];
const MAX_U64 = 2n ** 64n - 1n;

const key = fc.oneof(
  { weight: 2, arbitrary: fc.constant(PAYER.publicKey) },
  { weight: 3, arbitrary: fc.constantFrom(...KEYS.map(({ publicKey }) => publicKey)) },
);
const owner = fc.constantFrom(SystemProgram.programId, SystemProgram.programId, STRANGER);
const size = fc.constantFrom(0, 0, 0, 10, 200);
/** Amounts around every limit: zero, a fee, the rent of an account, the rent and a fee, and large amounts. */
const lamports = fc.oneof(
  fc.constantFrom(0n, 1n, 4_999n, 5_000n, 5_001n, 10_000n, LEAST - 1n, LEAST, LEAST + 4_999n, LEAST + 5_000n),
  fc.constantFrom(rentExemptMinimum(10) - 1n, rentExemptMinimum(10), rentExemptMinimum(200), 3n * LEAST, 10n ** 9n),
  fc.bigInt({ min: 0n, max: 4n * LEAST }),
);
const amount = fc.oneof({ weight: 9, arbitrary: lamports }, { weight: 1, arbitrary: fc.constant(MAX_U64) });

const account = fc.record({ lamports, size, owner }).map((it) => ({
  lamports: it.lamports,
  data: new Uint8Array(it.size),
  owner: address(it.owner.toBase58()),
  executable: false,
}));
const plenty = fc.constant({ lamports: 10n ** 10n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false });

/** Recipients of transfers. Some of them are accounts that no transaction may write. */
const recipient = fc.oneof(
  { weight: 9, arbitrary: key },
  { weight: 1, arbitrary: fc.constantFrom(SystemProgram.programId, SYSVAR_RENT_PUBKEY) },
);
const transfer = fc
  .record({ fromPubkey: key, toPubkey: recipient, lamports: amount })
  .map((it) => SystemProgram.transfer(it));
/** Transfers to an account that the message marks as read-only, unless another instruction marks it as writable. */
const readonlyTransfer = transfer.map(({ programId, keys, data }) => {
  const [from, to] = keys as [AccountMeta, AccountMeta];
  return new TransactionInstruction({ programId, keys: [from, { ...to, isWritable: false }], data });
});
const creation = fc
  .record({ fromPubkey: key, newAccountPubkey: key, amount, space: size, programId: owner })
  .map((it) => createAccount(it));
const assignment = fc.record({ accountPubkey: key, programId: owner }).map((it) => SystemProgram.assign(it));
const allocation = fc
  .record({ accountPubkey: key, space: fc.oneof(size, fc.constant(10 * 1024 * 1024 + 1)) })
  .map((it) => SystemProgram.allocate(it));

const units = fc.constantFrom(0, 149, 150, 299, 300, 450, 1_000, 200_000, 1_400_000, 3_000_000);
const price = fc.constantFrom(0n, 1n, 999_999n, 1_000_000n, 10n ** 9n, MAX_U64);
const heap = fc.constantFrom(0, 1_000, 32 * 1024, 33 * 1024, 33_000, 256 * 1024, 257 * 1024);
const loadedBytes = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.constantFrom(0, 64 * 1024 * 1024, 2 ** 32 - 1));
const budget = fc.oneof(
  { weight: 3, arbitrary: units.map((it) => ComputeBudgetProgram.setComputeUnitLimit({ units: it })) },
  { weight: 3, arbitrary: price.map((it) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: it })) },
  { weight: 1, arbitrary: heap.map((bytes) => ComputeBudgetProgram.requestHeapFrame({ bytes })) },
  { weight: 2, arbitrary: loadedBytes.map(setLoadedBytes) },
);

/** Malformed instructions: with other bytes, other rights or fewer accounts. */
const garbled = fc
  .record({
    instruction: fc.oneof(transfer, creation, assignment, allocation, budget),
    bytes: fc.constantFrom('unchanged', 'cut', 'longer', 'unknown'),
    accounts: fc.integer({ min: 0, max: 3 }),
    signer: fc.boolean(),
    writable: fc.boolean(),
  })
  .map(({ instruction: { programId, keys, data }, bytes, accounts, signer, writable }) => {
    const garbledKeys = keys
      .slice(0, accounts)
      .map((it) => ({ ...it, isSigner: it.isSigner && signer, isWritable: it.isWritable && writable }));
    return new TransactionInstruction({ programId, keys: garbledKeys, data: garbledBytes(data, bytes) });
  });
const ofNoProgram = fc
  .oneof(key, fc.constant(STRANGER))
  .map((programId) => new TransactionInstruction({ programId, keys: [], data: Buffer.alloc(0) }));

const instruction = fc.oneof(
  { weight: 12, arbitrary: transfer },
  { weight: 2, arbitrary: readonlyTransfer },
  { weight: 4, arbitrary: creation },
  { weight: 2, arbitrary: assignment },
  { weight: 2, arbitrary: allocation },
  { weight: 8, arbitrary: budget },
  { weight: 3, arbitrary: garbled },
  { weight: 1, arbitrary: ofNoProgram },
);

const damages = ['signature', 'no signature', 'payer', 'header', 'same key', 'program', 'lookup'] as const;
type Damage = (typeof damages)[number] | 'none';
const damage = fc.oneof(
  { weight: 15, arbitrary: fc.constant<Damage>('none') },
  { weight: 3, arbitrary: fc.constantFrom<Damage>(...damages) },
);

/** Random scenes. In most of them the payer can pay and the signatures are valid. */
export const scenes: fc.Arbitrary<Scene> = fc
  .record({
    payer: fc.oneof({ weight: 5, arbitrary: plenty }, { weight: 1, arbitrary: account }),
    others: fc.tuple(...KEYS.slice(1).map(() => fc.option(account, { nil: undefined }))),
    instructions: fc.array(instruction, { maxLength: 4 }),
    legacy: fc.boolean(),
    damage,
    verify: fc.boolean(),
    lamportsPerByte: fc.constantFrom(...RENTS),
  })
  .map(({ payer, others, verify, lamportsPerByte, ...sent }) => {
    const found = [payer, ...others].flatMap((it, index) =>
      it === undefined || it.lamports === 0n ? [] : [[addressOf(KEYS[index] as Keypair), it] as const],
    );
    return { accounts: new Map([...found, RENT]), transaction: transactionOf(sent), verify, lamportsPerByte };
  });

/** The budget in a message of version 1 (SIMD-0385): the mask, and the values in its order. */
const config = fc
  .record({
    priorityFee: fc.option(fc.constantFrom(0n, 1n, 4_999n, 10n ** 9n, MAX_U64)),
    units: fc.option(units, { freq: 9 }),
    loadedBytes: fc.option(fc.oneof(loadedBytes, fc.constant(64 * 1024 * 1024)), { freq: 9 }),
    heap: fc.option(heap, { freq: 1 }),
  })
  .map(({ priorityFee, ...others }) => {
    const values = [priorityFee, others.units, others.loadedBytes, others.heap];
    const bits = [0b11, 0b100, 0b1000, 0b10000];
    return {
      configMask: bits.reduce((mask, bit, index) => (values[index] === null ? mask : mask | bit), 0),
      configValues: values.flatMap((value) => {
        if (value === null || value === undefined) return [];
        return typeof value === 'bigint' ? { kind: 'u64' as const, value } : { kind: 'u32' as const, value };
      }),
    };
  });

/** Random scenes with a message of version 1. */
export const version1Scenes: fc.Arbitrary<Scene> = fc
  .record({
    payer: fc.oneof({ weight: 5, arbitrary: plenty }, { weight: 1, arbitrary: account }),
    others: fc.tuple(...KEYS.slice(1).map(() => fc.option(account, { nil: undefined }))),
    instructions: fc.array(instruction, { maxLength: 4 }),
    config,
    verify: fc.boolean(),
    lamportsPerByte: fc.constantFrom(...RENTS),
  })
  .map(({ payer, others, verify, lamportsPerByte, instructions, config }) => {
    const found = [payer, ...others].flatMap((it, index) =>
      it === undefined || it.lamports === 0n ? [] : [[addressOf(KEYS[index] as Keypair), it] as const],
    );
    return {
      accounts: new Map([...found, RENT]),
      transaction: version1Of(instructions, config),
      verify,
      lamportsPerByte,
    };
  });

type Config = Pick<Extract<CompiledTransactionMessage, { version: 1 }>, 'configMask' | 'configValues'>;

/** kit encodes the message. */
function version1Of(instructions: TransactionInstruction[], config: Config): Transaction {
  const parts = { payerKey: PAYER.publicKey, recentBlockhash: PublicKey.default.toBase58(), instructions };
  const { header, staticAccountKeys, compiledInstructions } = new TransactionMessage(parts).compileToV0Message();
  const message = {
    version: 1 as const,
    header: {
      numSignerAccounts: header.numRequiredSignatures,
      numReadonlySignerAccounts: header.numReadonlySignedAccounts,
      numReadonlyNonSignerAccounts: header.numReadonlyUnsignedAccounts,
    },
    ...config,
    lifetimeToken: parts.recentBlockhash,
    numInstructions: compiledInstructions.length,
    numStaticAccounts: staticAccountKeys.length,
    staticAccounts: staticAccountKeys.map((it) => address(it.toBase58())),
    instructionHeaders: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programAccountIndex: programIdIndex,
      numInstructionAccounts: accountKeyIndexes.length,
      numInstructionDataBytes: data.length,
    })),
    instructionPayloads: compiledInstructions.map(({ accountKeyIndexes, data }) => ({
      instructionAccountIndices: accountKeyIndexes,
      instructionData: data,
    })),
  };
  const messageBytes = getCompiledTransactionMessageEncoder().encode(message) as TransactionMessageBytes;
  const signers = staticAccountKeys.slice(0, header.numRequiredSignatures);
  const signatures = signers.map((signer) => {
    const pair = KEYS.find(({ publicKey }) => publicKey.equals(signer));
    return [address(signer.toBase58()), pair === undefined ? null : signatureOf(pair, messageBytes)];
  });
  return { messageBytes, signatures: Object.fromEntries(signatures) };
}

/** The DER prefix of a private ed25519 key (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function signatureOf({ secretKey }: Keypair, message: ReadonlyUint8Array): SignatureBytes {
  const key = Buffer.concat([PKCS8_PREFIX, secretKey.slice(0, 32)]);
  const signature = sign(null, Uint8Array.from(message), { key, format: 'der', type: 'pkcs8' });
  return new Uint8Array(signature) as SignatureBytes;
}

interface Sent {
  readonly instructions: TransactionInstruction[];
  readonly legacy: boolean;
  readonly damage: Damage;
}

function transactionOf({ instructions, legacy, damage }: Sent): Transaction {
  const parts = { payerKey: PAYER.publicKey, recentBlockhash: PublicKey.default.toBase58(), instructions };
  const message = new TransactionMessage(parts).compileToV0Message();
  damageMessage(message, damage);
  const sent = new VersionedTransaction(legacy && damage !== 'lookup' ? legacyOf(message) : message);
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
  sent.sign(KEYS.filter(({ publicKey }) => signers.some((it) => it.equals(publicKey))));
  const transaction = getTransactionDecoder().decode(sent.serialize());
  const signature = damagedSignature(transaction.signatures[addressOf(PAYER)] as SignatureBytes, damage);
  return { ...transaction, signatures: { ...transaction.signatures, [addressOf(PAYER)]: signature } };
}

function damageMessage(
  { header, staticAccountKeys, compiledInstructions, addressTableLookups }: MessageV0,
  damage: Damage,
) {
  const [first] = compiledInstructions;
  const last = staticAccountKeys.length - 1;
  if (damage === 'payer') header.numReadonlySignedAccounts = header.numRequiredSignatures;
  if (damage === 'header') header.numReadonlyUnsignedAccounts = staticAccountKeys.length;
  if (damage === 'same key' && last >= header.numRequiredSignatures) staticAccountKeys[last] = PAYER.publicKey;
  if (damage === 'program' && first !== undefined) first.programIdIndex = first.accountKeyIndexes.length % 2 ? 0 : 99;
  if (damage === 'lookup') {
    addressTableLookups.push({ accountKey: STRANGER, writableIndexes: [0], readonlyIndexes: [] });
  }
}

function legacyOf({
  header,
  staticAccountKeys: accountKeys,
  recentBlockhash,
  compiledInstructions,
}: MessageV0): Message {
  const instructions = compiledInstructions.map(({ programIdIndex, accountKeyIndexes: accounts, data }) => ({
    programIdIndex,
    accounts,
    data: getBase58Decoder().decode(data),
  }));
  return new Message({ header, accountKeys, recentBlockhash, instructions });
}

function damagedSignature(signature: SignatureBytes, damage: Damage): SignatureBytes | null {
  if (damage === 'no signature') return null;
  const bytes = new Uint8Array(signature);
  if (damage === 'signature') bytes[10] = (bytes[10] as number) ^ 1;
  return bytes as unknown as SignatureBytes;
}

/** Returns the instruction with an amount of 64 bits. web3.js accepts only a number, which is too small. */
function createAccount({ amount, ...parameters }: Omit<CreateAccountParams, 'lamports'> & { readonly amount: bigint }) {
  const created = SystemProgram.createAccount({ ...parameters, lamports: 0 });
  created.data.writeBigUInt64LE(amount, 4);
  return created;
}

function setLoadedBytes(bytes: number): TransactionInstruction {
  const data = Buffer.from([4, 0, 0, 0, 0]);
  data.writeUInt32LE(bytes, 1);
  return new TransactionInstruction({ programId: ComputeBudgetProgram.programId, keys: [], data });
}

function garbledBytes(data: Buffer, how: string): Buffer {
  if (how === 'cut') return data.subarray(0, data.length - 1);
  if (how === 'longer') return Buffer.concat([data, Buffer.of(7)]);
  return how === 'unknown' ? Buffer.concat([Buffer.of(99), data.subarray(1)]) : data;
}

function addressOf({ publicKey }: Keypair): Address {
  return address(publicKey.toBase58());
}
