import { bytesToHex, keccak256 } from '../../lib/bytes.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import { canonicalWallet } from '../../network/wallet.ts';
import type { Change } from '../../pass/vocabulary.ts';
import { RpcFault } from '../port.ts';
import type { ChainChange } from '../watch-port.ts';
import { decodeLog, type Event, topicOf } from './abi.ts';
import type { FoundLog } from './logs.ts';

/** Translates the contract's logs into changes of tokens, roles and code. */

/** Returns the topics of the events that a watcher reads. */
export const watchedTopics = () =>
  (
    [
      'Freeze',
      'Unfreeze',
      'Revoke',
      'Expiration',
      'SlotChanged',
      'Transfer',
      'RoleGranted',
      'RoleRevoked',
      'Upgraded',
    ] as const
  ).map(topicOf);

/** The changes that their event names alone. */
const CHANGE_OF = {
  Freeze: 'TOKEN_FROZEN',
  Unfreeze: 'TOKEN_UNFROZEN',
  Revoke: 'TOKEN_REVOKED',
  Expiration: 'TOKEN_EXPIRY_CHANGED',
} as const satisfies Readonly<Record<string, Change>>;

const NOBODY = `0x${'0'.repeat(40)}`;
let gatekeeperRole: string | undefined;

interface Unreadable {
  readonly eventName?: undefined;
}
type Read<E = Event> = E & { readonly contract: string; readonly transaction: string; readonly at: number };

/**
 * Returns the changes in these logs, in their order. A mint or a burn emits both Transfer with the wallet and SlotChanged with the
 * slot; the order of the two differs. Without Transfer, the change has no owner. Its SlotChanged names the gatekeeper network of the
 * token's other changes in these logs too. Another build of the contract may emit an event with other arguments under the same topic: its
 * transaction may have changed any token. Throws RpcFault if a log names no transaction. Pure.
 * @param contracts The asked contracts. A change names its contract as they do.
 */
export function changesIn(
  logs: readonly FoundLog[],
  contracts: readonly string[],
  networkOf: (slot: bigint) => GatekeeperNetwork | undefined,
): ChainChange[] {
  const events = logs.flatMap((log) => readEvent(log, contracts));
  const wallets = new Map(
    events.flatMap((event) => {
      if (event.eventName !== 'Transfer') return [];
      const { from, to, tokenId } = event.args;
      if (from === NOBODY) return [[nameOf('mint', event, tokenId), to] as const];
      return to === NOBODY ? [[nameOf('burn', event, tokenId), from] as const] : [];
    }),
  );
  const networks = new Map(
    events.flatMap((event) => {
      if (event.eventName !== 'SlotChanged') return [];
      const { tokenId, oldSlot, newSlot } = event.args;
      return [[nameIn(event.contract, tokenId), networkOf(oldSlot === 0n ? newSlot : oldSlot)] as const];
    }),
  );
  return events.flatMap((event): ChainChange[] => {
    const { transaction, at, contract } = event;
    const place = { transaction, at, contract };
    switch (event.eventName) {
      case 'Freeze':
      case 'Unfreeze':
      case 'Revoke':
      case 'Expiration': {
        const token = String(event.args.tokenId);
        const name = nameIn(contract, event.args.tokenId);
        const gatekeeperNetwork = networks.get(name);
        // Its slot is that of no gatekeeper network.
        if (networks.has(name) && gatekeeperNetwork === undefined) return [];
        // Some builds also announce the expiry with which they mint. The issuance is its change.
        const isOfMint = gatekeeperNetwork !== undefined && wallets.has(nameOf('mint', event, event.args.tokenId));
        if (event.eventName === 'Expiration' && isOfMint) return [];
        const change = CHANGE_OF[event.eventName];
        return [{ ...place, type: 'token', change, token, ...(gatekeeperNetwork && { gatekeeperNetwork }) }];
      }
      case 'SlotChanged': {
        const { tokenId, oldSlot, newSlot } = event.args;
        if ((oldSlot === 0n) === (newSlot === 0n)) return [];
        const isMint = oldSlot === 0n;
        const change = isMint ? 'TOKEN_ISSUED' : 'TOKEN_REVOKED';
        const gatekeeperNetwork = networkOf(isMint ? newSlot : oldSlot);
        if (gatekeeperNetwork === undefined) return [];
        const token = { ...place, type: 'token', change, token: String(tokenId) } as const;
        const address = wallets.get(nameOf(isMint ? 'mint' : 'burn', event, tokenId));
        // An endpoint may hide the log. Then the token itself shows its owner.
        if (address === undefined) return [{ ...token, gatekeeperNetwork }];
        const wallet = canonicalWallet('ethereum', address);
        return wallet ? [{ ...token, holder: { wallet, gatekeeperNetwork } }] : [];
      }
      case 'RoleGranted':
      case 'RoleRevoked': {
        const { role, domain, account } = event.args;
        gatekeeperRole ??= bytesToHex(keccak256(new TextEncoder().encode('GATEKEEPER_ROLE')));
        const gatekeeperNetwork = role === gatekeeperRole ? networkOf(domain) : undefined;
        return gatekeeperNetwork ? [{ ...place, type: 'role', gatekeeperNetwork, account }] : [];
      }
      case 'Upgraded':
        return [{ ...place, type: 'upgraded' }];
      case undefined:
        return [{ ...place, type: 'transaction' }];
      default:
        return [];
    }
  });
}

const nameIn = (contract: string, token: bigint): string => `${contract} ${token}`;

type Way = 'mint' | 'burn';
const nameOf = (way: Way, { transaction, contract }: Pick<Read, 'transaction' | 'contract'>, tokenId: bigint) =>
  `${way} ${transaction} ${contract} ${tokenId}`;

function readEvent(
  { address, topics, data, transactionHash, blockNumber }: FoundLog,
  contracts: readonly string[],
): Read<Event | Unreadable>[] {
  const contract = contracts.find((each) => each.toLowerCase() === address.toLowerCase());
  if (contract === undefined || transactionHash === undefined) throw new RpcFault('a log has no transaction');
  const event = decodeOrNot(topics, data);
  return event ? [{ ...event, contract, transaction: transactionHash, at: Number(blockNumber) }] : [];
}

/** Returns undefined for another event. */
function decodeOrNot(...[topics, data]: Parameters<typeof decodeLog>): Event | Unreadable | undefined {
  try {
    return decodeLog(topics, data);
  } catch {
    return {};
  }
}
