import { useState } from 'preact/hooks';
import type { Verdict } from '../../../src/pass/verdict.ts';
import { ApiError, get, passPath, post } from '../api/call.ts';
import type { PassRecord } from '../api/records.ts';
import { Copy } from '../layout/copy.tsx';
import { Foreign, StateBadge, Time } from '../layout/format.tsx';
import { useAction, useLoad, useNow } from '../layout/load.ts';
import { nameWithEnd } from '../layout/network-name.ts';
import { hashOf } from '../layout/route.ts';
import { Empty, Problem, Skeleton, Status, View } from '../layout/view.tsx';
import { hasScope } from '../session/session.ts';
import { SETTINGS } from '../settings.ts';
import type { ViewProps } from '../view-component.ts';
import { type Change, ConfirmChange, changesOf, TEXTS } from './change.tsx';
import { subjectView } from './network.tsx';
import { describeProgress, isMoving } from './progress.ts';
import { Timeline } from './timeline.tsx';
import { isDisputed, VerdictBadges, VerdictText, verdictAt } from './verdict.tsx';

const MOVING_REFRESH_MS = 1_500;
const SETTLED_REFRESH_MS = 10_000;

/** The view of the pass that the address names. */
export const PassRoute = ({ parameters: [type = '', network = '', wallet = ''] }: ViewProps) => (
  <PassView network={network} wallet={wallet} path={passPath({ type, network }, wallet)} />
);

interface PassViewProps {
  readonly network: string;
  readonly wallet: string;
  /** The path of the requests. */
  readonly path: string;
}

/** Shows a pass as it is wanted and as it is on chain, its timeline, and the changes that the person may request. */
function PassView({ network, wallet, path }: PassViewProps) {
  const [refreshMs, setRefreshMs] = useState(MOVING_REFRESH_MS);
  const [change, setChange] = useState<Change>();
  const { value: pass, error, reload } = useLoad((signal) => get<PassRecord>(path, signal), path, refreshMs);
  const wanted = pass === undefined || isMoving(pass) ? MOVING_REFRESH_MS : SETTLED_REFRESH_MS;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  const sync = useAction(async () => {
    await post(`${path}/sync`);
    reload();
  });
  const isAbsent = pass === undefined && error instanceof ApiError && error.code === 'pass_not_found';
  const close = () => setChange(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <View title="Pass">
      {isAbsent ? <NoPass network={network} wallet={wallet} /> : <Problem error={error ?? sync.error} retry={reload} />}
      {pass && <VerdictPanel pass={pass} />}
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
      {pass && <Facts pass={pass} />}
      {pass && <Timeline pass={pass} />}
      {pass === undefined && error === undefined && <Skeleton rows={12} />}
      {pass && change && <ConfirmChange change={change} pass={pass} path={path} onDone={done} onCancel={close} />}
    </View>
  );
}

const NoPass = ({ network, wallet }: Omit<PassViewProps, 'path'>) => (
  <Empty text={`The wallet ${wallet} has no pass on ${network}.`}>
    {hasScope('issue') && (
      <a class="button" href={hashOf('issue', { network, wallet })}>
        Issue one
      </a>
    )}
  </Empty>
);

function kindOf(pass: PassRecord, verdict: Verdict, now: number): 'accepted' | 'refused' | 'waiting' {
  if (isDisputed(pass, verdict, now)) return 'waiting';
  if (verdict.isAccepted) return 'accepted';
  return verdict.reasons.includes('not_on_chain') ? 'waiting' : 'refused';
}

/** The answer to the question of a support agent, before all facts. */
function VerdictPanel({ pass }: { readonly pass: PassRecord }) {
  const now = useNow();
  const verdict = verdictAt(pass, now);
  return (
    <section class={`verdict ${kindOf(pass, verdict, now)}`} aria-label="dApps">
      <div>
        <p role="status" class="sentence">
          <VerdictText verdict={verdict} pass={pass} now={now} />
        </p>
        <Status>{describeProgress(pass, verdict)}</Status>
      </div>
      <VerdictBadges pass={pass} now={now} />
    </section>
  );
}

function Facts({ pass }: { readonly pass: PassRecord }) {
  return (
    <dl class="facts">
      <dt>Wallet</dt>
      <dd>
        <code>{pass.walletAddress}</code> <Copy text={pass.walletAddress} what="the wallet" />
      </dd>
      <dt>Network</dt>
      <dd>
        {nameWithEnd(pass.chain.network, SETTINGS.ends[pass.chain.network], Date.now())} ({pass.chain.type})
      </dd>
      {pass.reference !== undefined && (
        <>
          <dt>Reference</dt>
          <dd>
            <Foreign>{pass.reference}</Foreign> <Copy text={pass.reference} what="the reference" />
          </dd>
        </>
      )}
      {pass.subject !== undefined && (
        <>
          <dt>Subject</dt>
          <dd>
            <a href={subjectView(pass.subject)}>
              <Foreign>{pass.subject}</Foreign>
            </a>{' '}
            <Copy text={pass.subject} what="the subject" />
          </dd>
        </>
      )}
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
      <dt>Gatekeeper network</dt>
      <dd>
        <code>{pass.gatekeeperNetwork}</code>
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{pass.id}</code> <Copy text={pass.id} what="the id of the pass" />
      </dd>
    </dl>
  );
}
