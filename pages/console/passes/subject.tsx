import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { NAME_RULES } from '../../../packages/cli/src/csv/own-names.ts';
import { ApiError, get } from '../api/call.ts';
import type { FoundPass, Subject, SubjectProgress } from '../api/records.ts';
import { Copy } from '../layout/copy.tsx';
import { Badge, Foreign, IsoTime, Time } from '../layout/format.tsx';
import { useLoad, useNow } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Empty, Problem, Skeleton, Status, View } from '../layout/view.tsx';
import { hasScope } from '../session/session.ts';
import type { ViewProps } from '../view-component.ts';
import { TEXTS } from './change.tsx';
import { Passes } from './found-list.tsx';
import { isMoving } from './progress.ts';
import { ConfirmSubjectChange, type SubjectChange, subjectChangesOf } from './subject-change.tsx';
import { describeRequest, describeSubject, kindOfSubject } from './subject-words.ts';
import { isDisputed, verdictAt } from './verdict.tsx';

/** Each load counts all passes of the subject, and the service allows fewer of these. */
const MOVING_REFRESH_MS = 2_000;
const SETTLED_REFRESH_MS = 10_000;
const PAGE_SIZE = 100;

/** The view of the person that the address names. */
export function SubjectRoute({ parameters: [subject = ''] }: ViewProps) {
  if (!NAME_RULES.subject.accepts(subject))
    return (
      <View title="Person">
        <Empty text="The address names no subject." />
      </View>
    );
  return <SubjectView subject={subject} path={`subjects/${encodeURIComponent(subject)}`} />;
}

/** Shows all wallets of a person, whether dApps accept them, and the changes of all their passes that the person at the page may request. */
function SubjectView({ subject, path }: { readonly subject: string; readonly path: string }) {
  const [refreshMs, setRefreshMs] = useState(MOVING_REFRESH_MS);
  const [change, setChange] = useState<SubjectChange>();
  const { value, error, reload } = useLoad(
    (signal) => get<Subject>(`${path}?limit=${PAGE_SIZE}`, signal),
    path,
    refreshMs,
  );
  const wanted = value === undefined || isUnderWay(value) ? MOVING_REFRESH_MS : SETTLED_REFRESH_MS;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  const isAbsent = value === undefined && error instanceof ApiError && error.code === 'subject_not_found';
  const close = () => setChange(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <View title="Person">
      <p class="lead">
        Subject <Foreign>{subject}</Foreign> <Copy text={subject} what="the subject" />
      </p>
      {isAbsent ? <Empty text="No pass has this subject." /> : <Problem error={error} retry={reload} />}
      {value && <SubjectVerdict value={value} />}
      {value && (
        <div class="actions">
          {hasScope('update') &&
            subjectChangesOf(value).map((each) => (
              <button
                key={each}
                type="button"
                class={each === 'revoke' ? 'danger' : ''}
                onClick={() => setChange(each)}
              >
                {TEXTS[each].verb}
              </button>
            ))}
          {hasScope('issue') && value.state === 'ACTIVE' && (
            <a class="button" href={hashOf('issue', { subject })}>
              Issue for another wallet
            </a>
          )}
        </div>
      )}
      {value && <Wallets value={value} />}
      {value && value.requests.length > 0 && <Requests requests={value.requests as SubjectProgress[]} />}
      {value === undefined && error === undefined && <Skeleton rows={8} />}
      {value && change && (
        <ConfirmSubjectChange change={change} value={value} path={path} onDone={done} onCancel={close} />
      )}
    </View>
  );
}

const isUnderWay = ({ requests, records }: Subject) =>
  requests.some(({ finishedAt }) => finishedAt === undefined) || records.some(isMoving);

/** Returns the number of passes whose wallets dApps accept. @param now Unix seconds. */
const countAccepted = (records: Subject['records'], now: number): number =>
  records.filter((record) => {
    const pass = record as FoundPass;
    const verdict = verdictAt(pass, now);
    return verdict.isAccepted && !isDisputed(pass, verdict, now);
  }).length;

/** One answer for all wallets of the person. */
function SubjectVerdict({ value }: { readonly value: Subject }) {
  const now = useNow();
  const accepted = countAccepted(value.records, now);
  return (
    <section class={`verdict ${kindOfSubject(value, accepted)}`} aria-label="dApps">
      <div>
        <p role="status" class="sentence">
          {describeSubject(value, accepted)}
        </p>
        <Status>
          {value.requests
            .map(describeRequest)
            .filter((text) => text !== '')
            .join(' ')}
        </Status>
      </div>
      <span class="badges">
        {value.state === 'ACTIVE' ? (
          accepted > 0 && <Badge state="ACCEPTED" />
        ) : (
          <Badge state={value.state.toLowerCase()} text={value.state} />
        )}
      </span>
    </section>
  );
}

function Wallets({ value: { subject, records, next } }: { readonly value: Subject }) {
  if (records.length === 0) return <Empty text="No pass has this subject any longer." />;
  return (
    <div class="found">
      <Passes
        records={records as FoundPass[]}
        caption={next === undefined ? 'All wallets' : `The newest ${records.length} passes`}
      />
      {next !== undefined && (
        <p>
          <a class="button" href={hashOf('find', { subject })}>
            Find all passes of the person
          </a>
        </p>
      )}
    </div>
  );
}

/** The newest changes of the person, and how far each has come. */
const Requests = ({ requests }: { readonly requests: readonly SubjectProgress[] }) => (
  <section aria-labelledby="requests">
    <h2 id="requests">Newest changes</h2>
    <dl class="facts">
      {requests.map(({ state, expiryTimestamp, requestedAt, total, done, refused }) => (
        <Fragment key={requestedAt}>
          <dt>
            <IsoTime text={requestedAt} />
          </dt>
          <dd>
            {state ?? (expiryTimestamp !== undefined && <Time seconds={expiryTimestamp} />)}: {done} of {total} passes
            {Object.entries(refused).map(([code, count]) => (
              <span key={code} class="note">
                {' '}
                {count} refused: {code}
              </span>
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  </section>
);
