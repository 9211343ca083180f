import * as client from '@identity.com/solana-gateway-ts';
import { AccountRole, type Address, getAddressDecoder, type Instruction, isOffCurveAddress } from '@solana/kit';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOnCurve } from '../../../../src/chain/solana/derived-address.ts';
import {
  change,
  gatekeeperAccount,
  issue,
  readToken,
  type TokenAddress,
  tokenAddresses,
} from '../../../../src/chain/solana/gateway.ts';

/** Byte for byte what the protocol's own client makes of the same input. */

const PROGRAM = client.PROGRAM_ID.toBase58() as Address;
const RUNS = { numRuns: 500 };

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const index = fc.oneof(fc.constant(0), fc.nat(300), fc.nat(2 ** 40));
/** The client knows no negative ones. */
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

describe('as the client of the protocol', () => {
  it('derives the addresses of tokens and gatekeepers', () => {
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

  it('knows all addresses of a wallet in their order', () => {
    const [one, network] = fc.sample(key, { numRuns: 2, seed: 1 }) as [PublicKey, PublicKey];
    const addresses = tokenAddresses(PROGRAM, toAddress(one), toAddress(network), [4, 0, 300]);
    expect(addresses).toEqual([4, 0, 300].map((at) => tokenAt(one, network, at)));
  });

  it('encodes an issuance', () => {
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

  it('encodes a new expiry', () => {
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
  ] as const)('encodes a change of the state: %s', async (kind, encode) => {
    fc.assert(
      fc.property(key, key, key, (gatekeeper, network, token) => {
        const ours = change(acting(gatekeeper, network), toAddress(token), { kind });
        const account = client.getGatekeeperAccountAddress(gatekeeper, network);
        expectSame(ours, encode(token, gatekeeper, account));
      }),
      RUNS,
    );
  });

  it('knows no way to clear an expiry', async () => {
    const [one, never] = [PublicKey.default, { kind: 'set-expiry', expiry: undefined } as const];
    expect(change(acting(one, one), toAddress(one), never)).toBeUndefined();
  });

  it('decodes the account of a token, with all that is optional in it or without', () => {
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

/** The account of a token in borsh; an account has room for an expiry also where there is none. */
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

describe('the account of a token', () => {
  const one = PublicKey.default;
  const fields = { parent: null, owner: one, identity: null, network: one, gatekeeper: one, state: 0, until: null };
  const withTime = (value: bigint) => {
    const data = accountData({ ...fields, until: 1 });
    new DataView(data.buffer, data.byteOffset).setBigInt64(101, value, true);
    return readToken(data);
  };

  it('may end after the flag of its expiry, as an old build of the program left it', () => {
    expect(readToken(accountData(fields).subarray(0, 101))).toMatchObject({ state: 'ACTIVE', expiry: undefined });
  });

  it.each`
    time                | expiry             | why
    ${2n ** 63n - 1n}   | ${undefined}       | ${'the largest number there is means never'}
    ${253_402_300_800n} | ${undefined}       | ${'beyond the year 9999 means never'}
    ${253_402_300_799n} | ${253_402_300_799} | ${'the last second of the year 9999 is one'}
    ${-1n}              | ${0}               | ${'it has expired whatever is before 1970'}
    ${-(2n ** 63n)}     | ${0}               | ${'it has expired whatever is before 1970'}
  `('with the expiry $time is read as $expiry: $why', ({ time, expiry: expected }) => {
    expect(withTime(time)).toMatchObject({ state: 'ACTIVE', expiry: expected });
  });

  it.each`
    what                  | data
    ${'nothing'}          | ${new Uint8Array()}
    ${'a half'}           | ${accountData(fields).subarray(0, 60)}
    ${'an unknown state'} | ${accountData({ ...fields, state: 3 })}
  `('is not read from $what', ({ data }) => {
    expect(readToken(data)).toBeUndefined();
  });
});

describe('whether bytes are a point of the curve', () => {
  const bytesOf = (y: bigint) => Uint8Array.from({ length: 32 }, (_, at) => Number((y >> BigInt(8 * at)) & 0xffn));
  const theirs = (bytes: Uint8Array) => !isOffCurveAddress(getAddressDecoder().decode(bytes) as Address);

  it('is told as kit tells it, of any', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, (any) => isOnCurve(any) === theirs(any)),
      { numRuns: 2_000 },
    );
  });

  it('is told as kit tells it, of the smallest and largest, with either sign', () => {
    for (const around of [0n, 2n ** 255n - 19n, 2n ** 255n - 1n]) {
      for (let y = around - 40n; y <= around + 40n; y += 1n) {
        const ys = y < 0n || y >= 2n ** 255n ? [] : [y, y + 2n ** 255n];
        for (const bytes of ys.map(bytesOf)) expect([y, isOnCurve(bytes)]).toEqual([y, theirs(bytes)]);
      }
    }
  });
});
