import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyPairSignerFromPrivateKeyBytes, signBytes } from '@solana/kit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createBackEnd, listen } from '../../../examples/dapp/server/server.ts';
import { settingsOf } from '../../../examples/dapp/server/settings.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Update } from '../../../tools/localnet/partner/partner-client.ts';
import { dAppAccepts, readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { pollUntil } from '../poll-until.ts';

/** The back end of the example dApp issues and renews passes on the chains of the localnet, for wallets that have signed. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const DAY = 24 * 3600;
const denied = privateKeyToAccount(generatePrivateKey());

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatepass-dapp-'));
  const [partner] = facts.partners;
  const settings = settingsOf({
    NETWORKS: ['sepolia', 'devnet'].map((name) => `${name}=${facts.rpc[name]}`).join(','),
    GATEKEEPER_NETWORK: acme.gatekeeperNetwork,
    GATEKEEPER_SLOT: '1',
    GATEPASS_URL: facts.baseUrl,
    GATEPASS_TOKEN_URL: facts.tokenUrl,
    GATEPASS_CLIENT_ID: partner?.clientId,
    GATEPASS_CLIENT_SECRET: partner?.clientSecret,
    PASS_LIFETIME_SECONDS: String(90 * DAY),
    RENEWAL_SECONDS: String(14 * DAY),
    DENIED_WALLETS: `0x1,${denied.address.toLowerCase()}`,
  });
  server = createBackEnd(settings, folder);
  url = await listen(server, 0);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A person with a wallet and a browser, which keeps the cookie. */
async function aPerson(chain: 'ethereum' | 'solana', account = privateKeyToAccount(generatePrivateKey())) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
  const walletAddress: string = chain === 'ethereum' ? account.address : signer.address;
  const network = chain === 'ethereum' ? 'sepolia' : 'devnet';
  const path = `/pass/${network}/${walletAddress}`;
  let cookie = '';
  const send = async (method: string, route: string, body?: object): Promise<Answer> => {
    const answer = await fetch(url + route, {
      method,
      headers: { origin: url, cookie, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  const sign = async (message: string) =>
    chain === 'ethereum'
      ? account.signMessage({ message })
      : Buffer.from(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message))).toString('base64');
  return {
    walletAddress,
    network,
    async signIn() {
      const message = String((await send('POST', '/challenge', { chain, walletAddress })).body.message);
      await send('POST', '/session', { message, signature: await sign(message) });
    },
    request: () => send('POST', path, {}),
    find: () => send('GET', path),
    accepted: () => dAppAccepts(facts.rpc[network] as string, walletAddress, acme.gatekeeperNetwork),
    token: () => readToken(facts.rpc[network] as string, walletAddress, acme.gatekeeperNetwork),
    /** Changes the pass in the partner's name, and waits for the service. */
    async change(update: Update) {
      await acme.update(network, walletAddress, update);
      await acme.untilSettled(network, walletAddress);
    },
  };
}

type Person = Awaited<ReturnType<typeof aPerson>>;

/** Asks for the pass until it is on chain. */
async function requestUntilActive(person: Person): Promise<Answer['body']> {
  const { body } = await pollUntil(person.request, ({ body }) => body.onChainState === 'ACTIVE');
  return body;
}

const expiryOf = async (person: Person) => Number((await person.token())?.expiry);

describe.each(['ethereum', 'solana'] as const)('on %s, the back end', (chain) => {
  it('issues a pass to a wallet that has signed, and the chain accepts it', async () => {
    const person = await aPerson(chain);
    expect((await person.request()).status).toBe(401);
    expect((await person.find()).body).toEqual({ signedIn: false });
    await person.signIn();
    expect(await person.find()).toEqual({ status: 200, body: { signedIn: true } });
    const issued = await requestUntilActive(person);
    expect(issued).toMatchObject({ state: 'ACTIVE' });
    expect(await person.accepted()).toBe(true);
    // A second request changes nothing.
    expect((await person.request()).body).toEqual(issued);
    expect((await person.find()).body).toEqual({ signedIn: true, ...issued });
  });

  it('renews a pass that is about to expire, and leaves another one as it is', async () => {
    const person = await aPerson(chain);
    await person.signIn();
    const issued = await requestUntilActive(person);
    const soon = Math.floor(Date.now() / 1000) + 7 * DAY;
    await person.change({ expiryTimestamp: soon });
    await pollUntil(
      () => expiryOf(person),
      (expiry) => expiry === soon,
    );
    await person.request();
    await pollUntil(
      () => expiryOf(person),
      (expiry) => expiry > soon,
    );
    const renewed = await requestUntilActive(person);
    expect(renewed.expiryTimestamp).toBeGreaterThanOrEqual(Number(issued.expiryTimestamp));
  });

  it('says that a pass is frozen or revoked, and does not change it', async () => {
    const person = await aPerson(chain);
    await person.signIn();
    await requestUntilActive(person);
    await person.change({ state: 'FROZEN' });
    expect(await person.request()).toMatchObject({ status: 409, body: { code: 'pass_frozen' } });
    expect((await person.find()).body).toMatchObject({ state: 'FROZEN' });
    await acme.revoke(person.network, person.walletAddress);
    await acme.untilSettled(person.network, person.walletAddress);
    expect(await person.request()).toMatchObject({ status: 409, body: { code: 'pass_revoked' } });
    expect(await person.accepted()).toBe(false);
  });
});

it('a wallet that the rules exclude gets no pass', async () => {
  const person = await aPerson('ethereum', denied);
  await person.signIn();
  expect(await person.request()).toMatchObject({ status: 403, body: { code: 'not_eligible' } });
  expect(await person.find()).toEqual({ status: 200, body: { signedIn: true } });
});
