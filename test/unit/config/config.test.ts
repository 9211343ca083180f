import { describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { aConfig, aDeployment, anEnvironment, KEY, refusalOf } from './environments.ts';

/** A text that occurs in no correct value. No error may show it. */
const PLANTED = 'planted7f3a';
const TEST_NETWORK = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';

const refusal = (overrides: Readonly<Record<string, unknown>>) => refusalOf(anEnvironment(overrides));

describe('configOf with missing variables', () => {
  it.each([
    ...['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL', 'TOKEN_ALGORITHMS', 'CLIENT_CLAIM', 'SCOPE_CLAIM'],
    ...['SCOPE_SEARCH', 'SCOPE_ISSUE', 'SCOPE_UPDATE'],
  ])('refuses an environment in which %s is unset or empty', (variable) => {
    for (const value of [undefined, '']) {
      const error = refusal({ [variable]: value });
      expect(error.variable).toBe(variable);
      expect(error.message).toContain(variable);
    }
  });

  it('uses defaults for the optional variables', () => {
    const config = aConfig();
    expect(config).toMatchObject({
      basePath: '',
      slots: {},
      gatekeepers: {},
      rpc: {},
      corsOrigins: [],
      logSuccesses: 1,
    });
    expect(config.networks).toEqual(NETWORKS);
  });

  it.each(['NETWORKS', 'GATEKEEPER_NETWORK_SLOTS', 'RPC_ENDPOINTS'])(
    'treats an empty %s like an unset one',
    (variable) => {
      expect(aConfig({ [variable]: '' })).toEqual(aConfig());
    },
  );
});

describe('configOf with several faults', () => {
  it('names every missing variable of a deployment at once', () => {
    const { variable, message } = refusalOf({ TOKEN_ISSUER: '', SCOPE_SEARCH: 'search:pass' });
    expect(variable).toBe('TOKEN_ISSUER');
    expect(message.split('; ')).toEqual([
      ...['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL', 'TOKEN_ALGORITHMS', 'CLIENT_CLAIM', 'SCOPE_CLAIM'].map(
        (name) => `${name} must be set`,
      ),
      ...['SCOPE_ISSUE must be set', 'SCOPE_UPDATE must be set'],
      "ADMIN_AUDIENCE must be set: the audience of the operator's tokens",
      'PUBLIC_ORIGIN must be set',
    ]);
  });

  it('names every wrong variable at once, and no value', () => {
    const wrong = {
      JWKS_URL: PLANTED,
      BASE_PATH: PLANTED,
      LOG_SUCCESSES: PLANTED,
      NETWORKS: PLANTED,
      KMS_CREDENTIALS: PLANTED,
    };
    const { message } = refusal(wrong);
    for (const name of Object.keys(wrong)) expect(message.match(new RegExp(`${name} `, 'g')), name).toHaveLength(1);
    expect(message).not.toContain(PLANTED);
  });

  it('names every URL that only a local Worker accepts', () => {
    const { message } = refusalOf(
      aDeployment({ TOKEN_ISSUER: 'http://a.acme.io', JWKS_URL: 'http://a.acme.io', CORS_ORIGINS: 'http://a.acme.io' }),
    );
    expect(message.split('; ').map((text) => text.split(' ')[0])).toEqual(['TOKEN_ISSUER', 'JWKS_URL', 'CORS_ORIGINS']);
  });
});

describe('configOf with invalid variables', () => {
  it.each`
    variable                      | value                                                | why
    ${'TOKEN_ISSUER'}             | ${PLANTED}                                           | ${'not a URL'}
    ${'JWKS_URL'}                 | ${PLANTED}                                           | ${'not a URL'}
    ${'JWKS_URL'}                 | ${`localhost:8545/${PLANTED}`}                       | ${'not a URL that can be fetched'}
    ${'TOKEN_ALGORITHMS'}         | ${`RS256 ${PLANTED}`}                                | ${'not an algorithm'}
    ${'BASE_PATH'}                | ${PLANTED}                                           | ${'no slash at the start'}
    ${'BASE_PATH'}                | ${`/${PLANTED}/`}                                    | ${'a slash at the end'}
    ${'BASE_PATH'}                | ${`/a?b=${PLANTED}`}                                 | ${'a query'}
    ${'BASE_PATH'}                | ${`/${PLANTED}/..`}                                  | ${'a dot segment'}
    ${'TOKEN_ISSUER'}             | ${`https://login.example/${PLANTED} `}               | ${'a space at the end'}
    ${'TOKEN_AUDIENCE'}           | ${` ${PLANTED}`}                                     | ${'a space at the start'}
    ${'TOKEN_AUDIENCE'}           | ${'  '}                                              | ${'only spaces'}
    ${'NETWORKS'}                 | ${`{"sepolia": {"gateway": "0x${'0'.repeat(40)}"}}`} | ${'the zero address'}
    ${'NETWORKS'}                 | ${PLANTED}                                           | ${'not JSON'}
    ${'NETWORKS'}                 | ${`"${PLANTED}"`}                                    | ${'not an object'}
    ${'NETWORKS'}                 | ${`{"sepolia": "${PLANTED}"}`}                       | ${'settings are not an object'}
    ${'NETWORKS'}                 | ${`{"sepolia": {"gateway": "${PLANTED}"}}`}          | ${'not an address'}
    ${'NETWORKS'}                 | ${`{"sepolia": {"confirmations": "${PLANTED}"}}`}    | ${'not a number'}
    ${'NETWORKS'}                 | ${`{"sepolia": {"final": {"tag": "${PLANTED}"}}}`}   | ${'not a tag'}
    ${'GATEKEEPER_NETWORK_SLOTS'} | ${`{"${TEST_NETWORK}": "${PLANTED}"}`}               | ${'not a number'}
    ${'GATEKEEPER_NETWORK_SLOTS'} | ${PLANTED}                                           | ${'not JSON'}
    ${'DATABASE_MAX_BYTES'}       | ${PLANTED}                                           | ${'not a number'}
    ${'LOG_SUCCESSES'}            | ${PLANTED}                                           | ${'not a share'}
    ${'ETHEREUM_GATEKEEPER_KEY'}  | ${PLANTED}                                           | ${'not a key'}
    ${'RPC_ENDPOINTS'}            | ${`https://rpc.example/${PLANTED}`}                  | ${'not JSON'}
    ${'RPC_ENDPOINTS'}            | ${`"https://rpc.example/${PLANTED}"`}                | ${'not an object'}
    ${'RPC_ENDPOINTS'}            | ${`["https://rpc.example/${PLANTED}"]`}              | ${'a list'}
    ${'RPC_ENDPOINTS'}            | ${`{"sepolia": "https://rpc.example/${PLANTED}"}`}   | ${'not a list'}
    ${'RPC_ENDPOINTS'}            | ${`{"sepolia": ["${PLANTED}"]}`}                     | ${'not a URL'}
    ${'RPC_ENDPOINTS'}            | ${`{"sepolia": ["localhost:8545/${PLANTED}"]}`}      | ${'not a URL that can be fetched'}
    ${'RPC_ENDPOINTS'}            | ${`{"https://rpc.example/${PLANTED}": ["sepolia"]}`} | ${'names and URLs are swapped'}
  `('refuses $variable ($why) and names the variable, never its value', ({ variable, value }) => {
    const error = refusal({ [variable]: value });
    expect(error.variable).toBe(variable);
    expect(error.message).toContain(variable);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain(PLANTED);
  });

  it.each([70_007, true, {}, null])('refuses %j, which is not a string, in every variable', (value) => {
    for (const variable of Object.keys(anEnvironment())) {
      const error = refusal({ [variable]: value });
      expect(error.variable).toBe(variable);
      expect(error.message).not.toContain('70007');
    }
  });
});

describe('configOf and the token rules', () => {
  it('reads the rules for tokens from the variables', () => {
    expect(aConfig({ CLIENT_CLAIM: 'azp', SCOPE_CLAIM: 'permissions', SCOPE_ISSUE: 'passes.write' }).tokens).toEqual({
      issuer: 'https://issuer.example',
      audience: 'https://gatepass.example',
      jwksUrl: 'https://issuer.example/jwks',
      algorithms: ['RS256', 'ES256'],
      clientClaim: 'azp',
      scopeClaim: 'permissions',
      scopes: { search: 'search:pass', issue: 'passes.write', update: 'update:pass', webhook: 'webhook:manage' },
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
    ${'SCOPE_WEBHOOK'} | ${'update:pass'} | ${'must differ from SCOPE_SEARCH, SCOPE_ISSUE and SCOPE_UPDATE'}
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

it.each(['', '/partner', '/partner/v1'])('accepts the base path "%s"', (basePath) => {
  expect(aConfig({ BASE_PATH: basePath }).basePath).toBe(basePath);
});

it.each([
  ['', 1],
  ['1', 1],
  ['0', 0],
  ['0.05', 0.05],
])('reads LOG_SUCCESSES "%s" as the share %d', (share, logSuccesses) => {
  expect(aConfig({ LOG_SUCCESSES: share }).logSuccesses).toBe(logSuccesses);
});

it.each(['5%', '5', '1.5', '-0.1', '1e-3', '.5', ' 0.5', 'all'])(
  'refuses the share "%s", which could be misread',
  (share) => {
    expect(refusal({ LOG_SUCCESSES: share }).message).toBe(
      'LOG_SUCCESSES must be a share from 0 to 1, for example 0.05',
    );
  },
);

it.each([
  ['', 10_000_000_000],
  ['500000000', 500_000_000],
])('reads DATABASE_MAX_BYTES "%s" as %d bytes', (text, databaseMaxBytes) => {
  expect(aConfig({ DATABASE_MAX_BYTES: text }).databaseMaxBytes).toBe(databaseMaxBytes);
});

it.each(['0', '-1', '1e9', '10 GB', '1.5', '07'])('refuses the size "%s" of a database', (text) => {
  expect(refusal({ DATABASE_MAX_BYTES: text }).message).toBe(
    'DATABASE_MAX_BYTES must be a number of bytes, for example 10000000000',
  );
});

it('parses each environment once and keeps environments apart', () => {
  const environment = anEnvironment({ ETHEREUM_GATEKEEPER_KEY: KEY });
  expect(configOf(environment)).toBe(configOf(environment));
  expect(configOf(anEnvironment({ BASE_PATH: '/b' })).basePath).toBe('/b');
  expect(configOf(environment).basePath).toBe('');
});
