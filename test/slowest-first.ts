import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readRecord } from '../tools/release/test-record.ts';

/** A new file starts among the middle ones. */
const UNKNOWN_SECONDS = 5;

/**
 * Starts the files that take longest first, because a slow file at the end would run alone. The files of a project stay together: a process
 * or a runtime that several files share can only take the next file in the order.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { secondsByFile = {} } = readRecord() ?? {};
    const secondsOf = ({ moduleId }: TestSpecification) =>
      secondsByFile[relative(this.ctx.config.root, moduleId)] ?? UNKNOWN_SECONDS;
    const projects = new Map<string, TestSpecification[]>();
    for (const file of files) projects.set(file.project.name, [...(projects.get(file.project.name) ?? []), file]);
    const slowest = (all: readonly TestSpecification[]) => Math.max(...all.map(secondsOf));
    return [...projects.values()]
      .toSorted((a, b) => slowest(b) - slowest(a))
      .flatMap((all) => all.toSorted((a, b) => secondsOf(b) - secondsOf(a)));
  }
}
