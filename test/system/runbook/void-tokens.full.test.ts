import { type Abi, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { slotOf } from '../../../src/network/slot.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { dAppAccepts } from '../../../tools/localnet/witness/on-chain-token.ts';
import { pageIn } from '../../runbook-page.ts';
import { addEthereumGatekeeper } from '../e2e/ethereum-gatekeeper.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { runbook } from './rehearse.ts';

/** The part of "A gatekeeper has been removed" about SlimGateway. The gatekeeper's key is in the node, so the test makes the calls of `cast`. */

const NETWORK = 'sepolia';
const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** The third account of the node, which `addEthereumGatekeeper` makes a gatekeeper. */
const REMOVED = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const ABI = parseAbi([
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
]);

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({ contract: 'slim' });
});
afterAll(() => service?.close());

async function send(data: Hex): Promise<void> {
  const to = service.localnet.facts.gatewayToken[NETWORK];
  const hash = await service.node(NETWORK, 'eth_sendTransaction', { from: AUTHORITY, to, data, gas: '0x7a120' });
  const receipt = () => service.node(NETWORK, 'eth_getTransactionReceipt', hash) as Promise<{ status: string } | null>;
  expect(await pollUntil(receipt, (found) => found !== null)).toMatchObject({ status: '0x1' });
}

const encodeCall = (signature: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: parseAbi<readonly string[]>([signature]) as Abi, args });

it('a void token blocks its wallet until a gatekeeper burns it, and then the partner issues a pass', async () => {
  const acme = service.partner('acme');
  const { rpc, gatewayToken } = service.localnet.facts;
  const [url, contract, slot] = [rpc[NETWORK] ?? '', gatewayToken[NETWORK] ?? '', slotOf(acme.gatekeeperNetwork) ?? 0n];
  const accepts = (each: string) => dAppAccepts(url, each, acme.gatekeeperNetwork, contract);
  const removed = await addEthereumGatekeeper(url, contract, acme.gatekeeperNetwork);
  await send(encodeFunctionData({ abi: ABI, functionName: 'setNetworkFeatures', args: [slot, 1n] }));
  const wallet = freshWallet(NETWORK);
  await removed.issue(wallet);
  expect(await accepts(wallet)).toBe(true);
  await send(encodeFunctionData({ abi: ABI, functionName: 'removeGatekeeper', args: [REMOVED, slot] }));
  expect(await accepts(wallet)).toBe(false);

  const page = pageIn(runbook, 'A gatekeeper has been removed');
  const [, read = ''] = /'(.+)'/.exec(page.inline(/^cast call CONTRACT/)) ?? [];
  const [, burn = ''] = /'(.+)'/.exec(page.inline(/^cast send CONTRACT/)) ?? [];
  const [question = '', answer = ''] = read.split(/(?<=\))(?=\()/);
  const reading = encodeCall(`function ${question} view returns ${answer}`, [wallet, slot, false]);
  const words = String(await service.node(NETWORK, 'eth_call', { to: contract, data: reading }, 'latest'));
  // The place of the list, its length, and its only item.
  const token = BigInt(`0x${words.slice(2 + 128)}`);
  await send(encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args: [AUTHORITY, slot] }));
  await send(encodeCall(`function ${burn}`, [token]));

  await acme.issue(NETWORK, wallet);
  expect(await acme.untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(await accepts(wallet)).toBe(true);
});
