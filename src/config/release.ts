/** The release that this code belongs to. `package.json` has the same version: `npm run release` changes both. */
export const RELEASE = '1.0.0';

/** `npm run deploy` has the bundler write the commit here. The constant does not exist in other builds. */
declare const __COMMIT__: string;

/** The commit from which `npm run deploy` built this code; `unknown` in every other build. */
export const COMMIT: string = typeof __COMMIT__ === 'undefined' ? 'unknown' : __COMMIT__;
