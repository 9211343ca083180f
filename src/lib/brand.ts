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
