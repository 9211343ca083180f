import { describe, expect, it } from 'vitest';
import { aConfig, refusal } from './environments.ts';

describe('configOf and the token rules', () => {
  it('reads the rules for tokens from the variables', () => {
    expect(aConfig({ CLIENT_CLAIM: 'azp', SCOPE_CLAIM: 'permissions', SCOPE_ISSUE: 'passes.write' }).tokens).toEqual({
      issuer: 'https://issuer.example',
      audience: 'https://gatepass.example',
      jwksUrl: 'https://issuer.example/jwks',
      algorithms: ['RS256', 'ES256'],
      clientClaim: 'azp',
      scopeClaim: 'permissions',
      scopes: {
        search: 'search:pass',
        issue: 'passes.write',
        update: 'update:pass',
        webhook: 'webhook:manage',
        rules: 'manage:rules',
      },
    });
  });

  it.each(['HS256', 'HS384', 'HS512', 'none', 'RS256 HS256', 'ES256,none', 'dir', 'A256KW', 'rs256', ' '])(
    'refuses the algorithms "%s", since a key that verifies tokens must not sign them',
    (algorithms) => {
      expect(refusal({ TOKEN_ALGORITHMS: algorithms }).variable).toBe('TOKEN_ALGORITHMS');
    },
  );

  it.each`
    variable           | value            | complaint
    ${'SCOPE_ISSUE'}   | ${'search:pass'} | ${'must differ from SCOPE_SEARCH'}
    ${'SCOPE_UPDATE'}  | ${'search:pass'} | ${'must differ from SCOPE_SEARCH'}
    ${'SCOPE_UPDATE'}  | ${'issue:pass'}  | ${'must differ from SCOPE_ISSUE'}
    ${'SCOPE_WEBHOOK'} | ${'update:pass'} | ${'must differ from SCOPE_UPDATE'}
    ${'SCOPE_RULES'}   | ${'issue:pass'}  | ${'must differ from SCOPE_ISSUE'}
    ${'CLIENT_CLAIM'}  | ${'permissions'} | ${'must differ from SCOPE_CLAIM'}
  `('refuses $variable when it is equal to another variable', ({ variable, value, complaint }) => {
    const { message } = refusal({ SCOPE_CLAIM: 'permissions', [variable]: value });
    expect(message).toBe(`${variable} ${complaint}`);
  });

  it.each(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'scope', 'scp'])(
    'refuses to take the client from the claim %s, which many clients share or which changes with each token',
    (CLIENT_CLAIM) => {
      const { message } = refusal({ SCOPE_CLAIM: 'permissions', CLIENT_CLAIM });
      expect(message).toBe('CLIENT_CLAIM must name a claim that identifies the client');
    },
  );

  it.each(['sub', 'nickname', 'email', 'iss', 'aud', 'address.country'])(
    'refuses to take the scopes from the claim %s, which names no rights',
    (SCOPE_CLAIM) => expect(refusal({ SCOPE_CLAIM }).message).toBe('SCOPE_CLAIM must name a claim with scopes'),
  );

  it.each(['scope', 'scp', 'roles', 'permissions', 'realm_access.roles', 'https://acme.com/roles'])(
    'takes the scopes from the claim %s',
    (SCOPE_CLAIM) => expect(aConfig({ SCOPE_CLAIM }).tokens.scopeClaim).toBe(SCOPE_CLAIM),
  );

  it.each(['sub', 'azp', 'appid', 'cid', 'https://acme.com/client'])(
    'takes the client from the claim %s',
    (CLIENT_CLAIM) => {
      expect(aConfig({ CLIENT_CLAIM }).tokens.clientClaim).toBe(CLIENT_CLAIM);
    },
  );

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('accepts the algorithm %s', (algorithm) => {
    expect(aConfig({ TOKEN_ALGORITHMS: algorithm }).tokens.algorithms).toEqual([algorithm]);
  });
});

describe('configOf and tokens without an audience', () => {
  const SCOPES = {
    SCOPE_SEARCH: 'gatepass/search:pass',
    SCOPE_ISSUE: 'gatepass/issue:pass',
    SCOPE_UPDATE: 'gatepass/update:pass',
    SCOPE_WEBHOOK: 'gatepass/webhook:manage',
  };
  const BOUND = { TOKEN_AUDIENCE: 'gatepass', TOKEN_BINDING: 'token_use=access', ...SCOPES };

  it('accepts none by default', () => {
    expect(aConfig().tokens.binding).toBeUndefined();
    expect(aConfig({ TOKEN_BINDING: '' }).tokens.binding).toBeUndefined();
  });

  it('accepts those that have another claim with a value, if the scopes name the audience', () => {
    expect(aConfig(BOUND).tokens.binding).toEqual({ claim: 'token_use', value: 'access' });
    expect(aConfig(BOUND).tokens.scopes.rules).toBe('gatepass/manage:rules');
    expect(refusal({ ...BOUND, SCOPE_RULES: 'manage:rules' }).variable).toBe('SCOPE_RULES');
    expect(aConfig({ ...BOUND, TOKEN_BINDING: 'a.b=c=d e' }).tokens.binding).toEqual({ claim: 'a.b', value: 'c=d e' });
  });

  it.each(['access', '=access', 'token_use=', 'token_use= access', ' token_use=access', 'token_use =access'])(
    'refuses the binding "%s", which is no claim with a value',
    (TOKEN_BINDING) => {
      expect(refusal({ ...BOUND, TOKEN_BINDING }).message).toBe(
        'TOKEN_BINDING must be a claim and its value, like token_use=access',
      );
    },
  );

  it.each(['iss', 'aud', 'sub', 'email', 'nickname', 'scope', 'nonce', 'address.country'])(
    'refuses a binding by the claim %s, which says nothing about the API',
    (claim) => {
      expect(refusal({ ...BOUND, TOKEN_BINDING: `${claim}=x` }).message).toBe(
        'TOKEN_BINDING must name a claim that the authorization server sets by itself',
      );
    },
  );

  it.each(Object.entries(SCOPES))('refuses the scope %s without the name of the audience', (variable, scope) => {
    for (const bare of [scope.replace('gatepass/', ''), scope.replace('gatepass', 'other'), 'gatepass/', `x${scope}`])
      expect(refusal({ ...BOUND, [variable]: bare }).message).toBe(
        `${variable} must begin with TOKEN_AUDIENCE and a slash, because TOKEN_BINDING is set`,
      );
  });

  it('binds tokens of the operator only if they have an issuer of their own', () => {
    const sameIssuer = aConfig({ ...BOUND, ADMIN_AUDIENCE: 'gatepass-admin' });
    expect(sameIssuer.admin?.binding).toBeUndefined();
    const keys = { ADMIN_JWKS_URL: 'https://staff.example/jwks' };
    expect(aConfig({ ...BOUND, ...keys, ADMIN_ISSUER: 'https://staff.example' }).admin?.binding).toBeDefined();
    const sameName = { ...keys, ADMIN_ISSUER: 'https://issuer.example/', ADMIN_AUDIENCE: 'gatepass-admin' };
    expect(aConfig({ ...BOUND, ...sameName }).admin?.binding).toBeUndefined();
  });
});
