import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import * as client from '@identity.com/solana-gateway-ts';
import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  change,
  gatekeeperAccount,
  issue,
  readToken,
  type TokenAddress,
  tokenAddresses,
} from '../../../../src/chain/solana/gateway.ts';
import { LONG } from '../../../form.ts';

/** Compares our bytes with the bytes that the protocol's own client creates from the same input. */

const PROGRAM = client.PROGRAM_ID.toBase58() as Address;
const RUNS = { numRuns: LONG ? 500 : 100 };
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const index = fc.oneof(fc.constant(0), fc.nat(300), fc.nat(2 ** 40));
/** The client does not support negative expiries. */
const expiry = fc.integer({ min: 1, max: 253_402_300_799 });
const toAddress = (each: PublicKey) => each.toBase58() as Address;

function metas({ keys }: TransactionInstruction) {
  return keys.map(({ pubkey, isSigner, isWritable }) => ({
    address: pubkey.toBase58(),
    role: isSigner
      ? isWritable
        ? AccountRole.WRITABLE_SIGNER
        : AccountRole.READONLY_SIGNER
      : isWritable
        ? AccountRole.WRITABLE
        : AccountRole.READONLY,
  }));
}

function expectSame(ours: Instruction | undefined, theirs: TransactionInstruction): void {
  if (ours === undefined) throw new Error('there is no instruction');
  expect(ours.programAddress).toBe(theirs.programId.toBase58());
  expect([...(ours.data ?? [])]).toEqual([...theirs.data]);
  expect(ours.accounts).toEqual(metas(theirs));
}

function tokenAt(owner: PublicKey, network: PublicKey, at: number): TokenAddress {
  const [token] = tokenAddresses(PROGRAM, toAddress(owner), toAddress(network), [at]);
  return token as TokenAddress;
}

function acting(gatekeeper: PublicKey, network: PublicKey) {
  return {
    program: PROGRAM,
    gatekeeper: toAddress(gatekeeper),
    gatekeeperNetwork: toAddress(network),
    gatekeeperAccount: gatekeeperAccount(PROGRAM, toAddress(gatekeeper), toAddress(network)),
  };
}

