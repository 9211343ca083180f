import { useState } from 'preact/hooks';
import { Confirm } from '../layout/confirm.tsx';
import { Field, onSubmit, textIn } from '../layout/field.tsx';
import { useAction } from '../layout/load.ts';
import { Problem, View } from '../layout/view.tsx';
import { CsvFields, rowsIn } from '../many/csv-fields.tsx';
import type { Item, Row } from '../many/csv-rows.ts';
import { runOver, useRun, type Work } from '../many/run.ts';
import { RunProgress } from '../many/run-progress.tsx';
import { type Change, TEXTS } from './change.tsx';
import { select, useSelection } from './selection.ts';

const CHANGES = ['freeze', 'unfreeze', 'renew', 'revoke'] as const satisfies readonly Change[];
type ManyChange = (typeof CHANGES)[number];

/** The change and the rows that the person has to confirm. */
interface Asked {
  readonly change: ManyChange;
  readonly rows: readonly Row[];
  readonly reason: string;
  /** Unix seconds; undefined: the rows have their own. */
  readonly expiry: number | undefined;
}

/** Changes the marked passes, or those of a CSV file, after a confirmation that names their number. */
export function ChangeManyView() {
  const run = useRun();
  const selected = useSelection();
  const [change, setChange] = useState<ManyChange>('freeze');
  const [source, setSource] = useState<'marked' | 'file'>(selected.size > 0 ? 'marked' : 'file');
  const [asked, setAsked] = useState<Asked>();
  const prepare = useAction(async (form: FormData) => {
    const rows = source === 'marked' ? [...selected.values()].map(rowOf) : (await rowsIn(form)).rows;
    if (rows.every(({ item }) => item === undefined)) throw new Error(`No row names a pass: ${rows[0]?.fault}.`);
    const expiry = textIn(form, 'expiry');
    if (change === 'renew' && expiry === '' && rows.some(({ item }) => item && item.expiryTimestamp === undefined))
      throw new Error('Some passes have no new expiry. Choose a date.');
    setAsked({ change, rows, reason: textIn(form, 'reason'), expiry: expiry ? Date.parse(expiry) / 1_000 : undefined });
  });
  const close = () => setAsked(undefined);
  const start = (confirmed: Asked) => {
    close();
    void runOver(workOf(confirmed), () => confirmed.rows);
    if (source === 'marked') select([...selected.values()], false);
  };
  return (
    <View title="Change many passes">
      <form onSubmit={onSubmit(prepare.run)}>
        <fieldset class="choices">
          <legend>Which passes</legend>
          <label class="check">
            <input
              type="radio"
              name="source"
              checked={source === 'marked'}
              disabled={selected.size === 0}
              onChange={() => setSource('marked')}
            />
            The {selected.size} marked passes
          </label>
          <label class="check">
            <input type="radio" name="source" checked={source === 'file'} onChange={() => setSource('file')} />
            The rows of a CSV file
          </label>
          {selected.size === 0 && (
            <p class="lead">
              Mark passes in the list <a href="#/find">Find</a>, or choose a file.
            </p>
          )}
        </fieldset>
        <div class="row">
          {source === 'file' && (
            <CsvFields columns="walletAddress, and optionally network and expiryTimestamp (Unix seconds)" />
          )}
          <Field label="Change" hint={TEXTS[change].detail}>
            <select name="change" onChange={({ currentTarget }) => setChange(currentTarget.value as ManyChange)}>
              {CHANGES.map((each) => (
                <option key={each} value={each} selected={each === change}>
                  {TEXTS[each].verb}
                </option>
              ))}
            </select>
          </Field>
          {(change === 'freeze' || change === 'revoke') && (
            <Field
              label="Reason (optional)"
              hint="The audit trail shows it to your organization. Use no personal data."
            >
              <input name="reason" maxLength={200} autocomplete="off" />
            </Field>
          )}
          {change === 'renew' && (
            <Field label="New expiry (UTC)" hint="Without a date, each row of the file needs its own.">
              <input name="expiry" type="date" />
            </Field>
          )}
        </div>
        <div class="actions">
          <button type="submit" class="primary" disabled={run.isRunning || prepare.isRunning}>
            Continue
          </button>
        </div>
      </form>
      <Problem error={prepare.error} />
      {asked && <ConfirmMany asked={asked} onConfirmed={() => start(asked)} onCancel={close} />}
      <RunProgress run={run} />
    </View>
  );
}

interface ConfirmManyProps {
  readonly asked: Asked;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}

function ConfirmMany({ asked: { change, rows, reason }, onConfirmed, onCancel }: ConfirmManyProps) {
  const usable = rows.filter(({ item }) => item !== undefined).length;
  const { verb, detail } = TEXTS[change];
  const passes = usable === 1 ? '1 pass' : `${usable} passes`;
  return (
    <Confirm
      title={`${verb} ${passes}?`}
      verb={`${verb} ${passes}`}
      isFinal={change === 'revoke'}
      action={async () => {}}
      onDone={onConfirmed}
      onCancel={onCancel}
    >
      <p>{detail}</p>
      {reason && (
        <p>
          Reason: <bdi>{reason}</bdi>
        </p>
      )}
      {usable < rows.length && (
        <p class="warning">{rows.length - usable} rows have faults and are left out. The results name them.</p>
      )}
    </Confirm>
  );
}

const rowOf = ({
  walletAddress,
  chain,
  reference = '',
  subject = '',
}: {
  readonly walletAddress: string;
  readonly chain: Item['chain'];
  readonly reference?: string;
  readonly subject?: string;
}): Row => ({
  ...{ walletAddress, network: chain.network, reference, subject, line: 0 },
  item: { chain, walletAddress },
});

function workOf({ change, reason, expiry }: Asked): Work {
  const why = reason === '' ? {} : { reason };
  const fields = {
    freeze: () => ({ state: 'FROZEN', ...why }),
    unfreeze: () => ({ state: 'ACTIVE' }),
    renew: ({ expiryTimestamp }: Item) => ({ expiryTimestamp: expiry ?? expiryTimestamp }),
    revoke: () => ({ state: 'REVOKED', ...why }),
  } satisfies Record<ManyChange, (item: Item) => object>;
  return {
    verb: TEXTS[change].verb,
    method: 'PATCH',
    itemOf: (item) => ({ chain: item.chain, walletAddress: item.walletAddress, ...fields[change](item) }),
  };
}
