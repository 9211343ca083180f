import { RpcFault } from '../../src/chain/port.ts';
import type { Config } from '../../src/config/config.ts';
import { signerNamesOf, signersOn } from '../../src/config/signers.ts';
import { contractOf, type Network } from '../../src/network/network.ts';
import { check, type Finding, fail, notice, type Verdict } from './check.ts';
import { checkControl } from './control.ts';
import { gatekeeperNetworksOn, type IssuanceDemand } from './databases.ts';
import { checkEndpoint } from './endpoint.ts';
import { createEthereumDoctor } from './ethereum-doctor.ts';
import { checkSigner } from './signer.ts';
import { createSolanaDoctor } from './solana-doctor.ts';

/** Checks a network that has endpoints: each endpoint, the contract or program, and the rights and funds of each key. */
export async function checkNetwork(
  config: Config,
  network: Network,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
  environment: string | undefined,
): Promise<Finding[]> {
  const { network: name } = network;
  const chain =
    network.chain === 'ethereum' ? createEthereumDoctor(network, config) : createSolanaDoctor(network, config);
  const urls = config.rpc[name] ?? [];
  const { identity, checkHistory } = chain;
  const known = await demands;
  const demanded = known && gatekeeperNetworksOn(network, known);
  const contracts = [...new Set((demanded ?? []).map(({ contract }) => contract))];
  const gateways = contracts.length > 0 ? contracts : [contractOf({}, network)];
  const nameOf = (subject: string, contract: string) =>
    gateways.length === 1 ? `${name}, ${subject}` : `${name}, ${subject} ${contract}`;
  const shared = await Promise.all([
    ...urls.map((url, index) =>
      check(`${name}, endpoint ${index + 1} of ${urls.length}`, () =>
        checkEndpoint(network, identity, url, chain.probeEndpoint),
      ),
    ),
    ...gateways.flatMap((contract) => [
      check(nameOf('gateway', contract), () => chain.checkGateway(contract)),
      check(nameOf('control', contract), () => checkControl(config, network, contract)),
    ]),
    ...Object.entries(chain.facts).map(([fact, work]) => check(`${name}, ${fact}`, work)),
    ...(checkHistory ? [check(`${name}, history`, () => historyVerdict(checkHistory))] : []),
  ]);
  const signers = signersOn(config, network);
  if (signers.length === 0) return [...shared, ...(await checkMissingKey(config, network))];
  const isThere = (contract: string) =>
    shared.find((each) => each.name === nameOf('gateway', contract))?.verdict.type === 'ok';
  const isAnyThere = gateways.some(isThere);
  const here = demanded?.filter(({ contract }) => isThere(contract)).slice(0, CHECKED_MAX);
  const ofSigners = await Promise.all(
    signers.map((signer) => checkSigner(config, chain, signer, isAnyThere, here, environment)),
  );
  const retired = signers.every(({ gatekeeper }) => gatekeeper.retired)
    ? [check(`${name}, keys`, () => ALL_RETIRED)]
    : [];
  const omitted = checkOmitted(name, demanded?.length ?? 0);
  return [...shared, ...(await Promise.all([...retired, ...omitted])), ...ofSigners.flat()];
}

/** Maximum number of gatekeeper networks that are checked on a network. Each one costs calls of a node and a line per key. */
const CHECKED_MAX = 50;

/** Returns a finding about the gatekeeper networks that are not checked; none if all are. */
function checkOmitted(network: string, demanded: number): Promise<Finding>[] {
  if (demanded <= CHECKED_MAX) return [];
  const note = `${CHECKED_MAX} of ${demanded} are checked; name others with --gatekeeper-network KEY`;
  return [check(`${network}, gatekeeper networks`, () => notice(note))];
}

const ALL_RETIRED = fail(
  'every key is retired or compromised: the service issues no new passes here',
  'remove one from RETIRED_GATEKEEPERS, or add a key',
);

async function historyVerdict(history: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await history();
  } catch (fault) {
    if (!(fault instanceof RpcFault && fault.codes.includes('no-history'))) throw fault;
    return fail(
      'no endpoint has the history of transactions',
      'add an endpoint that searches it (searchTransactionHistory)',
    );
  }
}

/** Returns a finding if no key serves the network. */
function checkMissingKey(config: Config, row: Network): Promise<Finding[]> {
  if (signerNamesOf(config, row).length > 0) return Promise.resolve([]);
  const { network, chain } = row;
  const variable = `${chain.toUpperCase()}_GATEKEEPER_KEY`;
  const isOther = config.gatekeepers[chain].length > 0;
  const verdict = fail(
    `no key is set for this ${isOther ? 'network' : 'chain'}: the network is not enabled`,
    `${isOther ? `add a key for ${network} to` : 'set'} ${variable}, or remove ${network} from RPC_ENDPOINTS`,
  );
  return Promise.all([check(`${network}, gatekeeper`, () => verdict)]);
}
