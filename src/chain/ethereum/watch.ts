import type { Hex } from '../../lib/bytes.ts';
import type { Secret } from '../../lib/secret.ts';
import type { EthereumNetwork } from '../../network/network.ts';
import { gatekeeperNetworkOf, slotOf } from '../../network/slot.ts';
import { canonicalWallet, checksumAddress } from '../../network/wallet.ts';
import { agree } from '../agreement.ts';
import { orFault, resolveInTurn, scanInTurn } from '../ask-in-turn.ts';
import { askEach, type JsonRpc, openEndpoints } from '../json-rpc.ts';
import { RpcFault } from '../port.ts';
import { type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type {
  Resolution,
  ResolvedChange,
  Role,
  RoleHolder,
  TokenChange,
  TokenOwner,
  TransactionChange,
  UnreadTransaction,
  UnresolvedChange,
  WatchPort,
} from '../watch-port.ts';
import { askTogether, endpointsFor } from '../whom-to-ask.ts';
import { encodeCall } from './abi.ts';
import { changesIn, watchedTopics } from './changes-in-logs.ts';
import { type EthereumToken, isUnknownToken, readToken, slotData, tokenData } from './gateway.ts';
import { FIRST_RANGE, type LogQuery, logsCall, logsOf } from './logs.ts';
import * as calls from './rpc.ts';
import { type LogEndpoint, scanWith, type Watched } from './scan.ts';

/** The feature of a gatekeeper network by which the tokens of a removed gatekeeper become void. */
const REMOVAL_VOIDS_TOKENS = 0;

/**
 * Returns the watch port of an Ethereum-type network.
 * @param slots Numbers of gatekeeper networks in addition to the built-in table.
 */
export function watchEthereum(
  network: EthereumNetwork,
  urls: readonly Secret<string>[],
  slots: Readonly<Record<string, bigint>>,
): WatchPort {
  const endpoints = openEndpoints(urls, calls.identityOf(network));
  const alone = endpoints.alone.map((endpoint): LogEndpoint => ({ ...endpoint, range: FIRST_RANGE }));
  const networkOf = (slot: bigint) => gatekeeperNetworkOf(slot, slots);
  return {
    scan: (span, contracts, turn) =>
      scanInTurn(alone, turn, (endpoint) => scanWith(endpoint, { network, contracts, networkOf }, span)),
    async nameNetworks(tokens, at, turn) {
      const [first] = endpointsFor('history', alone, turn);
      const answers = first && (await orFault(readSlots(first.send, tokens, at)));
      return tokens.map((_, index) => {
        const slot = answers instanceof RpcFault ? undefined : answers?.[index];
        return slot === undefined ? undefined : (networkOf(slot) ?? null);
      });
    },
    resolve: (changes, turn) =>
      resolveInTurn(alone, turn, changes, ({ send }, open) => resolveWith(send, open, networkOf)),
    async readRoles(gatekeepers) {
      if (gatekeepers.length === 0) return [];
      const slotIn = ({ gatekeeperNetwork }: RoleHolder) => slotOf(gatekeeperNetwork, slots);
      const answers = await askTogether('control', alone, ({ send }) =>
        readRolesWith(send, network, gatekeepers, slotIn),
      );
      if (answers.every((answer) => answer === undefined))
        throw new RpcFault('no endpoint shows the roles of the gatekeepers');
      return gatekeepers.map((_, index) => {
        const agreed = agree(answers.flatMap((roles) => roles?.[index] ?? []));
        return agreed.type === 'read' && (agreed.isConfirmed || urls.length === 1) ? agreed.value : undefined;
      });
    },
  };
}

/** Reads the slots of tokens at a block; undefined for a token that the contract does not know, or that the answer does not show. */
async function readSlots(
  send: JsonRpc,
  tokens: readonly TokenChange[],
  at: number,
): Promise<readonly (bigint | undefined)[]> {
  const asked = tokens.map(({ contract, token }) =>
    calls.call({ to: contract, data: slotData(BigInt(token)) }, calls.hex(at)),
  );
  return (await send(asked)).map((answer) => {
    const data = 'result' in answer ? String(answer.result) : '';
    // A contract that knows the token answers with one word.
    return /^0x[0-9a-f]{64}$/i.test(data) ? BigInt(data) : undefined;
  });
}

/** Reads the tokens at the newest block of the endpoint. Throws RpcFault if that block is older than a change. */
async function resolveWith(
  send: JsonRpc,
  open: readonly UnresolvedChange[],
  networkOf: Watched['networkOf'],
): Promise<Resolution> {
  const changes = open.filter((change) => change.type === 'token');
  const transactions = open.filter((change) => change.type === 'transaction');
  // Behind one URL, another node may answer each call, so the calls name the block.
  const at = calls.numberOf((await send([calls.newestBlock]))[0]) ?? 0;
  if (open.some((change) => change.at > at)) throw new RpcFault('the node is behind the changes');
  const tokens = [...new Map(changes.map((change) => [nameOf(change), change])).values()];
  const hashes = [...new Set(changes.map(({ transaction }) => transaction))];
  const asked = [
    ...tokens.flatMap(({ contract, token }) =>
      [tokenData(BigInt(token)), slotData(BigInt(token))].map((data) =>
        calls.call({ to: contract, data }, calls.hex(at)),
      ),
    ),
    ...hashes.map(calls.transaction),
    ...transactions.map((change) => logsCall(logsNear(change))),
  ];
  const answers = await askEach(send, asked, (call) => call);
  const answerAt = (index: number) => answers[index]?.[1];
  const read = new Map(
    tokens.map((change, index) => [nameOf(change), tokenIn(change, answerAt(2 * index), answerAt(2 * index + 1))]),
  );
  const senders = new Map(hashes.map((hash, index) => [hash, callIn(answerAt(2 * tokens.length + index))]));
  const resolved: ResolvedChange[] = [];
  const unresolved: UnresolvedChange[] = [];
  const unread: UnreadTransaction[] = [];
  for (const [index, change] of transactions.entries()) {
    const why = findUnreadable(change, answerAt(2 * tokens.length + hashes.length + index));
    if (why === undefined) unresolved.push(change);
    else unread.push({ change, why });
  }
  for (const change of changes) {
    const found = read.get(nameOf(change));
    const owner = found && tokenOwnerOf(found, networkOf);
    const holder = change.holder ?? owner;
    if (holder === undefined) {
      unresolved.push(change);
      continue;
    }
    const { from, to } = senders.get(change.transaction) ?? {};
    const gatekeeper = to?.toLowerCase() === change.contract.toLowerCase() && from ? checksumAddress(from) : undefined;
    // After a reorg, the id may belong to another wallet.
    const isTheirs = owner?.wallet === holder.wallet && owner.gatekeeperNetwork === holder.gatekeeperNetwork;
    const { state, expiry } = found && isTheirs ? found : { state: 'NONE' as const, expiry: undefined };
    resolved.push({ ...change, holder, gatekeeper, state, expiry });
  }
  return { resolved, unresolved, unread };
}

const nameOf = ({ contract, token }: TokenChange) => `${contract} ${token}`;

/** Returns the query for the logs of the contract in the block of a transaction. */
const logsNear = ({ contract, at }: TransactionChange): LogQuery => ({
  addresses: [contract],
  topics: [watchedTopics()],
  from: at,
  to: at,
});

/** Returns why the logs of a transaction cannot be read. Undefined: the endpoint shows none of them that is unreadable. */
function findUnreadable(change: TransactionChange, answer: RpcAnswer | undefined): string | undefined {
  try {
    const logs = logsOf(answer, logsNear(change)).filter((log) => log.transactionHash === change.transaction);
    const isUnreadable = changesIn(logs, [change.contract], () => undefined).some(({ type }) => type === 'transaction');
    return isUnreadable ? 'a log of the contract has an unknown form' : undefined;
  } catch (fault) {
    if (fault instanceof RpcFault) return fault.message;
    throw fault;
  }
}

/** Returns the token, or undefined if the contract knows no such token. Throws RpcFault if the answers do not show it. */
function tokenIn(
  { token }: TokenChange,
  answer: RpcAnswer | undefined,
  slot: RpcAnswer | undefined,
): EthereumToken | undefined {
  if (isUnknownToken(answer) && isUnknownToken(slot)) return undefined;
  const [data, slotAnswer] = [resultOf<Hex>(answer), resultOf<Hex>(slot)];
  try {
    return readToken(BigInt(token), data, slotAnswer);
  } catch {
    throw new RpcFault(`token ${token} cannot be read`);
  }
}

function tokenOwnerOf({ owner, slot }: EthereumToken, networkOf: Watched['networkOf']): TokenOwner | undefined {
  const [wallet, gatekeeperNetwork] = [canonicalWallet('ethereum', owner), networkOf(slot)];
  return wallet && gatekeeperNetwork && { wallet, gatekeeperNetwork };
}

/** Returns the sender and the target of a transaction. It is only a detail of a change, so the node may lack it. */
function callIn(answer: RpcAnswer | undefined): { readonly from?: string; readonly to?: string } {
  return answer && 'result' in answer && answer.result !== null ? (answer.result as object) : {};
}

/** Reads the roles at the depth of confirmation. Undefined for a gatekeeper network without a slot, or if the answer shows none. */
async function readRolesWith(
  send: JsonRpc,
  { confirmations }: EthereumNetwork,
  gatekeepers: readonly RoleHolder[],
  slotIn: (gatekeeper: RoleHolder) => bigint | undefined,
): Promise<readonly (Role | undefined)[]> {
  const head = Number(calls.blockOf((await send([calls.newestBlock]))[0]).number);
  const at = calls.hex(Math.max(0, head - confirmations + 1));
  const asked = gatekeepers.flatMap((gatekeeper) => {
    const slot = slotIn(gatekeeper);
    if (slot === undefined) return [];
    const data = [
      encodeCall('isGatekeeper', [gatekeeper.account as Hex, slot]),
      encodeCall('networkHasFeature', [slot, REMOVAL_VOIDS_TOKENS]),
    ];
    return data.map((each) => ({ gatekeeper, call: calls.call({ to: gatekeeper.contract, data: each }, at) }));
  });
  const answers = Map.groupBy(await askEach(send, asked, ({ call }) => call), ([{ gatekeeper }]) => gatekeeper);
  return gatekeepers.map((gatekeeper) => {
    const [isGatekeeper, hasFeature] = (answers.get(gatekeeper) ?? []).map(([, answer]) => answer);
    return isGatekeeper && hasFeature && roleIn(isGatekeeper, hasFeature);
  });
}

/** A contract without code answers nothing, and one of another kind may refuse the calls. That hides no other role. */
function roleIn(isGatekeeper: RpcAnswer, hasFeature: RpcAnswer): Role | undefined {
  try {
    if (calls.quantityOf(isGatekeeper) !== 0n) return 'held';
    return calls.quantityOf(hasFeature) === 1n ? 'void' : 'lost';
  } catch (fault) {
    if (fault instanceof RpcFault) return undefined;
    throw fault;
  }
}
