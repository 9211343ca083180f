import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { numberToHex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { slimContract } from '../../../ops/network/slim-build.ts';
import { runTakeoverCommand } from '../../../ops/takeover.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';
import { type ForeignToken, issueOnEthereum, KINDS_OF_SLIM } from '../take-over/foreign-tokens.ts';
import { runCommand } from './run-command.ts';

/** `npm run takeover -- scan` of a gatekeeper network in SlimGateway, whose ids follow from the wallets and return after a burn. */

const COUNT = 70;
const key = Keypair.generate().publicKey.toBase58();
const state = openStateFolder();
let node: Node;
let tokens: readonly ForeignToken[];

beforeAll(async () => {
  node = await startEthereumNode(11_155_111, {
    ...{ network: 'sepolia', port: await findFreePort(), contract: 'slim' },
  });
  tokens = await issueOnEthereum(node.rpcUrl, slimContract(), key, COUNT, KINDS_OF_SLIM);
  // The final block of anvil is 64 blocks behind.
  await callNode(node.rpcUrl, 'anvil_mine', [numberToHex(70), numberToHex(0)]);
});
afterAll(async () => {
  await node.stop();
  state.close();
});

async function scan(name: string, ...options: string[]) {
  const out = join(state.folder, name);
  const nodes = ['--network', 'sepolia', '--rpc', `sepolia=${node.rpcUrl}`, '--contract', slimContract()];
  const args = ['scan', '--gatekeeper-network', key, '--out', out, ...nodes, ...options];
  const ran = await runCommand(runTakeoverCommand, args);
  return { ...ran, rows: () => readFileSync(out, 'utf8').trim().split('\n').slice(1) };
}

const STATES = { frozen: 'FROZEN', revoked: 'REVOKED' } as const;

it('each token that exists has one row with its state and expiry', async () => {
  const { code, printed, rows } = await scan('tokens.csv', '--from-block', '0');
  expect(code, printed).toBe(0);
  const cells = rows().map((row) => row.split(',').slice(2, 5));
  const existing = tokens.filter(({ kind }) => kind !== 'burned');
  expect(existing.some(({ kind }) => kind === 'reissued')).toBe(true);
  const expected = existing.map(({ wallet, kind, expiry = '' }) => [
    ...[wallet, STATES[kind as keyof typeof STATES] ?? 'ACTIVE', String(expiry)],
  ]);
  expect(cells.toSorted()).toEqual(expected.toSorted());
});

it('the contract has no list of tokens to walk', async () => {
  const { code, printed } = await scan('indexed.csv', '--by-index');
  expect([code, printed]).toEqual([
    1,
    expect.stringContaining('SlimGateway has no list of all tokens: leave out --by-index'),
  ]);
});
