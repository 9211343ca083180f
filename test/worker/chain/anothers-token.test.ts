import type { Address } from '@solana/kit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { tokenIdsData } from '../../../src/chain/ethereum/gateway.ts';
import { read as readOnEthereum } from '../../../src/chain/ethereum/owned-tokens.ts';
import { prepare as lookOnEthereum } from '../../../src/chain/ethereum/prepare.ts';
import { hex, identityOf } from '../../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../../src/chain/json-rpc.ts';
import { prepare as lookOnSolana } from '../../../src/chain/solana/prepare.ts';
import { solanaRpc } from '../../../src/chain/solana/rpc.ts';
import { type GatekeeperNetwork, slotOf } from '../../../src/network/slot.ts';
import type { Step } from '../../../src/pass/step.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import { answersIn } from './ask.ts';
import { issued } from './ethereum/issuing.ts';
import * as ethereum from './ethereum/node.ts';
import { flown } from './solana/issuing.ts';
import * as solana from './solana/node.ts';
import { readBytes } from './solana/read-bytes.ts';

/** A node returns somebody else's token for a pass. The key must not freeze or revoke that token. */

const [, globex] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork) as [
  GatekeeperNetwork,
  GatekeeperNetwork,
];
const KINDS = ['issue', 'freeze', 'unfreeze', 'revoke', 'set-expiry'] as const;
const aChange = (step: Step, kind: StepKind): Step => ({ ...step, kind, expiry: undefined });

describe('a node on Ethereum that shows another token', () => {
  ethereum.makeBlocksByHand();

  const idsOf = ({ key }: Step) => tokenIdsData(key.wallet, slotOf(key.gatekeeperNetwork) as bigint);
  const { network, endpoints } = ethereum.sepolia();
  const send = jsonRpc(endpoints, identityOf(network));

  /** Answers questions about the tokens of one pass with those of another. */
  const swapping = (asked: Step, shown: Step) => {
    const rpc: JsonRpc = (calls) => {
      const text = JSON.stringify(calls, (_, value) => (typeof value === 'bigint' ? hex(value) : value));
      return send(JSON.parse(text.replaceAll(idsOf(asked), idsOf(shown))));
    };
    return ethereum.contextOver(rpc);
  };

  const mine = ethereum.aStep();
  const theirs = ethereum.aStep();
  const elsewhere = ethereum.aStep({ wallet: mine.key.wallet, gatekeeperNetwork: globex });
  const honest = ethereum.aStep();
  beforeAll(async () => {
    for (const step of [theirs, elsewhere]) await issued(step);
  });

  it.each([
    ['another wallet', theirs],
    ['another gatekeeper network', elsewhere],
  ])('on Ethereum, only the step for which the node shows the token of %s waits', async (_, shown) => {
    const chain = swapping(mine, shown);
    for (const kind of KINDS) {
      const { results } = await lookOnEthereum(chain, [{ step: aChange(mine, kind) }, { step: honest }]);
      const why = "the contract's answer cannot be read: eth_call";
      expect(answersIn(results), kind).toMatchObject([{ type: 'not-now', why, blocks: 'step' }, { type: 'ready' }]);
    }
    expect(answersIn(await readOnEthereum(chain, [mine]))).toMatchObject([{ type: 'unreadable' }]);
    expect(answersIn(await readOnEthereum(chain, [shown]))).toMatchObject([
      { type: 'read', onChain: { state: 'ACTIVE' } },
    ]);
  });
});

describe('a node on Solana that shows another token', () => {
  const mine = solana.aStep();
  const theirs = solana.aStep();
  const elsewhere = solana.aStep({ wallet: mine.key.wallet, gatekeeperNetwork: globex });
  beforeAll(async () => {
    for (const step of [theirs, elsewhere]) await flown(step);
  });

  let swapped = 0;

  /** The same, and every simulation succeeds. */
  async function swapping(asked: Step, shown: Step) {
    const chain = solana.chainOf(solana.devnet());
    const [from, to] = await Promise.all([asked, shown].map(async (step) => (await solana.addressOf(step)).address));
    const send: JsonRpc = async (calls) => {
      const altered = calls.map((call) => {
        const params =
          call.method === 'getMultipleAccounts' ? swap(call.params, from as Address, to as Address) : call.params;
        return { ...call, params };
      });
      const answers = await chain.send(altered);
      const value = { err: null, logs: [], unitsConsumed: 9_000 };
      return answers.map((answer, index) =>
        calls[index]?.method === 'simulateTransaction' ? { result: { context: { slot: 1 }, value } } : answer,
      );
    };
    return { ...chain, send, rpc: solanaRpc(send) };
  }

  function swap([addresses, ...rest]: readonly unknown[], from: Address, to: Address): unknown[] {
    return [
      (addresses as Address[]).map((address) => {
        if (address !== from) return address;
        swapped += 1;
        return to;
      }),
      ...rest,
    ];
  }

  it.each([
    ['another wallet', theirs],
    ['another gatekeeper network', elsewhere],
  ])('on Solana, a step changes the address of its own pass when the node shows the token of %s', async (_, shown) => {
    swapped = 0;
    const chain = await swapping(mine, shown);
    await solana.untilFinal();
    for (const kind of ['freeze', 'revoke'] as const) {
      const { results } = await lookOnSolana(chain, [{ step: aChange(mine, kind) }], 0);
      const [result] = answersIn(results);
      if (result?.type !== 'ready') throw new Error('not ready');
      const { accounts, calls } = readBytes(await result.sign(undefined));
      // The address is derived from the pass, not read from nodes, and the program finds nothing there.
      expect(calls.at(-1)?.accounts[0]).toBe((await solana.addressOf(mine)).address);
      expect(accounts).not.toContain((await solana.addressOf(shown)).address);
    }
    expect(swapped).toBeGreaterThan(0);
  });
});
