import { InvalidArgumentError } from 'commander';

/** Returns a parser of whole numbers from this minimum on. */
export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < minimum)
      throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`);
    return Number(text);
  };
}
