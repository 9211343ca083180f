import { InvalidArgumentError } from 'commander';
import { NAME_RULES, type OwnName } from './csv/own-names.ts';

/** Returns the parser of an option that names a pass or a person. */
export const ownName = (name: OwnName) => (text: string) => {
  if (!NAME_RULES[name].accepts(text)) throw new InvalidArgumentError(`It ${NAME_RULES[name].rule}.`);
  return text;
};
