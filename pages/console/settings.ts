/** The settings of this deployment, which the Worker writes into the page. */

export type Kind = 'staff' | 'operator';

/** How people of one kind sign in. */
export interface SignInSettings {
  readonly clientId: string;
  readonly issuer: string;
  readonly audience?: string;
  /** The name of each scope at the authorization server. */
  readonly scopes: Readonly<Record<string, string>>;
  readonly partnerClaim?: string;
}

interface Settings extends Readonly<Partial<Record<Kind, SignInSettings>>> {
  readonly networks: readonly string[];
  /** The day (UTC) from which on a network counts as ended, if one is announced. */
  readonly ends: Readonly<Record<string, string>>;
}

const content = document.querySelector<HTMLMetaElement>('meta[name="gatepass"]')?.content;

/** `staff` or `operator` is undefined if nobody of that kind can sign in. */
export const SETTINGS: Settings = { networks: [], ends: {}, ...JSON.parse(content ?? '{}') };

/** Returns how people of this kind sign in. Only a person of a configured kind has a session. */
export function settingsOf(kind: Kind): SignInSettings {
  const settings = SETTINGS[kind];
  if (settings === undefined) throw new Error(`Nobody can sign in as ${kind} here.`);
  return settings;
}

/** The address of the service with its base path and a slash at the end. All files of the console are in one folder. */
export const SERVICE = new URL('..', import.meta.url);
