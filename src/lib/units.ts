declare const brand: unique symbol;
declare const unit: unique symbol;

/** A value that only its parser creates. The compiler refuses a plain string where a branded one is required. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A number with a unit. A plain number is accepted, because arithmetic loses the unit. Another unit is refused. */
export type Unit<T, Name extends string> = T & { readonly [unit]?: Name };

export type UnixSeconds = Unit<number, 'UnixSeconds'>;
export type Milliseconds = Unit<number, 'Milliseconds'>;
/** 10^-9 of a network's coin: gwei or lamports. Costs are counted in this unit, rounded up. */
export type NanoCoins = Unit<number, 'NanoCoins'>;

/** Units of time. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_SECONDS = DAY_MS / SECOND_MS;

/** Returns the present time in Unix seconds. */
export function nowSeconds(): UnixSeconds {
  return Math.floor(Date.now() / SECOND_MS);
}

/** Returns `base` doubled `tries` times, at most `cap`, in the unit of the caller. */
export function backoff(base: number, tries: number, cap: number): number {
  return Math.min(cap, base * 2 ** Math.min(tries, 30));
}
