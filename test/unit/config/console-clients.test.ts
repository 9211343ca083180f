import { describe, expect, it } from 'vitest';
import { aConfig, refusal } from './environments.ts';

describe('configOf and the clients of the console', () => {
  const STAFF = { CONSOLE_CLIENT_ID: 'console', CONSOLE_PARTNER_CLAIM: 'org_id' };

  it('configures no client by default', () => {
    expect(aConfig().console).toEqual({ staff: undefined, operator: undefined });
    expect(aConfig({ CONSOLE_PARTNER_CLAIM: 'org_id' }).console.staff).toBeUndefined();
    // Without operator tokens, nobody is the operator.
    expect(aConfig({ CONSOLE_ADMIN_CLIENT_ID: 'console-admin' }).console.operator).toBeUndefined();
  });

  it('configures the clients of the staff and of the operator', () => {
    const operator = { CONSOLE_ADMIN_CLIENT_ID: 'console-admin', ADMIN_AUDIENCE: 'staff' };
    expect(aConfig({ ...STAFF, ...operator }).console).toEqual({
      staff: { clientId: 'console', partnerClaim: 'org_id' },
      operator: { clientId: 'console-admin' },
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no claim names the partner', { CONSOLE_CLIENT_ID: 'console' }, 'CONSOLE_PARTNER_CLAIM'],
    ['all persons share the claim', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'client_id' }, 'CONSOLE_PARTNER_CLAIM'],
    ['all persons share the claim', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'azp' }, 'CONSOLE_PARTNER_CLAIM'],
    ['all persons share the claim', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'iss' }, 'CONSOLE_PARTNER_CLAIM'],
    ['the claim names a person', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'sub' }, 'CONSOLE_PARTNER_CLAIM'],
    [
      'the claim is the one of the client',
      { ...STAFF, CLIENT_CLAIM: 'cid', CONSOLE_PARTNER_CLAIM: 'cid' },
      'CONSOLE_PARTNER_CLAIM',
    ],
    [
      'the claim is the one of the scopes',
      { ...STAFF, SCOPE_CLAIM: 'permissions', CONSOLE_PARTNER_CLAIM: 'permissions' },
      'CONSOLE_PARTNER_CLAIM',
    ],
    ...[
      'name',
      'nickname',
      'email',
      'preferred_username',
      'website',
      'username',
      'upn',
      'locale',
      'address.country',
    ].map(
      (CONSOLE_PARTNER_CLAIM) =>
        ['a person chooses the claim', { ...STAFF, CONSOLE_PARTNER_CLAIM }, 'CONSOLE_PARTNER_CLAIM'] as [
          string,
          Record<string, unknown>,
          string,
        ],
    ),
    ['all persons share the claim', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'appid' }, 'CONSOLE_PARTNER_CLAIM'],
    ['a person could be a partner', { ...STAFF, CLIENT_CLAIM: 'sub' }, 'CLIENT_CLAIM'],
    ['a person could be a partner', { CONSOLE_ADMIN_CLIENT_ID: 'console-admin', CLIENT_CLAIM: 'sub' }, 'CLIENT_CLAIM'],
    ['a person could be a partner', { ...STAFF, CLIENT_CLAIM: 'preferred_username' }, 'CLIENT_CLAIM'],
    ['a person could be a partner', { ...STAFF, CLIENT_CLAIM: 'email' }, 'CLIENT_CLAIM'],
    ['a person could be a partner', { ...STAFF, CLIENT_CLAIM: 'oid' }, 'CLIENT_CLAIM'],
    ['a person could be a partner', { ...STAFF, CLIENT_CLAIM: 'address.country' }, 'CLIENT_CLAIM'],
    ['the claim has a space at its end', { ...STAFF, CONSOLE_PARTNER_CLAIM: 'org_id ' }, 'CONSOLE_PARTNER_CLAIM'],
    ['no token can name the client', { ...STAFF, CONSOLE_CLIENT_ID: 'cönsole' }, 'CONSOLE_CLIENT_ID'],
  ])('refuses the settings when %s: %j', (_, variables, variable) => {
    expect(refusal(variables).variable).toBe(variable);
  });

  it('says which claims suit if the claim of the client names persons too', () => {
    expect(refusal({ ...STAFF, CLIENT_CLAIM: 'sub' }).message).toBe(
      'CLIENT_CLAIM must not name a claim about persons, because people sign in to the console: a person could have the name of a client',
    );
  });
});
