import { cpSync } from 'node:fs';
import { openStateFolder, type StateFolder } from '../../localnet/state/state-folder.ts';
import { storageFolderOf } from '../../scripts/wrangler.ts';

/** Opens a state folder with a copy of the prepared database. */
export function openPreparedState(prepared: string): StateFolder {
  const state = openStateFolder();
  cpSync(storageFolderOf(prepared), storageFolderOf(state.folder), { recursive: true });
  return state;
}
