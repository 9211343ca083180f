import { isShardName } from '../../src/config/shard-name.ts';
import { blockOf } from './environment-block.ts';

/** The databases for passes that a block of `wrangler.toml` binds; without its name those of the top level. */
export function boundShards(environment: string | undefined, file?: string): string[] {
  const { d1_databases } = blockOf(environment, file);
  return d1_databases.map(({ binding }) => binding).filter(isShardName);
}
