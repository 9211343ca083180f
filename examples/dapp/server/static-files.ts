import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Returns a file of the folder by the path of its address; undefined if there is none. */
export function findFile(folder: string, pathname: string): { type: string; body: Buffer } | undefined {
  const path = normalize(pathname === '/' ? '/index.html' : pathname);
  const type = TYPES[extname(path)];
  // `normalize` of an absolute path never leaves its root.
  if (type === undefined || !path.startsWith('/')) return undefined;
  try {
    return { type, body: readFileSync(join(folder, path)) };
  } catch {
    return undefined;
  }
}
