import { openChain } from '../../src/chain/open-chain.ts';
import type { Prepared } from '../../src/chain/port.ts';
import type { Config } from '../../src/config/config.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { ChainDoctor } from './chain.ts';
import { check, type Finding, ok, told, unchecked, type Verdict, wrong } from './check.ts';
import { fundsVerdict } from './funds.ts';

const NO_GATEWAY = unchecked('there is nothing at the address of the gateway that could be asked');
const NO_NETWORKS = unchecked('the partners are not known: name a gatekeeper network with --gatekeeper-network KEY');
const NO_PARTNER = unchecked('no partner may issue here: name a gatekeeper network with --gatekeeper-network KEY');

/**
 * Whether the key may issue, and for how many passes its funds last: by a look of the Worker's own at a wallet that nobody
 * has. Nothing is signed.
 * @param here Gatekeeper networks that passes may be issued for on this network; undefined: not known.
 */
export async function signerFindings(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  isThere: boolean,
  here: readonly string[] | undefined,
): Promise<Finding[]> {
  const { network, gatekeeper } = signer;
  const name = `${network.network}, gatekeeper ${gatekeeper.address}${gatekeeper.retired ? ' (retired)' : ''}`;
  if (!isThere) return Promise.all([check(name, () => NO_GATEWAY)]);
  const trial = here?.length ? tried(config, chain, signer, here) : undefined;
  // Each check hears of its fault; without any, nobody would.
  trial?.catch(() => {});
  const registered = (here ?? []).map((gatekeeperNetwork, index) =>
    check(`${name} in ${gatekeeperNetwork}`, async () =>
      registeredVerdict((await trial) as Trial, index, signer, chain.registration(signer, gatekeeperNetwork)),
    ),
  );
  const unnamed = here?.length ? [] : [check(name, () => (here ? NO_PARTNER : NO_NETWORKS))];
  const funds = check(`${name}, funds`, async () => fundsVerdict(chain, signer, (await trial)?.cost));
  return Promise.all([...registered, ...unnamed, funds]);
}

interface Trial {
  readonly look: Prepared;
  /** What the chain says besides, in the order of the gatekeeper networks. */
  readonly registered: readonly (boolean | undefined)[];
  /** Of an issuance, where one was found ready; `more`: than the key has. */
  readonly cost: bigint | 'more' | undefined;
}

async function tried(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  here: readonly string[],
): Promise<Trial> {
  const { chain: type, network } = signer;
  const steps = here.map((gatekeeperNetwork) => ({
    id: `doctor:${gatekeeperNetwork}`,
    kind: 'issue' as const,
    key: { gatekeeperNetwork, chain: type, network: network.network, wallet: chain.wallet() },
  }));
  const [look, registered] = await Promise.all([
    openChain(signer, config).prepare(steps, 0),
    chain.registered(signer, here),
  ]);
  const ready = look.results.find((finding) => finding.type === 'ready');
  const isBroke = look.results.some((finding) => finding.type === 'not-now' && /funds/.test(finding.why));
  return { look, registered, cost: ready ? await chain.cost(ready, look.terms) : isBroke ? 'more' : undefined };
}

function registeredVerdict(
  { look, registered }: Trial,
  index: number,
  { gatekeeper }: EnabledNetwork,
  remedy: string,
): Verdict {
  const finding = look.results[index];
  if (registered[index] === false) return unauthorized('it is no gatekeeper there', gatekeeper, remedy);
  switch (finding?.type) {
    case 'ready':
      return ok('it may issue');
    case 'refused':
      return wrong(finding.reason, 'ask who governs the gatekeeper network');
    case 'not-now':
      if (finding.blocks === 'gatekeeper-network') return unauthorized(finding.why, gatekeeper, remedy);
      return notNow(finding.why, registered[index] === true);
    default:
      return wrong('the chain holds a token of a wallet that nobody has', 'name another endpoint');
  }
}

/** A key that others have got hold of is retired, and its authorization is taken away on purpose. */
function unauthorized(why: string, { retired }: EnabledNetwork['gatekeeper'], remedy: string): Verdict {
  if (!retired) return wrong(why, remedy);
  return told(
    `retired and not authorized: changes to its passes wait; if some are to be made, ${remedy}; if it was leaked, leave it so`,
  );
}

function notNow(why: string, isRegistered: boolean): Verdict {
  // Its funds have a line of their own.
  if (/funds/.test(why)) return isRegistered ? ok('it is a gatekeeper there') : unchecked(why);
  if (/maxFeePerGas/.test(why)) return wrong(why, 'wait, or raise maxFeePerGas in NETWORKS');
  return wrong(why, 'try again; if it stays so, name another endpoint');
}
