/** Maximum number of gatekeeper networks with public checks. Each isolate knows them all. `npm run partner` enables no more. */
export const PUBLIC_NETWORKS_MAX = 10_000;
