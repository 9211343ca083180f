/** A change of a gatekeeper network. */
export type Change =
  | { readonly type: 'create' | 'rename'; readonly name: string }
  | { readonly type: AddressChange; readonly address: string };

type AddressChange = 'add-gatekeeper' | 'remove-gatekeeper' | 'add-authority' | 'remove-authority';

/** A gatekeeper network as a chain shows it. */
export interface Standing {
  readonly exists: boolean;
  /** Undefined: the chain stores none. */
  readonly name: string | undefined;
  /** Whether each of the asked addresses is an authority, or a gatekeeper. */
  readonly authorities: ReadonlyMap<string, boolean>;
  readonly gatekeepers: ReadonlyMap<string, boolean>;
  readonly features: readonly string[];
  /** The block or slot that shows it. */
  readonly block: number;
}

/** Whether the chain already has the change. */
export function isDone(change: Change, { exists, name, authorities, gatekeepers }: Standing): boolean {
  switch (change.type) {
    case 'create':
      return exists;
    case 'rename':
      return name === change.name;
    case 'add-gatekeeper':
      return gatekeepers.get(change.address) === true;
    case 'remove-gatekeeper':
      return gatekeepers.get(change.address) === false;
    case 'add-authority':
      return authorities.get(change.address) === true;
    case 'remove-authority':
      return authorities.get(change.address) === false;
  }
}

/** Returns the change as part of a sentence. */
export function describeChange(change: Change): string {
  switch (change.type) {
    case 'create':
      return `create the gatekeeper network "${change.name}"`;
    case 'rename':
      return `rename the gatekeeper network to "${change.name}"`;
    default: {
      const [verb, role] = change.type.split('-');
      return `${verb} the ${role} ${change.address}`;
    }
  }
}
