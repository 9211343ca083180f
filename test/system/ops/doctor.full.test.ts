import { createPublicClient, createWalletClient, type Hex, http, numberToHex, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { sepolia } from 'viem/chains';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DETERMINISTIC_DEPLOYER } from '../../../ops/network/gateway-build.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { networkSettings } from '../../../tools/localnet/nodes.ts';
import { GATEKEEPER_NETWORKS, SANDBOX } from '../../../tools/localnet/oauth/partners.ts';
import { UPGRADE_AUTHORITY } from '../../../tools/localnet/solana/chain/genesis.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';
import { type SpecialIssuer, startSpecialIssuer } from '../../special-issuer.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { openPreparedState } from '../prepared-state.ts';
import * as faults from './faulty-endpoints.ts';
import { diagnose, spawnDoctor, unknownKeys } from './run-doctor.ts';

/** The findings of `npm run doctor` about a running service, and their remedies. */

const [TEST_NETWORK = '', KEYED_NETWORK = ''] = GATEKEEPER_NETWORKS;
const PLANTED = 'planted7f3a9c';

/** An origin at which no server listens. */
let unused: string;
let state: StateFolder;
let gatepass: Gatepass;
let special: { issuer: SpecialIssuer; stop(): void };
const proxies: FaultProxy[] = [];

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  unused = `http://127.0.0.1:${await findFreePort()}`;
  [gatepass, special] = await Promise.all([
    startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') }),
    startSpecialIssuer(),
  ]);
});

afterAll(async () => {
  for (const node of [...proxies, special]) node.stop();
  await gatepass?.stop();
  await stopChildren();
  state.close();
});

const node = (network: string) => gatepass.facts.rpc[network] ?? '';

async function endpoint(network: string, fault: Fault): Promise<string> {
  const proxy = await startFaultProxy(node(network), fault);
  proxies.push(proxy);
  return `${proxy.url}/v2/${PLANTED}`;
}

/** The address to which a test delegates an account. */
const TARGET = `0x${'ab'.repeat(20)}` as const;

/** Delegates the account of a key to the code of another address (EIP-7702). Another account sends the transaction. */
async function delegate(key: Hex, sender: Hex): Promise<void> {
  const transport = http(node('sepolia'));
  const wallet = createWalletClient({ account: privateKeyToAccount(sender), chain: sepolia, transport });
  const authorization = await createWalletClient({
    account: privateKeyToAccount(key),
    chain: sepolia,
    transport,
  }).signAuthorization({ contractAddress: TARGET });
  const hash = await wallet.sendTransaction({ to: wallet.account.address, authorizationList: [authorization] });
  await createPublicClient({ chain: sepolia, transport }).waitForTransactionReceipt({ hash });
}

it('the doctor reports no fault of a healthy service, and prints no secret', async () => {
  const { code, lines, line } = await diagnose(gatepass.facts, {}, spawnDoctor);
  const control =
    `-- somebody else controls ${GATEWAY_PROGRAM}: ` +
    `${UPGRADE_AUTHORITY} is its upgrade authority: it can replace the program -> find out whether you trust them: ` +
    'the account that replaces the program can change every pass on this network';
  expect(line('devnet, control')).toBe(control);
  const others = lines.filter((each) => each !== '' && !each.startsWith('ok ') && !each.includes('devnet, control'));
  expect(others.slice(0, -1)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^\d{2} ok, 0 failed, 0 not checked, 1 for you to judge$/);
  expect(line('sepolia, control')).toBe(
    `ok nobody controls ${OWNERLESS_CONTRACT}: its address proves that it was created without a super admin`,
  );
  expect(code).toBe(0);
  expect(line('migrations of DB')).toMatch(/^ok all \d+ are applied$/);
  expect(line('sandboxes')).toBe('ok 1, with simulated networks only');
  expect(lines.filter((each) => each.includes(SANDBOX))).toEqual([]);
  for (const gatekeeperNetwork of GATEKEEPER_NETWORKS) {
    expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${gatekeeperNetwork}`)).toBe('ok it may issue');
    expect(line(`devnet, gatekeeper ${SOLANA_GATEKEEPERS[0]} in ${gatekeeperNetwork}`)).toBe('ok it may issue');
  }
  expect(line('sepolia, endpoint 1 of 1')).toMatch(/^ok it serves this chain, and its newest block is \d s old$/);
  expect(line(`baseSepolia, gatekeeper ${GATEKEEPERS[0]}, funds`)).toMatch(
    /^ok 10000 coins, enough for \d{7,} passes at 0\.000\d+ coins each, their current maximum cost$/,
  );
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]}, account`)).toBe('ok it has no code');
  expect(line('service, issuer')).toBe(
    `ok it accepts tokens of ${gatepass.facts.issuer}; its issuer and scopes match this configuration`,
  );
  expect(line('service, without a token')).toBe('ok it requires a token (401)');
  const secrets = [GATEKEEPER_KEYS[0].slice(2), SOLANA_GATEKEEPER_KEYS[0], ...Object.values(gatepass.facts.rpc)];
  expect(secrets.filter((secret) => lines.join().includes(secret))).toEqual([]);
});

