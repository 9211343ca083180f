import type { Route } from './route.ts';
import { getPass } from './routes/get-pass.ts';
import { health } from './routes/health.ts';
import { issuePass } from './routes/issue-pass.ts';
import { searchForPasses } from './routes/search-passes.ts';

/** Every route there is. */
export const ROUTES: readonly Route[] = [health, searchForPasses, issuePass, getPass];
