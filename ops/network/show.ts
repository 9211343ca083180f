import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { slotOf } from '../../src/network/slot.ts';
import { describeFault } from '../nodes/node-error.ts';
import { type NetworkNodes, openNodes } from '../nodes/open-nodes.ts';
import type { ShowCommand } from './commands.ts';
import { readKeyFiles } from './key-files.ts';
import { openGateway } from './open-gateway.ts';

/** A gatekeeper network on one network, as `show` prints it. */
export type Shown =
  | {
      readonly network: string;
      /** Address of the contract or the program. */
      readonly readFrom: string;
      /** Block or slot. */
      readonly block: number;
      readonly exists: boolean;
      readonly name?: string | undefined;
      /** Slot in the contract, in hex; absent on Solana. */
      readonly slot?: string | undefined;
      readonly authority?: { readonly address: string; readonly isAuthority: boolean } | undefined;
      readonly gatekeepers: readonly { readonly address: string; readonly isAuthorized: boolean }[];
      readonly features: readonly string[];
    }
  | { readonly network: string; readonly error: string };

/** Reads the gatekeeper network on every named network. */
export async function showNetworks(command: ShowCommand): Promise<Shown[]> {
  const nodes = openNodes(command.nodes);
  const keys = readKeyFiles(command.keyFiles, command.nodes.source);
  const slot = slotOf(command.key, nodes.slots);
  const read = async (each: NetworkNodes): Promise<Shown> => {
    const { chain } = each.network;
    const isHere = (address: string) => address.startsWith('0x') === (chain === 'ethereum');
    const authority = chain === 'ethereum' ? (command.authority ?? keys.ethereum?.address) : keys.solana?.address;
    const { gateway } = openGateway(each, command.key, nodes.slots);
    const asked = command.addresses.length === 0 ? each.gatekeepers : command.addresses.filter(isHere);
    const standing = await gateway.read({
      authorities: authority === undefined ? [] : [authority],
      gatekeepers: asked,
    });
    return {
      network: gateway.network,
      readFrom: gateway.address,
      block: standing.block,
      exists: standing.exists,
      name: standing.name === undefined ? undefined : redactContractText(standing.name),
      slot: chain === 'ethereum' && slot !== undefined ? `0x${slot.toString(16)}` : undefined,
      authority:
        authority === undefined
          ? undefined
          : { address: authority, isAuthority: standing.authorities.get(authority) === true },
      gatekeepers: asked.map((address) => ({ address, isAuthorized: standing.gatekeepers.get(address) === true })),
      features: standing.features,
    };
  };
  return Promise.all(
    nodes.named.map((each) =>
      read(each).catch((fault: unknown) => ({ network: each.network.network, error: describeFault(fault) })),
    ),
  );
}

/** Returns the lines for a reader. */
export function formatShown(shown: Shown): string[] {
  if ('error' in shown) return [`${shown.network}: ${shown.error}`];
  const { network, readFrom, block, exists, name, slot, authority, gatekeepers, features } = shown;
  const lines = [
    slot === undefined
      ? 'needs no creation: its key pair signs'
      : exists
        ? `exists, ${JSON.stringify(name ?? '')}`
        : 'does not exist',
    ...(slot === undefined ? [] : [`slot ${slot}`]),
    ...(authority ? [`${authority.address} ${authority.isAuthority ? 'is' : 'is not'} an authority`] : []),
    ...gatekeepers.map(({ address, isAuthorized }) => `${address} ${isAuthorized ? 'is' : 'is not'} a gatekeeper`),
    ...features,
  ];
  return [`${network} (${readFrom}, block ${block}):`, ...lines.map((line) => `  ${line}`)];
}
