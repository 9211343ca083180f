import { encodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, expect } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { networkSettings } from '../../../tools/localnet/nodes.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { addEthereumGatekeeper } from '../e2e/ethereum-gatekeeper.ts';
import { contractOn } from '../ops/network-nodes.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
const [GATEKEEPER = ''] = GATEKEEPERS;
/** The third account of the node, which `addEthereumGatekeeper` makes a gatekeeper. */
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ABI = parseAbi([
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
]);
/** The feature that the removal of a gatekeeper voids its tokens. */
const REMOVAL_VOIDS = 1n;

let service: Rehearsal;
let key: string;
beforeAll(async () => {
  service = await Rehearsal.open();
  key = service.partner('acme').gatekeeperNetwork;
});
afterAll(() => service?.close());

const nodeUrl = () => service.localnet.facts.rpc[NETWORK] ?? '';
const contract = () => contractOn(nodeUrl(), key);

/** Sends a transaction of the authority, whose key the node has, and waits for its block. */
async function sendAsAuthority(functionName: 'removeGatekeeper' | 'setNetworkFeatures', first: string | undefined) {
  const slot = slotOf(key) as bigint;
  const data =
    functionName === 'removeGatekeeper'
      ? encodeFunctionData({ abi: ABI, functionName, args: [first as `0x${string}`, slot] })
      : encodeFunctionData({ abi: ABI, functionName, args: [slot, REMOVAL_VOIDS] });
  const hash = await service.node(NETWORK, 'eth_sendTransaction', {
    from: AUTHORITY,
    to: OWNERLESS_CONTRACT,
    data,
    gas: '0x7a120',
  });
  const receipt = () => service.node(NETWORK, 'eth_getTransactionReceipt', hash) as Promise<{ status: string } | null>;
  expect(await pollUntil(receipt, (found) => found !== null)).toMatchObject({ status: '0x1' });
}

const verify = async (wallet: string) =>
  (await fetch(`${service.baseUrl}/verify/${key}/ethereum/${NETWORK}/${wallet}`)).json() as Promise<{ valid: boolean }>;
const untilValid = (wallet: string, valid: boolean) =>
  pollUntil(
    () => verify(wallet),
    (check) => check.valid === valid,
  );

async function issueActive(): Promise<string> {
  const wallet = freshWallet(NETWORK);
  await service.partner('acme').issue(NETWORK, wallet);
  expect(await service.partner('acme').untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });
  return wallet;
}

const values = (address: string) => ({
  KEY: key,
  NETWORK,
  ADDRESS: address,
  FILE: service.writeAuthority(),
});

rehearse(
  'A key is not authorized',
  'the steps of the gatekeeper network continue when the authority has added the key',
  async (page) => {
    await sendAsAuthority('removeGatekeeper', GATEKEEPER);
    const wallet = await service.issueStuck(NETWORK, 'the gatekeeper is not authorized on the gatekeeper network');
    service.writeSecrets('ENV.secrets', { RPC_ENDPOINTS: service.endpoints });
    const { printed } = await service.run(page.next('npm run doctor'));
    expect(printed).toMatch(new RegExp(`FAIL +${NETWORK}, gatekeeper ${GATEKEEPER} in ${key}`));
    const added = await service.run(page.next('npm run network -- add-gatekeeper'), values(GATEKEEPER));
    expect(added.code, added.printed).toBe(0);
    await service.withoutBlocks(NETWORK, async () => {
      const redrive = page.next('curl -X POST $GATEPASS_URL/admin/redrive');
      expect(await service.answerOf(redrive)).toMatchObject({ more: false });
    });
    expect(await service.partner('acme').untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });
  },
);

rehearse(
  'A gatekeeper has been removed',
  'the public checks refuse its tokens until the authority has added it again',
  async (page) => {
    const opened = await service.run('npm run partner -- network KEY --public-verify on --env ENV', { KEY: key });
    expect(opened.code, opened.printed).toBe(0);
    await sendAsAuthority('setNetworkFeatures', undefined);
    const wallet = await issueActive();
    await untilValid(wallet, true);
    await sendAsAuthority('removeGatekeeper', GATEKEEPER);
    await untilValid(wallet, false);
    type Watchers = { watchers: { network: string; removedGatekeepers?: { gatekeeper: string }[] }[] };
    const { watchers } = await service.admin<Watchers>('/admin/watchers');
    const removed = watchers.find((each) => each.network === NETWORK)?.removedGatekeepers;
    expect(removed).toEqual([{ gatekeeperNetwork: key, gatekeeper: GATEKEEPER }]);
    service.writeSecrets('endpoints.secrets', { RPC_ENDPOINTS: service.endpoints });
    const shown = await service.run(page.next('npm run network -- show'), values(GATEKEEPER));
    expect(shown.printed).toContain('removing a gatekeeper voids its tokens');
    const trusted = await service.run(page.next('npm run network -- trust'), values(GATEKEEPER));
    expect(trusted.printed).toContain(`${AUTHORITY} is an authority of the gatekeeper network`);
    const added = await service.run(page.next('npm run network -- add-gatekeeper'), values(GATEKEEPER));
    expect(added.code, added.printed).toBe(0);
    await untilValid(wallet, true);
  },
);

