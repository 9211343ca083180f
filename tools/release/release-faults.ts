import type { DeployedParts } from '../../ops/deploy/deployed-parts.ts';
import type { NextRelease } from '../../ops/deploy/release-file.ts';

/** A difference between the parts of two releases. */
export interface PartChange {
  readonly kind: 'migration' | 'class' | 'binding' | 'variable' | 'secret';
  readonly change: 'added' | 'removed' | 'changed';
  /** The name that the operator sees, for example a file or a variable. */
  readonly name: string;
}

/** Returns the differences between the parts of a release and those of the release before it. */
export function changesBetween(before: DeployedParts, now: DeployedParts): PartChange[] {
  const lists = (kind: PartChange['kind'], old: readonly string[], own: readonly string[]): PartChange[] => [
    ...own.filter((name) => !old.includes(name)).map((name) => ({ kind, change: 'added' as const, name })),
    ...old.filter((name) => !own.includes(name)).map((name) => ({ kind, change: 'removed' as const, name })),
  ];
  const records = (kind: PartChange['kind'], old: Readonly<Record<string, unknown>>, own: typeof old): PartChange[] => [
    ...lists(kind, Object.keys(old), Object.keys(own)),
    ...Object.keys(own)
      .filter((name) => name in old && JSON.stringify(old[name]) !== JSON.stringify(own[name]))
      .map((name) => ({ kind, change: 'changed' as const, name })),
  ];
  return [
    ...records('migration', before.migrations, now.migrations),
    ...records('class', before.classes, now.classes),
    ...lists('binding', before.bindings, now.bindings),
    ...lists('variable', before.variables, now.variables),
    ...lists('secret', before.secrets, now.secrets),
  ];
}

/**
 * Returns why a release cannot follow the one before it:
 * - a migration that operators have applied differs or is gone
 * - a class of Durable Objects comes together with anything else, although a deployment becomes the release: it could not be rolled back (runbook)
 * - the operator's list does not name a change
 */
export function releaseFaults(
  before: DeployedParts,
  now: DeployedParts,
  { operatorSteps, isNewDeployment }: Pick<NextRelease, 'operatorSteps' | 'isNewDeployment'>,
): string[] {
  const changes = changesBetween(before, now);
  const applied = changes.filter(
    ({ kind, change }) => (kind === 'migration' || kind === 'class') && change !== 'added',
  );
  const added = changes.filter(({ kind }) => kind === 'class');
  const classes = added.flatMap(({ name }) => now.classes[name] ?? []);
  const ofClasses = ({ kind, name }: PartChange) =>
    kind === 'class' || (kind === 'binding' && classes.some((each) => name.endsWith(`(${each})`)));
  const besides = added.length > 0 && isNewDeployment !== true ? changes.filter((change) => !ofClasses(change)) : [];
  const unnamed = changes.filter(({ name }) => !operatorSteps.some((step) => step.includes(nameIn(name))));
  return [
    ...applied.map(
      ({ kind, change, name }) => `the ${kind} ${name} of the release before is ${change}: add a new one instead`,
    ),
    ...besides.map(
      ({ kind, change, name }) =>
        `a release that adds a class contains nothing else, but the ${kind} ${name} is ${change}`,
    ),
    ...unnamed.map(
      ({ kind, change, name }) =>
        `the ${kind} ${nameIn(name)} is ${change}: operatorSteps must say what the operator does about it`,
    ),
  ];
}

/** Returns the name of a binding without its type. */
const nameIn = (name: string) => name.replace(/ \(.*\)$/, '');