it('the doctor names the fault of each endpoint, and prints no part of its URL', async () => {
  const sepolia = await Promise.all([
    node('baseSepolia'),
    `${unused}/v2/${PLANTED}`,
    endpoint('sepolia', faults.respondWith(403)),
    endpoint('sepolia', faults.respondWith(302, { location: node('sepolia') })),
    node('sepolia'),
    endpoint('sepolia', faults.BEHIND),
    endpoint('sepolia', faults.withoutState(`no state for ${PLANTED}`)),
    endpoint('sepolia', faults.WITHOUT_BATCHES),
  ]);
  const baseSepolia = [await endpoint('baseSepolia', faults.WITHOUT_SAFE)];
  const devnet = [await endpoint('devnet', faults.WITHOUT_HISTORY), await endpoint('devnet', faults.ON_MAINNET)];
  const { code, lines, line } = await diagnose(gatepass.facts, {
    environment: {
      RPC_ENDPOINTS: JSON.stringify({ sepolia, baseSepolia, devnet }),
      NETWORKS: networkSettings({ baseSepolia: { final: { tag: 'safe' } } }),
    },
    args: ['--gatekeeper-network', TEST_NETWORK],
  });
  const said = sepolia.map((_, index) => line(`sepolia, endpoint ${index + 1} of ${sepolia.length}`));
  expect(said).toEqual([
    'FAIL it serves another chain, as eth_chainId shows: chain id 84532 -> replace it in RPC_ENDPOINTS by an endpoint of sepolia',
    'FAIL no connection -> check its URL, and whether its provider is up',
    'FAIL HTTP 403 -> check that the key in its URL is right and allowed for this network',
    'FAIL HTTP 302: the Worker does not follow redirects -> use the URL that it redirects to',
    expect.stringMatching(/^ok it serves this chain, and its newest block is \d s old$/),
    expect.stringMatching(/^FAIL its newest block is 36\d\d seconds old -> use an endpoint that keeps up/),
    expect.stringMatching(
      /^FAIL it does not run eth_call at the final block \(no state for \[hidden\]\) -> use an endpoint that has/,
    ),
    expect.stringMatching(/^ok .*it accepts no batches, so the service sends a request for each call$/),
  ]);
  expect(line('baseSepolia, endpoint 1 of 1')).toMatch(
    /^FAIL it does not know the block "safe" -> .*NETWORKS = {"baseSepolia": {"final": {"depth": 64}}}$/,
  );
  expect(line('devnet, history')).toMatch(/^FAIL no endpoint has the history .* -> .*searchTransactionHistory/);
  expect(line('devnet, endpoint 1 of 2')).toMatch(/^ok /);
  expect(line('devnet, endpoint 2 of 2')).toMatch(
    /^FAIL it serves another chain, as getGenesisHash shows: genesis hash 5eykt4\w+ -> replace it/,
  );
  // One good endpoint is enough for the other checks.
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(lines.join()).not.toContain(PLANTED);
  expect(code).toBe(1);
});

