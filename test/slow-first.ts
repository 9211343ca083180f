import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that wait for blocks or start a localnet: up to a minute each, most of it idle. */
const SLOW = /\/test\/(system\/(client|e2e|examples|faults|ops|pages)|worker\/settlement)\//;

/** Runs the slow files first. A clean clone has no durations to sort by, and a slow file at the end would run alone. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
