/** The settings of this deployment. `staff` or `operator` is undefined if nobody of that kind can sign in. */
export const SETTINGS = JSON.parse(document.querySelector('meta[name="gatepass"]')?.content ?? '{}');

/** The address of the service with its base path and a slash at the end. */
export const SERVICE = new URL('..', import.meta.url);
