import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ask, type Question } from '../../../ops/setup/ask.ts';
import { questionsFor } from '../../../ops/setup/first-partner.ts';
import { ISSUERS, isRefused } from '../../../ops/setup/issuers.ts';
import { keyChoice } from '../../../ops/setup/options.ts';
import { askForSecrets } from '../../../ops/setup/secrets.ts';
import { askForValues } from '../../../ops/setup/values.ts';

/** Returns a terminal whose operator types the next answer at each prompt, and closes it when none is left. */
function terminalWith(...typed: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
  const output = new PassThrough() as unknown as NodeJS.WriteStream;
  const shown: string[] = [];
  output.on('data', (text) => {
    shown.push(String(text));
    if (!/: $/.test(String(text))) return;
    const next = typed.shift();
    if (next === undefined) (input as unknown as PassThrough).end();
    else (input as unknown as PassThrough).write(`${next}\n`);
  });
  return { input, output, shown };
}

const KEY: Question = { option: '--key', text: 'Key', given: undefined, check: keyChoice };

it('asks on the terminal for the values that no option gives, in their order', async () => {
  const { input, output, shown } = terminalWith('one', '', 'new');
  const questions = [
    { option: '--a', text: 'A', given: undefined },
    { option: '--b', text: 'B', given: 'of the option' },
    { option: '--c', text: 'C', given: undefined, fallback: 'usual' },
    KEY,
  ];
  expect(await ask(questions, input, output)).toEqual(['one', 'of the option', 'usual', 'new']);
  expect(shown.join('')).toBe('A: C [usual]: Key: ');
});

it('asks again after an empty or a wrong answer, and shows no key that somebody typed', async () => {
  const key = `0x${'ab'.repeat(32)}`;
  const { input, output, shown } = terminalWith('', key, 'none');
  expect(await ask([KEY], input, output)).toEqual(['none']);
  expect(shown.join('')).toMatch(/^Key: It needs an answer\.\nKey: It must be new, none, .*\nKey: $/);
  expect(shown.join('')).not.toContain(key);
});

it('ends with a fault if the operator closes the terminal', async () => {
  const { input, output } = terminalWith();
  await expect(ask([KEY], input, output)).rejects.toThrow('a question has no answer');
});

it('proposes an answer that depends on those before', async () => {
  const { input, output, shown } = terminalWith('acme', '');
  const questions = [
    { option: '--a', text: 'A', given: undefined },
    { option: '--b', text: 'B', given: undefined, fallback: ([a = '']: readonly string[]) => `${a}.io` },
  ];
  expect(await ask(questions, input, output)).toEqual(['acme', 'acme.io']);
  expect(shown.join('')).toBe('A: B [acme.io]: ');
});

/** Returns the value of a variable in the values that the setup writes for an issuer, from which it learns nothing else. */
async function valueFor(issuer: string, name: string): Promise<string | undefined> {
  const given = { PUBLIC_ORIGIN: 'a', TOKEN_AUDIENCE: 'a', ADMIN_AUDIENCE: 'b', TOKEN_URL: 'c', TOKEN_ISSUER: issuer };
  const text = await askForValues({ env: 'own', set: Object.entries(given) });
  return RegExp(`^${name} = "(.*)"$`, 'm').exec(text)?.[1];
}

it.each(ISSUERS)('proposes the settings of $issuer', async (row) => {
  const filledIn = (form: string) => form.replaceAll(/[A-Z]{2,}/g, (name) => `x-${name.toLowerCase()}`);
  const issuer = filledIn(row.tokenIssuer);
  const accepted = ISSUERS.filter((each) => each.tokenIssuer === row.tokenIssuer && !isRefused(each));
  if (accepted.length === 0) return await expect(valueFor(issuer, 'CLIENT_CLAIM')).rejects.toThrow('Refused: ');
  expect(await valueFor(issuer, 'CLIENT_CLAIM')).toBe(row.clientClaim);
  expect(await valueFor(issuer, 'JWKS_URL')).toBe(filledIn(row.jwksUrl));
  expect(accepted.map(({ scopeClaim }) => scopeClaim)).toContain(await valueFor(issuer, 'SCOPE_CLAIM'));
});

it('names every missing option without a terminal, and takes usual values without a question', async () => {
  const input = new PassThrough() as unknown as NodeJS.ReadStream;
  const usual = { option: '--c', text: 'C', given: undefined, fallback: 'usual' };
  await expect(ask([KEY, usual, { ...KEY, option: '--other' }], input)).rejects.toThrow('so give --key, --other');
  expect(await ask([usual], input)).toEqual(['usual']);
});

it('takes the endpoints of the options, and creates no key if no chain has one', async () => {
  const { text } = await askForSecrets({
    env: 'own',
    ethereumKey: 'none',
    solanaKey: 'new',
    rpc: [
      ['devnet', 'https://a.acme.io/'],
      ['devnet', 'https://b.acme.io/'],
    ],
  });
  expect(text).toMatch(
    /^SOLANA_GATEKEEPER_KEY='\[.*\]'\nRPC_ENDPOINTS='\{"devnet":\["https:\/\/a\.acme\.io\/","https:\/\/b\.acme\.io\/"\]\}'\n$/,
  );
  await expect(
    askForSecrets({ env: 'own', ethereumKey: 'none', solanaKey: 'none', rpc: [['devnet', 'https://a.acme.io/']] }),
  ).rejects.toThrow('one chain needs a key');
});

it('asks about the first partner for a gatekeeper network and limits, and in a sandbox only for the client and its name', () => {
  const optionsOf = (given: object) => questionsFor({ env: 'own', ...given }).map(({ option }) => option);
  const who = ['--client-id', '--name'];
  const settings = ['--gatekeeper-network', '--networks', '--daily-issuances', '--daily-changes'];
  expect(optionsOf({})).toEqual([...who, ...settings]);
  expect(optionsOf({ sandbox: true })).toEqual(who);
  expect(optionsOf({ sandbox: true, dailyIssuances: '5' })).toEqual([...who, '--daily-issuances']);
});
