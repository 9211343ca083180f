import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { type GatekeeperNetwork, slotOf, TEST_SLOT } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import { confirm } from '../confirm.ts';
import type { NetworkNodes, Nodes } from '../nodes/open-nodes.ts';
import { openReader } from '../tokens/open-reader.ts';
import { type Change, describeChange, isDone, type Standing } from './change.ts';
import type { ChangeCommand, Verb } from './commands.ts';
import { creationOf, MissingContract, REMOVAL_VOIDS_TOKENS } from './ethereum-gateway.ts';
import { readStanding } from './gateway.ts';
import { type OpenedGateway, openGateway } from './open-gateway.ts';
import { demandMainnetFlag, onEach, type Target, tell } from './targets.ts';

/** A gatekeeper network on one network, with the changes that the command wants there. */
export interface GatewayTarget extends Target<Change> {
  readonly opened: OpenedGateway;
}

/** A target with only the changes that the chain lacks. */
export type Planned<T extends GatewayTarget> = T & {
  /** The gatekeeper network before the changes. */
  readonly standing: Standing;
};

/** Opens the named networks with the changes that the command wants. Throws Failure if it must not work on one of them. */
export function openTargets(command: ChangeCommand, nodes: Nodes): GatewayTarget[] {
  demandAllowed(command, nodes);
  return nodes.named.flatMap((each) => {
    const opened = openGateway(each, command.key, nodes.slots);
    const changes = changesFor(command, opened);
    if (changes.length > 0) return { opened, changed: opened.gateway, changes };
    // Given addresses are for the networks of their chain.
    if (command.addresses.length > 0) return [];
    const { network } = opened.gateway;
    throw new Failure(`${network}: no address is given, and the deployment has no gatekeeper key for it`, 2);
  });
}

/**
 * Returns the targets that lack changes, each with only these. Throws Failure if the account lacks the right on one of them, or
 * if somebody else holds the slot on any network that answers.
 * @param account The one that sends on Ethereum-type networks, if it is known.
 */
export async function planChanges<T extends GatewayTarget>(
  command: ChangeCommand,
  nodes: Nodes,
  targets: readonly T[],
  account: string | undefined,
): Promise<Planned<T>[]> {
  if (command.type === 'create') await demandFreeSlots(command, nodes, account);
  const planned = await onEach(targets, (target) => withoutPresent(target, command, account));
  const open = planned.filter(({ changes }) => changes.length > 0);
  if (command.type === 'remove-gatekeeper') await onEach(open, (target) => tellVoidedTokens(target, command, nodes));
  return open;
}

/** Warns of contracts that may have an admin, and asks whether the gatekeeper network shall be created there. */
export async function confirmContracts(
  { calldata, yes, isDryRun }: Pick<ChangeCommand, 'calldata' | 'yes' | 'isDryRun'>,
  targets: readonly GatewayTarget[],
): Promise<void> {
  const owned = targets.filter(
    ({ opened: { nodes, gateway } }) => nodes.network.chain === 'ethereum' && creationOf(gateway.address) === undefined,
  );
  if (owned.length === 0) return;
  const places = owned.map(({ changed }) => `${changed.network} (${changed.address})`).join(', ');
  tell(
    `The contract is not the ownerless one on ${places}. If it has an admin, the admin can act for every gatekeeper in it: ` +
      '`npm run network -- deploy` creates a contract that nobody commands.',
  );
  if (calldata === undefined && !isDryRun) await confirm('Create the gatekeeper network there all the same?', { yes });
}

const ETHEREUM_ONLY: readonly Verb[] = ['add-authority', 'remove-authority', 'rename'];

/** Throws Failure if the command must not send to one of the named networks. */
function demandAllowed({ type, key, mainnet, calldata, addresses }: ChangeCommand, { named, slots }: Nodes): void {
  const main = named.find(({ network }) => !network.testnet);
  if ((type === 'create' || main) && slotOf(key, slots) === TEST_SLOT)
    throw new Failure('this gatekeeper network has slot 1, which is for tests: create one of your own with keygen', 2);
  demandMainnetFlag({ mainnet, calldata }, named);
  for (const { network } of named) {
    if (network.chain === 'ethereum') continue;
    if (calldata !== undefined)
      throw new Failure(`--calldata is for Ethereum-type networks: omit ${network.network}`, 2);
    if (ETHEREUM_ONLY.includes(type))
      throw new Failure(`${type} is for Ethereum-type networks: omit ${network.network}`, 2);
  }
  for (const address of addresses) {
    const chain = address.startsWith('0x') ? 'ethereum' : 'solana';
    if (!named.some(({ network }) => network.chain === chain))
      throw new Failure(`no named network has addresses like ${address}`, 2);
  }
}

/** Returns the changes that the command wants on a network. */
function changesFor(
  { type, name = '', addresses }: ChangeCommand,
  { nodes: { network, gatekeepers } }: OpenedGateway,
): Change[] {
  const here = addresses.filter((address) => address.startsWith('0x') === (network.chain === 'ethereum'));
  switch (type) {
    case 'create':
      return [
        ...(network.chain === 'ethereum' ? [{ type, name } as const] : []),
        ...addGatekeepers(addresses.length === 0 ? gatekeepers : here),
      ];
    case 'add-gatekeeper':
      return addGatekeepers(addresses.length === 0 ? gatekeepers : here);
    case 'rename':
      return [{ type, name }];
    default:
      return here.map((address) => ({ type, address }));
  }
}

