/** The lists of the running service. */
export interface EffectiveLists {
  readonly compromisedGatekeepers: readonly string[];
  readonly suspendedClients: readonly string[];
  /** The number of the emergency that set them; 0: none did. A service of an older release shows none. */
  readonly emergencyNumber?: number;
  readonly signers: readonly ObeyingSigner[];
}

/** A signer, and the lists that it obeys itself. */
export interface ObeyingSigner {
  readonly network: string;
  readonly address: string;
  /** Null: it does not answer. Undefined: the service is of an older release. */
  readonly emergency?: { readonly number: number; readonly stopped: boolean } | null | undefined;
}

/** A signer that does not obey the lists of an emergency yet. */
export interface Unconfirmed {
  readonly signer: ObeyingSigner;
  /** Whether its key may still sign what the emergency stops. */
  readonly maySign: boolean;
}

/** Whether the answer has older lists than a signer obeys: an isolate gave it that lacks the last change, or a rollback undid the change. */
export function isOutdated({ emergencyNumber = 0, signers }: EffectiveLists): boolean {
  return signers.some(({ emergency }) => (emergency?.number ?? 0) > emergencyNumber);
}

/**
 * Returns the signers that have not confirmed these very lists themselves: a key that the lists stop signs nothing, and each other one may
 * sign.
 */
export function unconfirmedSigners(lists: EffectiveLists): Unconfirmed[] {
  const { signers, emergencyNumber = 0, compromisedGatekeepers } = lists;
  return signers.flatMap((signer) => {
    const isCompromised = compromisedGatekeepers.includes(signer.address);
    const { emergency } = signer;
    if (emergency?.number === emergencyNumber && emergency.stopped === isCompromised) return [];
    return [{ signer, maySign: emergency == null || !emergency.stopped }];
  });
}

/** Returns a line for each signer that has not confirmed the lists, with its possible signatures. */
export function describeUnconfirmed(lists: EffectiveLists): string[] {
  return unconfirmedSigners(lists).map(({ signer: { network, address, emergency }, maySign }) => {
    const isNewer = (emergency?.number ?? 0) > (lists.emergencyNumber ?? 0);
    const obeys = isNewer ? 'obeys newer lists' : 'does not obey the lists yet';
    const why = emergency == null ? 'does not answer' : obeys;
    return `the signer of ${address} on ${network} ${why}: ${maySign ? 'it may still sign' : 'it signs nothing'}`;
  });
}
