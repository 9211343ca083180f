declare const brand: unique symbol;
declare const unit: unique symbol;

/** A value that only its parser makes: a plain string is refused where a branded one is wanted. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A number with a unit. A plain number is accepted, since arithmetic loses the unit; a number of another unit is not. */
export type Unit<T, Name extends string> = T & { readonly [unit]?: Name };

export type UnixSeconds = Unit<number, 'UnixSeconds'>;
export type Milliseconds = Unit<number, 'Milliseconds'>;
/** 10^-9 of a network's coin: gwei or lamports. Costs are counted in them, rounded up. */
export type NanoCoins = Unit<number, 'NanoCoins'>;
