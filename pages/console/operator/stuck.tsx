import { useState } from 'preact/hooks';
import { get, post } from '../api/call.ts';
import { number } from '../layout/figures.ts';
import { Time } from '../layout/format.tsx';
import { List } from '../layout/list.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, Status, UnreadShards, View } from '../layout/view.tsx';
import { Wallet } from '../layout/wallet.tsx';
import { whyView } from '../passes/network.tsx';
import { hasScope } from '../session/session.ts';
import type { DeadLetterPage, Redriven, StuckPage } from './records.ts';

const REFRESH_MS = 5_000;
/** Also passes that were listed just now. `/admin/stuck` omits the last five minutes by default. */
const OLDER_THAN_SECONDS = 0;

/** Lists stuck passes and dead letters, and retries them. */
export function StuckView() {
  const stuck = useLoad(
    (signal) => get<StuckPage>(`admin/stuck?olderThan=${OLDER_THAN_SECONDS}`, signal),
    'stuck',
    REFRESH_MS,
  );
  const dead = useLoad((signal) => get<DeadLetterPage>('admin/dead-letters', signal), 'dead', REFRESH_MS);
  const [outcome, setOutcome] = useState('');
  const mayAct = hasScope('act');
  const { run, isRunning, error } = useAction(async (body: object) => {
    await redriveAll(body, setOutcome);
    stuck.reload();
    dead.reload();
  });
  const acting = { isRunning, redrive: mayAct ? run : undefined };
  const fault = error ?? stuck.error ?? dead.error;
  return (
    <View title="Stuck passes">
      <Problem error={fault} />
      <Status>{outcome}</Status>
      {!mayAct && <p>Your account may read this list. To retry the passes, it needs the right to act.</p>}
      {stuck.value && <StuckPasses {...stuck.value} {...acting} />}
      {stuck.value === undefined && fault === undefined && <Skeleton />}
      <h2>Dead letters</h2>
      {dead.value && <DeadLetters {...dead.value} {...acting} />}
    </View>
  );
}

async function redriveAll(body: object, say: (text: string) => void): Promise<void> {
  let redriven = 0;
  let after: string | undefined;
  const cursors = new Set<string | undefined>();
  do {
    // An endless loop would redrive the same passes again and again.
    if (cursors.has(after)) throw new Error('The service names an earlier page. Try again later.');
    cursors.add(after);
    const page = await post<Redriven>('admin/redrive', { ...body, after });
    after = page.next;
    redriven += page.redriven;
    say(`Redriven: ${redriven}${page.more ? ', and more remain' : ''}.`);
  } while (after !== undefined);
}

interface Acting {
  readonly redrive: ((body: object) => void) | undefined;
  readonly isRunning: boolean;
}

/** The number of passes that wait for the same reason, the most frequent first: one cause often stops many passes. */
export function ByReason({ stuck, isPage }: { readonly stuck: StuckPage['stuck']; readonly isPage: boolean }) {
  const counts = new Map<string, number>();
  for (const { reason } of stuck) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const rows = [...counts].toSorted(([, one], [, other]) => other - one);
  if (rows.length === 0) return null;
  return (
    <dl class="facts" aria-label={isPage ? 'Waiting by reason, among the oldest' : 'Waiting by reason'}>
      {rows.map(([reason, count]) => (
        <>
          <dt key={reason}>{number(count)}</dt>
          <dd>{reason}</dd>
        </>
      ))}
    </dl>
  );
}

function StuckPasses({ stuck, next, unreadShards = [], redrive, isRunning }: StuckPage & Acting) {
  // A page may be empty although more follow.
  if (stuck.length === 0 && next === null && unreadShards.length === 0) return <Empty text="No pass is stuck." />;
  const keyOf = ({ pass: { gatekeeperNetwork, chain, walletAddress } }: StuckPage['stuck'][number]) => ({
    ...{ gatekeeperNetwork, chain: chain.type, network: chain.network, walletAddress },
  });
  return (
    <>
      <UnreadShards shards={unreadShards} />
      {next !== null && <p>More passes are stuck. The list has the oldest.</p>}
      {redrive && (
        <div class="actions">
          <button
            type="button"
            disabled={isRunning}
            onClick={() => redrive({ all: 'stuck', olderThan: OLDER_THAN_SECONDS })}
          >
            Redrive all
          </button>
        </div>
      )}
      <ByReason stuck={stuck} isPage={next !== null} />
      <List
        caption="Passes that are stuck"
        rows={stuck}
        keyOf={({ pass }) => pass.id}
        columns={[
          {
            head: 'Wallet',
            cell: ({ pass }) => <Wallet address={pass.walletAddress} href={whyView(pass)} />,
          },
          { head: 'Network', cell: ({ pass }) => pass.chain.network },
          { head: 'Since', cell: ({ since }) => <Time seconds={since} exact /> },
          { head: 'Reason', cell: ({ reason }) => reason },
          {
            head: 'Action',
            cell: (each) =>
              redrive && (
                <Redrive
                  what={each.pass.walletAddress}
                  isRunning={isRunning}
                  onClick={() => redrive({ pass: keyOf(each) })}
                />
              ),
          },
        ]}
      />
    </>
  );
}

interface RedriveProps {
  readonly what: string;
  readonly isRunning: boolean;
  readonly onClick: () => void;
}

const Redrive = ({ what, isRunning, onClick }: RedriveProps) => (
  <button type="button" disabled={isRunning} aria-label={`Redrive ${what}`} onClick={onClick}>
    Redrive
  </button>
);

function DeadLetters({ deadLetters, next, redrive, isRunning }: DeadLetterPage & Acting) {
  if (deadLetters.length === 0) return <Empty text="There are no dead letters." />;
  return (
    <>
      {redrive && (
        <div class="actions">
          <button type="button" disabled={isRunning} onClick={() => redrive({ deadLetters: 'all' })}>
            Redrive all letters
          </button>
        </div>
      )}
      {next !== null && <p>There are more dead letters. The list has the newest.</p>}
      <List
        caption="Dead letters"
        rows={deadLetters}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Time', cell: ({ at }) => <Time seconds={at} exact /> },
          { head: 'Reason', cell: ({ reason }) => reason },
          { head: 'Message', cell: ({ body }) => <code class="whole">{JSON.stringify(body)}</code> },
          {
            head: 'Action',
            cell: ({ id }) =>
              redrive && (
                <Redrive what={`the letter ${id}`} isRunning={isRunning} onClick={() => redrive({ deadLetter: id })} />
              ),
          },
        ]}
      />
    </>
  );
}
