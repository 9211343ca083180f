import fc from 'fast-check';
import type { WantedChange } from '../../../src/pass/requests.ts';
import type { Operation } from './chain-table.ts';
import type { Expiry, Story } from './story.ts';

/** The possible events of a story. Each is drawn with its details, and printed if a story fails. */
type Command = fc.AsyncCommand<object, Story>;

function command(words: string, run: (story: Story) => Promise<void> | void): Command {
  return { check: () => true, run: async (_, story) => run(story), toString: () => words };
}

const FAR = 10_000;
/** Expiries in seconds after the beginning of the story, so that requests repeat them. A story may outlast the first one. */
const UNTIL = [60, FAR, 2 * FAR];

export function commands(): fc.Arbitrary<Command>[] {
  const inSeconds = fc.constantFrom(5, 100, FAR);
  const until = fc.constantFrom(...UNTIL);
  const asked = fc.constantFrom<(WantedChange & Expiry)[]>(
    { state: 'FROZEN' },
    { state: 'ACTIVE' },
    { state: 'FROZEN' },
    { state: 'ACTIVE' },
    { in: 100 },
    { in: FAR },
    ...UNTIL.map((until) => ({ until })),
    { state: 'FROZEN', in: 200 },
    { state: 'ACTIVE', in: 300 },
  );
  const operations: readonly (Operation | 'burn')[] = ['issue', 'freeze', 'unfreeze', 'set-expiry', 'revoke', 'burn'];
  const often = <T>(times: number, arbitrary: fc.Arbitrary<T>) => Array<fc.Arbitrary<T>>(times).fill(arbitrary);
  return [
    ...often(
      2,
      fc
        .record({ life: fc.option(inSeconds, { nil: undefined }), until: fc.option(until, { nil: undefined }) })
        .map(({ life, until }) =>
          command(`issue(${life}, until ${until})`, (story) => story.issue(life, until === undefined ? {} : { until })),
        ),
    ),
    ...often(
      3,
      asked.map(({ state, ...expiry }) =>
        command(`update(${state}, ${JSON.stringify(expiry)})`, (story) => story.update({ state }, expiry)),
      ),
    ),
    fc.constant(command('revoke', (story) => story.update({ state: 'REVOKED' }, {}))),
    ...often(
      3,
      fc
        .boolean()
        .map((twice) => command(twice ? 'deliver, to come again' : 'deliver', ({ scene }) => scene.deliver(twice))),
    ),
    ...often(
      5,
      fc.integer({ min: 1, max: 4 }).map((rounds) => command(`${rounds} rounds`, (story) => story.progress(rounds))),
    ),
    fc.boolean().map((twice) => command('take a message', ({ scene }) => scene.takeMessage(twice))),
    fc.boolean().map((latest) => command('submit what was taken', ({ scene }) => scene.submitTaken(latest))),
    fc.boolean().map((latest) => command('record answers', ({ scene }) => scene.recordAnswers(latest))),
    fc.constant(command('lose the messages', ({ scene }) => scene.loseMessages())),
    ...often(2, fc.constant(command('the signer wakes', ({ scene }) => scene.signerAlarm()))),
    fc.constant(command('the pass wakes', ({ scene }) => scene.passAlarm())),
    ...often(
      2,
      fc.integer({ min: 1, max: 4 }).map((blocks) => command(`mine(${blocks})`, (story) => story.mine(blocks))),
    ),
    fc.constant(command('the nodes forget', ({ scene }) => scene.chain.forget())),
    ...often(
      2,
      fc
        .record({ blocks: fc.integer({ min: 1, max: 2 }), forget: fc.boolean() })
        .map(({ blocks, forget }) =>
          command(`a reorg of ${blocks}${forget ? ', forgotten' : ''}`, ({ scene }) =>
            scene.chain.reorganize(blocks, forget),
          ),
        ),
    ),
    fc.constant(command('the process dies', ({ scene }) => scene.die())),
    fc
      .boolean()
      .map((lost) =>
        command(lost ? 'acknowledgments are lost' : 'acknowledgments arrive', ({ scene }) =>
          scene.loseAcknowledgements(lost),
        ),
      ),
    fc.constant(command('a minute goes by', (story) => story.wait(60))),
    fc.constant(command('somebody uses the key', ({ scene }) => scene.chain.byTheSameKey())),
    fc
      .boolean()
      .map((full) => command(full ? 'blocks are full' : 'blocks have room', ({ scene }) => scene.chain.crowd(full))),
    fc.nat(5).map((lag) => command(`the node is ${lag} behind`, (story) => story.fallBehind([lag]))),
    fc
      .array(fc.nat(4), { minLength: 2, maxLength: 3 })
      .map((lags) => command(`nodes are ${lags} behind`, (story) => story.fallBehind(lags))),
    fc
      .record({ kind: fc.constantFrom(...operations), in: inSeconds })
      .map(({ kind, in: seconds }) => command(`others ${kind}`, (story) => story.byOthers(kind, seconds))),
    ...often(2, fc.constant(command('the watcher sees a change', (story) => story.observe()))),
    fc.constant(command('sync', (story) => void story.scene.sync())),
    fc.integer({ min: 1, max: 30 }).map((seconds) => command(`${seconds} s go by`, (story) => story.wait(seconds))),
    fc
      .boolean()
      .map((refuses) =>
        command(refuses ? 'the chain refuses' : 'the chain takes', ({ scene }) => scene.chain.refuse(refuses)),
      ),
  ];
}
