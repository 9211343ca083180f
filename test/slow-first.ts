import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that wait for blocks, start a localnet or send many requests. Each takes up to a minute and a half. */
const SLOW =
  /\/test\/(system\/(abuse|cli|client|e2e|examples|faults|ops|pages|take-over)\/|worker\/(lies\/|settlement\/|http\/(fuzz|sync|update)))/;

/**
 * Runs the slow files first. A clean clone has no recorded durations, and a slow file at the end would run alone. The files of a
 * project stay together: a process that shares its modules can only take the next file in the order.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [
      ...sorted.filter(isSlow).toSorted(byProject),
      ...sorted.filter((file) => !isSlow(file)).toSorted(byProject),
    ];
  }
}

const byProject = (a: TestSpecification, b: TestSpecification) => a.project.name.localeCompare(b.project.name);
