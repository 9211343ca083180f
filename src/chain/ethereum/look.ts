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

/** A step whose gatekeeper network has a slot in the contract. */
interface Placed {
  readonly step: Step;
  readonly slot: bigint;
}

/**
 * Looks at the wallets of all steps at once. One batch reads the terms and every wallet's token ids; another the
 * tokens, where there are any; then the calls are tried. What is wrong with one step keeps no other waiting.
 */
export async function look(chain: Ethereum, steps: readonly Step[]): Promise<Look> {
  const placed = steps.flatMap((step): Placed[] => {
    const slot = chain.slot(step.key.gatekeeperNetwork);
    return slot === undefined ? [] : [{ step, slot }];
  });
  const asked = termsCalls(chain.account);
  const answers = await chain.rpc([...asked, ...placed.map((each) => idsCall(chain, each, 'latest'))]);
  const terms = readTerms(answers.slice(0, asked.length), chain.network);
  if (terms === undefined) throw new RpcFault('the endpoint serves another chain');
  const owned = await readTokens(chain, answers.slice(asked.length).map(readIds));
  const finalIds = await finalTokenIds(chain, placed);
  const intents = placed.map((each, index): Intent => {
    const its = owned[index] as Owned<Token>;
    return 'is' in its ? its : intentOf(each, standingToken(its.tokens), finalIds.get(each.step.id));
  });
  const found = await tryCalls(
    chain,
    placed.map(({ step }) => step),
    intents,
  );
  const findings = new Map(placed.map(({ step }, index) => [step.id, found[index]]));
  return { terms, findings: steps.map(({ id }) => findings.get(id) ?? NO_SLOT) };
}

const NO_SLOT: Finding = { is: 'not-now', why: 'not a gatekeeper network', keeps: 'gatekeeper-network' };

function intentOf({ step, slot }: Placed, token: Token | undefined, finalIds: readonly bigint[] = []): Intent {
  if (step.kind === 'issue') {
    if (token !== undefined) return { is: 'found', onChain: onChain(token) };
    return { is: 'call', data: mintData(step.key.wallet, slot, step.expiry) };
  }
  if (token?.state !== 'ACTIVE' || token.expiry === step.expiry) {
    return { is: 'found', onChain: token === undefined ? { state: 'NONE' } : onChain(token) };
  }
  // Token ids change in a reorg: the id of a mint that is not final may soon be another wallet's.
  if (!finalIds.includes(token.id)) return { is: 'not-now', why: 'the mint is not final', keeps: 'step' };
  return { is: 'call', data: setExpirationData(token.id, step.expiry) };
}

const onChain = ({ state, expiry }: Token): OnChain => ({ state, expiry });

function idsCall({ network }: Ethereum, { step, slot }: Placed, at: rpc.BlockTag) {
  return rpc.call({ to: network.gateway, data: tokenIdsData(step.key.wallet, slot) }, at);
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
async function finalTokenIds(chain: Ethereum, placed: readonly Placed[]): Promise<Map<string, readonly bigint[]>> {
  const naming = placed.filter(({ step }) => step.kind !== 'issue');
  if (naming.length === 0) return new Map();
  const at = await finalBlock(chain);
  const answers = await chain.rpc(naming.map((each) => idsCall(chain, each, at)));
  return new Map(
    naming.map(({ step: { id } }, index) => {
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
