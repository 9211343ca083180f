import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait for blocks or start a localnet of their own: up to a minute each, most of it waiting. */
const SLOW = /\/test\/(system\/(client|e2e|faults|ops)|worker\/settlement)\//;

/** On a clean clone nothing is known of how long files take: the slow ones begin, so that none of them is left alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
