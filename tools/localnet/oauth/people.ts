import { PARTNER_SCOPES } from '../../../src/config/config.ts';
import { ADMIN_SCOPE, SCOPES } from './partners.ts';

/** The OAuth clients of the console: public clients with the code flow and PKCE. */
export const CONSOLE_CLIENT_ID = 'console';
export const CONSOLE_ADMIN_CLIENT_ID = 'console-admin';
/** The claim with the organization of a person. */
export const ORGANIZATION_CLAIM = 'org_id';

/** An account of the authorization server. */
export interface Person {
  /** The `sub` of its tokens. */
  readonly account: string;
  readonly name: string;
  /** Undefined: its tokens have no organization. */
  readonly organization?: string;
  readonly scopes: readonly string[];
}

/** The accounts. The sign-in page has a button for some of them, and tests also use the others. */
export const PEOPLE: readonly Person[] = [
  { account: 'staff', name: 'Staff of the partner acme', organization: 'org_acme', scopes: SCOPES },
  { account: 'operator', name: 'The operator', scopes: [ADMIN_SCOPE] },
  { account: 'second-operator', name: 'Another operator, who confirms', scopes: [ADMIN_SCOPE] },
  { account: 'auditor', name: 'An operator who may only read', scopes: ['admin:read'] },
  { account: 'partner-desk', name: 'An operator who may only manage partners', scopes: ['admin:partners'] },
  { account: 'globex-staff', name: 'Staff of the partner globex', organization: 'org_globex', scopes: SCOPES },
  {
    account: 'viewer-staff',
    name: 'Staff who may only search',
    organization: 'org_acme',
    scopes: [PARTNER_SCOPES.search],
  },
  { account: 'sandbox-staff', name: 'Staff of the partner sandbox', organization: 'org_sandbox', scopes: SCOPES },
  { account: 'stranger', name: 'A person without an organization', scopes: SCOPES },
];

export const personOf = (account: string): Person | undefined => PEOPLE.find((person) => person.account === account);

/** Returns the people with a button on the sign-in page. In a localnet that has only the sandbox, the staff belong to its partner. */
export const offeredPeople = (hasOnlySandbox: boolean): readonly Person[] =>
  [hasOnlySandbox ? 'sandbox-staff' : 'staff', 'operator'].flatMap((account) => personOf(account) ?? []);
