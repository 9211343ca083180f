import { describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { aConfig, aDeployment, anEnvironment, KEY, PLANTED, refusal, refusalOf } from './environments.ts';

const TEST_NETWORK = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';

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
