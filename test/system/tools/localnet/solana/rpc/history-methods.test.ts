import { base58 } from '@scure/base';
import {
  ComputeBudgetProgram,
  Connection,
  type MessageV1,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopChildren } from '../../../../../../terminal/child-process.ts';
import { startSolanaNode } from '../../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort } from '../../../../../../tools/localnet/state/ports.ts';
import { freshOwner, GATEKEEPER, SolanaNodeClient, version1 } from './solana-node-client.ts';

/** The encoding `json` is the default. */
const AS_JSON = { commitment: 'confirmed' };

let client: SolanaNodeClient;
let connection: Connection;

beforeAll(async () => {
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 0 });
  client = new SolanaNodeClient(node.rpcUrl);
  connection = new Connection(node.rpcUrl, 'processed');
  // getRecentPrioritizationFees reports 150 blocks, so the chain needs at least 150.
  await advance(150);
});

afterAll(stopChildren);

const advance = (blocks = 1) => client.call('localnet_advance', blocks);

describe('history methods', () => {
  it('getSignatureStatuses knows the transactions of the last 150 slots, and with searchTransactionHistory all of them', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    await client.send(wire);
    await advance(140);
    expect(await client.status(signature)).not.toBeNull();
    await advance(20);
    expect(await client.status(signature)).toBeNull();
    expect(await client.status(signature, true)).toMatchObject({ confirmationStatus: 'finalized' });
    const many = Array(256).fill(signature);
    expect((await client.call('getSignatureStatuses', many)).value).toHaveLength(256);
    await expect(client.call('getSignatureStatuses', [...many, signature])).rejects.toMatchObject({ code: -32602 });
  });

  it("getSignaturesForAddress lists an account's transactions, newest first, and getTransaction returns them", async () => {
    const owner = freshOwner();
    const all = [await client.issuance(owner), await client.issuance(owner, await blockhashOfNextBlock())];
    for (const { wire } of all) {
      await client.send(wire);
      await advance();
    }
    await advance(2);
    const [older, newer] = all.map(({ signature }) => signature) as [string, string];
    const listed = await connection.getSignaturesForAddress(owner, {}, 'confirmed');
    expect(listed.map(({ signature, err }) => [signature, err === null])).toEqual([
      [newer, false],
      [older, true],
    ]);
    const signatures = async (options: object) =>
      (await connection.getSignaturesForAddress(owner, options, 'confirmed')).map(({ signature }) => signature);
    expect(await signatures({ limit: 1 })).toEqual([newer]);
    expect(await signatures({ before: newer })).toEqual([older]);
    expect(await signatures({ until: older })).toEqual([newer]);
    expect(await connection.getSignaturesForAddress(owner, {}, 'finalized')).toEqual([]);

    const shown = await client.call('getTransaction', older, { encoding: 'base64', commitment: 'confirmed' });
    expect(shown).toMatchObject({ slot: listed[1]?.slot, meta: { err: null }, transaction: [all[0]?.wire, 'base64'] });
    expect(await client.call('getTransaction', older, { encoding: 'base64' })).toBeNull();

    const parsed = await client.call('getTransaction', older, { ...AS_JSON, maxSupportedTransactionVersion: 0 });
    expect(parsed).toMatchObject({ version: 'legacy', transaction: { signatures: [older] } });
    const { accountKeys, header, instructions, recentBlockhash } = Transaction.from(
      Buffer.from(all[0]?.wire ?? '', 'base64'),
    ).compileMessage();
    expect(parsed.transaction.message).toEqual({
      accountKeys: accountKeys.map(String),
      header,
      instructions: instructions.map((each) => ({ ...each, stackHeight: 1 })),
      recentBlockhash,
    });
    expect(await client.call('getTransaction', older, AS_JSON)).not.toHaveProperty('version');
  });

  it('getTransaction shows a versioned transaction only to a client that knows its version', async () => {
    const payer = GATEKEEPER.publicKey;
    const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: freshOwner(), lamports: 1e9 });
    const recentBlockhash = await client.blockhash();
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions: [transfer] });
    const versioned = new VersionedTransaction(message.compileToV0Message());
    versioned.sign([GATEKEEPER]);
    await client.send(Buffer.from(versioned.serialize()).toString('base64'));
    await advance(4);
    const signature = base58.encode(versioned.signatures[0] as Uint8Array);
    await expect(client.call('getTransaction', signature, AS_JSON)).rejects.toMatchObject({ code: -32015 });
    const parsed = await client.call('getTransaction', signature, { ...AS_JSON, maxSupportedTransactionVersion: 0 });
    expect(parsed).toMatchObject({
      version: 0,
      meta: { loadedAddresses: { writable: [], readonly: [] } },
      transaction: {
        signatures: [signature],
        message: {
          accountKeys: versioned.message.staticAccountKeys.map(String),
          instructions: versioned.message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
            programIdIndex,
            accounts: accountKeyIndexes,
            data: base58.encode(data),
          })),
          addressTableLookups: [],
        },
      },
    });
  });

  it('getTransaction shows a transaction of version 1, which web3.js decodes, and one of the future to nobody', async () => {
    const [from, to] = [GATEKEEPER.publicKey, freshOwner()];
    const transfer = SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 1e9 });
    const { signature, wire } = await version1(client, transfer);
    expect(wire[0]).toBe(0x81);
    expect(await client.send(Buffer.from(wire).toString('base64'))).toBe(signature);
    await advance(4);
    const [listed] = await connection.getSignaturesForAddress(to, {}, 'confirmed');
    expect(listed).toMatchObject({ signature, err: null });
    expect(await connection.getBalance(to, 'confirmed')).toBe(1e9);
    for (const form of [AS_JSON, { ...AS_JSON, maxSupportedTransactionVersion: 0 }])
      await expect(client.call('getTransaction', signature, form)).rejects.toMatchObject({
        code: -32015,
        message: expect.stringMatching(/^Transaction version \(1\) is not supported by the requesting client\. /),
      });
    const asked = { ...AS_JSON, maxSupportedTransactionVersion: 1 };
    const shown = await client.call('getTransaction', signature, asked);
    expect(shown).toMatchObject({ version: 1, meta: { err: null }, transaction: { signatures: [signature] } });
    const { header, staticAccountKeys, compiledInstructions, ...decoded } = VersionedMessage.deserialize(
      wire.subarray(0, -64),
    ) as MessageV1;
    expect(shown.transaction.message).toEqual({
      header,
      accountKeys: staticAccountKeys.map(String),
      recentBlockhash: decoded.recentBlockhash,
      instructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        programIdIndex,
        accounts: accountKeyIndexes,
        data: base58.encode(data),
        stackHeight: 1,
      })),
      transactionConfig: decoded.transactionConfig,
    });
    expect(decoded.transactionConfig).toMatchObject({ computeUnitLimit: 1_000, loadedAccountsDataSizeLimit: 50_000 });

    for (const version of [2, 255]) {
      await client.call('localnet_claimVersion', signature, version);
      for (const asked of [1, version - 1])
        await expect(
          client.call('getTransaction', signature, { ...AS_JSON, maxSupportedTransactionVersion: asked }),
        ).rejects.toMatchObject({ code: -32015 });
      const claimed = { ...AS_JSON, maxSupportedTransactionVersion: version };
      expect(await client.call('getTransaction', signature, claimed)).toMatchObject({ version });
    }
    await expect(
      client.call('getTransaction', signature, { ...AS_JSON, maxSupportedTransactionVersion: 256 }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  it('a list that begins before an unknown signature is empty, and one that ends at an unknown signature is whole', async () => {
    const owner = freshOwner();
    const { signature, wire } = await client.issuance(owner);
    await client.send(wire);
    await advance(4);
    const unknown = base58.encode(new Uint8Array(64).fill(7));
    const signatures = async (options: object) =>
      (await connection.getSignaturesForAddress(owner, options, 'confirmed')).map((each) => each.signature);
    expect(await signatures({ before: unknown })).toEqual([]);
    expect(await signatures({ until: unknown })).toEqual([signature]);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
  });

  async function blockhashOfNextBlock(): Promise<string> {
    await advance();
    return client.blockhash();
  }

  it('getRecentPrioritizationFees returns the lowest price of each block', async () => {
    const payer = GATEKEEPER.publicKey;
    for (const microLamports of [5678, 1234, 9000]) {
      const paying = new Transaction({ feePayer: payer, recentBlockhash: await client.blockhash() }).add(
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
        SystemProgram.transfer({ fromPubkey: payer, toPubkey: freshOwner(), lamports: 1e9 }),
      );
      paying.sign(GATEKEEPER);
      await client.send(paying.serialize().toString('base64'));
    }
    const slot = await advance();
    await advance(2);
    const fees = await connection.getRecentPrioritizationFees();
    expect(fees).toHaveLength(150);
    expect(fees.filter(({ prioritizationFee }) => prioritizationFee > 0)).toEqual([{ slot, prioritizationFee: 1234 }]);
  });
});
