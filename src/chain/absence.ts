import { hasValidToken, type OnChain } from '../pass/pass.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import { answerOf } from './answer-of.ts';
import type { Pairs } from './pairs.ts';
import type { Question, Reading } from './port.ts';

/** A wallet counts as having no valid token only if final blocks of two endpoints show it. */

export interface AbsenceWitness {
  /**
   * Reads the on-chain state of these passes from the newest final block of one endpoint. Throws RpcFault if the endpoint does
   * not answer.
   */
  readFinal(questions: readonly Question[]): Promise<Pairs<Question, Reading>>;
}

/** Number of endpoints that must show an absence, because one may lack data or lie. If fewer are configured, all must show it. */
const MIN_WITNESSES = 2;

/** Why an absence is not confirmed. */
type Doubt = Extract<WaitCode, 'absence-not-final' | 'absence-unconfirmed'>;

/** Asks one endpoint after another until enough of them show the absence. Returns the on-chain state or a doubt per suspect. */
export async function confirmAbsences<S extends Question, K>(
  suspects: readonly S[],
  keyOf: (suspect: S) => K,
  witnesses: readonly AbsenceWitness[],
): Promise<ReadonlyMap<K, OnChain | Doubt>> {
  const needed = Math.min(MIN_WITNESSES, witnesses.length);
  const shown = new Map(suspects.map((suspect) => [suspect, [] as OnChain[]]));
  const doubted = new Set<S>();
  for (const witness of witnesses) {
    const open = suspects.filter((suspect) => (shown.get(suspect)?.length ?? 0) < needed && !doubted.has(suspect));
    if (open.length === 0) break;
    for (const [index, [, reading]] of ((await answerOf(witness.readFinal(open))) ?? []).entries()) {
      const suspect = open[index] as S;
      if (reading.type !== 'read') continue;
      const isOld = (reading.onChain.asOf ?? 0) < (suspect.known?.asOf ?? 0);
      if (isOld || hasValidToken(reading.onChain)) doubted.add(suspect);
      else shown.get(suspect)?.push(reading.onChain);
    }
  }
  return new Map(
    suspects.map((suspect): readonly [K, OnChain | Doubt] => {
      const [first, ...others] = shown.get(suspect) ?? [];
      const isConfirmed = first !== undefined && others.length + 1 >= needed;
      if (doubted.has(suspect)) return [keyOf(suspect), 'absence-not-final'];
      return [keyOf(suspect), isConfirmed ? first : 'absence-unconfirmed'];
    }),
  );
}
