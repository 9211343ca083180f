import { base58 } from '@scure/base';
import { Connection, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopChildren } from '../../../../../../terminal/child-process.ts';
import { startSolanaNode } from '../../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort } from '../../../../../../tools/localnet/state/ports.ts';
import { freshOwner, GATEKEEPER, SolanaNodeClient } from './solana-node-client.ts';

let client: SolanaNodeClient;
let connection: Connection;

beforeAll(async () => {
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 0 });
  client = new SolanaNodeClient(node.rpcUrl);
  connection = new Connection(node.rpcUrl, 'processed');
});

beforeEach(() => client.call('localnet_advance'));
afterAll(stopChildren);

const PROCESSED = { preflightCommitment: 'processed' };
const advance = (blocks = 1) => client.call('localnet_advance', blocks);

/** Returns the transaction with a changed byte in its signature. */
function corruptSignature(wire: string): string {
  const bytes = Buffer.from(wire, 'base64');
  bytes[40] = (bytes[40] as number) ^ 1;
  return bytes.toString('base64');
}

describe('sendTransaction', () => {
  it('a transaction lands in the next block, and is processed, confirmed and finalized in turn', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    expect(await client.send(wire, PROCESSED)).toBe(signature);
    expect(await client.status(signature)).toBeNull();
    const slot = await advance();
    const status = { slot, err: null, status: { Ok: null } };
    expect(await client.status(signature)).toEqual({ ...status, confirmations: 0, confirmationStatus: 'processed' });
    await advance();
    expect(await client.status(signature)).toEqual({ ...status, confirmations: 1, confirmationStatus: 'confirmed' });
    await advance(30);
    expect(await client.status(signature)).toMatchObject({ confirmations: 31, confirmationStatus: 'confirmed' });
    await advance();
    expect(await client.status(signature)).toEqual({ ...status, confirmations: null, confirmationStatus: 'finalized' });
  });

  it('a read at a commitment shows the effect of a transaction once the transaction has that commitment', async () => {
    const { pass, wire } = await client.issuance(freshOwner());
    await client.send(wire);
    const seen = () =>
      Promise.all(
        ['processed', 'confirmed', 'finalized'].map(async (commitment) => {
          const single = (await client.call('getAccountInfo', pass, { commitment, encoding: 'base64' })).value;
          const filters = [{ dataSize: 109 }];
          const program = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';
          const all = await client.call('getProgramAccounts', program, { commitment, filters, encoding: 'base64' });
          const listed = all.some(({ pubkey }: { pubkey: string }) => pubkey === pass);
          return listed === (single !== null) && listed;
        }),
      );
    expect(await seen()).toEqual([false, false, false]);
    await advance();
    expect(await seen()).toEqual([true, false, false]);
    await advance();
    expect(await seen()).toEqual([true, true, false]);
    await advance(31);
    expect(await seen()).toEqual([true, true, true]);
  });

  it('a transaction that is sent repeatedly lands once, and the preflight then refuses it as already processed', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    for (const _ of [1, 2, 3]) await client.send(wire);
    const slot = await advance();
    await client.send(wire);
    await advance();
    expect(await client.status(signature)).toMatchObject({ slot });
    await expect(client.send(wire, PROCESSED)).rejects.toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed', logs: [], accounts: null },
    });
  });

  it('the preflight refuses a transaction whose blockhash its block does not know', async () => {
    const blockhash = await client.blockhash();
    const { signature, wire } = await client.issuance(freshOwner(), blockhash);
    const unknown = { code: -32002, message: 'Transaction simulation failed: Blockhash not found' };
    await expect(client.send(wire, {})).rejects.toMatchObject({ ...unknown, data: { err: 'BlockhashNotFound' } });
    await advance(149);
    expect(await client.send(wire, PROCESSED)).toBe(signature);
    await advance(2);
    const late = await client.issuance(freshOwner(), blockhash);
    await expect(client.send(late.wire, PROCESSED)).rejects.toMatchObject(unknown);
    expect(await client.send(late.wire)).toBe(late.signature);
    await advance();
    expect([(await client.status(signature))?.err, await client.status(late.signature)]).toEqual([null, null]);
  });

  it('a transaction can land until the block after its last valid height', async () => {
    const { value } = await client.call('getLatestBlockhash', { commitment: 'processed' });
    const [first, second] = await Promise.all([1, 2].map(() => client.issuance(freshOwner(), value.blockhash)));
    await advance(150);
    expect(await client.call('getBlockHeight', { commitment: 'processed' })).toBe(value.lastValidBlockHeight);
    for (const issuance of [first, second]) {
      await client.send(issuance?.wire ?? '');
      await advance();
    }
    expect(await client.status(first?.signature ?? '')).toMatchObject({ err: null });
    expect(await client.status(second?.signature ?? '', true)).toBeNull();
  });

  it('the preflight refuses a failing transaction, and without preflight it lands and costs its fee', async () => {
    const owner = freshOwner();
    await client.send((await client.issuance(owner)).wire);
    await advance();
    const { signature, wire } = await client.issuance(owner);
    const err = { InstructionError: [0, 'AccountAlreadyInitialized'] };
    await expect(client.send(wire, PROCESSED)).rejects.toMatchObject({
      code: -32002,
      message: expect.stringMatching(/^Transaction simulation failed: Error processing Instruction 0: \w/),
      data: { err, logs: expect.arrayContaining([expect.stringContaining('gatem74V')]) },
    });
    const before = await connection.getBalance(GATEKEEPER.publicKey);
    await client.send(wire);
    await advance();
    expect(await client.status(signature)).toMatchObject({ err, status: { Err: err } });
    expect(await connection.getBalance(GATEKEEPER.publicKey)).toBe(before - 5_000);
  });

  it('the preflight refuses a transaction with a wrong signature, and without preflight it never lands', async () => {
    const wire = corruptSignature((await client.issuance(freshOwner())).wire);
    const refused = { code: -32003, message: 'Transaction signature verification failure' };
    await expect(client.send(wire, PROCESSED)).rejects.toMatchObject(refused);
    const signature = await client.send(wire);
    await advance(2);
    expect(await client.status(signature)).toBeNull();
  });

  it('sendTransaction accepts base58, and refuses a transaction of more than 1232 bytes', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    const bytes = Buffer.from(wire, 'base64');
    expect(await client.call('sendTransaction', base58.encode(bytes), { skipPreflight: true })).toBe(signature);
    for (const [length, complaint] of [
      [1233, /^decoded .* too large: 1233 bytes \(max: 1232 bytes\)$/],
      [1234, /^base64 encoded .* too large: 1648 bytes \(max: encoded\/raw 1644\/1232\)$/],
    ] as const) {
      const long = Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]).toString('base64');
      await expect(client.send(long)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(complaint),
      });
    }
  });
});

