import { afterAll, beforeAll, expect, it } from 'vitest';
import { callNode } from '../call-node.ts';
import { aftermath } from './aftermath.ts';
import { killRun } from './kill-run.ts';
import { operationsRun } from './operations-run.ts';
import { randomFrom } from './random.ts';
import { openStage, type Stage } from './stage.ts';
import type { Subject } from './subject.ts';

/** A short piece of `npm run test:faults`. */

const SEED = 20_251_121;
const random = randomFrom(SEED);
const BEGUN_WITHIN_MS = 60_000;
/** What blocks make final on Solana in thirteen seconds is final at once, every so often (ms). */
const FINAL_EVERY_MS = 2000;

let stage: Stage;
let subjects: readonly Subject[] = [];
let unharmed = false;

beforeAll(async () => {
  stage = await openStage(random.fork());
});

afterAll(() => stage?.close(!unharmed));

it('the process is killed at any moment, and starts again on the same state', async () => {
  const severity = { perRequest: 0.04, perSend: 0.04, hangMs: 1000 };
  const deadline = Date.now() + BEGUN_WITHIN_MS;
  const run = await killRun(stage, { kills: 3, issuances: 30, severity, deadline }, random.fork());
  expect(run.kills).toBe(3);
  expect(run.subjects.filter(({ model }) => model.accepted).length).toBeGreaterThanOrEqual(20);
  subjects = run.subjects;
});

it('partners ask for everything at random while the nodes fail', async () => {
  const severity = { perRequest: 0.08, perSend: 0.1, hangMs: 1000 };
  const deadline = Date.now() + BEGUN_WITHIN_MS;
  const run = { operations: 120, perSecond: 20, crowd: 50, severity, deadline };
  subjects = [...subjects, ...(await operationsRun(stage, run, random.fork()))];
  expect(stage.asker.tally.operations).toBeGreaterThanOrEqual(150);
  expect(Object.keys(stage.nodes.befallen()).length).toBeGreaterThan(5);
});

it('nothing is lost, nothing doubled, and record, chain and model agree', async () => {
  const { devnet = '' } = stage.facts.rpc;
  const advancing = setInterval(() => callNode(devnet, 'world_advance', [34]).catch(() => undefined), FINAL_EVERY_MS);
  const { differences } = await aftermath(stage, subjects).finally(() => clearInterval(advancing));
  expect(differences, `seed ${SEED}, ${stage.folder}`).toEqual([]);
  unharmed = true;
}, 200_000);
