import { hasValidToken, type OnChain } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';
import type { Pairs } from './pairs.ts';
import { type PrepareResult, type Question, type Reading, RpcFault } from './port.ts';

/**
 * Reads what one endpoint alone shows of these passes in its newest final block. Throws RpcFault if the endpoint does not
 * answer.
 */
export type Witness = (questions: readonly Question[]) => Promise<Pairs<Question, Reading>>;

/** Endpoints that must show an absence: one may lack data, or lie. If fewer are configured, all of them must show it. */
const MIN_WITNESSES = 2;

/** Why a wallet is not yet believed to have no valid token. */
type Doubt =
  /** An endpoint shows a valid token in its newest final block, or the block that shows none is not final there. */
  | 'not-final'
  /** Too few endpoints answer. */
  | 'unanswered';

const WHY: Readonly<Record<Doubt, string>> = {
  'not-final': 'an endpoint does not yet show in a final block that the wallet has no valid token',
  unanswered: 'no second endpoint confirms that the wallet has no valid token',
};

/**
 * Makes each step that found no valid token wait, unless a second endpoint confirms the result. With one endpoint, the final
 * block that `prepare` read is enough.
 */
export async function confirmFound<R extends { readonly step: Step }>(
  results: Pairs<R, PrepareResult>,
  witnesses: readonly Witness[],
): Promise<Pairs<R, PrepareResult>> {
  if (witnesses.length < MIN_WITNESSES) return results;
  const verdicts = await hearWitnesses(
    results.flatMap(([{ step }, result]) =>
      result.type === 'found' && !hasValidToken(result.onChain) ? [{ key: step.key, known: step.known, step }] : [],
    ),
    ({ step }) => step,
    witnesses,
  );
  return results.map(([request, result]) => {
    const verdict = verdicts.get(request.step);
    return [request, typeof verdict === 'string' ? { type: 'not-now', why: WHY[verdict], blocks: 'step' } : result];
  });
}

/** Replaces each reading that shows no valid token where one is known, unless a final block and a second endpoint confirm it. */
export async function confirmReadings<Q extends Question>(
  readings: Pairs<Q, Reading>,
  witnesses: readonly Witness[],
): Promise<Pairs<Q, Reading>> {
  const suspects = readings.flatMap(([question, reading]) => (isNewAbsence(question, reading) ? [question] : []));
  const verdicts = await hearWitnesses(suspects, (question) => question, witnesses);
  return readings.map(([question, reading]) => {
    const verdict = verdicts.get(question);
    if (verdict === undefined) return [question, reading];
    if (verdict === 'not-final') return [question, { type: 'not-final' }];
    return [
      question,
      verdict === 'unanswered' ? { type: 'unreadable', why: WHY[verdict] } : { type: 'read', onChain: verdict },
    ];
  });
}

function isNewAbsence({ known }: Question, reading: Reading): boolean {
  return (
    reading.type === 'read' && !hasValidToken(reading.onChain) && reading.onChain.state !== (known?.state ?? 'NONE')
  );
}

/** Asks one endpoint after the other, until enough of them show the absence. Returns the on-chain state, or a doubt. */
async function hearWitnesses<S extends Question, K>(
  suspects: readonly S[],
  keyOf: (suspect: S) => K,
  witnesses: readonly Witness[],
): Promise<ReadonlyMap<K, OnChain | Doubt>> {
  const needed = Math.min(MIN_WITNESSES, witnesses.length);
  const shown = new Map(suspects.map((suspect) => [suspect, [] as OnChain[]]));
  const doubted = new Set<S>();
  for (const witness of witnesses) {
    const open = suspects.filter((suspect) => (shown.get(suspect)?.length ?? 0) < needed && !doubted.has(suspect));
    if (open.length === 0) break;
    for (const [index, [, reading]] of (await hear(witness, open)).entries()) {
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
      if (doubted.has(suspect)) return [keyOf(suspect), 'not-final'];
      return [keyOf(suspect), isConfirmed ? first : 'unanswered'];
    }),
  );
}

/** An endpoint that does not answer confirms nothing. */
async function hear(witness: Witness, questions: readonly Question[]): Promise<Pairs<Question, Reading>> {
  try {
    return await witness(questions);
  } catch (fault) {
    if (fault instanceof RpcFault) return [];
    throw fault;
  }
}
