import { isDeepStrictEqual } from 'node:util';
import { chainOf } from '../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../tools/localnet/partner/fresh-wallet.ts';
import { runCollection } from '../system/examples/run-collection.ts';
import type { Proof } from './proof.ts';
import { runNewman } from './run-newman.ts';

/** Compares our runner of the Postman collection, which `npm test` uses, with Newman, Postman's own. */
export const compareCollectionRuns: Proof = async ({ facts }) => {
  const credentials = { clientId: 'acme', clientSecret: 'acme-secret' };
  const variables = { baseUrl: facts.baseUrl, tokenUrl: facts.tokenUrl, ...credentials };
  const cases = ['sepolia', 'devnet'].map((network) => ({
    only: ['Passes', 'Service'],
    variablesOf: () => ({ ...variables, chain: chainOf(network), chainNetwork: network, wallet: freshWallet(network) }),
  }));
  const refused = {
    only: ['Fetch the pass of a wallet'],
    variablesOf: () => ({ ...variables, clientSecret: 'wrong', wallet: freshWallet('sepolia') }),
  };
  const differences: string[] = [];
  for (const { only, variablesOf } of [...cases, refused]) {
    const [ours, theirs] = [await runCollection(only, variablesOf()), await runNewman(only, variablesOf())];
    const shownBy = ({ answers, failures }: typeof ours) => ({
      answers: answers.map(({ name, status }) => `${name}: ${status}`),
      failures,
    });
    if (!isDeepStrictEqual(shownBy(ours), shownBy(theirs)))
      differences.push(`our runner: ${JSON.stringify(shownBy(ours))}\nNewman: ${JSON.stringify(shownBy(theirs))}`);
  }
  return differences;
};
