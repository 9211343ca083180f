import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { factsAt } from '../../../ops/facts/network-facts.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { RECORD_FILE, treeOf } from '../../../tools/release/test-record.ts';
import { runReleaseCommand } from '../../../tools/release.ts';
import { runCommand } from '../ops/run-command.ts';

/** `npm run release` in a repository of its own, which has the files of this one. */

const project = mkdtempSync(join(tmpdir(), 'gatepass-release-'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(project, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(project, file), text);
const release = (...args: string[]) => runCommand((given) => runReleaseCommand(given, project, now), args);

/** A day on which all facts are young, whenever the test runs. */
const CHECKED = Math.max(...factsAt(0).map(({ checked }) => Date.parse(checked) / 1000));
let now = CHECKED;

/** Commits a change that the next release contains. */
function commitChange(file: string, text: string): void {
  write(file, text);
  git('add', '--all');
  git('commit', '--quiet', '--message', `test: change ${file}`);
}

let first = '';

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((each) => each !== ''))
    cpSync(join(PROJECT, file), join(project, file), { recursive: true, verbatimSymlinks: true });
  for (const folder of ['node_modules', 'packages/client/node_modules'])
    symlinkSync(join(PROJECT, folder), join(project, folder));
  // The link is no folder, so `node_modules/` does not ignore it.
  git('init', '--quiet');
  appendFileSync(join(project, '.git/info/exclude'), 'node_modules\n');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('config', 'commit.gpgsign', 'false');
  git('config', 'tag.gpgsign', 'false');
  rmSync(join(project, 'ops/releases'), { recursive: true });
  rmSync(join(project, RECORD_FILE), { force: true });
  for (const [file, text] of [
    [
      'ops/releases/next.json',
      { meaning: { partners: 'A.', operators: 'B.', developers: 'C.' }, operatorSteps: ['D.'] },
    ],
  ] as const) {
    cpSync(join(PROJECT, dirname(file)), join(project, dirname(file)), {
      recursive: true,
      filter: (path) => !/\d\.json$/.test(path),
    });
    write(file, JSON.stringify(text));
  }
  // The newest release may have taken everything.
  const change = '## Unreleased\n\n### Partners\n\n- A change.\n\n';
  write('CHANGELOG.md', read('CHANGELOG.md').replace(/## Unreleased\n+(?=## )/, change));
  git('add', '--all');
  git('commit', '--quiet', '--message', 'test: begin');
  first = git('rev-parse', 'HEAD');
});
beforeEach(() => {
  for (const tag of git('tag').split('\n').filter(Boolean)) git('tag', '--delete', tag);
  git('reset', '--quiet', '--hard', first);
});
afterAll(() => rmSync(project, { recursive: true }));

/** Commits the record of a run that found no failure in the tree of the newest commit. */
const commitRecord = (failed = 0) =>
  commitChange(
    RECORD_FILE,
    JSON.stringify({
      commit: git('rev-parse', 'HEAD'),
      tree: treeOf(project),
      files: 1,
      passed: 1,
      failed,
      seconds: 1,
    }),
  );

const state = () => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')];

it('names a release: one commit with its file, version and changelog, and a tag with the notes', async () => {
  const unreleased = read('CHANGELOG.md');
  commitRecord();
  const before = git('rev-parse', 'HEAD');
  const { code, printed } = await release('9.0.0-rc.1');
  expect(code, printed).toBe(0);
  expect(printed).toContain('git push --follow-tags');
  expect([git('status', '--porcelain'), git('tag')]).toEqual(['', 'v9.0.0-rc.1']);
  expect(git('log', '--format=%s', `${before}..HEAD`)).toBe('release: name 9.0.0-rc.1');
  expect(git('rev-parse', 'v9.0.0-rc.1^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(read('src/config/release.ts')).toContain("RELEASE = '9.0.0-rc.1'");
  expect(JSON.parse(read('package.json')).version).toBe('9.0.0-rc.1');
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('9.0.0-rc.1');
  for (const reader of ['partners', 'operators'])
    expect(JSON.parse(read(`docs/${reader}/openapi.json`)).info.version).toBe('9.0.0-rc.1');
  expect(JSON.parse(read('ops/releases/next.json')).operatorSteps).toEqual([]);
  expect(JSON.parse(read('ops/releases/9.0.0-rc.1.json'))).toMatchObject({
    version: '9.0.0-rc.1',
    previous: null,
    operatorSteps: ['D.'],
    parts: { migrations: { '0001_baseline.sql': expect.stringMatching(/^[0-9a-f]{64}$/) } },
  });
  expect(read('CHANGELOG.md').replace(/\n## 9\.0\.0-rc\.1 \(\d{4}-\d\d-\d\d\)\n/, '')).toBe(unreleased);
  const notes = git('tag', '--list', '--format=%(contents)', 'v9.0.0-rc.1');
  expect(notes).toMatch(/^# Gatepass 9\.0\.0-rc\.1\n\n## Partners\n\nA\.\n\n- /);
  expect(notes).toContain('An operator does this, in this order:\n\n1. D.');
  expect((await release('9.0.0-rc.1', '--notes')).printed.trim()).toBe(notes);
  // The types, the linter and the documents accept the files.
  execFileSync('npx', ['biome', 'ci', 'package.json', 'ops/releases', 'src/config'], { cwd: project, stdio: 'pipe' });
});

it('a second release needs a newer version, a change and a meaning, and a step for each new part', async () => {
  commitRecord();
  expect((await release('9.0.0-rc.1')).code).toBe(0);
  const before = state();
  const refusal = async (version: string) => {
    const { code, printed } = await release(version);
    expect([code, git('status', '--porcelain'), git('tag')], printed).toEqual([1, '', 'v9.0.0-rc.1']);
    return printed.trim();
  };
  expect(await refusal('9.0.0-rc.1')).toBe('the tag v9.0.0-rc.1 exists');
  expect(await refusal('8.0.0')).toBe('8.0.0 must be newer than 9.0.0-rc.1');
  expect(await refusal('9.0.0')).toContain(
    'meaning must say what the release means for partners, operators, developers',
  );
  expect(state()).toEqual(before);
  const next = (operatorSteps: readonly string[]) =>
    JSON.stringify({ meaning: { partners: 'A.', operators: 'B.', developers: 'C.' }, operatorSteps });
  commitChange('ops/releases/next.json', next([]));
  expect(await refusal('9.0.0')).toContain('CHANGELOG.md has nothing below "Unreleased"');
  commitChange(
    'CHANGELOG.md',
    read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n### Operators\n\n- E.\n'),
  );
  commitChange('migrations/0009_more.sql', 'CREATE TABLE more (id TEXT) STRICT;\n');
  expect(await refusal('9.0.0')).toContain('the migration 0009_more.sql is added: operatorSteps must say');
  commitChange('ops/releases/next.json', next(['`npm run deploy` applies 0009_more.sql.']));
  expect(await refusal('9.0.0')).toContain('`npm run test:all` ran on another tree');
  commitRecord(2);
  expect(await refusal('9.0.0')).toContain('the recorded run of `npm run test:all` failed: 2 tests');
  commitRecord();
  const { code, printed } = await release('9.0.0');
  expect(code, printed).toBe(0);
  expect(JSON.parse(read('ops/releases/9.0.0.json'))).toMatchObject({ version: '9.0.0', previous: '9.0.0-rc.1' });
  expect(git('tag', '--list', '--format=%(contents)', 'v9.0.0')).toContain(
    '## Operators\n\nB.\n\nAn operator does this',
  );
  // A migration that operators have applied stays as it is.
  commitChange('migrations/0009_more.sql', 'CREATE TABLE other (id TEXT) STRICT;\n');
  commitChange('ops/releases/next.json', next(['0009_more.sql']));
  commitChange(
    'CHANGELOG.md',
    read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n### Operators\n\n- F.\n'),
  );
  const { printed: refused } = await release('9.0.1');
  expect(refused).toContain('the migration 0009_more.sql of the release before is changed: add a new one instead');
});

it('refuses facts about the networks that nobody has checked for 90 days', async () => {
  commitRecord();
  const before = state();
  now = CHECKED + 91 * 86_400;
  const { code, printed } = await release('9.0.0', '--dry-run');
  now = CHECKED;
  expect([code, printed]).toEqual([
    1,
    expect.stringMatching(/^the status of mainnet-beta was last checked on .*, and \d+ more\. Check it/),
  ]);
  expect(state()).toEqual(before);
});

it('changes nothing with --dry-run, with uncommitted changes, for another name, without a green record of all tests, or if a step fails', async () => {
  expect((await release('9.0.0')).printed).toContain('no run of `npm run test:all` is recorded');
  commitRecord();
  const before = state();
  expect((await release('9.0.0', '--dry-run')).printed).toBe(
    '9.0.0 can be released after nothing. Nothing was changed.\n',
  );
  expect((await release('latest')).code).toBe(2);
  expect((await release('9.0.0', '--notes')).printed).toBe('there is no ops/releases/9.0.0.json\n');
  expect(state()).toEqual(before);
  // The generator of the OpenAPI document fails.
  commitChange('tools/openapi.ts', 'process.exitCode = 1;\n');
  commitRecord();
  const broken = state();
  expect((await release('9.0.0')).code).toBe(1);
  expect(state()).toEqual(broken);
  write('README.md', 'changed');
  expect((await release('9.0.0')).printed).toContain('commit or stash your changes first');
});
