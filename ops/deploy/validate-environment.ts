import { Failure } from '../../scripts/failure.ts';
import { configOf } from '../../src/config/parse-config.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { blockOf, isTemplateId } from './environment-block.ts';
import { environmentFault } from './environment-fault.ts';
import { SECRET_NAMES } from './secret-names.ts';
import { sharedResourceFault } from './shared-resources.ts';

/**
 * Holds an environment in `wrangler.toml` to what the Worker cannot do without: the bindings that the top level has, nothing
 * that another environment has too, variables as the Worker itself demands them where it is deployed, and databases that were
 * created. Throws Failure with what is wrong. Secrets are not known here.
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
      `[env.${environment}] of wrangler.toml has the database_id of the template for ${uncreated.binding}`,
    );
  }
}

function variableFault(vars: object, known: object): string | undefined {
  const secret = SECRET_NAMES.find((name) => name in vars);
  if (secret) return `${secret} is a secret: take it out, and set it with \`wrangler secret put\``;
  const stray = Object.keys(vars).find((name) => !(name in known));
  if (stray) return `${stray} is none of the variables at the top: is it misspelt, or in the wrong place?`;
  try {
    return configOf(vars).local ? "DEPLOYMENT must not be local: that is for a developer's machine" : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
