import type { Hex } from 'viem';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import { type RpcAnswer, resultOf } from '../json-rpc.ts';
import { type Finding, type Look, RpcFault } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import {
  mintData,
  readToken,
  readTokenIds,
  revertName,
  setExpirationData,
  standingToken,
  type Token,
  tokenData,
  tokenIdsData,
} from './gateway.ts';
import { readTerms, termsCalls } from './terms.ts';

/** Added to the estimate: what a call costs may differ a little from wallet to wallet. In percent. */
const GAS_MARGIN = 25n;

/**
 * Looks at the wallets of all steps at once. One batch reads the terms and every wallet's tokens; further ones only
 * where tokens were found, and one tries the calls.
 */
export async function look(chain: Ethereum, steps: readonly Step[]): Promise<Look> {
  const { rpc: send, network, account } = chain;
  const asked = termsCalls(account);
  const answers = await send([...asked, ...steps.map((step) => idsCall(chain, step, 'latest'))]);
  const terms = readTerms(answers.slice(0, asked.length), network);
  if (terms === undefined) throw new RpcFault('the endpoint serves another chain');

  const ids = answers.slice(asked.length).map((answer) => readTokenIds(resultOf<Hex>(answer)));
  if (ids.includes(undefined)) {
    const nobody: Finding = { is: 'not-now', why: 'no contract at the configured address', keeps: 'signer' };
    return { terms, findings: steps.map(() => nobody) };
  }
  const tokens = await readTokens(chain, ids as (readonly bigint[])[]);
  const settledIds = await finalTokenIds(chain, steps);
  const intents = steps.map((step, index) =>
    intentOf(chain, step, standingToken(tokens[index] ?? []), settledIds.get(step.id)),
  );
  return { terms, findings: await tryCalls(chain, steps, intents) };
}

/** What to do for a step: a finding already, or a call that has yet to be tried. */
type Intent = Finding | { readonly is: 'call'; readonly data: Hex };

function intentOf(
  chain: Ethereum,
  step: Step,
  token: Token | undefined,
  finalIds: readonly bigint[] | undefined,
): Intent {
  if (step.kind === 'issue') {
    if (token !== undefined) return { is: 'found', onChain: onChain(token) };
    return { is: 'call', data: mintData(step.key.wallet, chain.slot(step.key.gatekeeperNetwork), step.expiry) };
  }
  if (token?.state !== 'ACTIVE' || token.expiry === step.expiry) {
    return { is: 'found', onChain: token === undefined ? { state: 'NONE' } : onChain(token) };
  }
  // Token ids change in a reorg: the id of a mint that is not final may soon be another wallet's.
  if (!finalIds?.includes(token.id)) return { is: 'not-now', why: 'the mint is not final', keeps: 'step' };
  return { is: 'call', data: setExpirationData(token.id, step.expiry) };
}

const onChain = ({ state, expiry }: Token): OnChain => ({ state, expiry });

function idsCall({ network, slot }: Ethereum, { key }: Step, at: rpc.BlockTag) {
  return rpc.call({ to: network.gateway, data: tokenIdsData(key.wallet, slot(key.gatekeeperNetwork)) }, at);
}

async function readTokens({ rpc: send, network }: Ethereum, ids: readonly (readonly bigint[])[]): Promise<Token[][]> {
  const all = ids.flat();
  if (all.length === 0) return ids.map(() => []);
  const answers = await send(all.map((id) => rpc.call({ to: network.gateway, data: tokenData(id) })));
  const tokens = new Map(all.map((id, index) => [id, readToken(id, resultOf<Hex>(answers[index]))]));
  return ids.map((owned) => owned.flatMap((id) => tokens.get(id) ?? []));
}

/** The token ids, as of the newest final block, of those steps that name one. */
async function finalTokenIds(chain: Ethereum, steps: readonly Step[]): Promise<Map<string, readonly bigint[]>> {
  const naming = steps.filter(({ kind }) => kind !== 'issue');
  if (naming.length === 0) return new Map();
  const { final } = chain.network;
  let at: rpc.BlockTag;
  if ('tag' in final) at = final.tag;
  else {
    const [head] = await chain.rpc([rpc.blockNumber]);
    at = rpc.hex(Math.max(0, Number(resultOf<Hex>(head)) - final.depth));
  }
  const answers = await chain.rpc(naming.map((step) => idsCall(chain, step, at)));
  return new Map(naming.map(({ id }, index) => [id, readTokenIds(resultOf<Hex>(answers[index])) ?? []]));
}

/** Tries every call without sending it, and measures the gas of one of each kind. */
async function tryCalls(chain: Ethereum, steps: readonly Step[], intents: readonly Intent[]): Promise<Finding[]> {
  const transaction = (data: Hex) => ({ from: chain.account, to: chain.network.gateway, data });
  const calls = intents.flatMap((intent) => (intent.is === 'call' ? [intent.data] : []));
  if (calls.length === 0) return intents as Finding[];
  const tried = new Map<Hex, RpcAnswer>();
  const answers = await chain.rpc(calls.map((data) => rpc.call(transaction(data))));
  for (const [index, answer] of answers.entries()) tried.set(calls[index] as Hex, answer);

  const good = steps.flatMap(({ kind }, index) => {
    const intent = intents[index];
    return intent?.is === 'call' && 'result' in (tried.get(intent.data) ?? {}) ? [{ kind, data: intent.data }] : [];
  });
  const samples = [...new Map(good.map((each) => [each.kind, each])).values()];
  const estimates =
    samples.length === 0 ? [] : await chain.rpc(samples.map(({ data }) => rpc.estimateGas(transaction(data))));
  const gas = new Map(samples.map(({ kind }, index) => [kind, BigInt(resultOf<Hex>(estimates[index]))]));

  return intents.map((intent, index): Finding => {
    if (intent.is !== 'call') return intent;
    const answer = tried.get(intent.data);
    if (answer === undefined || 'error' in answer) return refusalOf(answer);
    const limit = ((gas.get((steps[index] as Step).kind) ?? 0n) * (100n + GAS_MARGIN)) / 100n;
    return { is: 'ready', call: { data: intent.data, gas: String(limit) } };
  });
}

/** What keeps a whole gatekeeper network waiting: its authority can mend it, the partner's request is right. */
const UNAUTHORIZED: Readonly<Record<string, string>> = {
  Common__Unauthorized: 'the gatekeeper is not authorized on the gatekeeper network',
  GatewayToken__NetworkDoesNotExist: 'the gatekeeper network does not exist on this chain',
};

function refusalOf(answer: RpcAnswer | undefined): Finding {
  const data = answer && rpc.revertData(answer);
  const name = data && revertName(data);
  // An error that is not the contract's word refuses nothing: nodes fail for many reasons.
  if (name === undefined || name === '') return { is: 'not-now', why: 'the call could not be tried', keeps: 'step' };
  const unauthorized = UNAUTHORIZED[name];
  if (unauthorized !== undefined) return { is: 'not-now', why: unauthorized, keeps: 'gatekeeper-network' };
  return { is: 'refused', reason: `the contract refuses it: ${name}` };
}