it('the doctor distinguishes a wrong issuer, unusable keys, swapped networks, missing migrations and a wrong URL', async () => {
  const { facts } = gatepass;
  const { code, lines, line } = await diagnose(facts, {
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
    args: ['--url', unused],
  });
  expect(line('variables')).toBe('ok the Worker accepts them');
  expect(line('issuer')).toBe(
    `FAIL TOKEN_ISSUER is not the "issuer" of the issuer, ${facts.issuer} -> set TOKEN_ISSUER to the issuer's "issuer"`,
  );
  expect(line('keys of the issuer')).toMatch(
    /^FAIL none of its 1 keys has a "kid" and an algorithm .* -> .*TOKEN_ALGOR/,
  );
  expect(line('migrations of DB')).toMatch(
    /^FAIL (\d+) of \1 are not applied \(first: 0001_baseline.sql\) -> .*npm run dev/,
  );
  for (const [network, chainId] of [
    ['sepolia', 84_532],
    ['baseSepolia', 11_155_111],
  ]) {
    expect(line(`${network}, endpoint 1 of 1`)).toMatch(
      `FAIL it serves another chain, as eth_chainId shows: chain id ${chainId}`,
    );
    for (const part of ['gateway', 'control'])
      expect(line(`${network}, ${part}`)).toMatch(/^-- not checked: the nodes do not answer .*see the endpoints$/);
  }
  expect(line('devnet, gatekeeper')).toBe(
    'FAIL no key is set for this chain: the network is not enabled -> set SOLANA_GATEKEEPER_KEY, or remove devnet from RPC_ENDPOINTS',
  );
  expect(line('secrets')).toBe('ok ETHEREUM_GATEKEEPER_KEY, VERDICT_KEY, RPC_ENDPOINTS');
  expect(line('service')).toMatch(`FAIL ${unused} does not answer (ECONNREFUSED) -> check that --url is`);
  expect(lines.at(-1)).toMatch(/^7 ok, 9 failed, 15 not checked, 1 for you to judge$/);
  expect(code).toBe(1);
});

it('the doctor reports an unreachable issuer, unauthorized keys without funds, and a missing contract', async () => {
  const { ethereum, onEthereum, solana, onSolana } = unknownKeys();
  const { line } = await diagnose(gatepass.facts, {
    environment: {
      TOKEN_ISSUER: unused,
      JWKS_URL: `${unused}/jwks`,
      ETHEREUM_GATEKEEPER_KEY: ethereum,
      SOLANA_GATEKEEPER_KEY: solana,
      NETWORKS: networkSettings({ baseSepolia: { gateway: `0x${'12'.repeat(20)}` } }),
    },
  });
  expect(line('issuer')).toMatch(`FAIL ${unused} publishes no metadata (ECONNREFUSED) -> check that TOKEN_ISSUER is`);
  expect(line('keys of the issuer')).toMatch(`FAIL ${unused}/jwks serves no keys (ECONNREFUSED) -> set JWKS_URL to`);
  expect(line(`sepolia, gatekeeper ${onEthereum} in ${TEST_NETWORK}`)).toBe(
    'FAIL the gatekeeper is not authorized on the gatekeeper network -> an authority of the gatekeeper network runs ' +
      `\`npm run network -- add-gatekeeper ${TEST_NETWORK} ${onEthereum} --network sepolia --local --authority-key-file FILE\``,
  );
  expect(line(`sepolia, gatekeeper ${onEthereum}, funds`)).toBe(
    `FAIL it has no funds -> send more to ${onEthereum} on sepolia`,
  );
  expect(line(`devnet, gatekeeper ${onSolana} in ${KEYED_NETWORK}`)).toBe(
    'FAIL it is not a gatekeeper there -> an authority of the gatekeeper network runs ' +
      `\`npm run network -- add-gatekeeper ${KEYED_NETWORK} ${onSolana} --network devnet --local --authority-key-file FILE\``,
  );
  expect(line(`devnet, gatekeeper ${onSolana}, funds`)).toMatch(/^FAIL it has no funds -> send more to/);
  expect(line('baseSepolia, gateway')).toMatch(/^FAIL no contract exists at 0x1212.* -> set the address: NETWORKS/);
  expect(line(`baseSepolia, gatekeeper ${onEthereum}`)).toMatch(/^-- not checked: the check of the gateway failed$/);
  // The service still runs with the correct configuration.
  expect(line('service')).toMatch(/^ok /);
  expect(line('service, issuer')).toMatch(`FAIL it accepts tokens of ${gatepass.facts.issuer}, but TOKEN_ISSUER is`);
});

