import type { Config } from '../../src/config/config.ts';
import { signersOn } from '../../src/config/signers.ts';
import type { Network } from '../../src/network/networks.ts';
import { check, type Finding, type Verdict, wrong } from './check.ts';
import { type Wanted, wantedOn } from './databases.ts';
import { endpointVerdict } from './endpoint.ts';
import { onEthereum } from './on-ethereum.ts';
import { onSolana } from './on-solana.ts';
import { signerFindings } from './signer.ts';

/** A network that has endpoints: each of these, the contract or program, and what each key may and can. */
export async function networkFindings(
  config: Config,
  network: Network,
  wanted: Promise<readonly Wanted[] | undefined>,
): Promise<Finding[]> {
  const { network: name } = network;
  const chain = network.chain === 'ethereum' ? onEthereum(network, config) : onSolana(network, config);
  const urls = config.rpc[name] ?? [];
  const { identity, history } = chain;
  const shared = await Promise.all([
    ...urls.map((url, index) =>
      check(`${name}, endpoint ${index + 1} of ${urls.length}`, () =>
        endpointVerdict(network, identity, url, chain.probe),
      ),
    ),
    check(`${name}, gateway`, chain.gateway),
    ...(history ? [check(`${name}, history`, () => historyVerdict(history))] : []),
  ]);
  const signers = signersOn(config, network);
  if (signers.length === 0) return [...shared, ...(await withoutSigner(config, network))];
  const isThere = shared.find((each) => each.name === `${name}, gateway`)?.verdict.type === 'ok';
  const wishes = await wanted;
  const here = wishes && wantedOn(name, wishes);
  const ofSigners = await Promise.all(signers.map((signer) => signerFindings(config, chain, signer, isThere, here)));
  const retired = signers.every(({ gatekeeper }) => gatekeeper.retired)
    ? [check(`${name}, keys`, () => ALL_RETIRED)]
    : [];
  return [...shared, ...(await Promise.all(retired)), ...ofSigners.flat()];
}

const ALL_RETIRED = wrong(
  'every key is retired: nobody issues new passes',
  'take one out of RETIRED_GATEKEEPERS, or add a key',
);

async function historyVerdict(history: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await history();
  } catch (fault) {
    if (!/no history/.test(Object(fault).message)) throw fault;
    return wrong('no endpoint has the history of transactions', 'name one that searches it (searchTransactionHistory)');
  }
}

/** Without the contract that is told already. */
function withoutSigner({ gatekeepers }: Config, { network, chain }: Network): Promise<Finding[]> {
  if (gatekeepers[chain].length > 0) return Promise.resolve([]);
  const remedy = `set ${chain.toUpperCase()}_GATEKEEPER_KEY, or take ${network} out of RPC_ENDPOINTS`;
  const verdict = wrong('there is no key of this chain: the network is not enabled', remedy);
  return Promise.all([check(`${network}, gatekeeper`, () => verdict)]);
}
