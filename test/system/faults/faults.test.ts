import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PartnerClient } from '../../../localnet/partner/partner-client.ts';
import { callNode } from '../../call-node.ts';
import { Canary } from '../e2e/canary.ts';
import { plantKeyOf, plantKeys } from '../e2e/planted.ts';
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
const canary = new Canary();
let stopListening: () => void;
let subjects: readonly Subject[] = [];
let unharmed = false;

beforeAll(async () => {
  stage = await openStage(random.fork());
  plantKeys(canary, stage.signingKey);
  for (const url of Object.values(stage.nodes.rpc).flat()) plantKeyOf(canary, url);
  stopListening = canary.listenTo(stage.facts.baseUrl);
});

afterAll(() => {
  stopListening();
  return stage?.close(!unharmed);
});

it('the process is killed at any moment, and starts again on the same state', async () => {
  const severity = { perRequest: 0.04, perSend: 0.04, hangMs: 1000 };
  const deadline = Date.now() + BEGUN_WITHIN_MS;
  const run = await killRun(stage, { kills: 3, issuances: 30, severity, deadline }, random.fork());
  expect(run.kills).toBe(3);
  expect(run.subjects.filter(({ model }) => model.accepted).length).toBeGreaterThanOrEqual(20);
  subjects = run.subjects;
});

it('partners ask for everything at random while the nodes fail', async () => {
  const severity = { perRequest: 0.12, perSend: 0.15, hangMs: 1000 };
  const deadline = Date.now() + BEGUN_WITHIN_MS;
  const run = { operations: 120, perSecond: 20, crowd: 50, severity, deadline };
  subjects = [...subjects, ...(await operationsRun(stage, run, random.fork()))];
  expect(stage.asker.tally.operations).toBeGreaterThanOrEqual(150);
  expect(Object.keys(stage.nodes.befallen()).length).toBeGreaterThan(5);
});

it('nothing is lost, nothing doubled, and record, chain and model agree', async () => {
  const { devnet = '' } = stage.facts.rpc;
  const advancing = setInterval(
    () => callNode(devnet, 'localnet_advance', [34]).catch(() => undefined),
    FINAL_EVERY_MS,
  );
  const { differences } = await aftermath(stage, subjects).finally(() => clearInterval(advancing));
  expect(differences, `seed ${SEED}, ${stage.folder}`).toEqual([]);
  unharmed = true;
}, 200_000);

it('no secret has shown in a line or an answer, though endpoints quote the URLs they were asked by', async () => {
  const { worker, nodes, folder, facts } = stage;
  const asked = subjects.filter(({ model }) => model.accepted);
  for (const where of ['page', 'answers'] as const) {
    nodes.suffer({ is: 'echo', in: where });
    for (const network of Object.keys(facts.rpc)) {
      const { partner, wallet } = asked.find((subject) => subject.network === network) as Subject;
      const reading = new PartnerClient(facts, partner).sync(network, wallet);
      await expect(reading).rejects.toMatchObject({ status: 503 });
    }
  }
  await worker.stop();
  const lines = readFileSync(worker.logFile, 'utf8').split('\n');
  const quoting = lines.filter((line) => line.includes('no project at [hidden]'));
  expect(quoting.length).toBeGreaterThanOrEqual(Object.keys(facts.rpc).length);

  for (const bytes of nodes.sent()) canary.plantSigned(bytes);
  for (const line of lines) canary.line(line);
  canary.filesIn(join(folder, 'wrangler-logs'));
  expect(await canary.leaks(), `seed ${SEED}, ${folder}`).toEqual([]);
  expect(canary.counts.responses).toBeGreaterThan(100);
});