/** Returns the result of the work, and how many hashes it made. The modules are those of other files too, so the spy ends at once. */
function countHashes<T>(work: () => T): [T, number] {
  const spy = vi.spyOn(crypto, 'createHash');
  syncBuiltinESMExports();
  try {
    return [work(), spy.mock.calls.length];
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

describe('instructions and accounts of the gateway program', () => {
  it('derives the addresses of tokens and gatekeepers like the client of the protocol', () => {
    fc.assert(
      fc.property(key, key, index, (one, network, at) => {
        const token = tokenAt(one, network, at);
        const theirs = client.getGatewayTokenAddressForOwnerAndGatekeeperNetwork(one, network, at);
        expect(token).toEqual({ address: theirs.toBase58(), index: at });
        const gatekeeper = gatekeeperAccount(PROGRAM, toAddress(one), toAddress(network));
        expect(gatekeeper).toBe(client.getGatekeeperAccountAddress(one, network).toBase58());
      }),
      RUNS,
    );
  });

  it('returns the token addresses of a wallet in the order of the indexes', () => {
    const [one, network] = fc.sample(key, { numRuns: 2, seed: 1 }) as [PublicKey, PublicKey];
    const addresses = tokenAddresses(PROGRAM, toAddress(one), toAddress(network), [4, 0, 300]);
    expect(addresses).toEqual([4, 0, 300].map((at) => tokenAt(one, network, at)));
  });

  it('derives an address once, also for another index, network or program', () => {
    const [one, network] = fc.sample(key, { numRuns: 2, seed: 2 }).map(toAddress) as [Address, Address];
    const derive = () => [
      ...tokenAddresses(PROGRAM, one, network, [0, 1]),
      ...tokenAddresses(PROGRAM, network, one, [0]),
      ...tokenAddresses(one, one, network, [0]),
      gatekeeperAccount(PROGRAM, one, network),
    ];
    const [first, hashes] = countHashes(derive);
    expect(new Set(first.map((each) => JSON.stringify(each))).size).toBe(5);
    expect(hashes).toBeGreaterThanOrEqual(5);
    expect(countHashes(derive)).toEqual([first, 0]);
  });

  it.each(['1'.repeat(31), '1'.repeat(33), 'rubbish0'])('refuses %s, which is not an address', (text) => {
    const [one] = fc.sample(key, { numRuns: 1, seed: 1 }) as [PublicKey];
    expect(() => tokenAddresses(PROGRAM, text as Address, toAddress(one), [0])).toThrow();
    expect(() => tokenAddresses(PROGRAM, toAddress(one), text as Address, [0])).toThrow();
  });

  it('encodes an issuance like the client of the protocol', () => {
    fc.assert(
      fc.property(key, key, key, index, fc.option(expiry), (gatekeeper, network, owner, at, until) => {
        const token = tokenAt(owner, network, at);
        const ours = issue(acting(gatekeeper, network), toAddress(owner), token, until ?? undefined);
        const seed = new Uint8Array(8);
        new DataView(seed.buffer).setBigUint64(0, BigInt(at));
        const theirs = client.issue(
          new PublicKey(token.address),
          gatekeeper,
          client.getGatekeeperAccountAddress(gatekeeper, network),
          owner,
          gatekeeper,
          network,
          at === 0 ? undefined : seed,
          until ?? undefined,
        );
        expectSame(ours, theirs);
      }),
      RUNS,
    );
  });

  it('encodes a new expiry like the client of the protocol', () => {
    fc.assert(
      fc.property(key, key, key, expiry, (gatekeeper, network, token, until) => {
        const ours = change(acting(gatekeeper, network), toAddress(token), { kind: 'set-expiry', expiry: until });
        const account = client.getGatekeeperAccountAddress(gatekeeper, network);
        expectSame(ours, client.updateExpiry(token, gatekeeper, account, until));
      }),
      RUNS,
    );
  });

  it.each([
    ['freeze', client.freeze],
    ['unfreeze', client.unfreeze],
    ['revoke', client.revoke],
  ] as const)('encodes %s like the client of the protocol', async (kind, encode) => {
    fc.assert(
      fc.property(key, key, key, (gatekeeper, network, token) => {
        const ours = change(acting(gatekeeper, network), toAddress(token), { kind });
        const account = client.getGatekeeperAccountAddress(gatekeeper, network);
        expectSame(ours, encode(token, gatekeeper, account));
      }),
      RUNS,
    );
  });

  it('returns no instruction to clear an expiry', async () => {
    const [one, never] = [PublicKey.default, { kind: 'set-expiry', expiry: undefined } as const];
    expect(change(acting(one, one), toAddress(one), never)).toBeUndefined();
  });

  it('decodes a token account like the client of the protocol, with and without its optional fields', () => {
    const states = ['active', 'frozen', 'revoked'] as const;
    fc.assert(
      fc.property(
        fc.tuple(key, key, key),
        fc.option(key),
        fc.option(key),
        fc.constantFrom(...states),
        fc.option(expiry),
        ([owner, network, gatekeeper], parent, identity, state, until) => {
          const data = accountData({
            parent,
            owner,
            identity,
            network,
            gatekeeper,
            state: states.indexOf(state),
            until,
          });
          const theirs = client.dataToGatewayToken(client.GatewayTokenData.fromAccount(data), owner);
          expect(theirs.owner.equals(owner) && theirs.gatekeeperNetwork.equals(network)).toBe(true);
          expect(readToken(data)).toEqual({
            state: theirs.state,
            expiry: theirs.expiryTime,
            issuer: theirs.issuingGatekeeper.toBase58(),
          });
        },
      ),
      RUNS,
    );
  });
});

interface TokenFields {
  readonly parent: PublicKey | null;
  readonly owner: PublicKey;
  readonly identity: PublicKey | null;
  readonly network: PublicKey;
  readonly gatekeeper: PublicKey;
  readonly state: number;
  readonly until: number | null;
}

/** Returns the account of a token in borsh. It has space for an expiry even if the token has none. */
function accountData({ parent, owner, identity, network, gatekeeper, state, until }: TokenFields): Buffer<ArrayBuffer> {
  const option = (each: PublicKey | null) => (each === null ? [0] : [1, ...each.toBytes()]);
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigInt64(0, BigInt(until ?? 0), true);
  return Buffer.from([
    0,
    ...option(parent),
    ...owner.toBytes(),
    ...option(identity),
    ...network.toBytes(),
    ...gatekeeper.toBytes(),
    state,
    until === null ? 0 : 1,
    ...time,
  ]);
}

describe('readToken', () => {
  const one = PublicKey.default;
  const fields = { parent: null, owner: one, identity: null, network: one, gatekeeper: one, state: 0, until: null };
  const withTime = (value: bigint) => {
    const data = accountData({ ...fields, until: 1 });
    new DataView(data.buffer, data.byteOffset).setBigInt64(101, value, true);
    return readToken(data);
  };

  it('reads an account that ends after the flag of its expiry, as an old build of the program wrote it', () => {
    expect(readToken(accountData(fields).subarray(0, 101))).toMatchObject({ state: 'ACTIVE', expiry: undefined });
  });

  it.each`
    time                | expiry             | why
    ${2n ** 63n - 1n}   | ${undefined}       | ${'the largest possible number means never'}
    ${253_402_300_800n} | ${undefined}       | ${'a time beyond the year 9999 means never'}
    ${253_402_300_799n} | ${253_402_300_799} | ${'the last second of the year 9999 is an expiry'}
    ${-1n}              | ${0}               | ${'an expiry before 1970 has passed'}
    ${-(2n ** 63n)}     | ${0}               | ${'an expiry before 1970 has passed'}
  `('reads the expiry $time as $expiry because $why', ({ time, expiry: expected }) => {
    expect(withTime(time)).toMatchObject({ state: 'ACTIVE', expiry: expected });
  });

  it.each`
    what                  | data
    ${'an empty account'} | ${new Uint8Array()}
    ${'half an account'}  | ${accountData(fields).subarray(0, 60)}
    ${'an unknown state'} | ${accountData({ ...fields, state: 3 })}
  `('returns undefined for $what', ({ data }) => {
    expect(readToken(data)).toBeUndefined();
  });
});
