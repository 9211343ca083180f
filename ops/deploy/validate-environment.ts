import { Failure } from '../../scripts/failure.ts';
import { configOf } from '../../src/config/parse-config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { blockOf, isTemplateId, SECRET_NAMES } from './environment-block.ts';
import { environmentFault, sharedResourceFault } from './environment-fault.ts';

/**
 * Throws Failure with the reason if the Worker could not run with an environment of `wrangler.toml`. The environment needs:
 * - the bindings of the top level
 * - no resource that another environment uses
 * - variables that the Worker accepts in a deployment
 * - databases that exist
 *
 * It does not check secrets, which are unknown here.
 */
export function validateEnvironment(environment: string, file?: string): void {
  const top = blockOf(undefined, file);
  const block = blockOf(environment, file);
  const others = (top.definedEnvironments ?? []).filter((name) => name !== environment);
  const wrongBlock =
    environmentFault(block, top) ??
    sharedResourceFault(block, Object.fromEntries(others.map((name) => [name, blockOf(name, file)])));
  if (wrongBlock) throw new Failure(`[env.${environment}] of wrangler.toml ${wrongBlock}`);
  const wrongVariable = variableFault(block.vars, top.vars);
  if (wrongVariable) throw new Failure(`[env.${environment}.vars] of wrangler.toml: ${wrongVariable}`);
  const uncreated = block.d1_databases.find(({ database_id }) => isTemplateId(database_id));
  if (uncreated) {
    throw new Failure(
      `[env.${environment}] of wrangler.toml has the template's database_id for ${uncreated.binding}: ` +
        'create the database with `wrangler d1 create` and enter its id',
    );
  }
}

function variableFault(vars: object, known: object): string | undefined {
  const secret = SECRET_NAMES.find((name) => name in vars);
  if (secret) return `${secret} is a secret: remove it, and set it with \`wrangler secret put\``;
  const stray = Object.keys(vars).find((name) => !(name in known));
  if (stray) return `${stray} is not a variable of the top level: correct its spelling, or remove it`;
  try {
    return configOf(vars).local ? "DEPLOYMENT must not be local: that is for a developer's machine" : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
