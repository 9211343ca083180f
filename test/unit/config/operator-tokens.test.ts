import { describe, expect, it } from 'vitest';
import { aConfig, PLANTED, refusal } from './environments.ts';

describe('configOf and the tokens of the operator', () => {
  const PARTNERS = { audience: 'https://gatepass.example', issuer: 'https://issuer.example' };
  const OWN_ISSUER = { ADMIN_ISSUER: 'https://staff.example', ADMIN_JWKS_URL: 'https://staff.example/jwks' };

  it.each([{}, { SCOPE_ADMIN: 'ops' }, { ADMIN_AUDIENCE: '', ADMIN_ISSUER: '', ADMIN_JWKS_URL: '' }])(
    'configures no operator tokens without a separate audience or issuer: %j',
    (variables) => expect(aConfig(variables).admin).toBeUndefined(),
  );

  it.each([
    [
      'audience',
      { ADMIN_AUDIENCE: 'staff' },
      { ...PARTNERS, audience: 'staff', jwksUrl: 'https://issuer.example/jwks' },
    ],
    ['issuer', OWN_ISSUER, { ...PARTNERS, issuer: 'https://staff.example', jwksUrl: 'https://staff.example/jwks' }],
    [
      'audience and issuer',
      { ...OWN_ISSUER, ADMIN_AUDIENCE: 'staff' },
      { audience: 'staff', issuer: 'https://staff.example', jwksUrl: 'https://staff.example/jwks' },
    ],
  ])('configures operator tokens with a separate %s and otherwise the rules for partners', (_, variables, own) => {
    const { algorithms, clientClaim, scopeClaim } = aConfig().tokens;
    expect(aConfig(variables).admin).toEqual({
      ...own,
      scopes: {
        admin: 'admin',
        read: 'admin:read',
        act: 'admin:act',
        partners: 'admin:partners',
        metrics: 'metrics:read',
      },
      algorithms,
      clientClaim,
      scopeClaim,
    });
    expect(aConfig({ ...variables, SCOPE_ADMIN: 'ops' }).admin?.scopes.admin).toBe('ops');
  });

  it.each([
    ['a partner’s token would be valid', { ADMIN_AUDIENCE: PARTNERS.audience }, 'ADMIN_AUDIENCE'],
    [
      'a partner’s token would be valid',
      { ADMIN_AUDIENCE: PARTNERS.audience, ADMIN_ISSUER: PARTNERS.issuer },
      'ADMIN_AUDIENCE',
    ],
    ['a partner’s token would be valid', { ADMIN_JWKS_URL: 'https://staff.example/jwks' }, 'ADMIN_AUDIENCE'],
    ['only a slash differs', { ADMIN_AUDIENCE: `${PARTNERS.audience}/` }, 'ADMIN_AUDIENCE'],
    ['only the case differs', { ADMIN_AUDIENCE: 'https://GatePass.example' }, 'ADMIN_AUDIENCE'],
    [
      'only a slash and the case differ',
      { ...OWN_ISSUER, ADMIN_ISSUER: 'https://ISSUER.example/', ADMIN_AUDIENCE: `${PARTNERS.audience}//` },
      'ADMIN_AUDIENCE',
    ],
    ['only the case of a name differs', { TOKEN_AUDIENCE: 'Passes', ADMIN_AUDIENCE: 'passes' }, 'ADMIN_AUDIENCE'],
    ['partners can have the scope', { ADMIN_AUDIENCE: 'staff', SCOPE_ADMIN: 'issue:pass' }, 'SCOPE_ADMIN'],
    ['partners can have the scope', { SCOPE_ADMIN: 'search:pass' }, 'SCOPE_ADMIN'],
    ['partners can have the default scope', { ADMIN_AUDIENCE: 'staff', SCOPE_UPDATE: 'admin' }, 'SCOPE_ADMIN'],
    ['partners can read the metrics', { ADMIN_AUDIENCE: 'staff', SCOPE_METRICS: 'search:pass' }, 'SCOPE_METRICS'],
    ['the operator’s scope is the scope of the metrics', { SCOPE_METRICS: 'admin' }, 'SCOPE_METRICS'],
    ['a right would give every right', { SCOPE_ADMIN_READ: 'admin' }, 'SCOPE_ADMIN_READ'],
    ['a right would give another one', { SCOPE_ADMIN_ACT: 'r', SCOPE_ADMIN_READ: 'r' }, 'SCOPE_ADMIN_ACT'],
    ['a right would give another one', { SCOPE_ADMIN_PARTNERS: 'admin:act' }, 'SCOPE_ADMIN_PARTNERS'],
    ['partners can have the right', { ADMIN_AUDIENCE: 'staff', SCOPE_ISSUE: 'admin:read' }, 'SCOPE_ADMIN_READ'],
    ['the metrics would give a right', { SCOPE_METRICS: 'admin:partners' }, 'SCOPE_METRICS'],
    ['the partners’ issuer would sign the tokens', { ADMIN_ISSUER: 'https://staff.example' }, 'ADMIN_JWKS_URL'],
    ['the issuer is not a URL', { ADMIN_ISSUER: PLANTED }, 'ADMIN_ISSUER'],
    ['the keys have no URL', { ...OWN_ISSUER, ADMIN_JWKS_URL: PLANTED }, 'ADMIN_JWKS_URL'],
  ])('refuses the settings of the operator when %s: %j', (_, variables, variable) => {
    const error = refusal(variables);
    expect(error.variable).toBe(variable);
    expect(error.message).not.toContain(PLANTED);
  });
});
