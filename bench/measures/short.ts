import type { Measure } from '../measure.ts';
import { type ShortForm, shortForm } from '../short-form.ts';

/** What the tests measure in a minute, as they measure it: they compare with this. */
export const short: Measure = {
  name: 'short',
  async run(context) {
    const form = await shortForm(context);
    const named = async (name: keyof ShortForm) => ({ ...(await form[name]()), what: `short form: ${name}` });
    return [await named('fetch'), await named('search'), await named('accept')];
  },
};
