import { describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { aDeployment, anEnvironment, refusalOf } from './environments.ts';

/** Settings that a local Worker accepts and a deployment refuses. */

/** A text that occurs in no correct value. No error may show it. */
const PLANTED = 'planted7f3a';

/** The variables with URLs that the Worker fetches or trusts. Each function returns the variables with a given URL. */
const URLS: Readonly<Record<string, (url: string) => Record<string, string>>> = {
  TOKEN_ISSUER: (url) => ({ TOKEN_ISSUER: url }),
  JWKS_URL: (url) => ({ JWKS_URL: url }),
  TOKEN_URL: (url) => ({ TOKEN_URL: url }),
  ADMIN_ISSUER: (url) => ({ ADMIN_ISSUER: url, ADMIN_JWKS_URL: 'https://staff.acme.io/jwks' }),
  ADMIN_JWKS_URL: (url) => ({ ADMIN_ISSUER: 'https://staff.acme.io', ADMIN_JWKS_URL: url }),
  RPC_ENDPOINTS: (url) => ({ RPC_ENDPOINTS: JSON.stringify({ sepolia: ['https://rpc.acme.io', url] }) }),
};

/** Checks that a deployment refuses the value and names the variable, and that a local Worker accepts the value. */
function expectLocalOnly(variable: string, variables: Readonly<Record<string, string>>): void {
  const { message, stack, ...error } = refusalOf(aDeployment(variables));
  expect(error.variable).toBe(variable);
  expect(`${message}${stack}`).toContain(variable);
  expect(`${message}${stack}`).not.toContain(PLANTED);
  expect(configOf(anEnvironment({ ...aDeployment(variables), DEPLOYMENT: 'local' })).local).toBe(true);
}

describe('DEPLOYMENT', () => {
  it.each(['staging', 'production', '', undefined])('applies the strict rules of a deployment to %j', (DEPLOYMENT) => {
    expect(configOf(aDeployment({ DEPLOYMENT })).local).toBe(false);
    expect(refusalOf(aDeployment({ DEPLOYMENT, JWKS_URL: 'http://127.0.0.1/jwks' })).variable).toBe('JWKS_URL');
  });

  it.each(['Local', 'local ', 'localhost', 'development', PLANTED])(
    'refuses "%s", which is not a kind of deployment',
    (DEPLOYMENT) => {
      const { variable, message } = refusalOf(aDeployment({ DEPLOYMENT }));
      expect([variable, message]).toEqual(['DEPLOYMENT', 'DEPLOYMENT must be local, staging or production']);
    },
  );
});

describe('URLs that the Worker fetches or trusts', () => {
  it.each(['http://login.acme.io', 'HTTP://login.acme.io'])(
    'refuses a URL with plain http (%s), since an attacker on the network could answer',
    (url) => {
      for (const [variable, withUrl] of Object.entries(URLS)) expectLocalOnly(variable, withUrl(`${url}/${PLANTED}`));
    },
  );

  it.each([
    ['this machine', ['localhost', 'LOCALHOST', 'localhost.', 'auth.localhost', 'ⓛocalhost', 'local%68ost']],
    ['this machine by its address', ['127.0.0.1', '127.1', '127.0.0.1.', '0.0.0.0', '0', '[::1]', '[::]']],
    ['this machine by an odd spelling', ['0x7f.1', '2130706433', '017700000001', '１２７.0.0.1', '[0:0:0:0:0:0:0:1]']],
    ['this machine by a mapped address', ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]']],
    ['a private network', ['10.0.0.8', '172.16.0.1', '172.31.255.254', '192.168.1.1', '[fc00::1]', '[fd12::1]']],
    ['the local link and its metadata service', ['169.254.169.254', '[fe80::1]', '[::ffff:a9fe:a9fe]']],
    ['a public IP address, which no certificate proves', ['8.8.8.8', '[2606:4700::1111]']],
    [
      'a local name',
      [
        'login',
        'login.local',
        'login.internal',
        'login.lan',
        'login.home.arpa',
        'db.localdomain.',
        'db.private',
        'kubernetes.default.svc',
        'db.alt',
        'login.corp',
        'x.onion',
      ],
    ],
    ['a host of the template', ['issuer.example.com', 'api.example.com', 'example.com', 'EXAMPLE.org', 'example.net.']],
    ['a reserved name that nobody can own', ['issuer.example', 'issuer.test', 'issuer.invalid']],
    ['this machine behind a misleading name', ['localhost\\.acme.io', 'localhost?.acme.io', 'localhost#.acme.io']],
  ])('refuses a URL that points to %s: %j', (_, hosts) => {
    for (const host of hosts) {
      for (const [variable, withUrl] of Object.entries(URLS)) {
        expectLocalOnly(variable, withUrl(`https://${host}/${PLANTED}`));
      }
    }
  });

  it('refuses a URL of this machine with a user name that looks like a host', () => {
    for (const [variable, withUrl] of Object.entries(URLS)) {
      expectLocalOnly(variable, withUrl(`https://login.acme.io:${PLANTED}@localhost/`));
    }
  });

  it.each([
    ...[
      'login.acme.io',
      'LOGIN.ACME.IO',
      'login.acme.io.',
      'login.acme.io:8443',
      'bücher.de',
      'login.xn--p1ai',
      'xn--bcher-kva.de',
    ],
    ...[
      'latest.io',
      'local.io',
      'internal.acme.io',
      'localhost.acme.io',
      'example.com.acme.io',
      'examples.com',
      '10.acme.io',
    ],
  ])('accepts a URL with the public host %s', (host) => {
    for (const withUrl of Object.values(URLS)) {
      expect(configOf(aDeployment(withUrl(`https://${host}/of/it`))).local).toBe(false);
    }
  });

  it('names the network of a refused endpoint', () => {
    expect(refusalOf(aDeployment(URLS.RPC_ENDPOINTS?.('http://rpc.acme.io'))).message).toBe(
      'RPC_ENDPOINTS (sepolia) must begin with https',
    );
  });
});

describe('URLs of issuers and of their keys', () => {
  it.each(['TOKEN_ISSUER', 'ADMIN_ISSUER', 'JWKS_URL', 'ADMIN_JWKS_URL'])(
    'refuses a user or a password in %s',
    (variable) => {
      for (const user of [PLANTED, `acme:${PLANTED}`, `:${PLANTED}`]) {
        expectLocalOnly(variable, URLS[variable]?.(`https://${user}@login.acme.io/`) ?? {});
      }
    },
  );

  it.each(['TOKEN_ISSUER', 'ADMIN_ISSUER'])('refuses a query or a fragment in %s (RFC 8414 §2)', (variable) => {
    for (const end of [`?${PLANTED}`, `#${PLANTED}`, '?', '#']) {
      expectLocalOnly(variable, URLS[variable]?.(`https://login.acme.io/${end}`) ?? {});
    }
  });

  it.each(['', 'staging', 'production'])(
    'refuse keys that are part of the variable, for the deployment "%s"',
    (DEPLOYMENT) => {
      const JWKS_URL = 'data:application/json,%7B%22keys%22%3A%5B%5D%7D';
      const { variable, message } = refusalOf(aDeployment({ DEPLOYMENT, JWKS_URL }));
      expect([variable, message]).toEqual(['JWKS_URL', 'JWKS_URL must begin with https']);
      expect(configOf({ ...aDeployment(), DEPLOYMENT: 'local', JWKS_URL }).tokens.jwksUrl).toBe(JWKS_URL);
    },
  );

  it('accepts a query in JWKS_URL and a user in an RPC endpoint', () => {
    const JWKS_URL = 'https://login.acme.io/jwks?tenant=7';
    expect(configOf(aDeployment({ JWKS_URL })).tokens.jwksUrl).toBe(JWKS_URL);
    const endpoint = 'https://acme:key@rpc.acme.io/';
    expect(configOf(aDeployment(URLS.RPC_ENDPOINTS?.(endpoint))).rpc.sepolia?.[1]?.()).toBe(endpoint);
  });
});

describe('TOKEN_AUDIENCE and ADMIN_AUDIENCE', () => {
  it.each(['TOKEN_AUDIENCE', 'ADMIN_AUDIENCE'])('refuses a placeholder in %s', (variable) => {
    for (const host of ['api.example.com', 'gatepass.example', 'gatepass.test']) {
      expectLocalOnly(variable, { [variable]: `https://${host}/${PLANTED}` });
    }
  });

  it.each(['gatepass', 'urn:acme:passes', 'http://passes.internal', 'https://passes.acme.io'])(
    'accepts any other name as the audience: %s',
    (TOKEN_AUDIENCE) => expect(configOf(aDeployment({ TOKEN_AUDIENCE })).tokens.audience).toBe(TOKEN_AUDIENCE),
  );
});

describe('PUBLIC_ORIGIN', () => {
  it('must be set, so that no document depends on the host that a request names', () => {
    for (const PUBLIC_ORIGIN of [undefined, '']) {
      expect(refusalOf(aDeployment({ PUBLIC_ORIGIN })).message).toBe('PUBLIC_ORIGIN must be set');
      expect(configOf(anEnvironment({ PUBLIC_ORIGIN })).origin).toBeUndefined();
    }
  });

  it.each([
    'passes.acme.io',
    'https://passes.acme.io/',
    'https://passes.acme.io/partner',
    'https://a.io https://b.io',
    '*',
  ])('refuses %s, which is not an origin, also for a local Worker', (PUBLIC_ORIGIN) => {
    for (const environment of [anEnvironment({ PUBLIC_ORIGIN }), aDeployment({ PUBLIC_ORIGIN })]) {
      expect(refusalOf(environment).message).toBe('PUBLIC_ORIGIN must be an origin like https://api.acme.com');
    }
  });

  it.each([
    ['http://passes.acme.io', 'must begin with https'],
    ['https://api.example.com', 'must name a public host'],
    ['https://localhost:8787', 'must name a public host'],
  ])('refuses %s in a deployment', (PUBLIC_ORIGIN, complaint) => {
    expect(refusalOf(aDeployment({ PUBLIC_ORIGIN })).message).toContain(`PUBLIC_ORIGIN ${complaint}`);
    expect(configOf(anEnvironment({ PUBLIC_ORIGIN })).origin).toBe(PUBLIC_ORIGIN);
  });

  it('accepts the origin of the service', () => {
    for (const PUBLIC_ORIGIN of ['https://passes.acme.io', 'https://gatepass.acme.workers.dev']) {
      expect(configOf(aDeployment({ PUBLIC_ORIGIN })).origin).toBe(PUBLIC_ORIGIN);
    }
  });
});

describe('CORS_ORIGINS', () => {
  it('refuses an origin with plain http, since an attacker on the network could alter the page', () => {
    expectLocalOnly('CORS_ORIGINS', { CORS_ORIGINS: `https://app.acme.io http://${PLANTED}.acme.io` });
  });

  it.each(['', undefined, '  '])('allows no origin by default: %j', (CORS_ORIGINS) => {
    expect(configOf(aDeployment({ CORS_ORIGINS })).corsOrigins).toEqual([]);
  });

  it('accepts origins in the form that browsers send', () => {
    const origins = ['https://app.acme.io', 'https://dash.internal:8443'];
    expect(configOf(aDeployment({ CORS_ORIGINS: origins.join('  ') })).corsOrigins).toEqual(origins);
    expect(configOf(anEnvironment({ CORS_ORIGINS: 'http://localhost:3000' })).corsOrigins).toEqual([
      'http://localhost:3000',
    ]);
  });

  it.each([
    ...['*', 'null', 'https://*.acme.io', 'app.acme.io', 'https://app.acme.io/', 'https://app.acme.io/page'],
    ...['https://app.acme.io?', 'https://user@app.acme.io', 'https://APP.acme.io', 'https://app.acme.io:443'],
    ...['wss://app.acme.io', 'file://', 'https://', 'https://app.acme.io,https://b.acme.io'],
  ])('refuses an origin that is not exact: %s', (origin) => {
    for (const environment of [aDeployment, anEnvironment]) {
      const { variable, message } = refusalOf(environment({ CORS_ORIGINS: `https://a.acme.io ${origin}` }));
      expect([variable, message]).toEqual(['CORS_ORIGINS', expect.stringContaining('must be origins like')]);
    }
  });
});

describe('MAINNETS', () => {
  const endpoints = (network: string) => ({ RPC_ENDPOINTS: JSON.stringify({ [network]: ['https://rpc.acme.io'] }) });

  it.each(['mainnet', 'baseMainnet', 'mainnet-beta'])(
    'refuses an endpoint of %s if MAINNETS does not name it',
    (network) => {
      for (const environment of [aDeployment, anEnvironment]) {
        const { variable, message } = refusalOf(environment({ ...endpoints(network), MAINNETS: 'polygonMainnet' }));
        expect([variable, message]).toEqual(['MAINNETS', `MAINNETS must name ${network}, which has an RPC endpoint`]);
      }
    },
  );

  it.each(['mainnet', 'mainnet-beta'])('accepts an endpoint of %s if MAINNETS names it', (network) => {
    const { rpc } = configOf(aDeployment({ ...endpoints(network), MAINNETS: `polygonMainnet ${network}` }));
    expect(rpc[network]).toHaveLength(1);
  });

  it('does not need to name a testnet or a mainnet without an endpoint', () => {
    expect(configOf(aDeployment(endpoints('sepolia'))).rpc.sepolia).toHaveLength(1);
    expect(configOf(aDeployment({ RPC_ENDPOINTS: '{"mainnet": []}' })).rpc.mainnet).toEqual([]);
  });

  it.each(['sepolia', 'devnet', 'Mainnet', '*', 'all', 'mainnet,baseMainnet', PLANTED])(
    'refuses "%s", which is not a list of mainnets',
    (MAINNETS) => {
      for (const environment of [aDeployment, anEnvironment]) {
        const { variable, message } = refusalOf(environment({ MAINNETS: `mainnet ${MAINNETS}` }));
        expect([variable, message]).toEqual(['MAINNETS', expect.stringContaining('must name only mainnets: ')]);
        expect(message).not.toContain(PLANTED);
      }
    },
  );
});
