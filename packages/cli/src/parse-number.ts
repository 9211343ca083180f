import { InvalidArgumentError } from 'commander';

/** Returns a parser of whole numbers in these bounds. */
export function wholeNumber(minimum: number, maximum = 10 ** 15 - 1): (text: string) => number {
  const bounds = maximum < 10 ** 15 - 1 ? `from ${minimum} to ${maximum}` : `of at least ${minimum}`;
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number ${bounds}.`);
  };
}
