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
  setExpirationData,
  standingToken,
  type Token,
  tokenData,
  tokenIdsData,
} from './gateway.ts';
import { refusalOf } from './refusal.ts';
import { readTerms, termsCalls } from './terms.ts';
import { tryCalls } from './try-calls.ts';

/** What to do for a step: a finding already, or a call that has yet to be tried. */
export type Intent = Finding | { readonly is: 'call'; readonly data: Hex };

/** What a step finds at its wallet: its tokens, or why they cannot be known. */
type Owned<T> = { readonly tokens: readonly T[] } | Finding;

/**
 * Looks at the wallets of all steps at once. One batch reads the terms and every wallet's token ids; another the
 * tokens, where there are any; then the calls are tried. What is wrong with one wallet keeps no other waiting.
 */
export async function look(chain: Ethereum, steps: readonly Step[]): Promise<Look> {
  const asked = termsCalls(chain.account);
  const answers = await chain.rpc([...asked, ...steps.map((step) => idsCall(chain, step, 'latest'))]);
  const terms = readTerms(answers.slice(0, asked.length), chain.network);
  if (terms === undefined) throw new RpcFault('the endpoint serves another chain');
  const owned = await readTokens(chain, answers.slice(asked.length).map(readIds));
  const finalIds = await finalTokenIds(chain, steps);
  const intents = steps.map((step, index): Intent => {
    const its = owned[index] as Owned<Token>;
    return 'is' in its ? its : intentOf(chain, step, standingToken(its.tokens), finalIds.get(step.id));
  });
  return { terms, findings: await tryCalls(chain, steps, intents) };
}

function intentOf(chain: Ethereum, step: Step, token: Token | undefined, finalIds: readonly bigint[] = []): Intent {
  if (step.kind === 'issue') {
    if (token !== undefined) return { is: 'found', onChain: onChain(token) };
    return { is: 'call', data: mintData(step.key.wallet, chain.slot(step.key.gatekeeperNetwork), step.expiry) };
  }
  if (token?.state !== 'ACTIVE' || token.expiry === step.expiry) {
    return { is: 'found', onChain: token === undefined ? { state: 'NONE' } : onChain(token) };
  }
  // Token ids change in a reorg: the id of a mint that is not final may soon be another wallet's.
  if (!finalIds.includes(token.id)) return { is: 'not-now', why: 'the mint is not final', keeps: 'step' };
  return { is: 'call', data: setExpirationData(token.id, step.expiry) };
}

const onChain = ({ state, expiry }: Token): OnChain => ({ state, expiry });

function idsCall({ network, slot }: Ethereum, { key }: Step, at: rpc.BlockTag) {
  return rpc.call({ to: network.gateway, data: tokenIdsData(key.wallet, slot(key.gatekeeperNetwork)) }, at);
}

function readIds(answer: RpcAnswer): Owned<bigint> {
  if ('error' in answer) return refusalOf(answer);
  const tokens = readTokenIds(answer.result as Hex);
  return tokens ? { tokens } : { is: 'not-now', why: 'no contract at the configured address', keeps: 'signer' };
}

async function readTokens({ rpc: send, network }: Ethereum, owned: readonly Owned<bigint>[]): Promise<Owned<Token>[]> {
  const ids = owned.flatMap((its) => ('is' in its ? [] : its.tokens));
  const answers =
    ids.length === 0 ? [] : await send(ids.map((id) => rpc.call({ to: network.gateway, data: tokenData(id) })));
  const byId = new Map(ids.map((id, index) => [id, answers[index]]));
  return owned.map((its): Owned<Token> => {
    if ('is' in its) return its;
    const tokens: Token[] = [];
    for (const id of its.tokens) {
      const answer = byId.get(id);
      // Burned between the two reads, say: the next look will tell.
      if (answer === undefined || 'error' in answer)
        return { is: 'not-now', why: 'a token cannot be read', keeps: 'step' };
      tokens.push(readToken(id, answer.result as Hex));
    }
    return { tokens };
  });
}

/** The token ids, as of the newest final block, of those steps that name one. */
async function finalTokenIds(chain: Ethereum, steps: readonly Step[]): Promise<Map<string, readonly bigint[]>> {
  const naming = steps.filter(({ kind }) => kind !== 'issue');
  if (naming.length === 0) return new Map();
  const at = await finalBlock(chain);
  const answers = await chain.rpc(naming.map((step) => idsCall(chain, step, at)));
  return new Map(
    naming.map(({ id }, index) => {
      const its = readIds(answers[index] as RpcAnswer);
      return [id, 'is' in its ? [] : its.tokens];
    }),
  );
}

async function finalBlock({ rpc: send, network: { final } }: Ethereum): Promise<rpc.BlockTag> {
  if ('tag' in final) return final.tag;
  const [head] = await send([rpc.blockNumber]);
  return rpc.hex(Math.max(0, Number(resultOf<Hex>(head)) - final.depth));
}
