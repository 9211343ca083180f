import { useState } from 'preact/hooks';
import { get, passPath, post } from '../api/call.ts';
import type { PassRecord } from '../api/records.ts';
import { PassTrail } from '../audit/audit.tsx';
import { Copy } from '../layout/copy.tsx';
import { eventName, Foreign, StateBadge, Time } from '../layout/format.tsx';
import { useAction, useLoad, useNow } from '../layout/load.ts';
import { Problem, Skeleton, Status, View } from '../layout/view.tsx';
import { hasScope } from '../session/session.ts';
import type { ViewProps } from '../views.ts';
import { type Change, ConfirmChange, changesOf, TEXTS } from './change.tsx';
import { Origin, TransactionLink } from './network.tsx';
import { describeProgress, isMoving } from './progress.ts';
import { VerdictBadges, VerdictText, verdictAt } from './verdict.tsx';

const MOVING_REFRESH_MS = 1_500;
const SETTLED_REFRESH_MS = 10_000;

/** The view of the pass that the address names. */
export const PassRoute = ({ parameters: [type = '', network = '', wallet = ''] }: ViewProps) => (
  <PassView path={passPath({ type, network }, wallet)} />
);

/** Shows a pass as it is wanted and as it is on chain, its timeline, and the changes that the person may request. */
function PassView({ path }: { readonly path: string }) {
  const [refreshMs, setRefreshMs] = useState(MOVING_REFRESH_MS);
  const [change, setChange] = useState<Change>();
  const { value: pass, error, reload } = useLoad((signal) => get<PassRecord>(path, signal), path, refreshMs);
  const wanted = pass === undefined || isMoving(pass) ? MOVING_REFRESH_MS : SETTLED_REFRESH_MS;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  const sync = useAction(async () => {
    await post(`${path}/sync`);
    reload();
  });
  const close = () => setChange(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <View title="Pass">
      <Problem error={error ?? sync.error} retry={reload} />
      {pass && <Facts pass={pass} />}
      {pass && hasScope('update') && (
        <div class="actions">
          {changesOf(pass).map((each) => (
            <button key={each} type="button" class={each === 'revoke' ? 'danger' : ''} onClick={() => setChange(each)}>
              {TEXTS[each].verb}
            </button>
          ))}
          <button type="button" disabled={sync.isRunning} onClick={() => sync.run()}>
            Compare with the chain
          </button>
        </div>
      )}
      {pass && <Timeline pass={pass} />}
      {pass && <PassTrail id={pass.id} version={pass.events.length} />}
      {pass === undefined && error === undefined && <Skeleton rows={12} />}
      {pass && change && <ConfirmChange change={change} pass={pass} path={path} onDone={done} onCancel={close} />}
    </View>
  );
}

function Facts({ pass }: { readonly pass: PassRecord }) {
  const now = useNow();
  const verdict = verdictAt(pass, now);
  return (
    <>
      <dl class="facts">
        <dt>Wallet</dt>
        <dd>
          <code>{pass.walletAddress}</code> <Copy text={pass.walletAddress} what="the wallet" />
        </dd>
        <dt>Network</dt>
        <dd>
          {pass.chain.network} ({pass.chain.type})
        </dd>
        <dt>dApps</dt>
        <dd>
          <VerdictBadges verdict={verdict} now={now} />
        </dd>
        <dt>Wanted</dt>
        <dd>
          <StateBadge state={pass.state} />
        </dd>
        <dt>On chain</dt>
        <dd>
          <StateBadge state={pass.onChainState} />
        </dd>
        <dt>Expires</dt>
        <dd>{pass.expiryTimestamp === undefined ? 'never' : <Time seconds={pass.expiryTimestamp} />}</dd>
        <dt>{pass.chain.type === 'solana' ? 'Program' : 'Contract'}</dt>
        <dd>
          <code>{pass.contract}</code>
        </dd>
        {pass.reference !== undefined && (
          <>
            <dt>Reference</dt>
            <dd>
              <Foreign>{pass.reference}</Foreign>
            </dd>
          </>
        )}
        <dt>Gatekeeper network</dt>
        <dd>
          <code>{pass.gatekeeperNetwork}</code>
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{pass.id}</code> <Copy text={pass.id} what="the id of the pass" />
        </dd>
      </dl>
      <Status>
        <VerdictText verdict={verdict} /> {describeProgress(pass, verdict)}
      </Status>
    </>
  );
}

function Timeline({ pass }: { readonly pass: PassRecord }) {
  return (
    <>
      <h2>Timeline</h2>
      <ol class="timeline" aria-label="Timeline" reversed>
        {pass.events.toReversed().map((event, place) => (
          <li key={pass.events.length - place}>
            <strong>{eventName(event.eventType)}</strong> <Time seconds={event.timestamp} exact />
            {event.transaction && (
              <span>
                <TransactionLink network={pass.chain.network} identifier={event.transaction.identifier} />{' '}
                {event.transaction.status}
              </span>
            )}
            {event.byOthers && (
              <span>
                <Origin {...event.byOthers} />
              </span>
            )}
            {event.reason && (
              <span>
                <Foreign>{event.reason}</Foreign>
              </span>
            )}
            {event.requestId && (
              <span>
                request <code>{event.requestId}</code>
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