rehearse('Others change many passes', 'the events name the gatekeeper, and the authority removes it', async (page) => {
  const wallet = await issueActive();
  const other = await addEthereumGatekeeper(nodeUrl(), OWNERLESS_CONTRACT, key);
  await other.freeze(wallet);
  const settled = await pollUntil(
    () => service.partner('acme').fetch(NETWORK, wallet),
    ({ state, events }) => state === 'FROZEN' && events.some(({ byOthers }) => byOthers !== undefined),
  );
  expect(settled.events.findLast(({ byOthers }) => byOthers)?.byOthers).toMatchObject({ gatekeeper: OTHER });
  type Watchers = { watchers: { network: string; foreignChanges: number }[] };
  const { watchers } = await service.answerOf<Watchers>(page.next('curl $GATEPASS_URL/admin/watchers'));
  expect(watchers.find((each) => each.network === NETWORK)).toMatchObject({ foreignChanges: 1 });
  service.writeSecrets('endpoints.secrets', { RPC_ENDPOINTS: service.endpoints });
  const removed = await service.run(page.next('npm run network -- remove-gatekeeper'), values(OTHER));
  expect(removed.code, removed.printed).toBe(0);
  expect(await contract().isGatekeeper(OTHER)).toBe(false);
  await service.partner('acme').update(NETWORK, wallet, { state: 'ACTIVE' });
  expect(await service.partner('acme').untilSettled(NETWORK, wallet)).toMatchObject({ state: 'ACTIVE' });
});

rehearse(
  'A contract has changed hands or code',
  'the steps that give access continue when the operator accepts the code',
  async (page) => {
    const network = 'baseSepolia';
    const url = service.localnet.facts.rpc[network] ?? '';
    // Two endpoints show it: the node, under two names.
    const both = { ...JSON.parse(service.endpoints), [network]: [url, url.replace('127.0.0.1', 'localhost')] };
    service.edit({ RPC_ENDPOINTS: JSON.stringify(both) });
    await service.deploy();
    const code = (await service.node(network, 'eth_getCode', OWNERLESS_CONTRACT, 'latest')) as string;
    // Bytes after the end of the code: it works as before, and has another hash.
    await service.node(network, 'anvil_setCode', OWNERLESS_CONTRACT, `${code}00`);
    const wallet = freshWallet(network);
    await service.partner('acme').issue(network, wallet);
    type Contracts = {
      signers: { network: string; contracts: { code: string; codeHash: string; holdsSteps: boolean }[] }[];
    };
    const contractOfSigner = async () => {
      const { signers } = await service.admin<Contracts>('/admin/signers');
      return signers.find((each) => each.network === network)?.contracts[0];
    };
    const held = await pollUntil(contractOfSigner, (each) => each?.holdsSteps === true);
    expect(held).toMatchObject({ code: 'unknown' });
    await service.untilStuck(wallet);
    service.writeSecrets('ENV.secrets', { RPC_ENDPOINTS: JSON.stringify(both) });
    const trust = page.next('npm run network -- trust');
    const { code: exit, printed } = await service.run(trust, {
      KEY: key,
      NETWORK: network,
      CONTRACT: OWNERLESS_CONTRACT,
    });
    expect(exit, printed).toBe(1);
    expect(printed).toContain(String(held?.codeHash));
    const [accepted = ''] = page.blocks('toml');
    const [, json = ''] =
      /NETWORKS = '(.*)'/.exec(accepted.replace('"NETWORK"', `"${network}"`).replace('0x…', String(held?.codeHash))) ??
      [];
    service.edit({ NETWORKS: networkSettings(JSON.parse(json)) });
    await service.run(page.next('npm run deploy'));
    expect(await service.partner('acme').untilSettled(network, wallet)).toMatchObject({ state: 'ACTIVE' });
  },
);
