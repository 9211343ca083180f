import { join } from 'node:path';
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from 'wrangler';
import { isShardName } from '../src/config/shard-name.ts';
import { PROJECT } from './wrangler.ts';

/** The databases for passes that a block of `wrangler.toml` binds; without its name those of the top level. */
export function boundShards(environment: string | undefined, file = join(PROJECT, 'wrangler.toml')): string[] {
  const { d1_databases }: WranglerConfig = readConfig({ config: file, env: environment }, { hideWarnings: true });
  return d1_databases.map(({ binding }) => binding).filter(isShardName);
}
