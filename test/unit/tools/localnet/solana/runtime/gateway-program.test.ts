import {
  addGatekeeper,
  burn,
  expireToken,
  freeze,
  GatewayTokenData,
  getGatekeeperAccountAddress,
  getGatewayTokenAddressForOwnerAndGatekeeperNetwork,
  issue,
  revoke,
  revokeGatekeeper,
  updateExpiry,
} from '@identity.com/solana-gateway-ts';
import { type Address, address, getTransactionDecoder } from '@solana/kit';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmulation } from '../../../../../../tools/localnet/solana/runtime/emulation.ts';
import type { Account } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/system-program.ts';

// The public client of the program builds these tests' transactions, which are complete and signed.

const [gatekeeper, network] = [1, 2].map((seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed))) as [
  Keypair,
  Keypair,
];
const GATEKEEPER = address(gatekeeper.publicKey.toBase58());
const gatekeeperAccount = getGatekeeperAccountAddress(gatekeeper.publicKey, network.publicKey);
const PROGRAM_ID = new PublicKey('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
const wallets = [11, 12, 13, 14, 15, 16].map((seed) => new PublicKey(new Uint8Array(32).fill(seed)));
const RICH: Account = { lamports: 10n ** 9n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };

let accounts: Map<Address, Account>;
let lamportsPerByte: bigint;
beforeEach(() => {
  lamportsPerByte = 6_960n;
  accounts = new Map([[GATEKEEPER, RICH]]);
  const { publicKey } = gatekeeper;
  const adding = addGatekeeper(publicKey, gatekeeperAccount, publicKey, network.publicKey);
  expect(send([adding], [gatekeeper, network]).error).toBe(undefined);
});

it('issues six gateway tokens in one transaction and consumes about the compute units of the real program', () => {
  const { error, unitsConsumed } = send(wallets.map((wallet) => issuance(wallet)));
  expect(error).toBe(undefined);
  expect(Number(unitsConsumed)).toBeCloseTo(272_000, -4);
  for (const wallet of wallets) expect(passOf(wallet)?.owner.toPublicKey()).toEqual(wallet);
});

it('charges only the fee and writes nothing else when one instruction fails', () => {
  const [first, second] = wallets as [PublicKey, PublicKey];
  const before = accounts.get(GATEKEEPER)?.lamports as bigint;
  const { error, lands } = send([issuance(first), issuance(first), issuance(second)]);
  expect({ error, lands }).toEqual({ error: { InstructionError: [1, 'AccountAlreadyInitialized'] }, lands: true });
  expect([passOf(first), passOf(second)]).toEqual([undefined, undefined]);
  expect(accounts.get(GATEKEEPER)?.lamports).toBe(before - 5_000n);
});

it.each([
  [6_960n, 1_649_520n],
  [5_080n, 1_203_960n],
  [696n, 164_952n],
])('takes the rent of the token and the fee from the payer at %d lamports per byte: %d and 5,000', (perByte, rent) => {
  lamportsPerByte = perByte;
  const [wallet] = wallets as [PublicKey];
  const before = accounts.get(GATEKEEPER)?.lamports as bigint;
  expect(send([issuance(wallet)]).error).toBe(undefined);
  expect(accounts.get(addressOfPass(wallet))?.lamports).toBe(rent);
  expect(accounts.get(GATEKEEPER)?.lamports).toBe(before - rent - 5_000n);
});

it('fails like a program in the virtual machine when the compute units run out', () => {
  const [wallet] = wallets as [PublicKey];
  const { error, logs } = send([ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }), issuance(wallet)]);
  expect(error).toEqual({ InstructionError: [1, 'ProgramFailedToComplete'] });
  expect(logs.at(-1)).toMatch(/failed: exceeded CUs meter at BPF instruction$/);
});

it('refuses to issue a gateway token at an address that already has lamports', () => {
  const [wallet] = wallets as [PublicKey];
  accounts.set(addressOfPass(wallet), { ...RICH, lamports: 890_880n });
  const { error, logs } = send([issuance(wallet)]);
  expect(error).toEqual({ InstructionError: [0, { Custom: 0 }] });
  expect(logs).toContain(`Program ${SYSTEM_PROGRAM} failed: custom program error: 0x0`);
});

