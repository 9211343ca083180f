import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { callNode } from '../../call-node.ts';
import { LONG } from '../../form.ts';
import { openPreparedState } from '../prepared-state.ts';
import { checkAfterFaults } from './check-after-faults.ts';
import { type FaultEnvironment, openFaultEnvironment } from './fault-environment.ts';
import { runKills } from './kill-run.ts';
import { runOperations } from './operations-run.ts';
import { randomFrom } from './random.ts';
import { readAdmin } from './scrape.ts';
import type { TestedPass } from './tested-pass.ts';

/** The runs of `faults.test.ts` with all keys in a KMS, which fails, refuses and lies too. */
const FORM = LONG
  ? { kills: 30, issuances: 200, acceptedMin: 130, operations: 500, limitMs: 600_000 }
  : { kills: 3, issuances: 30, acceptedMin: 20, operations: 60, limitMs: 300_000 };

const SEED = 20_261_126;
const random = randomFrom(SEED);
/** A Solana slot becomes final after thirteen seconds. The test finalizes slots at this interval to save time. */
const FINALIZE_EVERY_MS = 2000;

let environment: FaultEnvironment;
let passes: readonly TestedPass[] = [];
let unharmed = false;

beforeAll(async () => {
  const state = openPreparedState(inject('preparedState'));
  environment = await openFaultEnvironment(random.fork(), state, inject('builtWorker'), { kms: true });
});

afterAll(() => environment?.close(!unharmed));

it('the Worker accepts issuances although the test kills it while it signs', { timeout: FORM.limitMs }, async () => {
  const severity = { perRequest: 0.04, perSend: 0.04, hangMs: 1000, lying: 0.8 };
  const deadline = Date.now() + FORM.limitMs;
  const run = await runKills(environment, { ...FORM, severity, deadline }, random.fork());
  expect(run.kills).toBe(FORM.kills);
  expect(run.passes.filter(({ model }) => model.accepted).length).toBeGreaterThanOrEqual(FORM.acceptedMin);
  passes = run.passes;
});

it('partners run random operations while the KMS and the nodes fail', { timeout: FORM.limitMs }, async () => {
  const severity = { perRequest: 0.08, perSend: 0.1, hangMs: 1000, lying: 0.8 };
  const deadline = Date.now() + FORM.limitMs;
  const run = { operations: FORM.operations, perSecond: 20, crowd: 50, severity, deadline };
  passes = [...passes, ...(await runOperations(environment, run, random.fork()))];
  expect(environment.modelClient.tally.operations).toBeGreaterThanOrEqual(FORM.operations);
});

it('no pass or event is lost or doubled, and record, chain, model, feed and deliveries agree', {
  timeout: FORM.limitMs,
}, async () => {
  const { devnet = '' } = environment.facts.rpc;
  const advancing = setInterval(
    () => callNode(devnet, 'localnet_advance', [34]).catch(() => undefined),
    FINALIZE_EVERY_MS,
  );
  const after = await checkAfterFaults(environment, passes).finally(() => clearInterval(advancing));
  expect(after.feed.events).toBeGreaterThanOrEqual(FORM.acceptedMin);
  expect(environment.kms?.readCalls().sign).toBeGreaterThan(FORM.acceptedMin);
  expect(after.differences, `seed ${SEED}, ${environment.folder}`).toEqual([]);
  const { signers } = JSON.parse(await readAdmin(environment.facts, 'signers')) as { signers: { paused: unknown }[] };
  expect(signers.map(({ paused }) => paused)).toEqual([null, null, null]);
  unharmed = true;
});
