import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { suggestionFor } from './closest.ts';
import { Failure } from './failure.ts';
import { replaceFile } from './replace-file.ts';

/** A profile is a file with the variables `GATEPASS_…` of one service and one client, which only its owner can read. */

type Variables = Readonly<Record<string, string | undefined>>;

const ENDING = '.json';
/** A name is a part of a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const FILE_MAX_BYTES = 65_536;
/** Rights of the group and of others. Windows has none of them. */
const OTHERS_MAY_ACCESS = 0o077;
const OTHERS_MAY_WRITE = 0o022;

/** Returns the folder of the profiles. */
export function profileFolder({ XDG_CONFIG_HOME = '' }: Variables): string {
  // The XDG specification ignores a relative path.
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'gatepass', 'profiles');
}

/** Returns the names of the profiles in order. */
export function profileNames(environment: Variables): string[] {
  const folder = profileFolder(environment);
  try {
    const names = readdirSync(folder).filter((file) => file.endsWith(ENDING));
    return names.map((file) => file.slice(0, -ENDING.length)).toSorted();
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
}

/** Returns the variables of a profile. Throws Failure if it does not exist, is no profile, or if others can read or change it. */
export function readProfile(name: string, environment: Variables): Variables {
  const file = fileOf(name, environment);
  let opened: number;
  try {
    demandPrivateFolder(profileFolder(environment));
    opened = openSync(file, 'r');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    const names = profileNames(environment);
    const hint = suggestionFor(name, names) || ' `gatepass login --save NAME` stores one.';
    throw new Failure(`the profile ${name} does not exist.${hint}`);
  }
  try {
    // The rights of the opened file: another one may have its name by now.
    const { mode, uid, size } = fstatSync(opened);
    if (process.platform !== 'win32' && (mode & OTHERS_MAY_ACCESS) !== 0)
      throw new Failure(`${file}: others can read this file, which has a secret. Run chmod 600 on it`);
    demandOwner(file, uid);
    if (size > FILE_MAX_BYTES) throw new Failure(`${file} is not a profile`);
    return parseProfile(file, readFileSync(opened, 'utf8'));
  } finally {
    closeSync(opened);
  }
}

/** Stores a profile, or replaces it. A killed command leaves the old profile or the new one. */
export function storeProfile(name: string, variables: Variables, environment: Variables): string {
  const file = fileOf(name, environment);
  const folder = profileFolder(environment);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  demandPrivateFolder(folder);
  replaceFile(file, `${JSON.stringify(variables, undefined, 2)}\n`, 0o600);
  return file;
}

/** Deletes a profile. Throws Failure if it does not exist. */
export function removeProfile(name: string, environment: Variables): void {
  const file = fileOf(name, environment);
  if (!profileNames(environment).includes(name)) throw new Failure(`the profile ${name} does not exist`);
  rmSync(file);
}

function fileOf(name: string, environment: Variables): string {
  if (!NAME.test(name))
    throw new Failure(`"${name}" is not a name of a profile: letters, digits, dots and hyphens, at most 64`);
  return join(profileFolder(environment), name + ENDING);
}

/** In a folder that others can change, they could put a file with another URL in the place of a profile. */
function demandPrivateFolder(folder: string): void {
  const { mode, uid } = statSync(folder);
  if (process.platform === 'win32') return;
  if ((mode & OTHERS_MAY_WRITE) !== 0)
    throw new Failure(`${folder}: others can change this folder. Run chmod 700 on it`);
  demandOwner(folder, uid);
}

function demandOwner(path: string, uid: number): void {
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) throw new Failure(`${path} belongs to another user`);
}

function parseProfile(file: string, text: string): Variables {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    // The fault would quote the text, which has a secret.
  }
  const isObject = typeof stored === 'object' && stored !== null && !Array.isArray(stored);
  if (isObject && Object.values(stored as object).every((value) => typeof value === 'string'))
    return stored as Variables;
  throw new Failure(`${file} is not a profile`);
}