describe('simulateTransaction', () => {
  const simulate = (wire: string, options: object) =>
    client.call('simulateTransaction', wire, { encoding: 'base64', commitment: 'processed', ...options });

  it('a simulation returns the outcome and changes nothing', async () => {
    const { pass, wire } = await client.issuance(freshOwner());
    const { value } = await simulate(wire, { sigVerify: true });
    expect(value).toEqual({
      err: null,
      logs: expect.any(Array),
      unitsConsumed: expect.any(Number),
      accounts: null,
      returnData: null,
    });
    expect(value.unitsConsumed).toBeGreaterThan(10_000);
    await advance();
    expect((await client.call('getAccountInfo', pass, { commitment: 'processed' })).value).toBeNull();
    const parsed = VersionedTransaction.deserialize(Buffer.from(wire, 'base64'));
    expect((await connection.simulateTransaction(parsed)).value).toMatchObject({ err: null });
  });

  it('a simulation checks the signature or replaces the blockhash on request, and refuses to do both', async () => {
    const { wire } = await client.issuance(freshOwner(), '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM');
    expect((await simulate(wire, {})).value).toMatchObject({ err: 'BlockhashNotFound', logs: [], unitsConsumed: 0 });
    const { value } = await simulate(wire, { replaceRecentBlockhash: true });
    expect(value).toMatchObject({ err: null, replacementBlockhash: { blockhash: await client.blockhash() } });
    expect((await simulate(corruptSignature(wire), { replaceRecentBlockhash: true })).value.err).toBeNull();
    await expect(simulate(corruptSignature(wire), { sigVerify: true })).rejects.toMatchObject({ code: -32003 });
    const both = simulate(wire, { sigVerify: true, replaceRecentBlockhash: true });
    await expect(both).rejects.toMatchObject({ code: -32602 });
  });
});

it('requestAirdrop gives lamports to an account', async () => {
  const wallet = freshOwner();
  const signature = await connection.requestAirdrop(wallet, 5e9);
  expect(await connection.getBalance(wallet)).toBe(5e9);
  expect(await connection.getBalance(wallet, 'confirmed')).toBe(0);
  await connection.requestAirdrop(wallet, 1);
  expect(await connection.getBalance(wallet)).toBe(5e9 + 1);
  expect(await client.status(signature)).toMatchObject({ err: null });
});