it('refuses a transaction that writes to a running program', () => {
  const [wallet] = wallets as [PublicKey];
  const toPubkey = new PublicKey('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
  const gift = SystemProgram.transfer({ fromPubkey: gatekeeper.publicKey, toPubkey, lamports: 1_000_000 });
  expect(send([issuance(wallet), gift]).error).toEqual({ InstructionError: [1, 'ReadonlyLamportChange'] });
});

it('refuses an issuance that the gatekeeper has not signed', () => {
  const [wallet] = wallets as [PublicKey];
  accounts.set(address(network.publicKey.toBase58()), RICH);
  const { error } = send([without(gatekeeper.publicKey, issuance(wallet, network.publicKey))], [network]);
  expect(error).toEqual({ InstructionError: [0, 'MissingRequiredSignature'] });
});

it('refuses an issuance whose payer has not signed', () => {
  const [wallet, payer] = wallets as [PublicKey, PublicKey];
  accounts.set(address(payer.toBase58()), RICH);
  const { error } = send([without(payer, issuance(wallet, payer))]);
  expect(error).toEqual({ InstructionError: [0, 'PrivilegeEscalation'] });
});

it.each([
  ['add', addGatekeeper],
  ['remove', revokeGatekeeper],
])('refuses to %s a gatekeeper without the signature of the gatekeeper network', (_, change) => {
  const { publicKey } = gatekeeper;
  const instruction = change(publicKey, gatekeeperAccount, publicKey, network.publicKey);
  const { error } = send([without(network.publicKey, instruction)]);
  expect(error).toEqual({ InstructionError: [0, 'MissingRequiredSignature'] });
});

describe('the gateway program with an invalid instruction', () => {
  const change = (build: (instruction: TransactionInstruction) => Partial<TransactionInstruction>) => {
    const [wallet] = wallets as [PublicKey];
    const instruction = issuance(wallet);
    return send([{ ...instruction, ...build(instruction) } as TransactionInstruction]).error;
  };
  const withKey = (index: number, pubkey: PublicKey) =>
    change(({ keys }) => ({ keys: keys.map((key, at) => (at === index ? { ...key, pubkey } : key)) }));
  const inTransaction = (error: unknown) => ({ InstructionError: [0, error] });

  it('refuses another address for the gateway token', () => {
    const [, other] = wallets as [PublicKey, PublicKey];
    expect(withKey(1, new PublicKey(addressOfPass(other)))).toEqual(inTransaction('InvalidArgument'));
  });

  it('refuses another account in place of the rent sysvar', () => {
    expect(withKey(6, SystemProgram.programId)).toEqual(inTransaction('InvalidArgument'));
  });

  it('refuses an instruction with too few accounts', () => {
    expect(change(({ keys }) => ({ keys: keys.slice(0, 5) }))).toEqual(inTransaction('NotEnoughAccountKeys'));
  });

  it.each([
    ['too many bytes', (data: Buffer) => Buffer.concat([data, Buffer.of(0)])],
    ['too few bytes', (data: Buffer) => data.subarray(0, -1)],
    ['an unknown tag', (data: Buffer) => Buffer.concat([Buffer.of(99), data.subarray(1)])],
  ])('refuses an instruction with %s', (_, spoil) => {
    expect(change(({ data }) => ({ data: spoil(data) }))).toEqual(inTransaction('BorshIoError'));
  });

  it.each([
    ['UpdateExpiry', updateExpiry],
    ['SetState', freeze],
    ['revoke', revoke],
    ['Burn', burn],
  ])('refuses the instruction %s without the signature of the gatekeeper', (_, build) => {
    const [wallet] = wallets as [PublicKey];
    const { publicKey } = gatekeeper;
    accounts.set(address(network.publicKey.toBase58()), RICH);
    send([issuance(wallet)]);
    const pass = new PublicKey(addressOfPass(wallet));
    // The last argument is the new expiry for updateExpiry, and the recipient of the lamports for burn.
    const last = build === updateExpiry ? 1_900_000_001 : publicKey;
    const instruction = (build as typeof updateExpiry)(pass, publicKey, gatekeeperAccount, last as number);
    const { error } = send([without(publicKey, instruction)], [network]);
    expect(error).toEqual(inTransaction('MissingRequiredSignature'));
  });
});

describe('ExpireToken', () => {
  const owner = Keypair.fromSeed(new Uint8Array(32).fill(21));
  const seeds = [network.publicKey.toBytes(), new TextEncoder().encode('expire')];
  const [feature] = PublicKey.findProgramAddressSync(seeds, PROGRAM_ID);
  const expiry = () => passOf(owner.publicKey)?.expiry?.toNumber();
  /** The client of dApps builds the instruction, and prints a line. */
  function expiring(of = owner.publicKey, inNetwork = network.publicKey): TransactionInstruction {
    vi.spyOn(console, 'log').mockReturnValueOnce();
    return expireToken(new PublicKey(addressOfPass(of)), owner.publicKey, inNetwork);
  }
  beforeEach(() => {
    accounts.set(address(owner.publicKey.toBase58()), RICH);
    accounts.set(address(feature.toBase58()), { ...RICH, owner: address(PROGRAM_ID.toBase58()) });
    expect(send([issuance(owner.publicKey)]).error).toBe(undefined);
  });

  it('ends the token two minutes ago if its owner signs', () => {
    expect(send([expiring()], [owner]).error).toBe(undefined);
    expect(expiry()).toBe(1_800_000_000 - 120);
    expect(send([without(owner.publicKey, expiring())]).error).toEqual({
      InstructionError: [0, 'MissingRequiredSignature'],
    });
  });

  it.each([
    ['in a network without the feature', 'IllegalOwner', () => accounts.delete(address(feature.toBase58())), expiring],
    ['of another owner', { Custom: 1 }, () => send([issuance(wallets[0] as PublicKey)]), () => expiring(wallets[0])],
    ['that does not exist', 'IllegalOwner', () => undefined, () => expiring(wallets[1])],
    ['with the feature of another network', 'IllegalOwner', () => undefined, () => expiring(undefined, wallets[0])],
  ])('refuses a token %s', (_, error, prepare, build) => {
    prepare();
    expect(send([build()], [owner]).error).toEqual({ InstructionError: [0, error] });
    expect(expiry()).toBe(1_900_000_000);
  });
});

it('names the failed program and its error in the logs', () => {
  const [wallet] = wallets as [PublicKey];
  const { logs } = send([revoke(new PublicKey(addressOfPass(wallet)), gatekeeper.publicKey, gatekeeperAccount)]);
  expect(logs).toEqual([
    'Program gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs invoke [1]',
    'Program log: GatewayInstruction::SetState',
    'Program log: Gateway Program Error IncorrectProgramId',
    'Program gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs consumed 22000 of 200000 compute units',
    'Program gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs failed: incorrect program id for instruction',
  ]);
});

function issuance(wallet: PublicKey, payer = gatekeeper.publicKey): TransactionInstruction {
  const pass = new PublicKey(addressOfPass(wallet));
  return issue(
    pass,
    payer,
    gatekeeperAccount,
    wallet,
    gatekeeper.publicKey,
    network.publicKey,
    undefined,
    1_900_000_000,
  );
}

/** Returns the instruction without the signature of this key. */
function without(signer: PublicKey, { keys, ...instruction }: TransactionInstruction): TransactionInstruction {
  return { ...instruction, keys: keys.map((key) => (key.pubkey.equals(signer) ? { ...key, isSigner: false } : key)) };
}

/** Runs a transaction. The first signer pays. */
function send(instructions: TransactionInstruction[], signers: readonly [Keypair, ...Keypair[]] = [gatekeeper]) {
  const parts = { payerKey: signers[0].publicKey, recentBlockhash: SYSTEM_PROGRAM, instructions };
  const transaction = new VersionedTransaction(new TransactionMessage(parts).compileToLegacyMessage());
  transaction.sign([...signers]);
  const clock = { slot: 1n, unixTimestamp: 1_800_000_000n };
  const bank = { account: (key: Address) => accounts.get(key), clock, lamportsPerByte };
  const execution = createEmulation().run(getTransactionDecoder().decode(transaction.serialize()), bank, true);
  for (const [key, account] of execution.writes) {
    if (account === undefined) accounts.delete(key);
    else accounts.set(key, account);
  }
  return execution;
}

function addressOfPass(wallet: PublicKey): Address {
  return address(getGatewayTokenAddressForOwnerAndGatekeeperNetwork(wallet, network.publicKey).toBase58());
}

function passOf(wallet: PublicKey): GatewayTokenData | undefined {
  const account = accounts.get(addressOfPass(wallet));
  return account && GatewayTokenData.fromAccount(Buffer.from(account.data));
}
