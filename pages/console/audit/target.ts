import type { AuditEntry, Chain } from '../api/records.ts';

/** The items that an entry concerns, as far as a view shows them. */
export interface Target {
  readonly pass?: { readonly chain: Chain; readonly walletAddress: string };
  readonly network?: string;
  readonly gatekeeperNetwork?: string;
  /** The OAuth client of a partner. */
  readonly client?: string;
  /** Another item, for example the id of a webhook or a command. */
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** An action of the operator names its item in one of these fields of its request. */
const INNER = ['pass', 'accept', 'disable', 'enable'];

/** Returns the items of an entry. Pure. */
export function targetOf({ target }: Pick<AuditEntry, 'target'>): Target {
  const fields: Fields = Object.assign({ ...target }, ...INNER.map((name) => target[name]).filter(isObject));
  const { chain, walletAddress, command, webhook, id } = fields;
  const inChain = isObject(chain) ? chain : { type: chain, network: fields.network };
  const [type, network, wallet] = [inChain.type, inChain.network, walletAddress].map(textOf);
  const gatekeeperNetwork = textOf(fields.gatekeeperNetwork);
  const client = textOf(fields.client ?? fields.clientId);
  // Any other text could become the address of another view.
  const isLinked = type !== undefined && network !== undefined && /^[0-9A-Za-z]+$/.test(wallet ?? '');
  const other = textOf(command) === undefined ? textOf(webhook ?? id) : [command, ...argumentsIn(fields)].join(' ');
  const isNamed = (wallet ?? gatekeeperNetwork ?? client ?? network) !== undefined;
  return {
    ...(isLinked && wallet && { pass: { chain: { type, network } as Chain, walletAddress: wallet } }),
    ...(network && { network }),
    ...(gatekeeperNetwork && { gatekeeperNetwork }),
    ...(client && { client }),
    text: other ?? (isLinked ? '' : wallet) ?? (isNamed ? '' : textOfOthers(target)),
  };
}

const argumentsIn = ({ arguments: given }: Fields): readonly unknown[] => (Array.isArray(given) ? given : []);

const textOfOthers = (target: Fields) =>
  textOf(target.pass) ?? (Object.keys(target).length === 0 ? '' : JSON.stringify(target));
