import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestModuleState,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import { checkedOut, RECORD_FILE, readRecord, type TestRecord } from '../tools/release/test-record.ts';
import { FULL, LONG } from './form.ts';

const PROGRESS_MS = 30_000;

/** The newest run of this checkout, whatever ran. `.ci/run` reads its counts. */
const NEWEST_RUN = '.dev/test-run.json';

/**
 * Says what to expect, what has run and what has failed: a line at the start, a line each half minute, a line for each failed file, and the
 * failures at the end. A complete run of the full form writes the record, which the release needs.
 */
export class ProgressReporter extends DefaultReporter {
  #expected = '';
  #files = 0;
  #done = 0;
  #failed = 0;
  #startedAt = 0;
  #started: ReturnType<typeof checkedOut> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #secondsByFile = new Map<string, number>();

  constructor() {
    super({ summary: false });
  }

  override onInit(ctx: Vitest): void {
    super.onInit(ctx);
    if (FULL && !LONG) this.#started = checkedOut();
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
    this.#done = 0;
    this.#startedAt = Date.now();
    const minutes = expectedMinutes(specifications.map(({ moduleId }) => this.#nameOf(moduleId)));
    this.#expected = minutes === undefined ? '' : ` of about ${minutes}`;
    this.log(`${this.#files} test files${minutes === undefined ? '' : `, about ${minutes} min on two idle cores`}`);
    this.#timer = setInterval(() => this.#printProgress(), PROGRESS_MS);
    this.#timer.unref();
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#done += 1;
    if (!module.ok()) this.#failed += 1;
    const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
    const ms = environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration;
    this.#secondsByFile.set(this.#nameOf(module.moduleId), Math.round(ms / 100) / 10);
  }

  /** A file that passed needs no line. */
  override printTestModule(module: TestModule): void {
    if (!module.ok() || this.#files === 1) super.printTestModule(module);
  }

  /** Of a file that failed, the tests that passed need no line. */
  override printTestCase(moduleState: TestModuleState, test: TestCase): void {
    if (test.result().state === 'failed' || this.#files === 1) super.printTestCase(moduleState, test);
  }

  override onTestRunEnd(...[modules, errors, reason]: Parameters<DefaultReporter['onTestRunEnd']>): void {
    clearInterval(this.#timer);
    super.onTestRunEnd(modules, errors, reason);
    const cases = modules.flatMap(({ children }) => [...children.allTests()]);
    const passed = cases.filter((each) => each.result().state === 'passed').length;
    // A file whose hook or import fails has no failed test: it counts as one. So does an error outside of all files.
    const inFile = ({ children }: TestModule) => [...children.allTests('failed')].length;
    const failed = modules.reduce(
      (sum, module) => sum + (module.ok() ? 0 : Math.max(1, inFile(module))),
      errors.length,
    );
    const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
    const secondsByFile = Object.fromEntries([...this.#secondsByFile].toSorted(([a], [b]) => a.localeCompare(b)));
    const found = { files: modules.length, passed, failed, seconds, secondsByFile };
    this.#write(NEWEST_RUN, found);
    const isComplete = this.#started !== undefined && this.#files === testFiles() && reason !== 'interrupted';
    if (isComplete) this.#writeRecord(found);
  }

  #writeRecord(found: Omit<TestRecord, 'commit' | 'tree'>): void {
    const { commit, tree } = checkedOut();
    const isSame = tree === this.#started?.tree;
    this.#write(RECORD_FILE, { commit, tree: isSame ? tree : null, ...found });
    this.log(`${RECORD_FILE} has what ran and what it found. Commit it: \`npm run release\` needs it.`);
  }

  #write(file: string, content: object): void {
    const path = join(this.ctx.config.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  }

  #printProgress(): void {
    const minutes = ((Date.now() - this.#startedAt) / 60_000).toFixed(1);
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`;
    this.log(`${minutes}${this.#expected} min: ${this.#done} of ${this.#files} files${failed}`);
  }

  #nameOf(moduleId: string): string {
    return relative(this.ctx.config.root, moduleId);
  }
}

/** Returns the number of test files that git knows. */
const testFiles = () =>
  execFileSync('git', ['ls-files', 'test'], { encoding: 'utf8' }).match(/\.test\.tsx?$/gm)?.length ?? 0;

/** Returns the minutes that these files took last time, side by side as in that run; undefined if nobody knows. */
function expectedMinutes(files: readonly string[]): number | undefined {
  const record = readRecord();
  if (record === undefined) return undefined;
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + (record.secondsByFile[name] ?? 0), 0);
  const sideBySide = sum(Object.keys(record.secondsByFile)) / record.seconds;
  return Math.max(1, Math.round(sum(files) / sideBySide / 60));
}
