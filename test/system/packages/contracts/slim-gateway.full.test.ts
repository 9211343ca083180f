import { JsonRpcBatchProvider } from '@ethersproject/providers';
import { GatewayTs } from '@identity.com/gateway-eth-ts';
import { type Address, encodeFunctionData, numberToHex } from 'viem';
import { expect, it } from 'vitest';
import { openContractNode } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { DIFFERENCES } from './slim-beside-old.ts';
import { CONTRACTS_OF_STORIES, checkStories, storiesOf, useSlimChain } from './slim-chain.ts';
import { NO_CHARGE, SLIM } from './slim-gateway.ts';
import { ACTORS, PAIRS } from './slim-stories.ts';

/** The slim contract beside the contract 0.8.0, and read by the protocol's own client. */

const STORIES = Number(process.env.STORIES ?? 20_000);
const on = useSlimChain();

it(`answers, emits and reverts as the contract 0.8.0 in ${STORIES} stories, except in the listed differences`, async () => {
  const seen = await checkStories(on.ask, storiesOf(STORIES));
  // Each listed difference occurs, so none is listed in vain.
  expect([...seen.keys()].toSorted()).toEqual(Object.keys(DIFFERENCES).toSorted());
}, 3_600_000);

const gatekeeper = ACTORS[0] as Address;
const EXPIRED = 1n;
/** The states of the wallets of each network. */
const STATES: readonly (readonly string[])[] = [
  [],
  ['mint'],
  ['mint', 'freeze'],
  ['mint', 'freeze', 'unfreeze'],
  ['mint', 'revoke'],
  ['mint', 'burn'],
  ['mint', 'freeze', 'burn', 'mint'],
  ['mint', 'setExpiration'],
  ['mint', 'revoke', 'burn', 'mint'],
];

it('answers the client gateway-eth-ts 0.8.0 as the contract 0.8.0 does', async () => {
  const provider = new JsonRpcBatchProvider(on.url, 31_337);
  await on.ask('anvil_setBalance', [gatekeeper, numberToHex(10n ** 18n)]);
  await on.ask('anvil_impersonateAccount', [gatekeeper]);
  const answers = [];
  for (const contract of [CONTRACTS_OF_STORIES.slim, CONTRACTS_OF_STORIES.old] as const) {
    const client = new GatewayTs(provider, contract as string);
    const send = async (functionName: string, ...args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi: SLIM.abi, functionName, args });
      const node = openContractNode(on.url);
      const call = { account: gatekeeper, chain: null, to: contract as Address, data, gas: 1_000_000n };
      const { status } = await node.waitForTransactionReceipt({ hash: await node.sendTransaction(call) });
      expect([functionName, status]).toEqual([functionName, 'success']);
    };
    for (const slot of new Set(PAIRS.map((each) => each.slot))) {
      await send('createNetwork', slot, `Network ${slot}`, false, `0x${'0'.repeat(40)}`);
      await send('addGatekeeper', gatekeeper, slot);
    }
    const answer = [];
    for (const [index, { wallet, slot }] of PAIRS.entries()) {
      for (const name of STATES[index] ?? []) {
        const [id] = await client.getTokenIdsByOwnerAndNetwork(wallet, slot);
        const token = BigInt(id?.toString() ?? 0);
        if (name === 'mint') await send('mint', wallet, slot, 0n, 0n, NO_CHARGE);
        else if (name === 'setExpiration') await send('setExpiration', token, EXPIRED, NO_CHARGE);
        else await send(name, token);
      }
      const token = await client.getToken(wallet, slot);
      answer.push({
        isValid: await client.verify(wallet, slot),
        tokens: (await client.getTokenIdsByOwnerAndNetwork(wallet, slot)).length,
        validTokens: (await client.getTokenIdsByOwnerAndNetwork(wallet, slot, true)).length,
        token: token && [token.owner, token.state, token.expiration.toString(), token.bitmask.toString()],
        network: await client.getGatekeeperNetwork(slot),
      });
    }
    answers.push(answer);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.map(({ isValid }) => isValid)).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
});
