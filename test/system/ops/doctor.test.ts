import { numberToHex, parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { type Gatepass, startGatepass } from '../../../localnet/gatepass.ts';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../localnet/solana/gatekeepers.ts';
import { freePort } from '../../../localnet/state/ports.ts';
import { openState, type StateFolder } from '../../../localnet/state/state-folder.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { callNode } from '../../call-node.ts';
import { type SpecialIssuer, startSpecialIssuer } from '../../special-issuer.ts';
import { BEHIND, ON_MAINNET, WITHOUT_HISTORY, WITHOUT_SAFE, withoutState } from './ailing-nodes.ts';
import { type Altering, startAlteredNode } from './altered-node.ts';
import { doctored, settings, strangers } from './doctored.ts';

/** `npm run doctor` on a running service: all is well, and then each thing that may be wrong with it, with its remedy. */

const [TEST_NETWORK = '', KEYED_NETWORK = ''] = GATEKEEPER_NETWORKS;
const PLANTED = 'planted7f3a9c';

/** Where nobody listens. */
let nobody: string;
let state: StateFolder;
let gatepass: Gatepass;
let special: { issuer: SpecialIssuer; stop(): void };
const altered: { stop(): void }[] = [];

beforeAll(async () => {
  state = openState();
  nobody = `http://127.0.0.1:${await freePort()}`;
  [gatepass, special] = await Promise.all([startGatepass({ folder: state.folder }), startSpecialIssuer()]);
}, 120_000);

afterAll(async () => {
  for (const node of [...altered, special]) node.stop();
  await gatepass?.stop();
  await stopChildren();
  state.close();
});

const node = (network: string) => gatepass.facts.rpc[network] ?? '';

async function alteredNode(network: string, how: Altering): Promise<string> {
  const started = await startAlteredNode(node(network), how);
  altered.push(started);
  return `${started.url}/v2/${PLANTED}`;
}

it('finds nothing wrong with a service that is in order, and shows no secret', async () => {
  const { code, lines, line } = await doctored(gatepass.facts, {});
  expect(lines.filter((each) => each !== '' && !each.startsWith('ok ')).slice(0, -1)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^\d{2} ok, 0 failed, 0 not checked$/);
  expect(code).toBe(0);
  expect(line('migrations of DB')).toMatch(/^ok all \d+ are applied$/);
  for (const gatekeeperNetwork of GATEKEEPER_NETWORKS) {
    expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${gatekeeperNetwork}`)).toBe('ok it may issue');
    expect(line(`devnet, gatekeeper ${SOLANA_GATEKEEPERS[0]} in ${gatekeeperNetwork}`)).toBe('ok it may issue');
  }
  expect(line('sepolia, endpoint 1 of 1')).toMatch(/^ok of this chain, its newest block \d s old$/);
  expect(line(`baseSepolia, gatekeeper ${GATEKEEPERS[0]}, funds`)).toMatch(
    /^ok 10000 coins, for \d{7,} passes of 0\.000\d+ coins, the most that is paid for one now, without the L1 data fee$/,
  );
  expect(line('service, issuer')).toBe(
    `ok it takes tokens of ${gatepass.facts.issuer}; its issuer and scopes are as configured here`,
  );
  expect(line('service, without a token')).toBe('ok it asks for one (401)');
  const secrets = [GATEKEEPER_KEYS[0].slice(2), SOLANA_GATEKEEPER_KEYS[0], ...Object.values(gatepass.facts.rpc)];
  expect(secrets.filter((secret) => lines.join().includes(secret))).toEqual([]);
});

it('tells of each endpoint what is wrong with it, and nothing of its URL', async () => {
  const sepolia = await Promise.all([
    node('baseSepolia'),
    `${nobody}/v2/${PLANTED}`,
    alteredNode('sepolia', { status: 403 }),
    alteredNode('sepolia', { status: 302, headers: { location: node('sepolia') } }),
    node('sepolia'),
    alteredNode('sepolia', BEHIND),
    alteredNode('sepolia', withoutState(`no state for ${PLANTED}`)),
    alteredNode('sepolia', { refusesBatches: true }),
  ]);
  const baseSepolia = [await alteredNode('baseSepolia', WITHOUT_SAFE)];
  const devnet = [await alteredNode('devnet', WITHOUT_HISTORY), await alteredNode('devnet', ON_MAINNET)];
  const { code, lines, line } = await doctored(gatepass.facts, {
    environment: {
      RPC_ENDPOINTS: JSON.stringify({ sepolia, baseSepolia, devnet }),
      NETWORKS: settings({ baseSepolia: { final: { tag: 'safe' } } }),
    },
    args: ['--gatekeeper-network', TEST_NETWORK],
  });
  const said = sepolia.map((_, index) => line(`sepolia, endpoint ${index + 1} of ${sepolia.length}`));
  expect(said).toEqual([
    'FAIL it serves another chain: chain id 84532 -> name an endpoint of sepolia at this place of RPC_ENDPOINTS',
    'FAIL no connection -> see that its URL is right, and that its provider is up',
    'FAIL HTTP 403 -> see that the key in its URL is right, and allowed for this network',
    'FAIL HTTP 302: a redirect, which is not followed -> name the URL that it leads to',
    expect.stringMatching(/^ok of this chain, its newest block \d s old$/),
    expect.stringMatching(/^FAIL its newest block is 36\d\d seconds old -> name an endpoint that keeps up/),
    expect.stringMatching(
      /^FAIL it does not run eth_call at the final block \(no state for \[hidden\]\) -> name another/,
    ),
    expect.stringMatching(/^ok .*it takes no batches, and gets a request for each call$/),
  ]);
  expect(line('baseSepolia, endpoint 1 of 1')).toMatch(
    /^FAIL it does not know the block "safe" -> .*NETWORKS = {"baseSepolia": {"final": {"depth": 64}}}$/,
  );
  expect(line('devnet, history')).toMatch(/^FAIL no endpoint has the history .* -> .*searchTransactionHistory/);
  expect(line('devnet, endpoint 1 of 2')).toMatch(/^ok /);
  expect(line('devnet, endpoint 2 of 2')).toMatch(/^FAIL it serves another chain: genesis hash 5eykt4\w+ -> name an/);
  // One good endpoint is enough for the rest.
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(lines.join()).not.toContain(PLANTED);
  expect(code).toBe(1);
});

it('tells a wrong issuer, keys of no use, swapped networks, a database that is behind and a wrong URL from each other', async () => {
  const { facts } = gatepass;
  const { code, lines, line } = await doctored(facts, {
    environment: {
      TOKEN_ISSUER: `${facts.issuer}/`,
      JWKS_URL: special.issuer.jwksUrl,
      TOKEN_ALGORITHMS: 'RS256',
      RPC_ENDPOINTS: JSON.stringify({
        sepolia: [node('baseSepolia')],
        baseSepolia: [node('sepolia')],
        devnet: [node('devnet')],
      }),
      SOLANA_GATEKEEPER_KEY: undefined,
    },
    emptyDatabase: true,
    args: ['--url', nobody],
  });
  expect(line('variables')).toBe('ok as the Worker reads them');
  expect(line('issuer')).toBe(
    `FAIL TOKEN_ISSUER is not the "issuer" of the issuer, which says ${facts.issuer} -> set TOKEN_ISSUER to that`,
  );
  expect(line('keys of the issuer')).toMatch(
    /^FAIL none of its 1 keys has a "kid" and an algorithm .* -> .*TOKEN_ALGOR/,
  );
  expect(line('migrations of DB')).toMatch(
    /^FAIL (\d+) of \1 are not applied \(0001_partners.sql is .* -> .*npm run dev/,
  );
  for (const [network, chainId] of [
    ['sepolia', 84_532],
    ['baseSepolia', 11_155_111],
  ]) {
    expect(line(`${network}, endpoint 1 of 1`)).toMatch(`FAIL it serves another chain: chain id ${chainId}`);
    expect(line(`${network}, gateway`)).toMatch(/^-- not checked: the nodes do not answer .*see the endpoints$/);
  }
  expect(line('devnet, gatekeeper')).toBe(
    'FAIL there is no key of this chain: the network is not enabled -> set SOLANA_GATEKEEPER_KEY, or take devnet out of RPC_ENDPOINTS',
  );
  expect(line('secrets')).toBe('ok ETHEREUM_GATEKEEPER_KEY, RPC_ENDPOINTS');
  expect(line('service')).toMatch(`FAIL ${nobody} does not answer (ECONNREFUSED) -> see that --url is`);
  expect(lines.at(-1)).toMatch(/^5 ok, 9 failed, 4 not checked$/);
  expect(code).toBe(1);
});

it('tells an issuer that is down, keys that are no gatekeepers and have no funds, and a contract that is not there', async () => {
  const { ethereum, onEthereum, solana, onSolana } = strangers();
  const { line } = await doctored(gatepass.facts, {
    environment: {
      TOKEN_ISSUER: nobody,
      JWKS_URL: `${nobody}/jwks`,
      ETHEREUM_GATEKEEPER_KEY: ethereum,
      SOLANA_GATEKEEPER_KEY: solana,
      NETWORKS: settings({ baseSepolia: { gateway: `0x${'12'.repeat(20)}` } }),
    },
  });
  expect(line('issuer')).toMatch(`FAIL ${nobody} publishes no metadata (ECONNREFUSED) -> see that TOKEN_ISSUER is`);
  expect(line('keys of the issuer')).toMatch(`FAIL ${nobody}/jwks gives no keys (ECONNREFUSED) -> set JWKS_URL to`);
  expect(line(`sepolia, gatekeeper ${onEthereum} in ${TEST_NETWORK}`)).toBe(
    'FAIL the gatekeeper is not authorized on the gatekeeper network -> an authority of the gatekeeper network calls ' +
      `addGatekeeper(${onEthereum}, 1) of ${gatepass.facts.gatewayToken.sepolia}`,
  );
  expect(line(`sepolia, gatekeeper ${onEthereum}, funds`)).toBe(
    `FAIL it has none -> send more to ${onEthereum} on sepolia`,
  );
  expect(line(`devnet, gatekeeper ${onSolana} in ${KEYED_NETWORK}`)).toBe(
    `FAIL it is no gatekeeper there -> the key of ${KEYED_NETWORK} signs the program's AddGatekeeper for ${onSolana}`,
  );
  expect(line(`devnet, gatekeeper ${onSolana}, funds`)).toMatch(/^FAIL it has none -> send more to/);
  expect(line('baseSepolia, gateway')).toMatch(/^FAIL there is no contract at 0x1212.* -> set the address: NETWORKS/);
  expect(line(`baseSepolia, gatekeeper ${onEthereum}`)).toMatch(/^-- not checked: there is nothing at the address/);
  // It runs as it was started.
  expect(line('service')).toMatch(/^ok /);
  expect(line('service, issuer')).toMatch(`FAIL it takes tokens of ${gatepass.facts.issuer}, and TOKEN_ISSUER is`);
});

it('says for how many passes the funds last, and where there is no key or no such gatekeeper network', async () => {
  await callNode(node('sepolia'), 'anvil_setBalance', [GATEKEEPERS[1], numberToHex(parseEther('0.002'))]);
  const [, retired, poor, unknown] = SOLANA_GATEKEEPERS;
  for (const address of [retired, poor, unknown]) {
    const account = { lamports: address === poor ? 1_000_000 : 5_000_000, owner: '1'.repeat(32) };
    await callNode(node('devnet'), 'localnet_setAccount', [address, account]);
  }
  const { line } = await doctored(gatepass.facts, {
    environment: {
      ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS[1],
      SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS.slice(1).join(' '),
      RETIRED_GATEKEEPERS: `${retired} ${GATEKEEPERS[1]}`,
    },
    args: ['--gatekeeper-network', TEST_NETWORK, '--gatekeeper-network', unknown],
  });
  // What a retired key lacks may be meant so.
  const ifWanted = 'retired, it pays for changes to its passes only: if some are to be made, send more to';
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[1]} (retired), funds`)).toMatch(
    RegExp(`^-- 0\\.002 coins, for [4-9] passes of 0\\.000\\d+ coins, the most .* now; ${ifWanted} 0x976E`),
  );
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[1]} (retired) in ${unknown}`)).toMatch(
    /^-- retired and not authorized: changes .* wait; .* calls addGatekeeper\(0x976E.*; if it was leaked, leave it so$/,
  );
  expect(line(`devnet, gatekeeper ${retired} (retired) in ${unknown}`)).toMatch(
    /^-- retired and not authorized: .* signs the program's AddGatekeeper for 586Z\w+; if it was leaked, leave it so$/,
  );
  expect(line(`devnet, gatekeeper ${retired} (retired), funds`)).toMatch(`-- 0.0041 SOL, for 2 passes of 0.0016 SOL`);
  expect(line(`devnet, gatekeeper ${retired} (retired) in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(line('sepolia, keys')).toMatch(/^FAIL every key is retired: nobody issues new passes -> take one out of/);
  expect(line('devnet, keys')).toBeUndefined();
  expect(line(`devnet, gatekeeper ${poor}, funds`)).toMatch(/^FAIL 0\.0001\d* SOL: an issuance takes more -> send/);
  expect(line(`devnet, gatekeeper ${poor} in ${TEST_NETWORK}`)).toBe('ok it is a gatekeeper there');
  expect(line(`devnet, gatekeeper ${unknown}, funds`)).toMatch(
    /^FAIL 0\.0041 SOL, for 2 passes of 0\.0016 SOL, the most that is paid for one now -> send more to 3fD5/,
  );
});

it('tells of what is prepared for networks without an endpoint, and that nothing can be issued where none has one', async () => {
  const limits = ['acme', '--networks', 'sepolia,optimismSepolia'];
  const sepolia = JSON.stringify({ sepolia: [node('sepolia')], devnet: [] });
  const some = await doctored(gatepass.facts, { limits, environment: { RPC_ENDPOINTS: sepolia } });
  expect(some.line('optimismSepolia')).toMatch(/^-- a partner is limited to .* answers 400 network_not_enabled; if it/);
  expect(some.line('solana, gatekeepers')).toMatch(/^-- a key is set, and no network of the chain has an endpoint: /);
  expect([some.line('sepolia'), some.line('ethereum, gatekeepers')]).toEqual([undefined, undefined]);
  expect(some.lines.at(-1)).toMatch(/ ok, 0 failed, 0 not checked, 2 for you to judge$/);
  const none = await doctored(gatepass.facts, { environment: { RPC_ENDPOINTS: '{"sepolia": []}' } });
  expect(none.line('secrets')).toMatch(/^FAIL RPC_ENDPOINTS names no endpoint: no network is enabled -> set it: /);
  expect(none.line('networks')).toBe('-- not checked: none has an endpoint');
  expect(none.lines.at(-1)).toMatch(/ ok, 1 failed, 1 not checked$/);
  expect([some.code, none.code]).toEqual([0, 1]);
});

it('goes on where a variable is wrong', async () => {
  const { code, line } = await doctored(gatepass.facts, { environment: { TOKEN_AUDIENCE: '', CORS_ORIGINS: 'x' } });
  expect(line('variables')).toMatch(/^FAIL TOKEN_AUDIENCE must be set -> put the variable right/);
  expect([line('secrets'), line('issuer')]).toEqual(Array(2).fill('-- not checked: the variables are wrong'));
  expect(line('migrations of DB')).toMatch(/^ok /);
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(line('service, issuer')).toBe(`ok it takes tokens of ${gatepass.facts.issuer}`);
  expect(code).toBe(1);
});