const addGatekeepers = (addresses: readonly string[]) =>
  addresses.map((address): Change => ({ type: 'add-gatekeeper', address }));

/**
 * Reads the slot on the networks that the operator did not name. Throws Failure if a foreign authority holds it on one of them.
 * Warns of the others: a slot is first come, first served, and public from the first transaction on.
 */
async function demandFreeSlots(
  { key }: ChangeCommand,
  { others, slots }: Nodes,
  account: string | undefined,
): Promise<void> {
  const ethereum = others.filter(({ network }) => network.chain === 'ethereum');
  const read = await Promise.all(ethereum.map((nodes) => readSlot(nodes, key, slots, account)));
  const namesWith = (what: string) =>
    ethereum.filter((_, index) => read[index] === what).map(({ network }) => network.network);
  const [foreign, free, unread] = [namesWith('foreign'), namesWith('free'), namesWith('unread')];
  if (foreign.length > 0)
    throw new Failure(
      `somebody else already holds the slot of ${key} on ${foreign.join(', ')}: use a new key from keygen`,
    );
  if (free.length > 0) tell(`Left out, and the slot is still free: ${free.join(', ')}`);
  if (unread.length > 0) tell(`Left out and not checked, because there is no node that answers: ${unread.join(', ')}`);
  if (free.length + unread.length > 0)
    tell('From the first transaction on, the slot is public, and anybody can take it on the networks left out.');
}

async function readSlot(
  nodes: NetworkNodes,
  key: ChangeCommand['key'],
  slots: Nodes['slots'],
  account: string | undefined,
): Promise<'free' | 'own' | 'foreign' | 'unread'> {
  if (nodes.endpoints.length === 0) return 'unread';
  try {
    const { gateway } = openGateway(nodes, key, slots);
    const standing = await readStanding(gateway, [], account);
    if (!standing.exists) return 'free';
    return account !== undefined && standing.authorities.get(account) ? 'own' : 'foreign';
  } catch (fault) {
    if (fault instanceof MissingContract) return 'free';
    if (fault instanceof Failure || fault instanceof RpcFault) return 'unread';
    throw fault;
  }
}

/** Returns the target with the changes that the chain lacks, and tells which ones it has. Throws Failure without the right. */
async function withoutPresent<T extends GatewayTarget>(
  target: T,
  { type, name }: ChangeCommand,
  account: string | undefined,
): Promise<Planned<T>> {
  const { gateway, nodes } = target.opened;
  const standing = await readStanding(gateway, target.changes, account);
  if (nodes.network.chain === 'ethereum') demandRight(type, standing, account);
  if (target.changes.some((change) => change.type === 'remove-authority' && change.address === account))
    throw new Failure(`${account} cannot remove itself: another authority must do that`);
  if (type === 'create' && nodes.network.chain === 'ethereum' && standing.exists)
    tell(`${gateway.network}: it existed before this run, so other accounts may be authorities too`);
  if (type === 'create' && standing.name !== undefined && standing.name !== name)
    tell(`${gateway.network}: its name is "${redactContractText(standing.name)}"; \`rename\` changes it`);
  const present = target.changes.filter((change) => isDone(change, standing));
  for (const change of present) tell(`${gateway.network}: no need to ${describeChange(change)}`);
  return { ...target, changes: target.changes.filter((change) => !present.includes(change)), standing };
}

/** @param account Undefined: the calldata is for an unknown account. */
function demandRight(
  type: ChangeCommand['type'],
  { exists, authorities }: Standing,
  account: string | undefined,
): void {
  if (type === 'create') {
    if (!exists || (account !== undefined && authorities.get(account))) return;
    throw new Failure(`somebody else already holds the slot: ${account ?? 'the account'} is no authority of it`);
  }
  if (!exists) throw new Failure('the gatekeeper network does not exist there: run `create` first');
  if (account !== undefined && !authorities.get(account))
    throw new Failure(`${account} is no authority of the gatekeeper network`);
}

/** Tells how many tokens the removal of gatekeepers voids, if the gatekeeper network has that feature. */
async function tellVoidedTokens(
  { opened: { gateway, nodes }, changes, standing }: Planned<GatewayTarget>,
  { key }: ChangeCommand,
  { slots }: Nodes,
): Promise<void> {
  if (!standing.features.includes(REMOVAL_VOIDS_TOKENS)) return;
  const removed = changes.flatMap((change) => (change.type === 'remove-gatekeeper' ? change.address : []));
  // The removal of a stolen key must not wait for a count.
  const counts = await countTokensOf(removed, nodes, key, slots, tell).catch(() => undefined);
  for (const address of removed)
    tell(`${gateway.network}: removing ${address} voids ${counts?.get(address) ?? 'an unknown number of'} tokens`);
}

/** Returns how many tokens each of the gatekeepers issued that are not revoked. It reads all tokens of the gatekeeper network. */
async function countTokensOf(
  gatekeepers: readonly string[],
  nodes: NetworkNodes,
  gatekeeperNetwork: GatekeeperNetwork,
  slots: Nodes['slots'],
  say: (line: string) => void,
): Promise<Map<string, number>> {
  const counts = new Map(gatekeepers.map((address) => [address, 0]));
  for await (const { tokens } of openReader(nodes, { gatekeeperNetwork, slots, say })()) {
    for (const { issuer, state } of tokens) {
      const count = counts.get(issuer);
      if (count !== undefined && state !== 'REVOKED') counts.set(issuer, count + 1);
    }
  }
  return counts;
}
