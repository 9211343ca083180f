import { expect, it } from 'vitest';
import { GatepassProblem } from '../../../../packages/client/src/errors.ts';
import type { Config } from '../../../../src/config/config.ts';
import { passTargetOf } from '../../../../src/http/pass/pass-requests.ts';
import { problemOf } from '../../../../src/http/protocol/problem.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';
import type { Partner } from '../../../../src/store/partners.ts';

it.each([
  ['ethereum', 'rinkeby', 'sepolia'],
  ['solana', 'testnet', 'devnet'],
  ['bitcoin', 'mainnet', 'solana'],
])('the message about the unknown network %s/%s lists each existing name once', (chain, chainNetwork, listed) => {
  const refusal = passTargetOf({ chain, chainNetwork, wallet: '' }, {} as Partner, { networks: NETWORKS } as Config);
  if (!('code' in refusal)) throw new Error('it was accepted');
  const { status, body } = problemOf(refusal, 'a request');
  const { message } = new GatepassProblem(new Response(null, { status }), JSON.parse(body));
  expect(message).toMatch(/^400 unknown_network: /);
  expect(message.match(new RegExp(`\\b${listed}\\b`, 'g'))).toHaveLength(1);
});
