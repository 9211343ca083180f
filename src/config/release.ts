/** The release that this code belongs to. `package.json` has the same version: `npm run release` changes both. */
export const RELEASE = '1.0.0';
