import type { Measure } from '../measure.ts';
import { outcomeOf, prepareShortForm, type ShortForm } from '../short-form.ts';

/** The short form that the tests measure within a minute. They compare with these results. */
export const shortMeasure: Measure = {
  name: 'short',
  async run(context) {
    const form = await prepareShortForm(context);
    const named = async (name: keyof ShortForm) => ({
      ...outcomeOf([await form[name]()]),
      what: `short form: ${name}`,
    });
    return [await named('fetch'), await named('search'), await named('accept')];
  },
};
