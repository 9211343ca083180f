import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { chainOn, PROXY_CODE, useEmptyChains } from './empty-chains.ts';
import { alterAnswers } from './faulty-endpoints.ts';
import { killNetworkAt } from './kill-network.ts';
import { network } from './network-nodes.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** `npm run network -- deploy` on a chain that lacks the deterministic deployer. */

const chains = useEmptyChains();
const deployArgs = (nodes = chains.nodeArgs()) => ['deploy', '--network', 'polygonAmoy', ...nodes];

describe('the deterministic deployer of a chain that lacks it', () => {
  const chain = () => chainOn(chains.url('polygonAmoy'));

  it('is not brought unless the operator asks for it', async () => {
    const sender = await chains.fundedAccount();
    const { code, printed } = await network([...deployArgs(), '--key-file', sender.file, ...chains.stateArgs()]);
    expect(code).toBe(1);
    expect(printed).toMatch(/polygonAmoy: the deterministic deployer 0x4e59\w+ does not exist there: --bring-deployer/);
    expect(printed).toContain('--factory ADDRESS');
    const calldata = await network([...deployArgs(), '--calldata', join(chains.folder, 'none.json')]);
    expect(calldata).toMatchObject({ code: 1, printed: expect.stringContaining('does not exist there') });
    expect(await chain().sentBy(sender.address)).toBe(0);
  });

  it('is not paid for if the nodes refuse its transaction, and the reason is printed', async () => {
    const sender = await chains.fundedAccount();
    const message = 'only replay-protected (EIP-155) transactions allowed over RPC';
    const proxy = await startRecordingProxy(
      chains.url('polygonAmoy'),
      alterAnswers(({ method }, answer) =>
        method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message } } : answer,
      ),
    );
    const nodes = chains.nodeArgs({ polygonAmoy: [proxy.url] });
    const by = ['--bring-deployer', '--key-file', sender.file, ...chains.stateArgs()];
    const { code, printed } = await network([...deployArgs(nodes), ...by]);
    proxy.stop();
    expect([code, printed]).toEqual([
      1,
      expect.stringContaining(`refuse the transaction of the deterministic deployer (${message})`),
    ]);
    expect(await chain().sentBy(sender.address)).toBe(0);
  });

  it('is brought with the contract, and nothing is sent twice if the command is killed at any step', async () => {
    const sender = await chains.fundedAccount();
    const state = chains.stateArgs();
    const args = [...deployArgs(), '--bring-deployer', '--key-file', sender.file, ...state];
    const moments = [
      /: sends \w+ to fund/,
      /is included/,
      /which creates the deterministic deployer/,
      /to create the implementation/,
      /is included/,
      /to create the contract/,
      /is included/,
    ];
    for (const moment of moments) await killNetworkAt(moment, args);
    const { code, printed } = await network(args);
    expect(code, printed).toBe(0);
    expect(await chain().codeOf(OWNERLESS_CONTRACT)).toBe(PROXY_CODE);
    expect(await chain().sentBy(sender.address)).toBe(3);
    expect(JSON.parse(readFileSync(state[1] ?? '', 'utf8'))).toEqual({ transactions: [] });
  });
});
