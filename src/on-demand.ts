/**
 * Loads the modules that most requests never need. `tools/build.ts` bundles each of them, and only a file in the folder of the main module
 * can import them (docs/decisions/0129).
 */
export const loadDeploymentDocument = () => import('./on-demand/deployment-document.mjs');
export const loadMetricsText = () => import('./on-demand/metrics-text.mjs');
export const loadMoves = () => import('./on-demand/moves.mjs');
export const loadSimulation = () => import('./on-demand/simulation.mjs');
