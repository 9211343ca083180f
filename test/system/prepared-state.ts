import { cpSync } from 'node:fs';
import { storageFolderOf } from '../../terminal/wrangler.ts';
import { openStateFolder, type StateFolder } from '../../tools/localnet/state/state-folder.ts';

/** Opens a state folder with a copy of the prepared database. */
export function openPreparedState(prepared: string): StateFolder {
  const state = openStateFolder();
  cpSync(storageFolderOf(prepared), storageFolderOf(state.folder), { recursive: true });
  return state;
}
