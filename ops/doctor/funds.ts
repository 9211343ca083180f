import type { PassCost } from '../../src/chain/pass-cost.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, notice, ok, skip, type Verdict } from './check.ts';

/** If the funds pay for fewer passes, the operator should send more. */
const PASSES_MIN_COUNT = 10n;

/**
 * Returns how many passes the funds of a key pay for, at the current maximum cost of a pass.
 */
export async function checkFunds(
  { readFunds, formatAmount }: ChainDoctor,
  signer: EnabledNetwork,
  cost: PassCost,
): Promise<Verdict> {
  const has = await readFunds(signer);
  if (has === 0n) return tooFewVerdict('it has no funds', signer);
  if (cost === undefined)
    return skip(`it has ${formatAmount(has)}; the cost of an issuance is unknown, because none could be simulated`);
  if (cost === 'more') return tooFewVerdict(`${formatAmount(has)}: an issuance costs more`, signer);
  if (cost === 0n) return ok(`${formatAmount(has)}; an issuance currently costs nothing`);
  const passes = has / cost;
  const lasts = `${formatAmount(has)}, enough for ${passes} passes at ${formatAmount(cost)} each, their current maximum cost`;
  return passes < PASSES_MIN_COUNT ? tooFewVerdict(lasts, signer) : ok(lasts);
}

/** For a retired key this is a notice: only the operator knows whether its passes will change again. */
function tooFewVerdict(why: string, { gatekeeper, network }: EnabledNetwork): Verdict {
  const remedy = `send more to ${gatekeeper.address} on ${network.network}`;
  if (!gatekeeper.retired) return fail(why, remedy);
  return notice(`${why}; the key is retired and pays only for changes to its passes: if you expect any, ${remedy}`);
}
