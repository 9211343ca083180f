import { wordsOf } from '../steps/steps.ts';
import { limitsInWords } from '../world/limits.ts';
import type { Plan } from './plan.ts';

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Returns a world and what was wrong in it in words, with the text that `--replay` plays. */
export function storyOf(plan: Plan, faults: readonly string[]): string {
  const { keys, endpoints, networks, kms, limits = {}, slim = [], steps, prompt = [], late = [] } = plan;
  const size = `${counted(keys, 'key')} on each chain${kms ? ' (the first in a KMS)' : ''}, ${counted(endpoints, 'endpoint')} of ${networks.join(' and ')}`;
  return [
    `In a world with ${size}:`,
    ...(Object.keys(limits).length > 0 ? [`  - ${limitsInWords(limits)}`] : []),
    ...slim.map((index) => `  - contract ${index} on sepolia is of the build SlimGateway`),
    ...steps.map((each) => `  - ${wordsOf(each)}`),
    ...[...prompt, late]
      .filter((group) => group.length > 0)
      .flatMap((group, index) => [
        index === 0 ? 'Then all faults end, and time passes:' : 'Time passes:',
        ...group.map((each) => `  - ${wordsOf(each)}`),
      ]),
    'Then all faults end, time passes, and this is wrong:',
    ...faults.map((each) => `  - ${each}`),
    `Replay: ${JSON.stringify(plan)}`,
  ].join('\n');
}