it('the doctor compares the data of a network with its chain, and names what to do about a difference', async () => {
  await callNode(node('sepolia'), 'anvil_mine', [numberToHex(70), numberToHex(1)]);
  let newest = 0;
  const slow = faults.alterAnswers(({ method, params }, answer) => {
    // Each block is three seconds older than it is on the chain.
    const { number, timestamp } = Object(answer.result) as { number?: string; timestamp?: string };
    if (method === 'eth_estimateGas') return { result: numberToHex(3_000_000) };
    if (method === 'eth_getCode' && params[0] === DETERMINISTIC_DEPLOYER) return { result: '0x6001' };
    if (method !== 'eth_getBlockByNumber' || number === undefined) return answer;
    newest = Math.max(newest, Number(number));
    const age = 3 * (newest - Number(number));
    return { result: { ...Object(answer.result), timestamp: numberToHex(Number(timestamp) - age) } };
  });
  const rent = faults.alterAnswers(({ method, params }, answer) =>
    method === 'getMinimumBalanceForRentExemption' ? { result: 20_000 * (128 + Number(params[0])) } : answer,
  );
  const RPC_ENDPOINTS = JSON.stringify({
    sepolia: [await endpoint('sepolia', slow)],
    baseSepolia: [node('baseSepolia')],
    devnet: [await endpoint('devnet', rent)],
  });
  const NETWORKS = networkSettings({ sepolia: { final: { depth: 50 } } });
  const { line } = await diagnose(gatepass.facts, {
    environment: { RPC_ENDPOINTS, NETWORKS },
    args: ['--gatekeeper-network', TEST_NETWORK],
  });
  expect(line('sepolia, block time')).toMatch(
    /^-- a block each [3-9]\d{3} ms in the last 64, and 1000 ms in the data .* NETWORKS = \{"sepolia": \{"blockMs": \d{4}\}\}$/,
  );
  expect(line('sepolia, finality')).toMatch(
    /^-- the final block is 50 blocks and \d+ s behind the newest, usually 50 s: .* -> /,
  );
  expect(line('sepolia, factory')).toMatch(/^FAIL the deterministic deployer has other code -> /);
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]}, gas`)).toMatch(
    /^-- an issuance gets a limit of 3750000 gas, and maxGas is 5000000 -> raise it: NETWORKS = /,
  );
  expect(line('devnet, rent')).toMatch(/^-- 20000 lamports per byte, .* -> compare the endpoints/);
  expect(line('devnet, transactions')).toMatch(/^ok version \d at most in the program's \d+ newest transactions$/);
  expect(line('baseSepolia, factory')).toBe('ok the deterministic deployer has its known code');
  expect(line(`baseSepolia, gatekeeper ${GATEKEEPERS[0]}, gas`)).toMatch(
    /^ok an issuance gets a limit of \d{6} gas, and maxGas is 5000000$/,
  );
});

it('the doctor reports how many passes the funds pay for, retired and compromised keys, and unauthorized gatekeepers', async () => {
  await delegate(GATEKEEPER_KEYS[1], GATEKEEPER_KEYS[2]);
  await callNode(node('sepolia'), 'anvil_setBalance', [GATEKEEPERS[1], numberToHex(parseEther('0.002'))]);
  const [, retired, poor, unknown] = SOLANA_GATEKEEPERS;
  for (const address of [retired, poor, unknown]) {
    const account = { lamports: address === poor ? 1_000_000 : 5_000_000, owner: '1'.repeat(32) };
    await callNode(node('devnet'), 'localnet_setAccount', [address, account]);
  }
  const { line } = await diagnose(gatepass.facts, {
    environment: {
      ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS[1],
      SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS.slice(1).join(' '),
      RETIRED_GATEKEEPERS: `${retired} ${GATEKEEPERS[1]}`,
      COMPROMISED_GATEKEEPERS: GATEKEEPERS[0],
    },
    args: ['--gatekeeper-network', TEST_NETWORK, '--gatekeeper-network', unknown],
  });
  // The operator may intend that a retired key lacks funds or authorization.
  const ifWanted = 'the key is retired and pays only for changes to its passes: if you expect any, send more to';
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[1]} (retired), funds`)).toMatch(
    RegExp(`^-- 0\\.002 coins, enough for [4-9] passes at 0\\.000\\d+ coins each, .* cost; ${ifWanted} 0x976E`),
  );
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[1]} (retired) in ${unknown}`)).toMatch(
    /^-- the key is retired and not authorized, so changes .* wait; .* network -- create \S+ --name NAME --network sepolia --local .*; if the key leaked, name it with `npm run emergency -- compromise`$/,
  );
  expect(line(`devnet, gatekeeper ${retired} (retired) in ${unknown}`)).toMatch(
    /^-- the key is retired and not authorized, .* network -- add-gatekeeper \S+ 586Z\w+ --network devnet .*; if the key leaked, name it with `npm run emergency -- compromise`$/,
  );
  expect(line(`devnet, gatekeeper ${retired} (retired), funds`)).toMatch(
    `-- 0.0041 SOL, enough for 2 passes at 0.0016 SOL`,
  );
  expect(line(`devnet, gatekeeper ${retired} (retired) in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[1]} (retired), account`)).toBe(
    `FAIL its account is delegated to ${TARGET} (EIP-7702): nodes accept one transaction of such an account at a time -> ` +
      `use a key whose account has no code, or end the delegation: ${GATEKEEPERS[1]} authorizes the zero address`,
  );
  expect(line('sepolia, keys')).toMatch(
    /^FAIL every key is retired or compromised: the service issues no new passes here -> remove one from/,
  );
  expect(line('devnet, keys')).toBeUndefined();
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} (compromised) in ${TEST_NETWORK}`)).toMatch(
    /^FAIL anyone who has the key can still issue passes -> an authority .*npm run network -- remove-gatekeeper \S+ 0x7099\w+ --network sepolia --local/,
  );
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} (compromised) in ${unknown}`)).toBe(
    'ok it is no longer a gatekeeper there',
  );
  expect(line(`devnet, gatekeeper ${poor}, funds`)).toMatch(/^FAIL 0\.0001\d* SOL: an issuance costs more -> send/);
  expect(line(`devnet, gatekeeper ${poor} in ${TEST_NETWORK}`)).toBe('ok it is a gatekeeper there');
  expect(line(`devnet, gatekeeper ${unknown}, funds`)).toMatch(
    /^FAIL 0\.0041 SOL, enough for 2 passes at 0\.0016 SOL each, their current maximum cost -> send more to 3fD5/,
  );
});

it('the doctor reports limits and keys for networks without an endpoint and shared slots, and fails if no network has an endpoint', async () => {
  const limits = { acme: ['sepolia', 'optimismSepolia'] };
  const sepolia = JSON.stringify({ sepolia: [node('sepolia')], devnet: [] });
  const shared = `${'1'.repeat(31)}2`;
  const environment = { RPC_ENDPOINTS: sepolia };
  const some = await diagnose(gatepass.facts, { limits, gatekeeperNetwork: shared, environment });
  expect(some.line('optimismSepolia')).toMatch(
    /^-- the limit of a partner includes .* answers 400 network_not_enabled; if you/,
  );
  expect(some.line('solana, gatekeepers')).toMatch(/^-- a key is set, but none of its networks has an endpoint: /);
  expect([some.line('sepolia'), some.line('ethereum, gatekeepers')]).toEqual([undefined, undefined]);
  expect(some.line(`slot of ${shared}`)).toBe(
    `FAIL its slot on Ethereum-type networks is 1, which is also the slot of ${TEST_NETWORK}: the service answers its ` +
      'partners 403 client_unknown -> register them with another gatekeeper network, and compare the passes of ' +
      `${TEST_NETWORK} with your records`,
  );
  expect(some.lines.at(-1)).toMatch(/ ok, 1 failed, 0 not checked, 2 for you to judge$/);
  const none = await diagnose(gatepass.facts, { environment: { RPC_ENDPOINTS: '{"sepolia": []}' } });
  expect(none.line('secrets')).toMatch(
    /^FAIL RPC_ENDPOINTS names no endpoint: no network is enabled -> set it to JSON like /,
  );
  expect(none.line('networks')).toBe('-- not checked: no network has an endpoint');
  expect(none.lines.at(-1)).toMatch(/ ok, 1 failed, 1 not checked$/);
  expect([some.code, none.code]).toEqual([1, 1]);
});

it('the doctor runs the other checks after an invalid variable', async () => {
  const { code, line } = await diagnose(gatepass.facts, { environment: { TOKEN_AUDIENCE: '', CORS_ORIGINS: 'x' } });
  expect(line('variables')).toMatch(
    /^FAIL TOKEN_AUDIENCE must be set; CORS_ORIGINS must be .* -> correct the variable/,
  );
  expect([line('secrets'), line('issuer')]).toEqual(Array(2).fill('-- not checked: the variables are invalid'));
  expect(line('migrations of DB')).toMatch(/^ok /);
  expect(line(`sepolia, gatekeeper ${GATEKEEPERS[0]} in ${TEST_NETWORK}`)).toBe('ok it may issue');
  expect(line('service, issuer')).toBe(`ok it accepts tokens of ${gatepass.facts.issuer}`);
  expect(code).toBe(1);
});

it('checks a part of 10,000 gatekeeper networks, and says how many it omits', async () => {
  const { lines, line } = await diagnose(gatepass.facts, { partners: 10_000 });
  expect(line('sepolia, gatekeeper networks')).toMatch(
    /^-- 50 of 1\d{4} are checked; name others with --gatekeeper-network KEY$/,
  );
  const checked = lines.filter((each) => each.includes(`sepolia, gatekeeper ${GATEKEEPERS[0]} in `));
  expect(checked).toHaveLength(50);
  expect(checked.filter((each) => each.includes('no answer'))).toEqual([]);
  expect(line('migrations of DB')).toMatch(/^ok /);
});
