import { beforeAll, expect, it } from 'vitest';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { readWholeFeed } from '../../../tools/localnet/partner/feed.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LONG } from '../../form.ts';
import { mapInParallel } from '../faults/map-in-parallel.ts';
import { pollUntil } from '../poll-until.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { addGatekeeper, serviceGatekeeperOnSolana } from './other-gatekeeper.ts';
import { runGatepass } from './run-gatepass.ts';

/** How soon the public check, the record and the feed show what other gatekeepers do on chain. Nobody syncs. */

const { facts, acme } = runGatepass();
/** Wallets per kind of change and network: seven kinds on two networks. */
const WALLETS = LONG ? 15 : 1;
const IN_A_YEAR = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;
const IN_TWO_YEARS = 2 * IN_A_YEAR - Math.floor(Date.now() / 1000);

interface Check {
  readonly valid: boolean;
  readonly state: string;
  readonly expiryTimestamp?: number;
}

interface Kind {
  readonly name: string;
  /** The change, and the one before it that it needs. */
  readonly before?: (gatekeeper: Gatekeeper, wallet: string) => Promise<unknown>;
  readonly change: (gatekeeper: Gatekeeper, wallet: string) => Promise<string>;
  readonly seen: (check: Check) => boolean;
  readonly event: string;
  readonly state: string;
}

const KINDS: readonly Kind[] = [
  {
    name: 'freeze',
    change: ({ freeze }, wallet) => freeze(wallet),
    seen: ({ valid }) => !valid,
    event: 'TOKEN_FROZEN',
    state: 'FROZEN',
  },
  {
    name: 'unfreeze',
    before: ({ freeze }, wallet) => freeze(wallet),
    change: ({ unfreeze }, wallet) => unfreeze(wallet),
    seen: ({ valid }) => valid,
    event: 'TOKEN_UNFROZEN',
    state: 'ACTIVE',
  },
  {
    name: 'revocation',
    change: ({ revoke }, wallet) => revoke(wallet),
    seen: ({ valid }) => !valid,
    event: 'TOKEN_REVOKED',
    state: 'REVOKED',
  },
  {
    name: 'burn',
    change: ({ burn }, wallet) => burn(wallet),
    seen: ({ valid }) => !valid,
    event: 'TOKEN_REVOKED',
    state: 'REVOKED',
  },
  {
    name: 'first expiry',
    change: ({ setExpiry }, wallet) => setExpiry(wallet, IN_A_YEAR),
    seen: ({ valid, expiryTimestamp }) => !valid || expiryTimestamp === IN_A_YEAR,
    event: 'TOKEN_EXPIRY_CHANGED',
    state: 'ACTIVE',
  },
  {
    name: 'later expiry',
    before: ({ setExpiry }, wallet) => setExpiry(wallet, IN_A_YEAR),
    change: ({ setExpiry }, wallet) => setExpiry(wallet, IN_TWO_YEARS),
    seen: ({ valid, expiryTimestamp }) => valid && expiryTimestamp === IN_TWO_YEARS,
    event: 'TOKEN_EXPIRY_CHANGED',
    state: 'ACTIVE',
  },
  {
    name: 'burn and a new token',
    before: ({ burn }, wallet) => burn(wallet),
    change: ({ issue }, wallet) => issue(wallet, IN_A_YEAR),
    seen: ({ valid, expiryTimestamp }) => valid && expiryTimestamp === IN_A_YEAR,
    event: 'TOKEN_ISSUED',
    state: 'ACTIVE',
  },
];

const others: Record<string, Gatekeeper> = {};
beforeAll(async () => {
  for (const network of ['sepolia', 'devnet'])
    others[network] = await addGatekeeper(facts(), network, acme().gatekeeperNetwork);
});
/** On Solana only the issuer of a token can freeze and unfreeze it, so there the service's own key acts without the service. */
const gatekeeperFor = (network: string) =>
  network === 'devnet'
    ? serviceGatekeeperOnSolana(facts(), network, acme().gatekeeperNetwork)
    : (others[network] as Gatekeeper);

const check = async (network: string, wallet: string): Promise<Check> => {
  const path = `/verify/${acme().gatekeeperNetwork}/${chainOf(network)}/${network}/${wallet}`;
  return (await fetch(`${facts().baseUrl}${path}`)).json() as Promise<Check>;
};

/** Returns the seconds until the public check shows the change. */
async function seeChange({ before, change, seen, event, state }: Kind, network: string): Promise<number> {
  const wallet = freshWallet(network);
  const gatekeeper = gatekeeperFor(network);
  await acme().issue(network, wallet);
  await acme().untilSettled(network, wallet);
  await pollUntil(
    () => check(network, wallet),
    ({ valid }) => valid,
  );
  if (before !== undefined) {
    await before(gatekeeper, wallet);
    await pollUntil(
      () => acme().fetch(network, wallet),
      ({ events }) => events.some((each) => each.byOthers !== undefined),
    );
  }
  const transaction = await change(gatekeeper, wallet);
  const since = Date.now();
  await pollUntil(() => check(network, wallet), seen);
  const seconds = (Date.now() - since) / 1000;
  const isTold = (events: readonly { eventType: string; transaction?: { identifier: string } | undefined }[]) =>
    events.some((each) => each.eventType === event && each.transaction?.identifier === transaction);
  const record = await pollUntil(
    () => acme().fetch(network, wallet),
    ({ events }) => isTold(events),
  );
  expect(record.state).toBe(state);
  expect(record.events.at(-1)).toMatchObject({ byOthers: {} });
  return seconds;
}

it.concurrent.each(['sepolia', 'devnet'])('on %s every change by others is seen', async (network) => {
  const all = KINDS.flatMap((kind) => Array.from({ length: WALLETS }, () => kind));
  const seconds = await mapInParallel(all, (kind) => seeChange(kind, network));
  expect(seconds).toHaveLength(KINDS.length * WALLETS);
  console.log(`${network}: ${seconds.length} changes, the slowest was seen after ${Math.max(...seconds)} s`);
  const feed = await readWholeFeed(acme());
  const told = feed.filter(({ data }) => data?.event.byOthers !== undefined);
  expect(told.length).toBeGreaterThanOrEqual(all.length);
});
