import type { EnabledNetwork } from '../../src/config/enabled.ts';
import type { ChainDoctor } from './chain.ts';
import { ok, unchecked, type Verdict, wrong } from './check.ts';

/** With fewer to come it is time to send more. */
const FEWEST = 10n;

/**
 * For how many passes the funds of a key last, at the price of the moment.
 * @param cost Of an issuance; `more`: than there is; undefined: not known.
 */
export async function fundsVerdict(
  { funds, amount }: ChainDoctor,
  signer: EnabledNetwork,
  cost: bigint | 'more' | undefined,
): Promise<Verdict> {
  const has = await funds(signer);
  const remedy = `send more to ${signer.gatekeeper.address} on ${signer.network.network}`;
  if (has === 0n) return wrong('it has none', remedy);
  if (cost === undefined)
    return unchecked(`it has ${amount(has)}; without an issuance to try, what one costs is not known`);
  if (cost === 'more') return wrong(`${amount(has)}: an issuance takes more`, remedy);
  if (cost === 0n) return ok(`${amount(has)}; an issuance costs nothing at the moment`);
  const passes = has / cost;
  const lasts = `${amount(has)}, for ${passes} passes of ${amount(cost)} at the price of the moment`;
  return passes < FEWEST ? wrong(lasts, remedy) : ok(lasts);
}
