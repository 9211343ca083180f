import { ethereum } from '../../../../../src/chain/ethereum/adapter.ts';
import { openControlReader } from '../../../../../src/chain/ethereum/read-control.ts';
import { watchEthereum } from '../../../../../src/chain/ethereum/watch.ts';
import type { InFlightTransaction } from '../../../../../src/chain/port.ts';
import { secret } from '../../../../../src/lib/secret.ts';
import type { EthereumNetwork } from '../../../../../src/network/network.ts';
import { NETWORKS } from '../../../../../src/network/networks.ts';
import { gatekeeperNetworkOf, slotOf } from '../../../../../src/network/slot.ts';
import type { PassKey } from '../../../../../src/pass/pass.ts';
import type { Step } from '../../../../../src/pass/step.ts';
import { rankOf, type StepKind } from '../../../../../src/pass/step-kinds.ts';
import { SLOTS, WALLETS } from './random-script.ts';
import { ACTORS, CONTRACTS, type TwinChains } from './twin-chains.ts';

/** The adapter's answers about a chain: about each pass, transactions, the account and the history. */

const SEPOLIA = NETWORKS.find(({ network }) => network === 'sepolia') as EthereumNetwork;
const OWN_KEY = `0x${Buffer.from(ACTORS[0]?.getHdKey().privateKey ?? []).toString('hex')}` as const;
const GATEKEEPER = { address: ACTORS[0]?.address as string, key: secret(OWN_KEY) };
const EXPIRY = 2_000_000_000;

const kinds: readonly StepKind[] = ['issue', 'freeze', 'unfreeze', 'set-expiry', 'revoke'];
const slots = {};
const gatekeeperNetwork = gatekeeperNetworkOf(SLOTS[0] as bigint, slots);

const steps: readonly Step[] = CONTRACTS.flatMap((contract) =>
  WALLETS.flatMap((wallet) =>
    kinds.map((kind, index) => ({
      ...{
        id: `pass:${index}`,
        kind,
        rank: rankOf(kind),
        contract,
        expiry: kind === 'set-expiry' ? EXPIRY : undefined,
      },
      key: { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as PassKey,
    })),
  ),
);

/** A fault of the nodes is an answer too. */
const answerOf = (answer: Promise<unknown>) => answer.catch((fault) => ({ fault: String(fault) }));

/** Returns the answers of the adapter as text, without the gas, which the model knows by the kind of the call only. */
export async function readThroughAdapter(url: string, { chain, first, sent }: TwinChains): Promise<string> {
  const port = ethereum(
    { chain: 'ethereum', network: SEPOLIA, endpoints: [secret(url)], gatekeeper: GATEKEEPER },
    (name) => slotOf(name, slots),
  );
  const watch = watchEthereum(SEPOLIA, [secret(url)], slots);
  const flights = sent.map(
    ({ hash }, index): InFlightTransaction => ({
      ...{ step: steps[index % steps.length] as Step, identifiers: [hash], signedAtMs: 0 },
    }),
  );
  const statuses = await port.track(flights);
  const again = statuses.map(([flight, status]) =>
    'includedIn' in status ? { ...flight, includedIn: status.includedIn } : flight,
  );
  const after = { at: Math.max(first.number, chain.head.number - 6), id: '', time: 0 };
  const scanned = await watch.scan({ after }, CONTRACTS, 0);
  const changes = scanned.type === 'scanned' ? scanned.changes.filter((each) => each.type === 'token') : [];
  const roleHolders = CONTRACTS.flatMap((contract) =>
    ACTORS.map(({ address }) => ({ account: address, gatekeeperNetwork, contract })),
  );
  const answers = await Promise.all(
    [
      port.prepare(
        steps.map((step) => ({ step })),
        0,
      ),
      port.read(steps),
      port.observe(steps),
      Promise.resolve(statuses),
      port.track(again),
      port.account().then(({ nonces }) => nonces),
      port.finalNonce(),
      Promise.resolve(scanned),
      watch.scan({ after: undefined }, CONTRACTS, 0),
      watch.nameNetworks(changes, chain.head.number, 0),
      watch.resolve(changes, 0),
      watch.readRoles(roleHolders as never),
      openControlReader(SEPOLIA, [secret(url)])(
        CONTRACTS.map((contract) => ({ contract, accounts: ACTORS.map(({ address }) => address) })),
      ),
    ].map(answerOf),
  );
  return JSON.stringify(answers, (name, value) => (name === 'maxCost' || name === 'cost' ? undefined : value), 1);
}
